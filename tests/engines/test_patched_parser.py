"""Other libraries change sqlglot for the whole process (sqlmesh does): no question about private rows may notice.

A question that fails after it was charged is the worst of all: nothing is told, and the budget is gone.
"""

import duckdb
import pytest
import sqlglot

import msd_sql
from msd_sql.engines.steps import fill, holes
from tests.support.shop import declare
from tests.support.shop import fill as fill_shop


@pytest.fixture
def shop():
    with duckdb.connect() as con:
        fill_shop(con)
        msd_sql.register(con)
        declare(con)
        yield con


@pytest.fixture
def broken_parser(monkeypatch):
    """A sqlglot that reads nothing at all."""

    def fail(*args, **kwargs):
        raise RuntimeError("patched by another library")

    for name in ("parse", "parse_into", "_parse_statement", "_parse"):
        monkeypatch.setattr(sqlglot.Parser, name, fail, raising=False)
    monkeypatch.setattr(sqlglot, "parse", fail)
    monkeypatch.setattr(sqlglot, "parse_one", fail)


@pytest.mark.usefixtures("broken_parser")
@pytest.mark.parametrize("engine", ["memory", "sql"])
@pytest.mark.parametrize(
    "method", ["greedy", "nosg", "local_search"], ids=["one pick a round", "sampled", "swaps of a base"]
)
def test_private_selections_do_not_need_a_parser(shop, engine, method):
    sql = f"SELECT msd_select(item_id, 4, 0.1, 0.5, method := '{method}', engine := '{engine}') FROM products"
    assert len(shop.execute(sql).fetchall()[0][0]) == 4


@pytest.mark.usefixtures("broken_parser")
def test_neither_do_counts_and_groups(shop):
    assert shop.execute("SELECT msd_reach([1, 2], 0.1)").fetchall()[0][0] >= 0
    rows = shop.execute(
        "SELECT item_id % 3, msd_select(item_id, 2, 0.1, 0.5) FROM products GROUP BY 1 ORDER BY 1"
    ).fetchall()
    assert [len(picked) for _, picked in rows] == [2, 2, 2]


def test_parameters_without_blanks(shop):
    """`$1,$` is not the opening of a dollar-quoted text."""
    sql = "SELECT msd_select(item_id,$1,$2,$3) FROM products"
    assert len(shop.execute(sql, [3, 0.1, 0.5]).fetchall()[0][0]) == 3
    named = "SELECT msd_select(item_id,$k,$eps,$lambda) FROM products"
    assert len(shop.execute(named, {"k": 3, "eps": 0.1, "lambda": 0.5}).fetchall()[0][0]) == 3


def test_a_hole_that_nothing_is_given_for_is_an_error():
    assert holes("SELECT {slot} FROM {pairs} AS pairs WHERE {r.unit}") == {"slot", "pairs", "r.unit"}
    with pytest.raises(KeyError, match="pairs"):
        fill("SELECT 1 FROM {pairs} AS pairs", {})
    with pytest.raises(ValueError, match="A brace that is no hole"):
        fill("SELECT {'a': 1}", {})


def test_what_fills_a_hole_is_not_looked_at_again():
    assert fill("{a} {b}", {"a": "{b}", "b": 2}) == "{b} 2"
