"""A budget of ε = 1, δ = 1e-9 in real statements: how many answers are charged before the first refusal."""

from __future__ import annotations

import duckdb
import pytest

import msd_sql
from tests.support.shop import one

FRESH = "msd_select(item_id, {k}, 0.1, 0.5, fresh := true)"


@pytest.fixture
def shelves():
    """240 shelves of 25 products."""
    with duckdb.connect() as con:
        con.execute(
            "CREATE TABLE products AS SELECT i AS item_id, i // 25 AS shelf, [i % 3, i % 5] AS t FROM range(6000) r(i)"
        )
        con.execute(
            "CREATE TABLE purchases AS SELECT hash(i) % 900 AS u, hash(i * 3) % 6000 AS item_id FROM range(9000) r(i)"
        )
        msd_sql.register(con)
        one(con, "SELECT msd_protect('purchases', unit := 'u', item := 'item_id', budget := 1, delta := 1e-9)")
        one(con, "SELECT msd_items('products', key := 'item_id', features := 't', reach := 'purchases')")
        yield con


@pytest.mark.parametrize(("k", "answers", "by_sum"), [(20, 242, 10), (6, 56, 10)])
def test_so_many_answers_and_then_none(shelves, k, answers, by_sum):
    ask = FRESH.format(k=k)
    groups = min(answers - 3, 240)
    told = dict(shelves.execute(f"FROM msd_explain(products, {k}, 0.1, 0.5)").fetchall())
    assert told["more like this"] == f"{answers} answers before it, {answers - 1} after it"
    first = f"SELECT shelf, {ask} FROM products WHERE shelf < {groups} GROUP BY shelf"
    assert len(shelves.execute(first).fetchall()) == groups
    for _ in range(answers - groups):
        assert len(one(shelves, f"SELECT {ask} FROM products WHERE shelf = 7")) == k
    with pytest.raises(duckdb.InvalidInputException, match="by sum ε and δ are missing, by order Rényi divergence"):
        one(shelves, f"SELECT {ask} FROM products WHERE shelf = 7")
    charged = "SELECT sum(releases), round(sum(charged_eps), 9), max(composed_eps) FROM msd_ledger()"
    count, eps, composed = shelves.execute(charged).fetchall()[0]
    assert (count, eps) == (answers, answers / 10)
    assert answers > 5 * by_sum
    assert 0.99 < composed <= 1
    assert 0 <= one(shelves, "SELECT msd_remaining('purchases')") < 0.01


def test_raising_the_budget_raises_delta_and_keeps_the_order(shelves):
    ask = f"SELECT {FRESH.format(k=20)} FROM products WHERE shelf = 7"
    one(shelves, ask)
    said = one(shelves, "SELECT msd_budget('purchases', 2)")
    assert "budget ε 2, δ 2e-9 (order α = 36, room ≈1.53" in said
    lowered = one(shelves, "SELECT msd_budget('purchases', 1.5)")
    assert "budget ε 1.5, δ 2e-9 (order α = 36" in lowered  # δ does not shrink by itself
    named = one(shelves, "SELECT msd_budget('purchases', 3, delta := 1e-9)")
    assert "budget ε 3, δ 1e-9 (order α = 36" in named
    one(shelves, ask)


def test_a_new_order_only_while_nothing_is_spent(shelves):
    assert "order α = 18" in one(shelves, "SELECT msd_budget('purchases', 2)")


def test_an_answer_proved_without_delta_takes_next_to_none(shelves):
    one(shelves, "SELECT msd_select(item_id, 3, 0.1, 0.5) FROM products WHERE shelf = 7")
    one(shelves, "SELECT msd_reach([1, 2, 3], 0.1)")
    rows = shelves.execute("SELECT kind, delta, charged_delta FROM msd_ledger() WHERE releases > 0").fetchall()
    assert [row[0] for row in rows] == ["select", "reach"]
    assert 0 < rows[0][2] < 1e-18
    assert rows[1][1:] == (0, 0)
