"""msd_explain: a dry run that reads nothing private and charges nothing."""

from __future__ import annotations

import duckdb
import pytest

from tests.support.shop import kinds, one


def explain(con, arguments, source="products"):
    return dict(con.execute(f"FROM msd_explain({source}, {arguments})").fetchall())


def test_what_a_selection_would_do_and_cost(shop):
    told = explain(shop, "6, 0.1, 0.5")
    assert told["candidates"] == "60 (INTEGER)"
    assert told["method"] == "greedy"
    assert told["constraint"] == "uniform"
    assert told["distance"] == "jaccard"
    assert told["relevance"] == "coverage"
    assert told["privacy"] == "ε = 0.1, δ = 5e-11"
    assert told["rounds"] == "6"
    assert told["bound"] == "covering"
    assert float(told["noise in users"]) < 68
    assert told["budget before"].startswith(
        "spent ε 0 of 1 (by sum ε 0, δ 0 of 5e-10; by order 0 of ≈0.51821 at α = 36)"
    )
    assert told["charge"] == "ε 0.1, δ 5e-11, divergence ≈0.00918843 at α = 36"
    assert told["budget after"].startswith("spent ε 0.1 of 1 ")
    assert told["more like this"] == "56 answers before it, 55 after it"
    assert told["engine"].startswith("auto")
    assert any(name.startswith("step 1") and "purchases" in value for name, value in told.items())
    assert kinds(shop) == ["protect", "items"]


def test_its_columns(shop):
    relation = shop.sql("FROM msd_explain(products, 6, 0.1, 0.5)")
    assert relation.columns == ["property", "value"]


def test_it_is_the_same_whatever_the_private_rows_are(shop):
    before = explain(shop, "6, 0.1, 0.5")
    shop.execute("UPDATE purchases SET item_id = 1 + user_id % 7")
    assert explain(shop, "6, 0.1, 0.5") == before


def test_a_quota_means_local_search(shop):
    told = explain(shop, "6, 0.1, 0.5, quota := category")
    assert told["method"] == "local_search"
    assert told["constraint"] == "partition (at most 2 of each)"
    assert int(told["rounds"]) > 6


def test_public_questions_cost_nothing(shop):
    assert explain(shop, "6, 0.1, 1")["charge"] == "nothing"
    told = explain(shop, "6, NULL, 0.5, score := price")
    assert told["relevance"] == "score"
    assert told["charge"] == "nothing"
    assert told["privacy"] == "nothing private is read"


def test_what_the_budget_would_refuse(shop):
    assert explain(shop, "6, 1.5, 0.5")["budget after"].startswith("refused")


def test_an_exact_answer_is_named(shop):
    assert "infinity" in explain(shop, "6, NULL, 0.5, exact := true")["privacy"]


def test_the_sql_engine_shows_its_steps(shop):
    told = explain(shop, "6, 0.1, 0.5, engine := 'sql'")
    assert told["engine"] == "sql"
    assert sum(name.startswith("step ") for name in told) >= 3


def test_it_refuses_what_the_selection_would_refuse(shop):
    with pytest.raises(duckdb.InvalidInputException, match="LeakError"):
        explain(shop, "6, 0.1, 0.5, key := 'item_id'", "purchases")
    with pytest.raises(duckdb.InvalidInputException, match="Did you mean 'greedy'"):
        explain(shop, "6, 0.1, 0.5, method := 'gredy'")


def test_it_plans_what_then_happens(shop):
    told = explain(shop, "5, 0.2, 0.3, method := 'nosg'")
    one(shop, "SELECT msd_select(item_id, 5, 0.2, 0.3, method := 'nosg') FROM products")
    row = shop.execute("SELECT method, bound, n, receipt FROM msd_releases() WHERE kind = 'select'").fetchall()[0]
    assert row[:3] == (told["method"], told["bound"], 60)
    assert '"private": true' in row[3]


def test_an_empty_source(shop):
    shop.execute("CREATE VIEW nothing AS FROM products WHERE false")
    assert explain(shop, "3, 0.1, 0.5", "nothing") == {"candidates": "0: an empty selection, nothing charged"}
