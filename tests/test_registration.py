"""Registration: idempotent, cheap, weak; many databases, connections, cursors and threads; nothing left behind."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
import weakref
from itertools import combinations

import duckdb
import pytest

import msd_sql
from msd_sql.surface.functions import FUNCTIONS
from tests.support.shop import declare, fill, one, spent

CALL = "SELECT msd_select(item_id, 6, 0.1, 0.5) FROM products"


def test_registering_twice_is_registering_once(shop):
    before = one(shop, CALL)
    msd_sql.register(shop)
    msd_sql.register(shop)
    assert one(shop, CALL) == before
    assert spent(shop) == 0.1


def test_the_macros_are_those_of_the_reference(shop):
    rows = shop.execute(
        "SELECT DISTINCT function_name, parameters FROM duckdb_functions() WHERE starts_with(function_name, 'msd_')"
    ).fetchall()
    found = {name: [list(own) for known, own in rows if known == name] for name, _ in rows}
    told = {function.name: [argument.name for argument in function.arguments] for function in FUNCTIONS.values()}
    bodies = found.pop("msd_select")
    assert found == {name: [arguments] for name, arguments in told.items() if name != "msd_select"}
    assert {name for body in bodies for name in body} == set(told["msd_select"])


COLUMNS = {"features": "categories", "quota": "price_bin", "score": "price"}


@pytest.mark.parametrize("given", [some for n in range(4) for some in combinations(COLUMNS, n)], ids="-".join)
def test_a_selection_has_one_body_for_the_columns_that_are_given(shop, given):
    asked = "".join(f", {name} := {COLUMNS[name]}" for name in given)
    eps = "NULL" if "score" in given else "0.1"
    assert len(one(shop, f"SELECT msd_select(item_id, 2, {eps}, 0.5{asked}) FROM products")) == 2


def test_what_follows_diversity_is_given_by_name(shop):
    with pytest.raises(duckdb.BinderException, match="by name"):
        one(shop, "SELECT msd_select(item_id, 2, 0.1, 0.5, price) FROM products")
    assert spent(shop) == 0


def test_a_cursor_is_a_connection_of_its_own(shop):
    cursor = shop.cursor()
    with pytest.raises(duckdb.CatalogException):
        one(cursor, CALL)
    msd_sql.register(cursor)
    assert one(cursor, CALL) == one(shop, CALL)
    assert spent(cursor) == 0.1


def test_the_first_connection_may_be_closed(file):
    first = duckdb.connect(file)
    msd_sql.register(first)
    declare(first)
    second = duckdb.connect(file)  # (closing a connection closes its cursors)
    first.close()
    del first
    gc.collect()
    msd_sql.register(second)
    assert len(one(second, CALL)) == 6
    second.close()


def test_a_connection_that_was_forgotten_is_not_kept_alive(empty):
    con = duckdb.connect()
    msd_sql.register(con)
    held = weakref.ref(con)
    del con
    gc.collect()
    assert held() is None


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (CALL.replace("6,", "0,"), "InputError"),
        (CALL.replace("0.1,", "7,"), "BudgetError"),
        (CALL.replace("products", "purchases"), "LeakError"),
    ],
)
def test_a_connection_that_was_refused_an_answer_and_forgotten_is_not_kept_alive(call, text):
    def asked():
        con = msd_sql.register(duckdb.connect(config={"threads": 1}))  # so that an error has the frames of this thread
        fill(con)
        declare(con)
        with pytest.raises(duckdb.InvalidInputException, match=text):
            one(con, call)
        return weakref.ref(con)

    held = asked()
    gc.collect()
    assert held() is None


def test_several_databases_in_memory_do_not_mix():
    cons = [duckdb.connect() for _ in range(3)]
    for con in cons:
        fill(con)
        msd_sql.register(con)
    declare(cons[0])
    declare(cons[1])
    assert len(one(cons[0], CALL)) == 6
    assert [spent(con) for con in cons] == [0.1, 0, 0]
    with pytest.raises(duckdb.InvalidInputException, match="CatalogError"):
        one(cons[2], CALL)
    for con in cons:
        con.close()


def test_threads_with_a_cursor_each(shop):
    answers, errors = [], []

    def ask():
        try:
            with shop.cursor() as cursor:
                msd_sql.register(cursor)
                answers.append(one(cursor, CALL))
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert len(answers) == 8
    assert all(answer == answers[0] for answer in answers)
    assert spent(shop) == 0.1


def test_registering_inside_a_transaction_that_is_rolled_back(empty):
    with duckdb.connect() as con:
        con.execute("BEGIN")
        msd_sql.register(con)
        con.execute("ROLLBACK")
        msd_sql.register(con)
        assert con.execute("FROM msd_ledger()").fetchall() == []


def test_the_file_lock_goes_with_the_last_connection(file):
    con = duckdb.connect(file)
    msd_sql.register(con)
    declare(con)
    one(con, CALL)
    con.close()
    script = f"import duckdb; print(duckdb.connect({file!r}).execute('SELECT 41 + 1').fetchall())"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "[(42,)]", done.stderr


def test_declarations_survive_reopening(file):
    for expected in (0.9, 0.8):
        with duckdb.connect(file) as con:
            msd_sql.register(con)
            if expected == 0.9:
                declare(con)
            one(con, CALL.replace("0.5)", "0.5, fresh := true)"))
            assert one(con, "SELECT msd_remaining('purchases')") == pytest.approx(expected)


def test_unregister_takes_the_macros_and_leaves_the_rest(shop):
    other = shop.cursor()
    msd_sql.register(other)
    msd_sql.unregister(shop)
    with pytest.raises(duckdb.CatalogException):
        one(shop, CALL)
    assert (
        one(shop, "SELECT count(*) FROM duckdb_functions() WHERE function_name LIKE '%msd%' AND database_name = 'temp'")
        == 0
    )
    assert len(one(other, CALL)) == 6
    msd_sql.register(shop)
    assert len(one(shop, CALL)) == 6


def test_a_ledger_in_another_file_for_read_only_data(file, tmp_path):
    ledger = tmp_path / "ledger.duckdb"
    for expected in (0.9, 0.8):
        with duckdb.connect(file, read_only=True) as con:
            msd_sql.register(con, ledger=ledger)
            msd_sql.register(con, ledger=str(ledger))
            if expected == 0.9:
                declare(con)
            assert len(one(con, CALL)) == 6
            assert one(con, "SELECT msd_remaining('purchases')") == pytest.approx(expected)
    with duckdb.connect(file) as con:
        assert one(con, "SELECT count(*) FROM duckdb_schemas() WHERE schema_name = 'msd'") == 0


def test_read_only_data_without_a_ledger_says_what_to_do(file):
    with duckdb.connect(file, read_only=True) as con:
        msd_sql.register(con)
        with pytest.raises(duckdb.InvalidInputException, match=r"reading only.*register\(con, ledger="):
            declare(con)


def test_a_second_ledger_would_be_a_second_budget(file, tmp_path):
    with duckdb.connect(file) as con:
        msd_sql.register(con, ledger=tmp_path / "one.duckdb")
        with pytest.raises(msd_sql.errors.InputError, match="second budget"):
            msd_sql.register(con, ledger=tmp_path / "two.duckdb")


NOISE = """
import duckdb, msd_sql
from tests.support.shop import declare, fill
con = duckdb.connect()
con.execute("SET enable_progress_bar = false")
fill(con)
msd_sql.register(con)
declare(con)
other = msd_sql.register(con.cursor())
print(len(con.execute("SELECT msd_select(item_id, 6, 0.1, 0.5) FROM products").fetchall()[0][0]))
print(len(other.sql("FROM msd_topk(products, 6, 0.1, 0.5)").fetchall()))
relation = other.sql("FROM msd_topk(products, 6, 0.1, 0.5)")
"""


@pytest.mark.parametrize(
    "end", ["", "con.close(); other.close()", "raise SystemExit(0)", "del con", "msd_sql.unregister(con)"]
)
def test_nothing_is_printed_at_exit(root, end):
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", NOISE + end], capture_output=True, text=True, check=False, cwd=root
    )
    assert (done.stdout.split(), done.stderr, done.returncode) == (["6", "6"], "", 0)


def test_the_default_connection():
    script = (
        "import duckdb, msd_sql; msd_sql.register(); duckdb.execute('SET enable_progress_bar = false');"
        "print(duckdb.sql('SELECT count(*) FROM msd_ledger()').fetchall()); msd_sql.unregister()"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.stderr) == ("[(0,)]", "")


def test_in_an_open_transaction_the_functions_are_whole():
    with duckdb.connect() as con:
        con.execute("CREATE TABLE t AS SELECT range AS id, range / 20 AS s FROM range(20)")
        con.execute("BEGIN; INSERT INTO t VALUES (99, 1)")
        msd_sql.register(con)
        ask = "SELECT msd_select(id, 2, NULL, 0.0, score := s) FROM t"
        assert con.execute(ask).fetchall() == [([99, 19],)]
        con.execute("ROLLBACK")
        msd_sql.register(con)  # what was made in the transaction is gone with it
        assert con.execute(ask).fetchall() == [([19, 18],)]


def test_who_detaches_the_shared_functions_registers_again():
    with duckdb.connect() as con:
        msd_sql.register(con)
        con.execute("DETACH msd_sql")
        with pytest.raises(duckdb.Error, match="msd_sql"):
            con.execute("SELECT msd_remaining('purchases')")
        msd_sql.register(con)
        assert con.execute("SELECT count(*) FROM msd_ledger()").fetchall() == [(0,)]
