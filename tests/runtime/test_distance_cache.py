"""A distance over declared features is kept while the items lie as they did, for the same candidates, and only then."""

import os

import duckdb
import numpy as np
import pytest

import msd_sql
import msd_sql.question.measured
from msd_sql.runtime.distance_cache import LARGEST, TOTAL, DistanceCache
from tests.support.shop import declare, fill, one


@pytest.fixture
def shop(settled):
    with duckdb.connect(str(settled)) as con:
        msd_sql.register(con)
        yield con


@pytest.fixture
def made(monkeypatch):
    """The names of the distances that were made."""
    made = []
    original = msd_sql.question.measured.measure

    def counting(features, name, *more):
        made.append(name)
        return original(features, name, *more)

    monkeypatch.setattr(msd_sql.question.measured, "measure", counting)
    return made


def ask(con, k, more="", source="products"):
    return one(con, f"SELECT msd_select(item_id, {k}, NULL, 1{more}) FROM {source}")


def test_the_same_candidates_of_unchanged_items_share_one_distance(shop, made):
    first = ask(shop, 4)
    assert len(made) == 1
    assert ask(shop, 4) == first
    assert ask(shop, 2) == first[:2]
    assert len(made) == 1
    assert len(ask(shop, 4, ", distance := 'jaccard'")) == 4  # asked for by name: another place
    assert len(ask(shop, 4, source="products WHERE item_id % 2 = 0")) == 4
    assert len(made) == 3


def test_groups_share_one_reading_and_are_found_again_in_any_order(shop, made):
    sql = "SELECT price_bin, msd_select(item_id, 3, NULL, 1) FROM {} GROUP BY price_bin"
    first = sorted(shop.execute(sql.format("products")).fetchall())
    assert len(made) == len(first) > 1
    for order in ("item_id", "item_id DESC", "hash(item_id)"):
        rows = shop.execute(sql.format(f"(FROM products ORDER BY {order})")).fetchall()
        assert sorted(rows) == first
    assert len(made) == len(first)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE products SET categories = ['x' || (item_id % 2)]",
        "DELETE FROM products WHERE item_id = 3; INSERT INTO products SELECT * REPLACE (3 AS item_id) FROM products "
        "WHERE item_id = 4",
        "ALTER TABLE products ALTER categories TYPE VARCHAR[] USING ['y' || (item_id % 2)]",
        "SELECT msd_items('products', key := 'item_id', features := 'price_bin', replace := true)",
    ],
)
def test_other_items_are_measured_again(shop, made, change):
    ask(shop, 4)
    shop.execute(change).fetchall()
    chosen = ask(shop, 4)
    assert len(made) == 2
    assert chosen == fresh(shop)


def fresh(con):
    """The answer of another database in memory with the same items and the same declaration."""
    features = one(con, "SELECT features[1] FROM msd.items")
    with duckdb.connect() as other:
        other.register("given", con.execute("SELECT item_id, categories, price_bin FROM products").df())
        other.execute("CREATE TABLE products AS SELECT item_id, categories, price_bin FROM given")
        msd_sql.register(other)
        other.execute(f"SELECT msd_items('products', key := 'item_id', features := '{features}')").fetchall()
        return ask(other, 4)


def test_items_in_memory_are_read_every_time(made):
    with duckdb.connect() as con:
        fill(con)
        msd_sql.register(con)
        declare(con)
        ask(con, 4)
        con.execute("UPDATE products SET categories = ['x' || (item_id % 2)]")
        ask(con, 4)
        assert len(made) == 2


def test_many_small_ones_are_kept_few_large_ones_and_none_that_is_too_large():
    distances, made = DistanceCache(), []

    def of(place, size=1):
        keys = np.arange(3)
        return distances.of((place,), [keys], lambda: made.append(place) or [(None, [np.zeros(size, np.uint8)])])

    for place in (*range(1000), *range(1000)):
        of(place)
    assert made == list(range(1000))
    large = [f"large {place}" for place in range(TOTAL // LARGEST + 1)]
    for place in (*large, large[-1], large[0]):
        of(place, LARGEST - 2048)
    assert made[1000:] == [*large, large[0]]  # the first was the first to go
    of("too large", LARGEST + 1)
    of("too large", LARGEST + 1)
    assert made[-2:] == ["too large", "too large"]
    assert distances._held <= TOTAL


def test_items_with_keys_of_texts_and_a_distance_of_a_name(shop, made):
    shop.execute("CREATE TABLE named AS SELECT name, price_bin, price FROM products")
    shop.execute(
        "SELECT msd_items('named', key := 'name', features := ['price_bin', 'price'], distance := 'l2')"
    ).fetchall()
    shop.execute("CHECKPOINT")
    os.utime(one(shop, "SELECT path FROM duckdb_databases() WHERE database_name = 'shop'"), ns=(0, 10**18))
    first = one(shop, "SELECT msd_select(name, 4, NULL, 1) FROM named")
    assert one(shop, "SELECT msd_select(name, 4, NULL, 1) FROM named") == first
    assert made == ["l2"]
    assert len(one(shop, "SELECT msd_select(name, 4, NULL, 1) FROM named WHERE price > 9")) == 4
    assert len(made) == 2
