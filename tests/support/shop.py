"""A small shop for the SQL tests: products, purchases of 400 users, a budget of ε = 1."""

from __future__ import annotations

PRODUCTS = """
CREATE TABLE products AS
SELECT i::INTEGER AS item_id, 'item ' || lpad(i::VARCHAR, 3, '0') AS name,
       ['Health Care', 'Beauty', 'Toys'][1 + i % 3] AS category,
       ['a' || (i % 5), 'b' || (i % 7), 'c' || (i % 3)] AS categories,
       (i % 4)::INTEGER AS price_bin, i * 1.5 AS price, (i % 10) / 10.0 AS score,
       [cos(i)::FLOAT, sin(i)::FLOAT, (i % 3)::FLOAT] AS embedding
FROM range(60) t(i)
"""
PURCHASES = """
CREATE TABLE purchases AS
SELECT (hash(i) % 400)::INTEGER AS user_id, ((hash(i * 7) % 60) * (hash(i * 13) % 60) // 60)::INTEGER AS item_id
FROM range(2000) t(i)
"""
PROTECT = "SELECT msd_protect('purchases', unit := 'user_id', item := 'item_id', budget := 1.0, delta := 1e-9)"
ITEMS = "SELECT msd_items('products', key := 'item_id', features := 'categories', reach := 'purchases')"


def fill(con):
    con.execute(PRODUCTS)
    con.execute(PURCHASES)


def declare(con):
    con.execute(PROTECT).fetchall()
    con.execute(ITEMS).fetchall()


def one(con, sql, parameters=None):
    """The one value of a statement."""
    return con.execute(sql, parameters).fetchall()[0][0]


def spent(con):
    """What was taken from the budget, by the ledger's own sum."""
    return round(one(con, "SELECT coalesce(sum(charged_eps), 0) FROM msd_ledger()"), 9)


def kinds(con):
    return [row[0] for row in con.execute("SELECT kind FROM msd_ledger()").fetchall()]
