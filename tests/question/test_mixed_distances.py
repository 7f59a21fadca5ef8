"""Weighted mixes of distances over several columns, given in a call or declared."""

import duckdb
import numpy as np
import pytest

import msd_sql
from msd_sql.errors import InputError
from msd_sql.question.features import Features, sets_of
from msd_sql.question.measured import measure
from msd_sql.udfs import L1, Jaccard
from msd_sql.udfs.distances import Mixed

TAGS = [["a", "b"], ["a"], ["c"], ["b", "c"]]
PRICES = np.array([1.0, 2.0, 4.0, 8.0])


def test_it_is_the_weighted_mean_and_a_metric():
    jaccard, l1 = Jaccard.from_sets(TAGS), L1(PRICES)
    both = Mixed([jaccard, l1], [3, 1])
    table = np.stack([both.row(item) for item in range(4)])
    assert np.allclose(table, [0.75 * jaccard.row(item) + 0.25 * l1.row(item) for item in range(4)])
    assert np.allclose(table, table.T)
    assert all(table[i, j] <= table[i, k] + table[k, j] + 1e-12 for i in range(4) for j in range(4) for k in range(4))
    assert np.allclose(Mixed([jaccard, l1], [1, 0]).row(0), jaccard.row(0))
    for weights in ([1], [1, -1], [0, 0], [1, np.nan], [1, 2, 3]):
        with pytest.raises(InputError, match="one weight for each"):
            Mixed([jaccard, l1], weights)
    with pytest.raises(InputError, match="same items"):
        Mixed([jaccard, L1([1.0, 2.0])])


def test_every_feature_has_its_own_distance():
    parts = Features(parts=[Features(sets=sets_of(TAGS)), Features(columns=[PRICES])])
    made = measure(parts, None, (1.0, 14.0), (1.0, 1.0))
    assert isinstance(made, Mixed)
    assert made.row(0)[3] == pytest.approx((Jaccard.from_sets(TAGS).row(0)[3] + 0.5) / 2)
    assert measure(Features(columns=[PRICES, PRICES]), "mixed").row(0).tolist() == L1(PRICES).row(0).tolist()
    with pytest.raises(InputError, match="distance := 'mixed'"):
        measure(parts, "jaccard")
    with pytest.raises(InputError, match="scale has 3 numbers for 2 features"):
        measure(parts, None, (1.0, 2.0, 3.0))
    with pytest.raises(InputError, match="needs several features"):
        measure(Features(sets=sets_of(TAGS)), "mixed")


@pytest.fixture
def items():
    with duckdb.connect() as con:
        msd_sql.register(con)
        con.execute(
            "CREATE TABLE items AS SELECT i AS id, 1.0 AS s, ['k' || i % 4, 'b' || i % 3] AS tags, "
            "(i * 7) % 40 AS price, ['red', 'blue'][1 + i % 2] AS colour, [cos(i), sin(i)] AS place FROM range(60) t(i)"
        )
        yield con


MIX = "{'tags': tags, 'price': price}"


def ask(con, features, more=""):
    return con.execute(
        f"SELECT msd_select(id, 5, NULL, 0.9, score := s, features := {features}{more}) FROM items"
    ).fetchall()[0][0]


def test_a_record_with_a_list_is_a_mix(items):
    equal = ask(items, MIX)
    assert ask(items, MIX, ", weights := [1, 1]") == equal
    assert ask(items, MIX, ", weights := [2, 2], distance := 'mixed'") == equal
    assert ask(items, MIX, ", weights := [1, 20]") != ask(items, MIX, ", weights := [20, 1]")
    every = "{'t': tags, 'p': price, 'c': colour, 'v': place}"
    assert len(ask(items, every, ", weights := [1, 1, 2, 1]")) == 5
    told = dict(items.execute(
        f"FROM msd_explain(items, 5, NULL, 0.9, key := 'id', score := s, features := {every})"
    ).fetchall())  # fmt: skip
    assert told["distance"] == "mixed"


def test_declared_features_are_mixed_where_that_is_said(items):
    items.execute(
        "SELECT msd_items('items', key := 'id', features := ['tags', 'price'], distance := 'mixed')"
    ).fetchall()
    declared = "SELECT msd_select(id, 5, NULL, 0.9, score := s{}) FROM items"
    assert items.execute(declared.format("")).fetchall()[0][0] == ask(items, MIX)
    assert items.execute(declared.format(", weights := [1, 5]")).fetchall()[0][0] == ask(
        items, MIX, ", weights := [1, 5]"
    )


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (", weights := [1]", "one weight for each of the 2 features"),
        (", weights := [1, -1]", "weights must be a positive number, or a list of them"),
        (", distance := 'jaccard'", "distance := 'mixed'"),
    ],
)
def test_what_is_wrong_with_a_mix_is_said(items, more, message):
    with pytest.raises(duckdb.Error, match=message):
        ask(items, MIX, more)
