"""msd_explain says where distances say nothing, and `cosine` is a name for angular."""

import duckdb
import numpy as np
import pytest

import msd_sql
from msd_sql.udfs import L1, Angular, Jaccard
from msd_sql.udfs.distances import distance_kind
from msd_sql.udfs.distances.spread import spread


@pytest.fixture
def items():
    with duckdb.connect() as con:
        msd_sql.register(con)
        con.execute(
            "CREATE TABLE items AS SELECT i AS id, 1.0 AS s, ['w' || i, 'x' || i] AS words, ['k' || i % 4] AS kinds, "
            "CASE WHEN i = 0 THEN 1e9 ELSE i END AS price, i AS stock, [cos(i), sin(i)]::FLOAT[] AS vector, "
            "[1 + i % 3, i % 5] AS numbers FROM range(100) t(i)"
        )
        yield con


def told(con, features, more=""):
    sql = f"FROM msd_explain(items, 5, NULL, 0.5, key := 'id', score := s, features := {features}{more})"
    return dict(con.execute(sql).fetchall())


def test_word_sets_that_share_nothing_are_told(items):
    found = told(items, "words")
    assert found["two candidates"].startswith("are 1.00 apart in the median; 100% of the pairs have nothing in common")
    assert "coarser sets" in found["distances say little"]
    assert "distances say little" not in told(items, "kinds")


def test_an_outlier_that_rules_the_scale_is_told(items):
    assert "one outlier rules the scale" in told(items, "price")["distances say little"]
    assert "distances say little" not in told(items, "price", ", scale := 100")
    assert "distances say little" not in told(items, "stock")


def test_cosine_is_angular(items):
    ask = "SELECT msd_select(id, 5, NULL, 0.5, score := s, features := {}, distance := '{}') FROM items"
    for features in ("vector", "numbers"):
        same = [items.execute(ask.format(features, name)).fetchall() for name in ("cosine", "Cosine", "angular")]
        assert same[0] == same[1] == same[2]
    assert told(items, "vector", ", distance := 'cosine'")["distance"] == "angular"
    assert distance_kind("cosine").make is Angular
    con = items
    con.execute("SELECT msd_items('items', key := 'id', features := 'vector', distance := 'cosine')").fetchall()
    with pytest.raises(duckdb.Error, match="Unknown distance 'cosin'"):
        con.execute(ask.format("vector", "cosin")).fetchall()


def test_a_spread_is_the_same_each_time_and_of_different_items_only():
    distance = L1(np.arange(5_000.0))
    assert spread(distance) == spread(distance)
    assert spread(L1([1.0])) is None
    pair = spread(Jaccard.from_sets([["a"], ["b"]]))
    assert (pair.median, pair.far, pair.near) == (1.0, 1.0, 0.0)
