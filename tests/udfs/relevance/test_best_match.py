"""Best match: incremental marginals and swap tables equal those computed from the definition."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from msd_sql.udfs import BestMatch, BestMatchIndex, InputError
from msd_sql.udfs.relevance import best_match

ONE = 1 << 20


def value(similarity, weights, picks):
    """Σ_x weight · max over the picks of the similarity, from the definition; -1 is an item that nobody likes."""
    known = [pick for pick in picks if pick >= 0]
    return int((similarity[:, known].max(axis=1, initial=0) * weights).sum())


def expect_marginals(relevance, similarity, weights, picks, asked):
    items = [asked[pick] for pick in picks]
    now = value(similarity, weights, items)
    assert relevance.value() == now
    outside = [v for v in range(len(asked)) if v not in picks]
    gains = relevance.gains()
    for v in outside:
        assert gains[v] == value(similarity, weights, [*items, asked[v]]) - now
    if picks and outside:
        table = relevance.swap_gains(np.array(outside))
        for slot in range(len(picks)):
            for column, v in enumerate(outside):
                swapped = [*items[:slot], asked[v], *items[slot + 1 :]]
                assert table[slot, column] == value(similarity, weights, swapped) - now


@st.composite
def tastes(draw):
    n, units = draw(st.integers(2, 6)), draw(st.integers(0, 8))
    levels = st.sampled_from([0, 0, 1, 2, ONE // 2, ONE - 1, ONE])  # few levels: many ties
    similarity = np.array(draw(st.lists(levels, min_size=n * units, max_size=n * units)), np.int64).reshape(units, n)
    weights = np.array(draw(st.lists(st.integers(1, 5), min_size=units, max_size=units)), np.int64)
    asked = draw(st.permutations(range(n)).map(lambda order: order[: draw(st.integers(2, n))]))
    return similarity, weights, [*asked, -1] if draw(st.booleans()) else asked


def index_of(similarity, weights):
    units, items = np.indices(similarity.shape).reshape(2, -1)
    return BestMatchIndex.from_triples(units, items, similarity.ravel(), similarity.shape[1], weights)


@pytest.mark.parametrize("block", [best_match._BLOCK, 3])
@settings(max_examples=100, deadline=None)
@given(tastes(), st.data())
def test_marginals_and_swaps_equal_the_definition_after_any_adds_and_swaps(block, taste, data):
    similarity, weights, asked = taste
    k = data.draw(st.integers(1, len(asked)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(best_match, "_BLOCK", block)
        relevance = BestMatch(index_of(similarity, weights), max(int(weights.sum()), 1), asked)
        picks = []
        for item in data.draw(st.permutations(range(len(asked))))[:k]:
            expect_marginals(relevance, similarity, weights, picks, asked)
            relevance.add(item)
            picks.append(item)
        for _ in range(data.draw(st.integers(0, 6))):
            expect_marginals(relevance, similarity, weights, picks, asked)
            outside = [v for v in range(len(asked)) if v not in picks]
            if not outside:
                break
            slot, item = data.draw(st.integers(0, k - 1)), data.draw(st.sampled_from(outside))
            relevance.swap(slot, item)
            picks[slot] = item
        expect_marginals(relevance, similarity, weights, picks, asked)
        relevance.clear()
        expect_marginals(relevance, similarity, weights, [], asked)


def test_of_a_pair_that_comes_twice_the_highest_similarity_counts():
    index = BestMatchIndex.from_triples([0, 0, 0, 1], [0, 0, 1, 1], [5, 9, 2, 0], n=2)
    assert index.total.tolist() == [9, 2]


def test_equal_units_can_be_one_with_a_weight():
    many = BestMatchIndex.from_triples([0, 0, 1, 1], [0, 1, 0, 1], [5, 9, 5, 9], n=2)
    one = BestMatchIndex.from_triples([0, 0], [0, 1], [5, 9], n=2, weights=[2])
    assert many.total.tolist() == one.total.tolist() == [10, 18]


@pytest.mark.parametrize("similarity", [-1, ONE + 1, 0.5])
def test_a_similarity_that_is_none_is_refused_without_saying_which(similarity):
    with pytest.raises(InputError, match="whole multiples") as refused:
        BestMatchIndex.from_triples([0], [0], np.array([similarity]), n=1)
    assert str(similarity) not in str(refused.value).replace("2^-20, from 0 to 1", "")


@pytest.mark.parametrize("weights", [[], [0]])
def test_every_unit_needs_a_weight(weights):
    with pytest.raises(InputError, match="weight"):
        BestMatchIndex.from_triples([0], [0], [1], n=1, weights=weights)
