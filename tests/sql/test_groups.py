"""GROUP BY: one release a group, charged one after another, each with its own group."""

from __future__ import annotations

import duckdb
import pytest

import msd_sql
from tests.sql.conftest import kinds, one, spent


def test_every_group_gets_its_own_items(shop):
    rows = shop.execute(
        "SELECT category, msd_select(item_id, 4, 0.1, 0.5) AS items, count(*) FROM products GROUP BY 1 ORDER BY 1"
    ).fetchall()
    for category, items, count in rows:
        assert count == 20
        names = shop.execute("SELECT DISTINCT category FROM products WHERE item_id IN (SELECT unnest($1))", [items])
        assert names.fetchall() == [(category,)]
    assert spent(shop) == 0.3
    assert kinds(shop)[2:] == ["select"] * 3


def test_an_overdrawn_group_refuses_the_statement_and_the_paid_ones_are_told_again(shop):
    sql = "SELECT category, msd_select(item_id, 4, 0.4, 0.5) AS items FROM products {} GROUP BY category"
    with pytest.raises(duckdb.InvalidInputException, match="BudgetError"):
        shop.execute(sql.format("")).fetchall()
    assert spent(shop) == 0.8
    paid = shop.execute("SELECT statement FROM msd_ledger() WHERE kind = 'select'").fetchall()
    assert len(paid) == 2


def test_groups_with_declared_features_and_quota(shop):
    one(shop, "SELECT msd_items('products', key := 'item_id', features := 'embedding', quota := 'price_bin', "
              "quota_cap := 1, reach := 'purchases', replace := true)")  # fmt: skip
    rows = shop.execute("SELECT category, msd_select(item_id, 4, NULL, 1) FROM products GROUP BY category").fetchall()
    assert all(sorted(item % 4 for item in items) == [0, 1, 2, 3] for _, items in rows)


def test_grouping_sets_and_filters_around(shop):
    sql = """SELECT category, items FROM (
        SELECT category, msd_select(item_id, 3, NULL, 1) AS items FROM products GROUP BY ROLLUP (category)
    ) WHERE len(items) = 3 ORDER BY category NULLS LAST"""
    rows = shop.execute(sql).fetchall()
    assert [row[0] for row in rows] == ["Beauty", "Health Care", "Toys", None]


@pytest.mark.parametrize("private", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_a_thousand_groups_in_order(private):
    with duckdb.connect() as con:
        con.execute(
            "CREATE TABLE products AS SELECT i AS item_id, i // 8 AS shelf, [i % 3, i % 5] tags FROM range(8000) t(i)"
        )
        con.execute(
            "CREATE TABLE purchases AS SELECT hash(i) % 500 AS u, hash(i * 3) % 8000 item_id FROM range(9000) t(i)"
        )
        msd_sql.register(con)
        one(con, "SELECT msd_protect('purchases', unit := 'u', item := 'item_id', budget := 100, delta := 1e-6)")
        one(con, "SELECT msd_items('products', key := 'item_id', features := 'tags', reach := 'purchases')")
        eps, diversity = ("0.1", 0.5) if private else ("NULL", 1)
        sql = f"SELECT shelf, msd_select(item_id, 3, {eps}, {diversity}) FROM products GROUP BY shelf ORDER BY shelf"
        rows = con.execute(sql).fetchall()
        assert [row[0] for row in rows] == list(range(1000))
        assert all(len(items) == 3 and {item // 8 for item in items} == {shelf} for shelf, items in rows)
        assert spent(con) == (100 if private else 0)
        assert rows == con.execute(sql).fetchall()
        assert spent(con) == (100 if private else 0)
