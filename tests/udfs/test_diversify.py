"""diversify: arrays in, places out; the same answer as the SQL function gives, and at least half of the best."""

import itertools

import duckdb
import numpy as np
import pytest

import msd_sql
from msd_sql.udfs import Angular

RNG = np.random.default_rng(7)
VECTORS, SCORES = RNG.normal(size=(12, 5)), RNG.random(12)


def value(places, diversity):
    distance = Angular(VECTORS)
    scores = SCORES / SCORES.max()
    pairs = [distance.row(a)[b] for a, b in itertools.combinations(places, 2)]
    return (1 - diversity) * scores[list(places)].mean() + diversity * np.mean(pairs)


@pytest.mark.parametrize("diversity", [0.0, 0.3, 0.7, 1.0])
def test_at_least_half_of_the_best(diversity):
    found = msd_sql.diversify(SCORES, VECTORS, 4, diversity)
    assert len(set(found)) == 4
    best = max(value(places, diversity) for places in itertools.combinations(range(12), 4))
    assert value(found, diversity) >= best / 2


def test_it_is_what_sql_answers():
    with msd_sql.register(duckdb.connect()) as con:
        rows = [(at, float(SCORES[at]), VECTORS[at].tolist()) for at in range(12)]
        con.execute("CREATE TABLE hits (id INTEGER, score DOUBLE, embedding DOUBLE[])")
        con.executemany("INSERT INTO hits VALUES (?, ?, ?)", rows)
        sql = "SELECT msd_select(id, 4, NULL, 0.5, features := embedding, score := score) FROM hits"
        assert msd_sql.diversify(SCORES, VECTORS, 4) == con.execute(sql).fetchall()[0][0]


def test_quotas():
    sources = ["a"] * 6 + ["b"] * 6
    found = msd_sql.diversify(SCORES, VECTORS, 4, 0.5, quota=sources)
    assert [sum(place < 6 for place in found), len(found)] == [2, 4]
    found = msd_sql.diversify(SCORES, VECTORS, 4, 0.5, quota=sources, quota_cap={"a": 1})
    assert [sum(place < 6 for place in found), len(found)] == [1, 4]


def test_fewer_than_asked_for_come_best_first():
    assert msd_sql.diversify([0.1, -3, 2], np.eye(3), 9) == [2, 0, 1]
    assert msd_sql.diversify([], [], 3) == []


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (([1, 2], [[1, 0]], 2), "2 scores for 1 vectors"),
        (([1, 2], [[1, 0], [0, 1]], 0), "k must be at least 1"),
        (([1, float("nan")], [[1, 0], [0, 1]], 1), "finite"),
        (([1, 2], [[1, 0], [0, 1]], 1, 2), "diversity"),
        (([1, 2], [[1, 0], [0, 1]], 1, 0.5, ["a"]), "quota has 1 values for 2"),
        (([1, 2], [[1, 0], [0, 1]], 1, 0.5, None, 3), "quota_cap needs quota"),
    ],
)
def test_bad_input_is_said(given, words):
    with pytest.raises(msd_sql.InputError, match=words):
        msd_sql.diversify(*given)


@pytest.mark.parametrize("kind", [np.float64, np.float16, np.int32, object])
def test_numbers_of_any_kind_give_the_same_picks(kind):
    rng = np.random.default_rng(3)
    vectors = rng.integers(-50, 50, size=(200, 12))
    scores = rng.random(200)
    expected = msd_sql.diversify(scores, vectors.astype(np.float32), 8)
    assert msd_sql.diversify(scores, vectors.astype(kind), 8) == expected
    if kind is np.float64:  # beyond what float32 holds: only the direction counts
        assert msd_sql.diversify(scores, vectors.astype(kind) * 1e200, 8) == expected
