"""A small shop for the SQL tests: products, purchases of 400 users, a budget of ε = 1."""

from __future__ import annotations

import os

import duckdb
import pytest

import msd_sql

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


@pytest.fixture
def empty():
    """A registered database in memory with nothing declared."""
    with duckdb.connect() as con:
        fill(con)
        msd_sql.register(con)
        yield con


@pytest.fixture
def shop(empty):
    """The same with purchases protected and products declared."""
    declare(empty)
    return empty


@pytest.fixture
def file(tmp_path):
    """The path of a database file that holds the tables."""
    path = str(tmp_path / "shop.duckdb")
    with duckdb.connect(path) as con:
        fill(con)
    return path


@pytest.fixture
def settled(tmp_path):
    """A shop in a file that was written long ago, with everything declared; the file."""
    path = tmp_path / "shop.duckdb"
    with duckdb.connect(str(path)) as con:
        fill(con)
        msd_sql.register(con)
        declare(con)
    os.utime(path, ns=(0, 10**18))
    return path
