"""Every distance is a pseudometric in [0, 1], equals its plain definition, and refuses what it cannot measure."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from msd_sql.udfs import Score, Uniform, plan, select
from msd_sql.udfs.distances import (
    DISTANCES,
    L1,
    L2,
    SHAPES,
    Angular,
    Hamming,
    Haversine,
    Jaccard,
    Mixed,
    Precomputed,
    default_distance,
    distance_kind,
)
from msd_sql.udfs.distances.among import among, sum_among
from msd_sql.udfs.errors import InputError

SLACK = 1e-6  # float32 vectors

token_sets = st.lists(st.lists(st.integers(0, 6), max_size=6), min_size=1, max_size=7)
numbers = hnp.arrays(np.float64, hnp.array_shapes(min_dims=2, max_dims=2, max_side=6), elements=st.floats(-1e6, 1e6))
scales = st.one_of(st.none(), st.floats(1e-3, 1e7))
points = st.lists(st.tuples(st.floats(-90, 90), st.floats(-180, 180)), min_size=1, max_size=7)


def assert_pseudometric(distance):
    table = np.array([distance.row(item) for item in range(distance.n)])
    assert table.shape == (distance.n, distance.n)
    assert table.dtype == np.float64
    assert table.min() >= 0.0
    assert table.max() <= 1.0
    assert (np.diag(table) == 0.0).all()
    np.testing.assert_allclose(table, table.T, atol=SLACK)
    detours = (table[:, :, None] + table[None, :, :]).min(axis=1)
    assert (table <= detours + SLACK).all()
    return table


@given(token_sets)
def test_jaccard_is_a_pseudometric_and_equals_its_definition(sets):
    table = assert_pseudometric(Jaccard.from_sets(sets))
    for (a, one), (b, other) in itertools.product(enumerate(map(set, sets)), repeat=2):
        union = len(one | other)
        assert table[a, b] == pytest.approx(1 - len(one & other) / union if union else 0.0)


def test_two_empty_sets_are_at_distance_zero_and_far_from_all_others():
    assert Jaccard.from_sets([[], None, ["a"]]).row(0).tolist() == [0.0, 0.0, 1.0]


def test_jaccard_does_not_count_a_repeated_token_twice():
    assert Jaccard([0, 3, 4], [5, 5, 5, 5]).row(0).tolist() == [0.0, 0.0]


@given(hnp.arrays(np.int64, hnp.array_shapes(min_dims=2, max_dims=2, max_side=6), elements=st.integers(0, 3)))
def test_hamming_is_a_pseudometric_and_equals_its_definition(codes):
    table = assert_pseudometric(Hamming(codes))
    for a, b in itertools.product(range(len(codes)), repeat=2):
        assert table[a, b] == pytest.approx(sum(codes[a] != codes[b]) / codes.shape[1])


def test_hamming_takes_words_and_nulls_as_categories():
    assert Hamming([["red", None], ["red", "S"], [None, None]]).row(0).tolist() == [0.0, 0.5, 0.5]


@given(numbers, scales)
def test_l1_is_a_pseudometric_and_equals_its_definition(matrix, scale):
    table = assert_pseudometric(L1(matrix, scale))
    span = np.ptp(matrix, axis=0)
    for a, b in itertools.product(range(len(matrix)), repeat=2):
        apart = np.abs(matrix[a] - matrix[b])
        if scale is None:
            expected = np.divide(apart, span, out=np.zeros_like(apart), where=span > 0).mean()
        else:
            expected = min(apart.sum() / scale, 1.0)
        assert table[a, b] == pytest.approx(expected, abs=1e-6)


@given(numbers, scales)
def test_l2_is_a_pseudometric_and_equals_its_definition(matrix, scale):
    table = assert_pseudometric(L2(matrix, scale))
    span = np.ptp(matrix, axis=0)
    for a, b in itertools.product(range(len(matrix)), repeat=2):
        apart = np.abs(matrix[a] - matrix[b])
        if scale is None:
            expected = math.sqrt((np.divide(apart, span, out=np.zeros_like(apart), where=span > 0) ** 2).mean())
        else:
            expected = min(math.sqrt(((apart / scale) ** 2).sum()), 1.0)
        assert table[a, b] == pytest.approx(expected, abs=1e-6)


def test_a_scale_per_column_cuts_each_column_at_one():
    assert L1([[0, 0], [5, 1]], scale=[1, 10]).row(0).tolist() == [0.0, 0.55]
    assert L2([[0, 0], [5, 0]], scale=[1, 10]).row(0)[1] == pytest.approx(math.sqrt(0.5))


@given(
    hnp.arrays(np.float32, st.tuples(st.integers(1, 6), st.integers(1, 5)), elements=st.floats(-100, 100, width=32)),
    st.integers(0, 2**32 - 1),
)
def test_angular_is_a_pseudometric_and_equals_its_definition(matrix, seed):
    matrix = np.where(np.abs(matrix).max(axis=1, keepdims=True) < 1e-3, np.float32(1), matrix)
    turned = np.vstack([matrix, 2 * matrix[:1], -matrix[:1]])  # a multiple and the opposite of the first
    table = assert_pseudometric(Angular(turned))
    exact = turned.astype(np.float64)
    exact /= np.linalg.norm(exact, axis=1, keepdims=True)
    np.testing.assert_allclose(table, np.arccos(np.clip(exact @ exact.T, -1, 1)) / np.pi, atol=1e-4)
    assert table[0, -2] == pytest.approx(0.0, abs=SLACK)
    assert table[0, -1] == pytest.approx(1.0, abs=SLACK)


def test_angular_tells_nearly_equal_vectors_apart_as_float32_arccos_does_not():
    turned = np.array([[1.0, 0.0], [math.cos(1e-4), math.sin(1e-4)]], dtype=np.float32)
    assert Angular(turned).row(0)[1] == pytest.approx(1e-4 / math.pi, rel=1e-3)


def test_angular_survives_very_large_and_very_small_numbers():
    assert Angular([[1e300, 0.0], [1e-300, 1e-300]]).row(0)[1] == pytest.approx(0.25)


@given(points, st.one_of(st.none(), st.floats(1, 30_000)))
def test_haversine_is_a_pseudometric(places, scale):
    lat, lon = zip(*places, strict=True)
    assert_pseudometric(Haversine(lat, lon, scale))


@given(points)
def test_the_default_scale_of_haversine_cuts_nothing(places):
    lat, lon = zip(*places, strict=True)
    default = np.array([Haversine(lat, lon).row(item) for item in range(len(lat))])
    whole = np.array([Haversine(lat, lon, scale=6371.0088 * math.pi).row(item) for item in range(len(lat))])
    # Proportional: a cut would flatten the largest distances.
    if whole.max() > 1e-9:
        far = np.unravel_index(whole.argmax(), whole.shape)
        np.testing.assert_allclose(default * whole[far], whole * default[far], atol=1e-9)


def test_haversine_measures_kilometres():
    paris_london = Haversine([48.8566, 51.5074], [2.3522, -0.1278], scale=1000).row(0)[1]
    assert paris_london == pytest.approx(0.3436, abs=1e-3)


def test_haversine_uses_a_small_box_across_the_date_line():
    assert Haversine([0, 0], [179.9, -179.9]).row(0)[1] == pytest.approx(1.0)


@given(st.integers(1, 6), st.randoms(use_true_random=False))
def test_precomputed_returns_what_was_given(n, random):
    held = {pair: random.random() for pair in itertools.combinations(range(n), 2)}
    shuffled = [(a, b, d) if random.random() < 0.5 else (b, a, d) for (a, b), d in held.items()]
    random.shuffle(shuffled)
    distance = Precomputed(*([list(column) for column in zip(*shuffled, strict=True)] or [[], [], []]), n)
    for a, b in itertools.product(range(n), repeat=2):
        assert distance.row(a)[b] == held.get((min(a, b), max(a, b)), 0.0)


REFUSED = {
    "NaN": lambda: L1([[1.0], [math.nan]]),
    "infinity": lambda: L2([[1.0], [math.inf]]),
    "NULL": lambda: L1([[1.0], [None]]),
    "text": lambda: L1([["a"], ["b"]]),
    "ragged": lambda: L2([[1, 2], [3]]),
    "ragged vectors": lambda: Angular([[1.0, 2.0], [3.0]]),
    "no columns": lambda: L1(np.zeros((3, 0))),
    "three dimensions": lambda: L1(np.zeros((2, 2, 2))),
    "scale 0": lambda: L1([[1], [2]], scale=0),
    "negative scale": lambda: Haversine([1], [2], scale=-1),
    "one scale too few": lambda: L1([[1, 2], [3, 4]], scale=[1]),
    "a range beyond a double": lambda: L1([[-1.7e308], [1.7e308]]),
    "zero vector": lambda: Angular([[1.0, 0.0], [0.0, 0.0]]),
    "NaN vector": lambda: Angular([[1.0, math.nan]]),
    "NaN category": lambda: Hamming(np.array([[1.0], [math.nan]])),
    "latitude 91": lambda: Haversine([91], [0]),
    "longitude 361": lambda: Haversine([0], [361]),
    "more latitudes than longitudes": lambda: Haversine([0, 1], [0]),
    "bounds that fall": lambda: Jaccard([0, 2, 1], [3, 4]),
    "bounds that do not end": lambda: Jaccard([0, 1], [3, 4]),
    "missing pair": lambda: Precomputed([0], [1], [0.5], 3),
    "asymmetric": lambda: Precomputed([0, 1], [1, 0], [0.5, 0.6], 2),
    "far from itself": lambda: Precomputed([0, 0], [1, 0], [0.5, 0.1], 2),
    "outside of [0, 1]": lambda: Precomputed([0], [1], [1.5], 2),
    "NaN pair": lambda: Precomputed([0], [1], [math.nan], 2),
    "unknown item": lambda: Precomputed([0], [5], [0.5], 2),
    "uneven pairs": lambda: Precomputed([0, 1], [1], [0.5], 2),
}


@pytest.mark.parametrize("case", REFUSED)
def test_bad_features_are_refused_in_words(case):
    with pytest.raises(InputError, match=r"^(jaccard|hamming|l1|l2|angular|haversine|precomputed): .*\.$"):
        REFUSED[case]()


@pytest.mark.parametrize("distance", [L1([[1]]), Jaccard([0, 0], []), Angular([[2.0]]), Precomputed([], [], [], 1)])
def test_one_candidate_is_enough(distance):
    assert distance.row(0).tolist() == [0.0]


def test_every_shape_has_a_default_that_takes_it():
    assert set(SHAPES) == {"set", "codes", "numbers", "vector", "latlon", "pairs", "mix"}
    for shape in SHAPES:
        assert shape in distance_kind(default_distance(shape)).shapes
    assert {kind.name for kind in DISTANCES.values()} == set(DISTANCES)


def test_an_unknown_distance_is_answered_with_the_nearest_name():
    with pytest.raises(InputError, match="Did you mean 'jaccard'"):
        distance_kind("jacard")
    with pytest.raises(InputError, match="Unknown shape of features 'matrix'"):
        default_distance("matrix")


def test_vectors_are_measured_where_they_lie():
    rng = np.random.default_rng(3)
    matrix = rng.normal(size=(300, 7)).astype(np.float32)
    matrix[7] = matrix[8] * np.float32(2.0)
    rows = rng.permutation(300)[:250]
    here, there = Angular(matrix, rows), Angular(matrix[rows])
    assert here.n == there.n == 250
    np.testing.assert_allclose(here.row(17), there.row(17), atol=1e-6)
    np.testing.assert_allclose(among(here, [3, 1, 200])[0], there.row(3)[[3, 1, 200]], atol=1e-6)
    made = plan(n=250, k=40, eps=None, diversity=0.5, relevance="score", method="greedy")
    scores = rng.random(250)
    found = [select(made, Score(scores, 40), one, Uniform(250, 40)).picks for one in (here, there)]
    assert found[0] == found[1]


def test_only_the_vectors_of_items_have_to_be_some():
    matrix = np.float32([[1, 0], [np.nan, 0], [0, 0], [0, 2]])
    assert Angular(matrix, np.array([3, 0])).row(0).round(6).tolist() == [0.0, 0.5]
    with pytest.raises(InputError, match=r"the vector of item 1 \(counted from 0\) holds NaN"):
        Angular(matrix, np.array([3, 1]))


def test_distances_among_some_items_are_those_of_their_rows():
    rng = np.random.default_rng(5)
    vectors = rng.normal(size=(60, 3))
    sets = [rng.integers(0, 9, size=size).tolist() for size in rng.integers(0, 5, size=60)]  # some of them empty
    mixed = Mixed([Angular(vectors), L1(vectors[:, 0])])
    for distance in (Angular(vectors), L2(vectors), mixed, Jaccard.from_sets(sets)):
        items = (5, 59, 0, 17)
        expected = np.array([distance.row(item)[list(items)] for item in items])
        np.testing.assert_allclose(among(distance, items), expected, atol=1e-6)
        assert sum_among(distance, items) == pytest.approx(expected.sum() / 2, abs=1e-5)
        assert among(distance, ()).size == 0
