"""Every statement of docs/sql.md, typed into a fresh database file, with its results, its types and its ledger."""

from __future__ import annotations

import duckdb
import pytest

import msd_sql
from tests.support.shop import fill


def test_every_statement_of_section_4(tmp_path):
    path = str(tmp_path / "shop.duckdb")
    with duckdb.connect(path) as con:
        fill(con)
        con.execute("CREATE TABLE hits AS SELECT item_id::BIGINT AS doc_id, embedding, price AS bm25 FROM products")
        assert msd_sql.register(con) is con

        # the owner, once
        said = con.execute(
            "SELECT msd_protect('purchases', unit := 'user_id', item := 'item_id', budget := 1.0, delta := 1e-9)"
        ).fetchall()[0][0]
        assert said.startswith("shop.main.purchases is protected: unit user_id, item item_id, m = ")
        said = con.execute(
            "SELECT msd_items('products', key := 'item_id', features := 'categories', reach := 'purchases')"
        ).fetchall()[0][0]
        assert said.startswith("shop.main.products is a public items relation: key item_id; features categories")

        # a list, in pick order
        health = {row[0] for row in con.sql("SELECT item_id FROM products WHERE category = 'Health Care'").fetchall()}
        relation = con.sql("SELECT msd_select(item_id, 6, 0.1, 0.5) FROM products WHERE category = 'Health Care'")
        assert str(relation.types[0]) == "INTEGER[]"
        chosen = relation.fetchall()[0][0]
        assert len(chosen) == len(set(chosen)) == 6
        assert set(chosen) <= health

        # rows (the same question: told again, free)
        rows = con.execute(
            "SELECT unnest(msd_select(item_id, 6, 0.1, 0.5)) AS item_id FROM products WHERE category = 'Health Care'"
        ).fetchall()
        assert [row[0] for row in rows] == chosen
        assert con.sql("SELECT msd_remaining('purchases')").fetchall() == [(pytest.approx(0.9),)]

        # one selection a group
        groups = con.execute(
            "SELECT category, msd_select(item_id, 6, 0.1, 0.5) FROM products GROUP BY category ORDER BY category"
        ).fetchall()
        assert [category for category, _ in groups] == ["Beauty", "Health Care", "Toys"]
        assert dict(groups)["Health Care"] == chosen
        for category, items in groups:
            of = con.execute("SELECT DISTINCT category FROM products WHERE list_contains($1, item_id)", [items])
            assert of.fetchall() == [(category,)]

        # a partition matroid
        items = con.execute(
            "SELECT msd_select(item_id, 6, 0.1, 0.5, quota := price_bin, quota_cap := 2) FROM products"
        ).fetchall()[0][0]
        most = con.execute(
            "SELECT max(n) FROM (SELECT count(*) n FROM products WHERE list_contains($1, item_id) GROUP BY price_bin)",
            [items],
        ).fetchall()[0][0]
        assert len(items) == 6
        assert most <= 2

        # public: no privacy needed
        spent = con.execute("SELECT msd_remaining('purchases')").fetchall()
        relation = con.sql("SELECT msd_select(doc_id, 10, NULL, 0.3, features := embedding, score := bm25) FROM hits")
        assert str(relation.types[0]) == "BIGINT[]"
        assert len(relation.fetchall()[0][0]) == 10
        assert con.execute("SELECT msd_remaining('purchases')").fetchall() == spent

        # the chosen rows, every column, plus msd_rank
        top = con.sql("FROM msd_topk(products, 6, 0.1, 0.5)")
        assert top.columns == [*con.table("products").columns, "msd_rank"]
        assert [row[-1] for row in top.fetchall()] == [1, 2, 3, 4, 5, 6]

        # dry run
        before = con.execute("SELECT msd_remaining('purchases'), count(*) FROM msd_ledger()").fetchall()
        told = dict(con.execute("FROM msd_explain(products, 6, 0.1, 0.5)").fetchall())
        assert told["method"] == "greedy"
        assert told["rounds"] == "6"
        assert told["bound"] == "covering"
        assert 0.2 / 7 < float(told["ε per round"]) < 0.031
        assert float(told["noise in users"]) == pytest.approx(2 / float(told["ε per round"]), rel=1e-3)
        assert told["budget after"].startswith("spent ε ")
        assert told["more like this"].endswith(" after it")
        assert con.execute("SELECT msd_remaining('purchases'), count(*) FROM msd_ledger()").fetchall() == before

        # a private estimate
        estimate = con.sql("SELECT msd_reach([12, 40, 7], 0.05)")
        assert str(estimate.types[0]) == "BIGINT"
        assert 0 <= estimate.fetchall()[0][0] <= 400

        ledger = con.execute("SELECT kind, relation, releases, repeated, eps, charged_eps FROM msd_ledger()").fetchall()
        assert ledger == [
            ("protect", "main.purchases", 0, 0, 0.0, 0.0),
            ("items", "main.products", 0, 0, 0.0, 0.0),
            ("select", "main.purchases", 1, 0, 0.1, 0.1),
            ("replay", "main.purchases", 0, 1, 0.0, 0.0),
            ("select", "main.purchases", 2, 1, 0.2, 0.2),  # of three groups, one had been asked before
            ("select", "main.purchases", 1, 0, 0.1, 0.1),
            ("select", "main.purchases", 1, 0, 0.1, 0.1),
            ("reach", "main.purchases", 1, 0, 0.05, 0.05),
        ]
        releases = con.execute("SELECT method, n, eps FROM msd_releases() ORDER BY time").fetchall()
        assert releases == [
            ("greedy", 20, 0.1), ("greedy", 20, 0.1), ("greedy", 20, 0.1),
            ("local_search", 60, 0.1), ("greedy", 60, 0.1), ("laplace", 3, 0.05),
        ]  # fmt: skip
        left = con.execute("SELECT msd_remaining('purchases')").fetchall()[0][0]
        assert 0.45 - 1e-9 < left < 1 - 0.05

    with duckdb.connect(path) as con:
        msd_sql.register(con)
        assert con.execute("SELECT msd_remaining('purchases')").fetchall()[0][0] == left
        assert len(con.execute("SELECT msd_select(item_id, 6, 0.1, 0.5) FROM products").fetchall()[0][0]) == 6
        assert con.execute("SELECT msd_remaining('purchases')").fetchall()[0][0] == left  # told again
        assert len(con.execute("SELECT msd_select(item_id, 6, 0.2, 0.5) FROM products").fetchall()[0][0]) == 6
        assert con.execute("SELECT msd_remaining('purchases')").fetchall()[0][0] < left
