"""A private frontier asks one relation only, and nothing is charged before it is known that it can."""

import duckdb
import pytest

import msd_sql
from msd_sql.errors import InputError
from msd_sql.studies import frontier


@pytest.fixture
def two():
    """A shop with two protected relations, of which the products reach the first."""
    with duckdb.connect() as con:
        msd_sql.register(con)
        con.execute(
            "CREATE TABLE products AS SELECT i AS item_id, ['a' || i % 5, 'b' || i % 3] AS tags FROM range(50) t(i)"
        )
        for name in ("purchases", "clicks"):
            con.execute(
                f"CREATE TABLE {name} AS SELECT i % 300 AS user_id, (i * i) % 50 AS item_id FROM range(2000) t(i)"
            )
            con.execute(f"SELECT msd_protect('{name}', unit := 'user_id', item := 'item_id', budget := 1)").fetchall()
        con.execute(
            "SELECT msd_items('products', key := 'item_id', features := 'tags', reach := 'purchases')"
        ).fetchall()
        yield con


def spent(con):
    rows = con.execute(
        "SELECT charged_to, sum(charged_eps)::DOUBLE FROM msd_ledger() WHERE releases > 0 GROUP BY 1"
    ).fetchall()
    return {name: round(eps, 6) for name, eps in rows}


@pytest.mark.parametrize("items", ["products", "SELECT * FROM products WHERE item_id > 4"])
def test_it_charges_the_relation_that_the_items_reach(two, items):
    made = frontier.private(two, items, eps=0.05, reach_eps=0.01, k=4, steps=3)
    assert made.label.endswith("ε 0.13 spent")
    assert spent(two) == {"main.purchases": 0.13}


def test_what_cannot_be_asked_charges_nothing(two):
    two.execute("SELECT msd_items('products', key := 'item_id', features := 'tags', replace := true)").fetchall()
    with pytest.raises((duckdb.Error, InputError)):
        frontier.private(two, "products", eps=0.05, reach_eps=0.01, k=4, steps=3)
    assert spent(two) == {}
