"""Growing tables: m is only a divisor, and is renewed privately or by hand; δ never shrinks because it grew."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import duckdb
import pytest

import msd_sql
from msd_sql.catalog.amounts import default_delta
from msd_sql.catalog.catalog import Catalog
from msd_sql.catalog.places.staleness import warnings
from msd_sql.database.duckdb_host import DuckDBHost

PROTECT = "SELECT msd_protect('purchases', unit := 'user_id', item := 'item_id', budget := {budget}{more})"

NOTES = (
    "SELECT value FROM msd_explain(products, 3, 0.1, 0, key := 'item_id', reach := 'purchases', features := bin) "
    "WHERE property = 'note'"
)


def one(con, sql):
    return con.execute(sql).fetchall()[0][0]


def declared(con):
    return Catalog(DuckDBHost(con.cursor())).need("purchases")


@pytest.fixture
def con():
    """A shop of 95 users that has 2,502 a year later."""
    with duckdb.connect() as con:
        con.execute("CREATE TABLE purchases AS SELECT i AS user_id, i % 7 AS item_id FROM range(95) t(i)")
        con.execute("CREATE TABLE products AS SELECT i AS item_id, i % 3 AS bin FROM range(7) t(i)")
        msd_sql.register(con)
        one(con, PROTECT.format(budget=1000, more=", delta := 1e-9"))
        con.execute("INSERT INTO purchases SELECT i, 3 FROM range(95, 2502) t(i)")
        yield con


def test_reach_is_not_cut_at_m(con):
    assert one(con, "SELECT msd_reach([0, 1, 2, 3, 4, 5, 6], 50)") == pytest.approx(2502, abs=2)


def test_reach_is_cut_at_0(con):
    con.execute("DELETE FROM purchases")
    assert {one(con, f"SELECT msd_reach([{i}], 0.5)") >= 0 for i in range(20)} == {True}


@pytest.mark.parametrize("engine", ["memory", "sql"])
@pytest.mark.parametrize("diversity", [0, 0.5])
def test_a_selection_counts_everybody(con, engine, diversity):
    sql = (
        "SELECT msd_select(item_id, 3, {eps}, {diversity}, reach := 'purchases', features := bin, "
        "engine := '{engine}'{more}) FROM products"
    )
    exact = one(con, sql.format(eps="NULL", diversity=diversity, engine=engine, more=", exact := true"))
    assert exact[0] == 3  # whom 2,421 of 2,502 users have, of whom only 95 were declared
    assert one(con, sql.format(eps=20, diversity=diversity, engine=engine, more=""))[0] == 3


def test_recount_renews_m_privately_and_is_charged(con):
    before = declared(con)
    told = one(con, "SELECT msd_recount('purchases', 20)")
    after = declared(con)
    assert after.m == pytest.approx(2502, abs=3)
    assert "it was 95" in told
    assert (after.delta, after.budget) == (before.delta, before.budget)
    assert after.spent == before.spent + 20
    lines = con.execute("SELECT kind, charged_eps FROM msd_ledger() ORDER BY time").fetchall()
    assert lines[1:] == [("recount", 20.0), ("users", 0.0)]


def test_recount_is_noisy(con):
    found = set()
    for eps in range(1, 9):
        one(con, f"SELECT msd_recount('purchases', {eps / 1000})")
        found.add(declared(con).m)
    assert len(found) > 4
    assert min(found) >= 1


def test_the_same_recount_of_the_same_rows_is_told_again(con):
    one(con, "SELECT msd_recount('purchases', 0.5)")
    assert declared(con).spent == Decimal("0.5")
    one(con, "SELECT msd_recount('purchases', 0.5)")
    assert declared(con).spent == Decimal("1.0")  # the declaration was renewed: it is another question


@pytest.mark.parametrize(
    "sql", ["msd_recount('purchases', NULL)", "msd_recount('purchases', 0)", "msd_recount(NULL, 1)"]
)
def test_a_senseless_recount_charges_nothing(con, sql):
    with pytest.raises(duckdb.Error, match=r"eps|relation"):
        one(con, f"SELECT {sql}")
    assert declared(con).spent == 0


def test_a_recount_beyond_the_budget_changes_nothing(con):
    with pytest.raises(duckdb.Error, match="BudgetError"):
        one(con, "SELECT msd_recount('purchases', 1001)")
    assert declared(con).m == 95


def test_m_by_hand_keeps_delta():
    with duckdb.connect() as con:
        con.execute("CREATE TABLE purchases AS SELECT i AS user_id, i % 7 AS item_id FROM range(95) t(i)")
        msd_sql.register(con)
        one(con, PROTECT.format(budget=1, more=""))
        assert declared(con).delta == default_delta(95)
        one(con, PROTECT.format(budget=1, more=", users := 2502, replace := true"))
        assert (declared(con).m, declared(con).delta) == (2502, default_delta(95))
        one(con, PROTECT.format(budget=1, more=", users := 2502, delta := 1e-9, replace := true"))
        assert declared(con).delta == Decimal("1e-9")


def test_an_old_declaration_is_said_to_be_old(con, monkeypatch):
    purchases = declared(con)
    later = purchases.declared_at + timedelta(days=366)
    assert warnings(purchases, None, [], purchases.declared_at + timedelta(days=364)) == []
    assert "msd_recount" in warnings(purchases, None, [], later)[0]
    monkeypatch.setenv("MSD_RECOUNT_DAYS", "0")
    assert warnings(purchases, None, [], later) == []
    monkeypatch.setenv("MSD_RECOUNT_DAYS", "30")
    assert warnings(purchases, None, [], purchases.declared_at + timedelta(days=31)) != []


def test_a_table_of_other_columns_is_noticed_in_msd_explain(con):
    assert con.execute(NOTES).fetchall() == []
    con.execute(
        "CREATE OR REPLACE TABLE purchases AS SELECT i AS user_id, i % 7 AS item_id, 1.5 AS price FROM range(9) t(i)"
    )
    (note,) = con.execute(NOTES).fetchall()
    assert "now also price" in note[0]


def test_an_old_declaration_is_noticed_in_msd_explain(con, monkeypatch):
    con.execute("UPDATE msd.protected SET declared_at = declared_at - INTERVAL 400 DAY")
    (note,) = con.execute(NOTES).fetchall()
    assert "m = 95" in note[0]
