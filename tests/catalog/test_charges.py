"""What is charged and when, with real connections, files, threads and processes (docs/privacy.md)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import duckdb
import pytest

import msd_sql
from msd_sql.registration import instance_of
from tests.support.shop import declare, kinds, one, spent

ASK = "SELECT msd_select(item_id, 4, 0.1, 0.5) FROM products"
FRESH = "SELECT msd_select(item_id, 4, 0.1, 0.5, fresh := true) FROM products"
AFFORDABLE = 25  # such answers of ε = 0.1, proved with δ = 0, by the filter with two rules; their sum affords 10


def test_a_charge_survives_rollback(shop):
    shop.execute("BEGIN")
    first = one(shop, ASK)
    assert spent(shop) == 0.1  # seen from inside of the transaction as well
    shop.execute("ROLLBACK")
    assert spent(shop) == 0.1
    assert one(shop, ASK) == first
    assert spent(shop) == 0.1


CRASH = """
import os, signal, sys
import duckdb, msd_sql
import msd_sql.actions.draw
def die(*arguments, **options):
    os.kill(os.getpid(), signal.SIGKILL)
msd_sql.actions.draw.build = die  # the first thing after the charge
con = msd_sql.register(duckdb.connect(sys.argv[1]))
print("asking", flush=True)
print(con.execute("SELECT msd_select(item_id, 4, 0.1, 0.5) FROM products").fetchall(), flush=True)
"""


def test_a_charge_survives_kill_9_and_the_answer_does_not(file):
    with duckdb.connect(file) as con:
        msd_sql.register(con)
        declare(con)
    done = subprocess.run([sys.executable, "-c", CRASH, file], capture_output=True, text=True, check=False)
    assert done.returncode == -signal.SIGKILL
    assert done.stdout == "asking\n"
    with duckdb.connect(file) as con:
        msd_sql.register(con)
        assert spent(con) == 0.1
        assert one(con, "SELECT msd_remaining('purchases')") == pytest.approx(0.9)


def test_many_threads_never_overdraw_and_the_affordable_number_succeed(file):
    cons = [duckdb.connect(file) for _ in range(4)]
    for con in cons:
        msd_sql.register(con)
    declare(cons[0])
    done, refused = [], []

    def ask(con):
        with con.cursor() as cursor:
            msd_sql.register(cursor)
            try:
                done.append(one(cursor, FRESH))
            except duckdb.InvalidInputException as error:
                refused.append(str(error))

    threads = [threading.Thread(target=ask, args=(cons[i % 4],)) for i in range(32)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(done) == AFFORDABLE
    assert len(refused) == 32 - AFFORDABLE
    assert all("BudgetError" in text for text in refused)
    assert spent(cons[0]) == AFFORDABLE / 10
    assert 0 < one(cons[0], "SELECT msd_remaining('purchases')") < 0.02
    for con in cons:
        con.close()


def test_showing_a_relation_five_times_charges_once(shop):
    relation = shop.sql(ASK)
    shown = [str(relation), relation.fetchall(), len(relation), relation.df(), relation.fetchall()]
    assert shown[1] == shown[4]
    assert spent(shop) == 0.1
    assert set(kinds(shop)) == {"protect", "items", "select", "replay"}


@pytest.mark.parametrize(
    "statement",
    [
        f"EXPLAIN {ASK}",
        f"PREPARE later AS {ASK}",
        f"{ASK} LIMIT 0",
        "EXPLAIN FROM msd_topk(products, 4, 0.1, 0.5)",
        "FROM msd_topk(products, 4, 0.1, 0.5) LIMIT 0",
        "FROM msd_explain(products, 4, 0.1, 0.5)",
        f"CREATE TEMP VIEW later AS {ASK}",
        f"DESCRIBE {ASK}",
        "EXPLAIN SELECT msd_reach([1], 0.1)",
        "EXPLAIN SELECT msd_unprotect('purchases')",
    ],
)
def test_what_does_not_run_charges_nothing(shop, statement):
    shop.execute(statement).fetchall()
    assert kinds(shop) == ["protect", "items"]


def test_a_relation_that_is_never_shown_charges_nothing(shop):
    relation = shop.sql(ASK)
    assert relation.columns == ["msd_select(item_id, 4, 0.1, 0.5)"]
    assert kinds(shop) == ["protect", "items"]


def test_over_budget_is_refused_before_anything_runs(shop):
    with pytest.raises(duckdb.InvalidInputException) as refusal:
        one(shop, "SELECT msd_select(item_id, 4, 1.5, 0.5) FROM products")
    text = str(refusal.value)
    for part in (
        "BudgetError",
        "Requested: ε 1.5",
        "Spent: ε 0",
        "Remaining: ε 1",
        "Limit: ε 1",
        "nothing was charged",
    ):
        assert part in text
    assert kinds(shop) == ["protect", "items"]


def test_as_many_answers_as_the_filter_affords_and_not_more(shop):
    for _ in range(AFFORDABLE):
        one(shop, FRESH)
    with pytest.raises(duckdb.InvalidInputException, match=r"Spent: ε 2\.5, .* Remaining: ε 0, "):
        one(shop, FRESH)
    assert spent(shop) == AFFORDABLE / 10


def test_the_same_question_is_told_again_and_a_fresh_one_is_paid(shop):
    first = one(shop, ASK)
    assert one(shop, f"WITH p AS (FROM products) {ASK.replace('products', 'p')}") == first
    assert one(shop, "SELECT msd_select(item_id, 4, 0.10, 0.50, method := 'greedy') FROM products") == first
    assert spent(shop) == 0.1
    answers = {tuple(one(shop, FRESH)) for _ in range(3)}
    assert spent(shop) == 0.4
    assert tuple(one(shop, ASK)) in answers
    one(shop, ASK.replace("4", "5"))
    assert spent(shop) == 0.5


def test_a_changed_protected_relation_is_asked_anew(shop):
    one(shop, ASK)
    shop.execute("INSERT INTO purchases VALUES (1, 59)")
    one(shop, ASK)
    assert spent(shop) == 0.2


def test_changed_candidates_or_features_are_another_question(shop):
    one(shop, ASK)
    one(shop, ASK + " WHERE item_id < 40")
    shop.execute("UPDATE products SET categories = ['z'] WHERE item_id = 3")
    one(shop, ASK)
    assert spent(shop) == 0.3


def test_a_failing_query_charges_nothing(shop):
    for failing in (
        "SELECT msd_select(item_id, 4, 0.1, 0.5, method := 'gredy') FROM products",
        "SELECT msd_select(item_id, 4, 0.1, 0.5) FROM purchases",
        "SELECT msd_select(item_id, 4, 0.1, 0.5, method := 'greedy', quota := category) FROM products",
        "SELECT msd_select(item_id + 1000, 4, 0.1, 0.5) FROM products",
        "SELECT msd_select(item_id, 4, 0.1, 0.5, features := [1.0, 'nan'::DOUBLE]) FROM products",
    ):
        with pytest.raises(duckdb.Error):
            one(shop, failing)
    assert kinds(shop) == ["protect", "items"]


def test_a_dropped_protected_relation_charges_nothing(shop):
    shop.execute("ALTER TABLE purchases RENAME item_id TO product_id")
    with pytest.raises(duckdb.InvalidInputException, match=r"cannot be read as it was declared.*Nothing was charged"):
        one(shop, ASK)
    assert spent(shop) == 0


@pytest.mark.parametrize("broken", ["build", "select"])
def test_what_fails_after_the_charge_stays_charged_and_says_nothing_private(shop, monkeypatch, broken):
    import msd_sql.actions.draw

    def fail(*arguments, **options):
        raise ValueError("user 17 bought item 4")

    monkeypatch.setattr(msd_sql.actions.draw, broken, fail)
    with pytest.raises(duckdb.InvalidInputException) as failure:
        one(shop, ASK)
    assert "user 17" not in str(failure.value)
    assert "ValueError" in str(failure.value)
    assert "stays charged" in str(failure.value)
    assert spent(shop) == 0.1


def test_a_relation_that_fails_to_be_read_is_charged_whichever_read_fails(empty):
    """Whether private rows can be read may depend on them: nobody asks that for nothing."""
    empty.execute("CREATE TABLE raw AS SELECT user_id, CAST(item_id AS VARCHAR) AS item FROM purchases")
    empty.execute("CREATE VIEW cast_purchases AS SELECT user_id, CAST(item AS INTEGER) AS item_id FROM raw")
    one(empty, "SELECT msd_protect('cast_purchases', unit := 'user_id', item := 'item_id', budget := 1, delta := 1e-9)")
    ask = "SELECT msd_select(item_id, 4, 0.1, 0, reach := 'cast_purchases') FROM products"
    assert len(one(empty, ask)) == 4
    empty.execute("INSERT INTO raw VALUES (7, 'secret')")
    for times, again in enumerate((ask, ask.replace("0.1", "0.2")), 2):
        with pytest.raises(duckdb.InvalidInputException, match="failed") as failure:
            one(empty, again)
        assert "secret" not in str(failure.value)
        assert len(empty.execute("FROM msd_ledger() WHERE kind = 'select'").fetchall()) == times


def test_rows_that_changed_since_the_index_was_made_decide(shop):
    exact = "SELECT msd_select(item_id, {k}, NULL, 0, exact := true) FROM products"
    one(shop, exact.format(k=1))
    rarest = one(shop, "SELECT item_id FROM products EXCEPT SELECT item_id FROM purchases LIMIT 1")
    rarest = 0 if rarest is None else rarest
    shop.execute(f"INSERT INTO purchases SELECT 1000000 + i, {rarest} FROM range(5000) AS r(i)")
    assert one(shop, exact.format(k=2))[0] == rarest
    shop.execute(f"DELETE FROM purchases WHERE item_id = {rarest}")
    assert one(shop, exact.format(k=3))[0] != rarest


def test_a_lack_of_memory_does_not_tell_how_much_was_wanted(shop, monkeypatch):
    import msd_sql.actions.draw

    def fail(*arguments, **options):
        raise MemoryError("Unable to allocate 276. MiB for an array with shape (36123657,)")

    monkeypatch.setattr(msd_sql.actions.draw, "build", fail)
    with pytest.raises(duckdb.InvalidInputException, match="not enough memory") as failure:
        one(shop, ASK)
    assert "36123657" not in str(failure.value)
    assert "276" not in str(failure.value)


def test_delta_is_charged_as_it_is_used(shop):
    """A bound that is proved with δ = 0 takes the sampler's reserve only, whatever δ it was allowed."""
    one(shop, ASK)
    one(shop, "SELECT msd_select(item_id, 4, 0.2, 0.5, delta := 4e-10) FROM products")
    one(shop, "SELECT msd_select(item_id, 10, 0.1, 0.5, delta := 4e-10) FROM products")
    rows = shop.execute("SELECT bound, delta FROM msd_releases() ORDER BY time").fetchall()
    assert [bound for bound, _ in rows] == ["telescoping", "telescoping", "covering"]
    assert all(0 < delta < 1e-20 for _, delta in rows[:2])
    assert rows[2][1] == pytest.approx(4e-10)


def test_another_process_charges_the_same_budget_afterwards(file):
    script = (
        "import duckdb, msd_sql, sys; con = msd_sql.register(duckdb.connect(sys.argv[1]));"
        "con.execute('SET enable_progress_bar = false');"  # a slow machine shows it
        f"print(len(con.execute({FRESH!r}).fetchall()[0][0]))"
    )
    with duckdb.connect(file) as con:
        msd_sql.register(con)
        declare(con)
        one(con, ASK)
    done = subprocess.run([sys.executable, "-c", script, file], capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.stderr) == ("4", "")
    with duckdb.connect(file) as con:
        msd_sql.register(con)
        assert spent(con) == 0.2
        assert one(con, "SELECT msd_remaining('purchases')") == pytest.approx(0.8)


SLOW = "SELECT msd_select(item_id, 40, 0.1, 0.5, method := 'sls', gamma := 0.01) FROM products"


def wait_for_a_charge(con, seconds=60):
    with con.cursor() as cursor:
        msd_sql.register(cursor)
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if spent(cursor) > 0:
                time.sleep(1)  # the index of a small shop is there at once, so by now it draws
                return
            time.sleep(0.02)
    raise AssertionError("nothing was charged in time")


@pytest.mark.parametrize("wrap", ["{}", "CREATE TABLE kept AS {}"])
def test_interrupt_stops_a_selection(shop, wrap):
    failures = []

    def ask():
        try:
            shop.execute(wrap.format(SLOW)).fetchall()
        except duckdb.Error as error:
            failures.append(str(error))

    thread = threading.Thread(target=ask)
    with shop.cursor() as watcher:
        thread.start()
        wait_for_a_charge(watcher)
        shop.interrupt()
        thread.join(timeout=30)
    assert not thread.is_alive()
    assert len(failures) == 1
    assert "nterrupted" in failures[0]
    assert spent(shop) == 0.1


def test_interrupt_stops_the_inner_statement(shop):
    shop.execute("CREATE VIEW endless AS SELECT user_id, item_id FROM purchases, range(100000), range(100000)")
    one(shop, "SELECT msd_protect('endless', unit := 'user_id', item := 'item_id', budget := 1, users := 400)")
    failures = []

    def ask():
        try:
            one(shop, "SELECT msd_select(item_id, 4, 0.1, 0.5, reach := 'endless') FROM products")
        except duckdb.Error as error:
            failures.append(str(error))

    thread = threading.Thread(target=ask)
    thread.start()
    instance = instance_of(shop)
    deadline = time.monotonic() + 60
    while thread.is_alive() and time.monotonic() < deadline:
        if instance.busy:
            time.sleep(0.5)  # it is past the catalog and reads the endless view, or will be stopped before it does
            shop.interrupt()
            thread.join(timeout=5)
    assert not thread.is_alive()
    assert "nterrupted" in failures[0]
    assert spent(shop) == 0


CTRL_C = """
import os, signal, sys, threading, time
import duckdb, msd_sql
con = msd_sql.register(duckdb.connect(sys.argv[1]))
con.execute("SET enable_progress_bar = false")
watcher = msd_sql.register(con.cursor())
def press():
    while not watcher.execute("SELECT sum(charged_eps) FROM msd_ledger()").fetchall()[0][0]:
        time.sleep(0.02)
    os.kill(os.getpid(), signal.SIGINT)
pressing = threading.Thread(target=press, daemon=True)
pressing.start()
try:
    con.execute(sys.argv[2]).fetchall()
except BaseException as error:
    print(type(error).__name__)
pressing.join(60)  # a thread that is cut off keeps its connection, of which DuckDB complains
"""


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
@pytest.mark.parametrize("wrap", ["{}", "CREATE TABLE kept AS {}"])
def test_ctrl_c_stops_a_selection(file, wrap):
    with duckdb.connect(file) as con:
        msd_sql.register(con)
        declare(con)
    done = subprocess.run(
        [sys.executable, "-c", CTRL_C, file, wrap.format(SLOW)],
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    assert done.stdout.strip() in ("InvalidInputException", "RuntimeError", "KeyboardInterrupt", "InterruptException")
    assert done.stderr == ""


@pytest.mark.parametrize("order", ["ORDER BY item_id", "ORDER BY item_id DESC"])
def test_the_order_of_rows_does_not_make_another_question(shop, order):
    one(shop, "SELECT msd_select(item_id, 4, 0.1, 0.5, features := categories) FROM products")
    one(
        shop,
        "SELECT msd_select(item_id, 4, 0.1, 0.5, features := categories) "
        f"FROM (FROM products {order} LIMIT 1000000) AS ordered",
    )
    assert spent(shop) == 0.1
    assert kinds(shop) == ["protect", "items", "select", "replay"]


def test_keys_of_another_type_are_another_question_of_reach(shop):
    one(shop, "SELECT msd_reach(['1.0', '1'], 0.1)")
    one(shop, "SELECT msd_reach([1.0, 1], 0.1)")
    assert spent(shop) == 0.2
