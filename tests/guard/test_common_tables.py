"""Items are recognised through CTEs, which DuckDB materialises in its plans."""

import duckdb
import pytest

import msd_sql

STATEMENTS = [
    "WITH c AS (FROM products) SELECT msd_select(item_id, 3, 0.1, 0.5) FROM c",
    "WITH c AS (FROM products WHERE item_id > 3), d AS (FROM c WHERE item_id < 40) FROM msd_topk(d, 3, 0.1, 0.5)",
    "WITH c AS MATERIALIZED (FROM products) "
    "SELECT msd_select(c.item_id, 3, 0.1, 0.5) FROM c, c AS d WHERE c.item_id = d.item_id",
    "WITH RECURSIVE c AS (SELECT item_id, tags, 1 AS n FROM products UNION ALL "
    "SELECT item_id, tags, n + 1 FROM c WHERE n < 2) SELECT msd_select(item_id, 3, 0.1, 0.5, features := tags) FROM c",
]


@pytest.fixture
def shop():
    with duckdb.connect() as con:
        msd_sql.register(con)
        con.execute("CREATE TABLE products AS SELECT i AS item_id, ['a' || i % 5] AS tags FROM range(50) t(i)")
        con.execute(
            "CREATE TABLE purchases AS SELECT i % 300 AS user_id, (i * i) % 50 AS item_id FROM range(2000) t(i)"
        )
        con.execute("SELECT msd_protect('purchases', unit := 'user_id', item := 'item_id', budget := 9)").fetchall()
        con.execute(
            "SELECT msd_items('products', key := 'item_id', features := 'tags', reach := 'purchases')"
        ).fetchall()
        yield con


@pytest.mark.parametrize("sql", STATEMENTS)
def test_items_behind_a_cte_are_known(shop, sql):
    assert shop.execute(sql).fetchall()


def test_a_relation_of_python_is_known(shop):
    assert len(msd_sql.select(shop.sql("FROM products"), k=3, eps=0.1, diversity=0.5)) == 3


def test_a_cte_over_protected_rows_is_refused(shop):
    with pytest.raises(duckdb.Error, match="reads the protected relation purchases"):
        shop.execute(
            "WITH c AS (SELECT item_id FROM purchases) SELECT msd_select(item_id, 3, 0.1, 0) FROM c"
        ).fetchall()
