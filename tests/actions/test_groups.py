"""GROUP BY: one release a group, all of a statement charged in one step and one line, or none of them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading

import duckdb
import pytest

import msd_sql
from msd_sql.actions.whole_statement import draws_every_group
from tests.support.shop import declare, kinds, one, spent

BY_CATEGORY = "SELECT category, msd_select(item_id, 4, 0.1, 0.5) AS items FROM products GROUP BY category"


def lines(con):
    """What was charged, line by line: how many answers, how many told again, ε."""
    sql = "SELECT releases, repeated, round(charged_eps, 9) FROM msd_ledger() WHERE releases + repeated > 0"
    return con.execute(sql).fetchall()


@pytest.fixture
def shelves():
    """A shop of 1,000 shelves with 8 products each, and a budget for all of them."""
    with duckdb.connect() as con:
        shelved(con, 1000, budget=1000)
        yield con


def shelved(con, count, budget):
    con.execute(f"""CREATE TABLE products AS SELECT i AS item_id, i // 8 AS shelf, [i % 3, i % 5] AS tags
                    FROM range(8 * {count}) t(i)""")
    con.execute(f"""CREATE TABLE purchases AS SELECT hash(i) % 500 AS u, hash(i * 3) % (8 * {count}) AS item_id
                    FROM range(9000) t(i)""")
    msd_sql.register(con)
    one(con, f"SELECT msd_protect('purchases', unit := 'u', item := 'item_id', budget := {budget}, delta := 1e-6)")
    one(con, "SELECT msd_items('products', key := 'item_id', features := 'tags', reach := 'purchases')")


def test_every_group_gets_its_own_items_and_all_are_one_line(shop):
    rows = shop.execute(f"{BY_CATEGORY} ORDER BY 1").fetchall()
    for category, items in rows:
        names = shop.execute("SELECT DISTINCT category FROM products WHERE item_id IN (SELECT unnest($1))", [items])
        assert names.fetchall() == [(category,)]
        assert len(items) == 4
    assert kinds(shop)[2:] == ["select"]
    assert lines(shop) == [(3, 0, 0.3)]
    assert one(shop, "SELECT what FROM msd_ledger() WHERE kind = 'select'").startswith("3 groups: 4 of 20 by greedy")
    found = shop.execute("SELECT n, k, eps, line FROM msd_releases()").fetchall()
    assert [row[:3] for row in found] == [(20, 4, 0.1)] * 3
    assert {row[3] for row in found} == {one(shop, "SELECT id FROM msd_ledger() WHERE kind = 'select'")}


def test_an_overdrawn_statement_is_refused_whole_with_its_price_and_what_would_fit(shop):
    one(shop, "SELECT msd_select(item_id, 4, 0.1, 0.5) FROM products")
    sql = "SELECT category, msd_select(item_id, 4, 0.4, 0.5) AS items FROM products GROUP BY category"
    with pytest.raises(duckdb.InvalidInputException) as refusal:
        shop.execute(sql).fetchall()
    for part in (
        "these 3 answers",
        "Requested: ε 1.2",
        "3 groups of ε 0.4",
        "2 such groups would fit",
        "nothing was charged",
    ):
        assert part in str(refusal.value)
    assert lines(shop) == [(1, 0, 0.1)]
    assert one(shop, "SELECT count(*) FROM msd_releases()") == 1


def test_a_group_that_was_told_before_is_not_paid_again(shop):
    toys = one(shop, "SELECT msd_select(item_id, 4, 0.1, 0.5) FROM products WHERE category = 'Toys'")
    found = dict(shop.execute(BY_CATEGORY).fetchall())
    assert found["Toys"] == toys
    assert dict(shop.execute(BY_CATEGORY).fetchall()) == found
    assert lines(shop) == [(1, 0, 0.1), (2, 1, 0.2), (0, 3, 0)]
    assert kinds(shop)[2:] == ["select", "select", "replay"]


def test_one_bad_group_refuses_all_and_charges_nothing(shop):
    sql = "SELECT category, msd_select(item_id, CASE category WHEN 'Toys' THEN 0 ELSE 4 END, 0.1, 0.5) FROM products"
    with pytest.raises(duckdb.Error, match="k must be"):
        shop.execute(f"{sql} GROUP BY category").fetchall()
    assert kinds(shop) == ["protect", "items"]


def test_two_selections_of_a_statement_are_one_charge(shop):
    sql = """SELECT category, msd_select(item_id, 4, 0.1, 0.5), msd_select(item_id, 3, 0.1, 0) FROM products
             GROUP BY category"""
    assert len(shop.execute(sql).fetchall()) == 3
    assert lines(shop) == [(6, 0, 0.6)]
    fresh = (
        "SELECT msd_select(item_id, 4, 0.1, 0.5, fresh := true) AS a, msd_select(item_id, 4, 0.1, 0.5, fresh := true)"
    )
    shop.execute(f"{fresh} FROM products").fetchall()
    assert lines(shop)[1:] == [(2, 0, 0.2)]


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


def test_a_rollup_is_charged_whole(shop):
    rows = shop.execute("SELECT category, msd_select(item_id, 3, 0.05, 0.5) FROM products GROUP BY ROLLUP (category)")
    assert len(rows.fetchall()) == 4
    assert lines(shop) == [(4, 0, 0.2)]


# What is drawn is what is paid: statements that leave groups out, that run twice, or in parts


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT shelf, msd_select(item_id, 3, 0.1, 0.5) FROM products GROUP BY shelf LIMIT 10", [(10, 0, 1)]),
        ("SELECT msd_select(item_id, 3, 0.1, 0.5) FROM products GROUP BY shelf LIMIT 0", []),
        ("SELECT shelf FROM (SELECT shelf, msd_select(item_id, 3, 0.1, 0.5) AS s FROM products GROUP BY shelf) "
         "WHERE shelf = 7 AND len(s) = 3", [(1, 0, 0.1)]),
        ("SELECT shelf, msd_select(item_id, 3, 0.1, 0.5) FROM products GROUP BY shelf "
         "QUALIFY row_number() OVER (ORDER BY shelf) <= 5", [(5, 0, 0.5)]),
        # TopN needs the rows of all groups before it knows the first ten.
        ("SELECT shelf, msd_select(item_id, 3, 0.1, 0.5) FROM products GROUP BY shelf ORDER BY shelf LIMIT 10",
         [(1000, 0, 100)]),
        ("SELECT count(*) FROM (SELECT msd_select(item_id, 3, 0.1, 0.5) FROM products GROUP BY shelf)", []),
        ("CREATE TABLE kept AS SELECT shelf, msd_select(item_id, 3, 0.1, 0.5) FROM products GROUP BY shelf",
         [(1000, 0, 100)]),
    ],
)  # fmt: skip
def test_what_is_drawn_is_paid_in_one_step(shelves, sql, expected):
    shelves.execute(sql).fetchall()
    assert lines(shelves) == expected


def test_a_cte_that_runs_twice_is_paid_once(shop):
    sql = f"WITH picked AS ({BY_CATEGORY}) SELECT * FROM picked AS a JOIN picked AS b USING (category)"
    rows = shop.execute(sql).fetchall()
    assert all(first == second for _, first, second in rows)
    assert spent(shop) == 0.3
    inlined = sql.replace("AS (SELECT", "AS NOT MATERIALIZED (SELECT")
    assert sorted(shop.execute(inlined).fetchall()) == sorted(rows)
    assert spent(shop) == 0.3


def test_a_lazy_relation_is_paid_once_however_often_it_is_shown(shop):
    relation = shop.sql(BY_CATEGORY)
    shown = [str(relation), relation.fetchall(), len(relation), relation.df()]
    assert len(shown[1]) == 3
    assert spent(shop) == 0.3


def test_a_prepared_statement_is_paid_when_it_runs(shop):
    shop.execute(f"PREPARE later AS {BY_CATEGORY}")
    assert lines(shop) == []
    first = sorted(shop.execute("EXECUTE later").fetchall())
    assert sorted(shop.execute("EXECUTE later").fetchall()) == first
    assert lines(shop) == [(3, 0, 0.3), (0, 3, 0)]


def test_the_first_row_of_a_stream_has_paid_for_all(shelves):
    first = shelves.execute("SELECT shelf, msd_select(item_id, 3, 0.1, 0.5) FROM products GROUP BY shelf").fetchone()
    assert len(first[1]) == 3
    with shelves.cursor() as other:
        msd_sql.register(other)
        assert lines(other) == [(1000, 0, 100)]


def test_a_correlated_subquery_is_paid_part_by_part(shop):
    """DuckDB runs it partition by partition: each part is charged in one step, and how many come is not known."""
    sql = """SELECT c.category, (SELECT msd_select(item_id, 4, 0.1, 0.5) FROM products p WHERE p.category = c.category)
             FROM (SELECT DISTINCT category FROM products) c"""
    assert len(shop.execute(sql).fetchall()) == 3
    assert spent(shop) == 0.3
    assert sum(row[0] for row in lines(shop)) == 3


def test_three_thousand_groups_in_several_chunks_are_one_charge_or_none():
    with duckdb.connect() as con:
        shelved(con, 3000, budget=1000)
        con.execute("SET threads = 2")
        sql = "SELECT shelf, msd_select(item_id, 3, 0.1, {}) FROM products GROUP BY shelf"
        rows = con.execute(sql.format(0.5)).fetchall()
        assert sorted(shelf for shelf, _ in rows) == list(range(3000))
        assert all(len(items) == 3 and {item // 8 for item in items} == {shelf} for shelf, items in rows)
        assert lines(con) == [(3000, 0, 300)]
        one(con, "SELECT msd_budget('purchases', 500)")
        with pytest.raises(duckdb.InvalidInputException, match="these 3,000 answers"):
            con.execute(sql.format(0.25)).fetchall()
        assert lines(con) == [(3000, 0, 300)]


@pytest.mark.parametrize("private", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_a_thousand_groups_in_order(shelves, private):
    eps, diversity = ("0.1", 0.5) if private else ("NULL", 1)
    sql = f"SELECT shelf, msd_select(item_id, 3, {eps}, {diversity}) FROM products GROUP BY shelf ORDER BY shelf"
    rows = shelves.execute(sql).fetchall()
    assert [row[0] for row in rows] == list(range(1000))
    assert all(len(items) == 3 and {item // 8 for item in items} == {shelf} for shelf, items in rows)
    assert rows == shelves.execute(sql).fetchall()
    assert lines(shelves) == ([(1000, 0, 100), (0, 1000, 0)] if private else [])


def test_250_groups_fit_into_a_budget_of_one():
    with duckdb.connect() as con:
        con.execute(
            "CREATE TABLE products AS SELECT i AS item_id, i // 12 AS category, [i % 3, i % 5] AS tags "
            "FROM range(3000) t(i)"
        )
        con.execute(
            "CREATE TABLE purchases AS SELECT hash(i) % 2000 AS u, hash(i * 3) % 3000 AS item_id FROM range(20000) t(i)"
        )
        msd_sql.register(con)
        one(con, "SELECT msd_protect('purchases', unit := 'u', item := 'item_id', budget := 1, delta := 1e-9)")
        one(con, "SELECT msd_items('products', key := 'item_id', features := 'tags', reach := 'purchases')")
        sql = "SELECT category, msd_select(item_id, 6, 0.05, 0.5, fresh := true) FROM products {} GROUP BY category"
        assert len(con.execute(sql.format("")).fetchall()) == 250
        assert lines(con) == [(250, 0, 12.5)]
        assert 0.95 < one(con, "SELECT composed_eps FROM msd_ledger() WHERE kind = 'select'") <= 1
        with pytest.raises(duckdb.InvalidInputException, match=r"these 250 answers.*[0-9] such groups would fit"):
            con.execute(sql.format("")).fetchall()


def test_a_group_asked_alone_is_told_what_it_was_told_among_others(shop):
    together = dict(shop.execute(BY_CATEGORY).fetchall())
    for category, items in together.items():
        alone = BY_CATEGORY.replace("GROUP BY", f"WHERE category = '{category}' GROUP BY")
        assert shop.execute(alone).fetchall() == [(category, items)]
    assert lines(shop) == [(3, 0, 0.3)] + [(0, 1, 0)] * 3


def test_an_unknown_item_is_told_of_its_own_group(shop):
    more = "(SELECT item_id, category FROM products UNION ALL VALUES (1000, 'Toys'), (1001, 'Toys'))"
    toys = one(shop, "SELECT count(*) FROM products WHERE category = 'Toys'")
    with pytest.raises(duckdb.InvalidInputException, match=rf"2 of {toys + 2} candidates .* such as 1000"):
        shop.execute(BY_CATEGORY.replace("products", more)).fetchall()
    assert lines(shop) == []


def test_groups_may_differ_in_all_that_they_ask(shop):
    sql = "SELECT category, msd_select(item_id, {k}, {eps}, {far}) FROM products GROUP BY category ORDER BY category"
    parts = [("Beauty", 2, 0.1, 0.5), ("Health Care", 3, 0.2, 0.0), ("Toys", 4, 0.3, 1.0)]
    cases = {
        name: "CASE category " + " ".join(f"WHEN '{part[0]}' THEN {part[at]}" for part in parts) + " END"
        for at, name in enumerate(("k", "eps", "far"), start=1)
    }
    found = dict(shop.execute(sql.format(**cases)).fetchall())
    assert [len(found[name]) for name, *_ in parts] == [2, 3, 4]
    assert lines(shop) == [(2, 0, 0.3)]  # diversity alone reads nothing private
    for name, k, eps, far in parts:
        alone = sql.format(k=k, eps=eps, far=far).replace("GROUP BY", f"WHERE category = '{name}' GROUP BY")
        assert shop.execute(alone).fetchall() == [(name, found[name])]
    assert spent(shop) == 0.3


# One selection a group as rows


def test_rows_by_group(shop):
    rows = shop.execute("FROM msd_topk(products, 4, 0.1, 0.5, by := category)").fetchall()
    names = [description[0] for description in shop.description]
    found = [(row[names.index("category")], row[names.index("msd_rank")]) for row in rows]
    assert found == [(name, rank) for name in ("Beauty", "Health Care", "Toys") for rank in (1, 2, 3, 4)]
    assert lines(shop) == [(3, 0, 0.3)]
    listed = dict(shop.execute(BY_CATEGORY).fetchall())  # the same questions
    for name, items in listed.items():
        assert [row[0] for row in rows if row[names.index("category")] == name] == items
    assert lines(shop)[1:] == [(0, 3, 0)]


def test_rows_by_an_expression_and_by_null(shop):
    shop.execute("UPDATE products SET category = NULL WHERE category = 'Toys'")
    by_null = shop.execute("SELECT DISTINCT category FROM msd_topk(products, 3, 0.05, 0.5, by := category)").fetchall()
    assert sorted(by_null, key=str) == [("Beauty",), ("Health Care",), (None,)]
    pairs = "FROM msd_topk(products, 2, 0.05, 0.5, by := (price_bin, item_id % 2))"
    assert len(shop.execute(pairs).fetchall()) == 8
    empty = (
        "WITH none AS (FROM products WHERE false) FROM msd_topk(none, 2, 0.05, 0.5, by := category, key := 'item_id')"
    )
    assert shop.execute(empty).fetchall() == []


@pytest.mark.parametrize("name", ["category", "categry"])
def test_a_name_in_quotes_makes_no_groups(shop, name):
    with pytest.raises(duckdb.Error, match=rf"by is '{name}', .* by := category.*othing was charged"):
        shop.execute(f"FROM msd_topk(products, 4, 0.1, 0.5, by := '{name}')").fetchall()
    assert lines(shop) == []


def test_what_makes_the_groups_must_be_public(shop):
    with pytest.raises(duckdb.Error, match="purchases"):
        shop.execute("""FROM msd_topk(products, 2, 0.05, 0.5,
                        by := item_id IN (SELECT item_id FROM purchases WHERE user_id = 7))""").fetchall()
    assert kinds(shop) == ["protect", "items"]


def test_a_group_by_is_priced_beforehand(shop):
    lines_of = "FROM msd_explain(products, 6, 0.05, 0.5, groups := {})"
    told = dict(shop.execute(lines_of.format(250)).fetchall())
    assert told["charge"].startswith("ε 12.5, δ ")
    assert told["charge"].endswith("at α = 36 for 250 groups")
    assert told["budget after"].startswith("spent ε ≈0.9")
    assert told["more like this"] == "254 answers before it, 4 after it"
    refused = dict(shop.execute(lines_of.format(255)).fetchall())
    assert refused["budget after"] == "refused: the budget does not allow it; 254 such groups would fit"
    assert kinds(shop) == ["protect", "items"]


# Interrupted


BEFORE_THE_CHARGE = """
import os, signal, sys, threading, time
import duckdb, msd_sql
con = msd_sql.register(duckdb.connect(sys.argv[1]))
con.execute("SET enable_progress_bar = false")
import msd_sql.actions.select as select
prepare, prepared = select.prepare, []
def counted(call, groups):
    prepared.extend(prepare(call, groups))
    os.kill(os.getpid(), signal.SIGINT)  # all groups are prepared, and nothing is charged yet
    time.sleep(2)  # a busy machine comes to the main thread, which hears it, only after a while
    return prepared
select.prepare = counted
try:
    con.execute(sys.argv[2]).fetchall()
except BaseException as error:
    print(type(error).__name__, len(prepared))
"""


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_ctrl_c_before_the_charge_costs_nothing(file):
    with duckdb.connect(file) as con:
        msd_sql.register(con)
        declare(con)
    command = [sys.executable, "-c", BEFORE_THE_CHARGE, file, BY_CATEGORY]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=100)
    assert done.returncode != -signal.SIGINT
    assert int(done.stdout.split()[-1]) == 3, done.stderr
    with duckdb.connect(file) as con:
        msd_sql.register(con)
        assert kinds(con) == ["protect", "items"]


def test_of_many_threads_exactly_the_affordable_statements_succeed(file):
    """Each statement costs 0.3 of 1 by sum (and no divergence is known of an answer without δ): three fit."""
    with duckdb.connect(file) as con:
        msd_sql.register(con)
        declare(con)
        one(con, "SELECT msd_budget('purchases', 1, delta := 0)")
        outcomes = []

        def ask(cursor, place):
            msd_sql.register(cursor)
            try:
                sql = BY_CATEGORY.replace("0.5)", f"0.5{place})")
                outcomes.append(len(cursor.execute(sql).fetchall()))
            except duckdb.InvalidInputException as error:
                outcomes.append("BudgetError" in str(error))

        threads = [threading.Thread(target=ask, args=(con.cursor(), place)) for place in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(map(str, outcomes)) == ["3"] * 3 + ["True"] * 5
        assert lines(con) == [(3, 0, 0.3)] * 3


@pytest.mark.parametrize(
    ("sql", "whole"),
    [
        (BY_CATEGORY, True),
        (f"CREATE TABLE t AS {BY_CATEGORY}", True),
        (f"INSERT INTO t {BY_CATEGORY}", True),
        (f"{BY_CATEGORY} ORDER BY 1 LIMIT 3", True),
        ("SELECT unnest(msd_select(item_id, 4, 0.1, 0.5)) FROM products GROUP BY category", True),
        (f"{BY_CATEGORY} LIMIT 3", False),
        (f"SELECT * FROM ({BY_CATEGORY})", False),
        (f"{BY_CATEGORY} UNION ALL {BY_CATEGORY}", False),
        ("SELECT (SELECT msd_select(item_id, 4, 0.1, 0.5) FROM products) FROM range(3)", False),
        ("EXECUTE later", False),
        ("not SQL at all", False),
    ],
)
def test_which_statements_draw_every_group(sql, whole):
    assert draws_every_group(sql) is whole
