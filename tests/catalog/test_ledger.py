"""The ledger with real files, connections, threads and processes: a charge is exact, serialised, durable and final."""

from __future__ import annotations

import math
import os
import re
import signal
import subprocess
import sys
import threading
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import duckdb
import pytest

from msd_sql.catalog import declaration_rows
from msd_sql.catalog.amounts import default_delta, delta_charge, eps_charge, exact, share_of_delta, shown
from msd_sql.catalog.budget_filter import Budget, Loss
from msd_sql.catalog.catalog import Catalog
from msd_sql.catalog.homes import write
from msd_sql.catalog.ledger import Ledger
from msd_sql.catalog.records.lines import Answer, Entry, load_answers
from msd_sql.catalog.records.refusals import refusal
from msd_sql.catalog.records.who import Who, system_user
from msd_sql.database.duckdb_host import DuckDBHost
from msd_sql.errors import BudgetError, CatalogError, EngineError, InputError
from msd_sql.udfs.privacy.renyi import UNBOUNDED, Divergence


def load(con):
    con.execute("CREATE TABLE purchases AS SELECT i % 100 AS user_id, i % 7 AS item_id FROM range(1000) t(i)")


@pytest.fixture
def file(tmp_path):
    return str(tmp_path / "shop.duckdb")


@pytest.fixture
def con(file):
    with duckdb.connect(file) as connection:
        load(connection)
        yield connection


@pytest.fixture
def host(con):
    return DuckDBHost(con.cursor())


@pytest.fixture
def purchases(host):
    return Catalog(host).protect("purchases", unit="user_id", item="item_id", budget=1.0, delta=1e-9)


def answer(eps="0.1", delta="5e-11", divergence=UNBOUNDED, **facts):
    """An answer of which nothing is known but its ε and δ, so that the sums alone decide."""
    return Answer(eps_charge(eps), delta_charge(delta), divergence, **facts)


def select(host, purchases, eps="0.1", delta="5e-11"):
    charged = Ledger(host).charge(purchases, Entry("select", "SELECT msd_select(…)"), [answer(eps, delta, n=7, k=2)])
    return charged.line


def spent(host):
    return Catalog(host).need("purchases").spent


def test_ten_tenths_fit_exactly_and_an_eleventh_is_refused(host, purchases):
    for _ in range(10):
        select(host, purchases, eps=0.1, delta=5e-11)
    assert spent(host) == 1
    with pytest.raises(BudgetError):
        select(host, purchases, eps=0.1, delta=5e-11)
    with pytest.raises(BudgetError):
        select(host, purchases, eps="1e-20", delta=0)
    assert spent(host) == 1


def test_a_charge_is_rounded_up(host, purchases):
    select(host, purchases, eps="0.1" + "0" * 30 + "1", delta="1e-31")
    balance = Ledger(host).remaining(purchases)
    assert balance.spent.eps == Decimal("0.1") + Decimal("1e-20")
    assert balance.spent.delta == Decimal("1e-30")


def test_the_refusal_says_what_is_missing_and_how_to_mend_it(host, purchases):
    select(host, purchases, eps="0.95", delta="2e-10")
    with pytest.raises(BudgetError) as caught:
        select(host, purchases, eps="0.1", delta="1e-10")
    assert str(caught.value) == (
        "The budget of shop.main.purchases does not allow this answer (by sum ε is missing, by order Rényi "
        "divergence); nothing was run and nothing was charged. "
        "Requested: ε 0.1, δ 1e-10. Spent: ε 0.95, δ 2e-10. Remaining: ε 0.05, δ 3e-10 by sum; divergence 0 by order "
        "α = 36, of which no bound is proved for it. Limit: ε 1, δ 1e-9. "
        "An answer of ε 0.05 would fit, if δ = 0 proves it (few rounds). "
        "Ask for less, or let the owner raise the budget: SELECT msd_budget('purchases', …)."
    )


def test_delta_alone_can_be_overdrawn_and_the_refusal_says_how_to_mend_that(host, purchases):
    said = r"by sum δ is missing.*ε would be enough: leave delta := out.*delta := …"
    with pytest.raises(BudgetError, match=said) as it:
        select(host, purchases, eps="0.1", delta="5.1e-10")
    assert "raise the budget" not in str(it.value)
    assert spent(host) == 0
    assert [line.kind for line in Ledger(host).entries()] == ["protect"]


def test_a_charge_survives_rollback(con, host, purchases):
    con.execute("BEGIN")
    con.execute("CREATE TABLE later(i INTEGER)")
    select(host, purchases)
    con.execute("ROLLBACK")
    assert spent(host) == Decimal("0.1")


def test_the_line_says_what_was_asked_and_by_whom(host, purchases):
    entry = Entry(
        "select",
        "SELECT msd_select(item_id, 2, 0.1, 0.5) -- it's",
        {"diversity": 0.5, "quota": None},
        what="2 of 7",
        asserted_public=True,
    )
    facts = {"n": 7, "k": 2, "method": "greedy", "bound": "covering", "receipt": {"eta": 0.01}}
    charged = Ledger(host, who=lambda: Who("anna", "report.py")).charge(purchases, entry, [answer(**facts)])
    line = Ledger(host).entries()[-1]
    assert (line.id, line.who) == (charged.line, Who("anna", "report.py"))
    assert line.time.tzinfo is not None
    assert (line.relation, line.charged_to, line.kind, line.what) == ("main.purchases",) * 2 + ("select", "2 of 7")
    assert line.statement == "SELECT msd_select(item_id, 2, 0.1, 0.5) -- it's"
    assert (line.releases, line.eps, line.delta) == (1, 0.1, 5e-11)
    assert (line.exact, line.asserted_public, line.replayed) == (False, True, False)
    assert line.parameters == {"diversity": 0.5, "quota": None}
    assert (line.charged_eps, line.charged_delta) == (Decimal("0.1"), Decimal("5e-11"))
    assert line.composed_eps == Decimal("0.1")
    (found,) = load_answers(host, "shop")
    assert (found["n"], found["k"], found["method"], found["bound"]) == (7, 2, "greedy", "covering")
    assert (found["eps"], found["receipt"]) == (0.1, '{"eta": 0.01}')
    assert (found["line"], found["id"]) == (charged.line, charged.answers[0])


def test_the_system_user_asks_where_there_is_no_account(host, purchases):
    select(host, purchases)
    assert {line.who for line in Ledger(host).entries()} == {system_user()}


def test_all_answers_of_a_statement_are_one_line_or_none(host, purchases):
    ledger = Ledger(host)
    ledger.charge(purchases, Entry("select"), [answer(n=place) for place in range(6)])
    with pytest.raises(BudgetError, match=r"these 5 answers.*for 5 groups of ε 0\.1.*4 such groups would fit") as it:
        ledger.charge(purchases, Entry("select"), [answer()] * 5)
    assert "Requested: ε 0.5" in str(it.value)
    assert spent(host) == Decimal("0.6")
    lines = ledger.entries()[1:]
    assert [(line.releases, line.charged_eps, line.eps) for line in lines] == [(6, Decimal("0.6"), 0.6)]
    assert [found["n"] for found in load_answers(host, "shop")] == list(range(6))


def test_an_exact_release_is_recorded_as_infinite(host, purchases):
    Ledger(host).note(purchases, Entry("exact", exact=True), [Answer(divergence=UNBOUNDED)])
    line = Ledger(host).entries()[-1]
    assert line.eps == math.inf
    assert line.exact
    assert line.charged_eps == 0
    assert host.rows("SELECT eps FROM msd.ledger WHERE exact") == [(math.inf,)]
    assert spent(host) == 0


def test_the_charges_on_record_add_up_to_what_was_spent(host, purchases):
    ledger = Ledger(host)
    count = Divergence.of_count(0.2)
    ledger.charge(purchases, Entry("reach"), [answer("0.2", 0, count)])
    ledger.charge(
        purchases, Entry("select"), [answer("0.1", divergence=Divergence.of_selection(0.01, adds=6, n=60))] * 2
    )
    ledger.note(purchases, Entry("replay", repeated=3))
    sums = "sum(charged_eps), sum(charged_delta), sum(charged_renyi), sum(charged_clamp)"
    spent_now = ledger.remaining(purchases).spent
    assert host.rows(f"SELECT {sums} FROM msd.ledger") == [tuple(vars(spent_now).values())]
    assert spent_now.eps == Decimal("0.4")
    assert 0 < spent_now.renyi < 1
    assert spent_now.clamp > 0
    assert ledger.remaining(purchases).answers == 3


def test_a_declaration_that_changed_meanwhile_is_not_charged(host, purchases):
    Catalog(host).protect("purchases", unit="user_id", item="item_id", budget=1.0, delta=1e-9, users=7, replace=True)
    with pytest.raises(CatalogError, match="was changed while"):
        select(host, purchases)
    Catalog(host).unprotect("purchases")
    with pytest.raises(CatalogError, match="was changed while"):
        select(host, purchases)


def test_threads_never_overdraw_and_the_affordable_number_succeed(con, purchases):
    connections = [con.cursor() for _ in range(4)]
    outcomes = []
    start = threading.Barrier(16)

    def spend(connection):
        host = DuckDBHost(connection.cursor())  # as a UDF does
        start.wait()
        for _ in range(2):
            try:
                select(host, purchases, eps="0.07", delta="1e-11")
                outcomes.append("charged")
            except BudgetError:
                outcomes.append("refused")

    threads = [threading.Thread(target=spend, args=(connections[i % 4],)) for i in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    host = DuckDBHost(con.cursor())
    assert sorted(outcomes) == ["charged"] * 14 + ["refused"] * 18
    assert spent(host) == Decimal("0.98")
    assert len([line for line in Ledger(host).entries() if line.kind == "select"]) == 14


def test_writers_without_our_lock_still_cannot_overdraw(con, purchases, monkeypatch):
    """Two hosts in two processes share no Python lock: the database's own conflicts have to be enough."""
    monkeypatch.setattr("msd_sql.catalog.journal.steps._locks", Forgetful())
    outcomes = []
    start = threading.Barrier(8)

    def spend():
        host = DuckDBHost(con.cursor())
        start.wait()
        try:
            select(host, purchases, eps="0.3", delta="1e-11")
            outcomes.append("charged")
        except BudgetError:
            outcomes.append("refused")

    threads = [threading.Thread(target=spend) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["charged"] * 3 + ["refused"] * 5
    assert spent(DuckDBHost(con.cursor())) == Decimal("0.9")


class Forgetful(dict):
    """Gives everyone a lock of their own."""

    def setdefault(self, key, default):
        return default


def test_a_ledger_held_by_another_transaction_is_said_to_be_busy(con, host, purchases, monkeypatch):
    monkeypatch.setattr("msd_sql.catalog.journal.steps.ATTEMPTS", 3)
    con.execute("BEGIN")
    con.execute("UPDATE msd.protected SET spent = spent + 0.01")
    with pytest.raises(EngineError, match="stays busy"):
        select(host, purchases)
    con.execute("ROLLBACK")
    select(host, purchases)


@pytest.mark.parametrize(
    "held",
    [
        lambda catalog, inner: inner.run("UPDATE msd.protected SET spent = spent + 0.3, revision = revision + 1"),
        lambda catalog, inner: declaration_rows.save_protected(
            inner, replace(catalog.need("purchases"), budget=2), True, {}
        ),
    ],
    ids=["charge", "declaration"],
)
def test_two_open_transactions_never_lose_an_update(host, purchases, held, monkeypatch):
    """Whatever holds the row first wins; the charge waits for it and then counts on top of it."""
    monkeypatch.setattr("msd_sql.catalog.journal.steps._locks", Forgetful())
    done = []
    with host.transaction() as inner:
        held(Catalog(host), inner)
        other = threading.Thread(target=lambda: done.append(select(host, purchases, eps="0.2")))
        other.start()
        other.join(timeout=0.3)
        assert done == []
    other.join()
    row = host.rows("SELECT budget, spent FROM msd.protected")
    assert row in ([(1, Decimal("0.5"))], [(2, Decimal("0.2"))])


def test_a_failing_write_leaves_nothing(host, purchases):
    def act(step):
        step.run("UPDATE msd.protected SET spent = 0.5")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write(host, "shop", act)
    assert spent(host) == 0


KILLED = """
import os, signal, sys
import duckdb
from msd_sql.catalog.catalog import Catalog
from msd_sql.database.duckdb_host import DuckDBHost
from msd_sql.catalog.ledger import Ledger
from msd_sql.catalog.records.lines import Answer, Entry
from decimal import Decimal
from msd_sql.udfs.privacy.renyi import UNBOUNDED

con = duckdb.connect(sys.argv[1])
host = DuckDBHost(con.cursor())
purchases = Catalog(host).need("purchases")
con.execute("BEGIN")
con.execute("INSERT INTO purchases VALUES (1, 1)")
Ledger(host).charge(purchases, Entry("select"), [Answer(Decimal("0.3"), Decimal("1e-10"), UNBOUNDED)])
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_charge_survives_kill_9(file):
    with duckdb.connect(file) as con:
        load(con)
        Catalog(DuckDBHost(con.cursor())).protect("purchases", unit="user_id", item="item_id", budget=1.0, delta=1e-9)
    child = subprocess.run([sys.executable, "-c", KILLED, file], check=False, timeout=60)
    assert child.returncode == -signal.SIGKILL
    with duckdb.connect(file) as con:
        host = DuckDBHost(con.cursor())
        assert spent(host) == Decimal("0.3")
        assert [line.kind for line in Ledger(host).entries()] == ["protect", "select"]
        assert con.execute("SELECT count(*) FROM purchases").fetchone() == (1000,)


ANOTHER = """
import sys
import duckdb
from msd_sql.catalog.catalog import Catalog
from msd_sql.database.duckdb_host import DuckDBHost
from msd_sql.catalog.ledger import Ledger
from msd_sql.catalog.records.lines import Answer, Entry
from decimal import Decimal
from msd_sql.udfs.privacy.renyi import UNBOUNDED

with duckdb.connect(sys.argv[1]) as con:
    host = DuckDBHost(con.cursor())
    answer = Answer(Decimal("0.3"), Decimal("1e-10"), UNBOUNDED)
    Ledger(host).charge(Catalog(host).need("purchases"), Entry("select"), [answer])
"""


def test_another_process_goes_on_where_this_one_stopped(file):
    with duckdb.connect(file) as con:
        load(con)
        host = DuckDBHost(con.cursor())
        purchases = Catalog(host).protect("purchases", unit="user_id", item="item_id", budget=1.0, delta=1e-9)
        select(host, purchases, eps="0.5", delta="1e-10")
        host.close()
    # The lock on the file is gone with the connection and its cursors: the other process could not open it otherwise.
    subprocess.run([sys.executable, "-c", ANOTHER, file], check=True, timeout=60)
    again = subprocess.run([sys.executable, "-c", ANOTHER, file], check=False, timeout=60, capture_output=True)
    assert again.returncode != 0
    assert "Remaining: ε 0.2" in again.stderr.decode()
    with duckdb.connect(file) as con:
        assert spent(DuckDBHost(con.cursor())) == Decimal("0.8")
    assert not os.path.exists(file + ".wal")


def test_amounts_are_what_the_user_wrote():
    assert exact("eps", 0.1) == Decimal("0.1")
    assert eps_charge("0.1") == Decimal("0.1")
    assert delta_charge(1e-9) == Decimal("1e-9")
    assert default_delta(10_000) == Decimal("1e-6")
    assert default_delta(100) == Decimal("1e-3")
    assert default_delta(200_000) == Decimal("1.11e-8")  # of 1.118…e-8: never above m^-1.5
    for m in (2, 3, 7777, 10**9):
        found = Fraction(default_delta(m))
        assert found**2 * m**3 <= 1 < (found * Fraction(101, 100)) ** 2 * m**3
    assert share_of_delta(Decimal("0.1"), Decimal(1), Decimal("1e-9")) == Decimal("1e-10")
    assert shown(Decimal("2E+3")) == "2000"


@pytest.mark.parametrize("eps", [0, -0.1, math.nan, math.inf, "much", True, "1e16"])
def test_a_senseless_eps_is_refused(host, purchases, eps):
    with pytest.raises(InputError, match="eps must be"):
        select(host, purchases, eps=eps)
    assert spent(host) == 0


@pytest.mark.parametrize("delta", [-1e-9, 1, math.nan, "none"])
def test_a_senseless_delta_is_refused(host, purchases, delta):
    with pytest.raises(InputError, match="delta must be"):
        select(host, purchases, delta=delta)
    assert spent(host) == 0


def test_the_shares_of_delta_never_run_out_before_eps(host):
    purchases = Catalog(host).protect("purchases", unit="user_id", item="item_id", budget=0.9, delta="1e-9")
    for _ in range(9):
        asked = eps_charge("0.1")
        select(host, purchases, eps=asked, delta=purchases.share(asked))
    assert spent(host) == Decimal("0.9")


def test_a_refusal_never_says_that_what_was_refused_would_fit(purchases):
    limits = Budget(Decimal(1), Decimal("1e-9"), Decimal(36))
    spent, price = Loss(Decimal(3), Decimal("4e-10"), Decimal("0.2")), Loss(Decimal("0.2"), Decimal(0), Decimal("0.4"))
    assert limits.allows(spent)
    assert not limits.allows(spent + price)
    said = str(refusal(purchases, limits, spent, price, [price]))
    assert re.search(r"Spent: ε 3, δ 4e-10 by sum, which all come to ε [≈0]", said)
    assert "A smaller ε would fit: FROM msd_explain(…)" in said
    assert "An answer of ε" not in said
