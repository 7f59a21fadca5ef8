"""msd_topk: the chosen rows of a table, view or CTE, every column, plus msd_rank."""

from __future__ import annotations

import duckdb
import pytest

from tests.support.shop import kinds, one, spent


def test_the_rows_of_the_same_selection(shop):
    items = one(shop, "SELECT msd_select(item_id, 6, 0.1, 0.5) FROM products")
    relation = shop.sql("FROM msd_topk(products, 6, 0.1, 0.5)")
    assert relation.columns == [*shop.table("products").columns, "msd_rank"]
    assert [str(kind) for kind in relation.types] == [*map(str, shop.table("products").types), "BIGINT"]
    rows = relation.fetchall()
    assert [row[0] for row in rows] == items
    assert [row[-1] for row in rows] == [1, 2, 3, 4, 5, 6]
    originals = {row[0]: row for row in shop.execute("FROM products").fetchall()}
    assert all(row[:-1] == originals[row[0]] for row in rows)
    assert spent(shop) == 0.1


@pytest.mark.parametrize("source", ["products", "'products'", "main.products", "'main.products'", "cheap", '"cheap"'])
def test_tables_views_and_their_names_as_text(shop, source):
    shop.execute("CREATE VIEW cheap AS SELECT * FROM products WHERE price < 60")
    assert len(shop.execute(f"FROM msd_topk({source}, 4, 0.1, 0.5)").fetchall()) == 4
    assert spent(shop) == 0.1


def test_a_cte(shop):
    rows = shop.execute(
        "WITH c AS (FROM products WHERE category = 'Toys') SELECT category FROM msd_topk(c, 3, 0.1, 0.5)"
    )
    assert rows.fetchall() == [("Toys",)] * 3


def test_columns_and_joins_on_the_result(shop):
    sql = "SELECT t.msd_rank, p.name FROM msd_topk(products, 3, 0.1, 0.5) t JOIN products p USING (item_id) ORDER BY 1"
    assert [row[0] for row in shop.execute(sql).fetchall()] == [1, 2, 3]


def test_named_arguments_see_the_columns(shop):
    sql = "FROM msd_topk(products, 3, NULL, 1, features := price, quota := category, quota_cap := 1)"
    assert sorted(row[2] for row in shop.execute(sql).fetchall()) == ["Beauty", "Health Care", "Toys"]


def test_the_key_can_be_named(empty):
    sql = "SELECT item_id FROM msd_topk(products, 3, NULL, 0, key := '{}', score := price)"
    assert empty.execute(sql.format("item_id")).fetchall() == [(59,), (58,), (57,)]
    assert empty.execute(sql.format("ITEM_ID")).fetchall() == [(59,), (58,), (57,)]
    assert empty.execute(sql.format("name")).fetchall() == [(59,), (58,), (57,)]


def test_keys_are_ordered_by_their_own_type(empty):
    empty.execute("CREATE TABLE t AS SELECT unnest([100, 9, 10]) AS i, 1 AS one")
    sql = "SELECT i FROM msd_topk({}, 2, NULL, 0, key := 'i', score := one)"
    assert empty.execute(sql.format("t")).fetchall() == [(9,), (10,)]
    empty.execute("CREATE TABLE s AS SELECT i::VARCHAR AS i, one FROM t")
    assert empty.execute(sql.format("s")).fetchall() == [("10",), ("100",)]


@pytest.mark.parametrize(
    ("sql", "text"),
    [
        ("FROM msd_topk(products, 3, NULL, 0, score := price)", "Which column names an item.*key := 'item_id'"),
        ("FROM msd_topk(products, 3, NULL, 0, key := 'itemid', score := price)", "Did you mean 'item_id'"),
        ("FROM msd_topk(products, 3, NULL, 0, key := item_id, score := price)", "the name of a column in quotes"),
        ("FROM msd_topk(products, 0, NULL, 0, key := 'item_id', score := price)", "k must be a whole number"),
    ],
)
def test_errors(empty, sql, text):
    with pytest.raises(duckdb.InvalidInputException, match=f"{text}.*Nothing was charged"):
        empty.execute(sql).fetchall()


def test_a_protected_source_is_a_leak(shop):
    shop.execute("CREATE VIEW ranked AS SELECT item_id, count(*) AS n FROM purchases GROUP BY ALL")
    for source in ("purchases", "'purchases'", "ranked", "'main.ranked'"):
        with pytest.raises(duckdb.InvalidInputException, match="LeakError"):
            shop.execute(f"FROM msd_topk({source}, 3, 0.1, 0.5, key := 'item_id')").fetchall()
    assert kinds(shop) == ["protect", "items"]


def test_an_empty_table_has_no_rows(shop):
    shop.execute("CREATE VIEW nothing AS FROM products WHERE false")
    relation = shop.sql("FROM msd_topk(nothing, 3, 0.1, 0.5)")
    assert relation.columns[-1] == "msd_rank"
    assert relation.fetchall() == []


def test_columns_with_odd_names_and_types(empty):
    empty.execute("""CREATE TABLE odd AS SELECT i AS "my id", {'a': i, 'b': [i]} AS nested, MAP {'x': i} AS m, NULL v,
                     i::BIT AS bits, 'rows' AS "rows", i AS found, i AS keys, i AS options FROM range(5) t(i)""")
    rows = empty.execute("FROM msd_topk(odd, 2, NULL, 0, key := 'my id', score := found)").fetchall()
    assert [row[0] for row in rows] == [4, 3]
    assert rows[0][1] == {"a": 4, "b": [4]}
