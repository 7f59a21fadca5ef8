"""The groups of a statement are drawn together, and each gets the answer that it would get alone."""

from __future__ import annotations

import duckdb
import pytest

import msd_sql
from msd_sql.actions import draw as drawing

SURE = "1e6"  # so little noise that the best is chosen
ASK = f"msd_select({{key}}, 3, {SURE}, 0.5, delta := 1e-9{{more}})"


@pytest.fixture
def shop(tmp_path):
    with duckdb.connect(str(tmp_path / "shop.duckdb")) as con:
        con.execute(  # item i has about 3i users more than the first one: none is as good as another
            "CREATE TABLE purchases AS SELECT (hash(i, j) % 900)::INTEGER AS user_id, i::INTEGER AS item_id,"
            " i::VARCHAR AS name, i::DOUBLE AS weight FROM range(90) AS t(i), range(20 + 3 * i) AS u(j)"
        )
        con.execute(
            "CREATE TABLE products AS SELECT i::INTEGER AS item_id, i::VARCHAR AS name, i::DOUBLE AS weight,"
            " [i % 5, i % 7]::VARCHAR[] AS categories, (i % 6)::INTEGER AS shelf, (i % 2)::INTEGER AS kind"
            " FROM range(90) AS t(i)"
        )
        yield con


def declared(con: duckdb.DuckDBPyConnection, key: str = "item_id") -> duckdb.DuckDBPyConnection:
    msd_sql.register(con)
    con.execute(
        f"SELECT msd_protect('purchases', unit := 'user_id', item := '{key}', budget := 1e12, delta := 1e-3)"
    ).fetchall()
    con.execute(
        f"SELECT msd_items('products', key := '{key}', features := 'categories', reach := 'purchases')"
    ).fetchall()
    return con


@pytest.fixture
def together(monkeypatch):
    """How many questions were drawn together, call by call."""
    seen: list[int] = []
    run = drawing.select_groups

    def watched(plans, *rest, **more):
        seen.append(len(plans))
        return run(plans, *rest, **more)

    monkeypatch.setattr(drawing, "select_groups", watched)
    return seen


def by_shelf(con, key: str, more: str = "") -> dict[int, list]:
    rows = con.execute(f"SELECT shelf, {ASK.format(key=key, more=more)} FROM products GROUP BY shelf").fetchall()
    return dict(rows)


def one_by_one(con, key: str, more: str = "") -> dict[int, list]:
    return {
        shelf: con.execute(
            f"SELECT {ASK.format(key=key, more=', fresh := true' + more)} FROM products WHERE shelf = {shelf}"
        ).fetchall()[0][0]
        for shelf in range(6)
    }


@pytest.mark.parametrize("more", ["", ", engine := 'sql'"])
@pytest.mark.parametrize("key", ["item_id", "name"])
def test_all_groups_in_one_pass(shop, together, key, more):
    con = declared(shop, key)
    found = by_shelf(con, key, more)
    assert together == [6]
    assert found == one_by_one(con, key, more)
    assert by_shelf(con, key, more) == found  # replayed: nothing is drawn again
    assert together == [6]


@pytest.mark.parametrize(("key", "more"), [("item_id", ", quota := kind"), ("weight", "")])
def test_what_cannot_be_drawn_together_is_drawn_one_by_one(shop, together, key, more):
    con = declared(shop, key)
    assert by_shelf(con, key, more) == one_by_one(con, key, more)
    assert together == []


def test_an_item_in_several_groups_counts_in_each(shop, together):
    con = declared(shop)
    con.execute("CREATE TABLE shelves AS SELECT unnest([0, 1, 2]) AS place, 3 AS width")
    rows = con.execute(
        f"SELECT place, {ASK.format(key='item_id', more='')} FROM products, shelves WHERE shelf <> place GROUP BY place"
    ).fetchall()
    assert together == [3]
    for place, chosen in rows:
        alone = con.execute(
            f"SELECT {ASK.format(key='item_id', more=', fresh := true')} FROM products WHERE shelf <> {place}"
        ).fetchall()[0][0]
        assert chosen == alone


def test_items_that_nobody_has_do_no_harm(shop, together):
    con = declared(shop)
    con.execute("INSERT INTO products SELECT 100000 + i, 'new ' || i, 1, ['x'], i % 6, 0 FROM range(60) AS t(i)")
    assert by_shelf(con, "item_id") == one_by_one(con, "item_id")
    assert together == [6]


def test_every_group_has_its_own_release_in_one_line(shop):
    con = declared(shop)
    by_shelf(con, "item_id")
    assert con.execute("SELECT releases FROM msd_ledger() WHERE kind = 'select'").fetchall() == [(6,)]
    facts = con.execute("SELECT n, k, method FROM msd_releases()").fetchall()
    assert facts == [(15, 3, "greedy")] * 6


def test_groups_are_charged_before_any_is_drawn(shop, monkeypatch):
    con = declared(shop)
    seen = []

    def failing(*_, **__):
        seen.append(con.cursor().execute("SELECT answers FROM msd.protected").fetchall())
        raise RuntimeError("purchases of user 17")

    monkeypatch.setattr(drawing, "select_groups", failing)
    with pytest.raises(duckdb.InvalidInputException, match="What was charged stays charged") as caught:
        by_shelf(con, "item_id")
    assert "17" not in str(caught.value)
    assert seen == [[(6,)]]


def test_several_audiences_in_one_statement_stay_apart(shop, together):
    shop.execute(  # the young like what comes last, the old what comes first, and nobody has two things
        "CREATE OR REPLACE TABLE purchases AS SELECT 1000 * i + j AS user_id, i AS item_id, side = 0 AS young"
        " FROM range(90) AS t(i), (VALUES (0), (1)) AS s(side), range(500) AS u(j)"
        " WHERE j // 250 = side AND j % 250 < CASE WHEN side = 0 THEN 10 + 2 * i ELSE 200 - 2 * i END"
    )
    con = declared(shop)
    young, old = (ASK.format(key="item_id", more=f", among := '{some}'") for some in ("young", "NOT young"))
    sql = f"SELECT shelf, {young}, {old} FROM products GROUP BY shelf ORDER BY shelf".replace("0.5,", "0.0,")
    found = con.execute(sql).fetchall()
    assert together == [6, 6]
    assert found == [
        (shelf, [84 + shelf, 78 + shelf, 72 + shelf], [shelf, 6 + shelf, 12 + shelf]) for shelf in range(6)
    ]
