"""Coverage: incremental marginals and swap tables equal those counted from the definition."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from msd_sql.udfs import Coverage, CoverageIndex, InputError
from msd_sql.udfs.relevance import coverage_index


def value(baskets, picks, cap):
    """Σ_x min(#picks that x has, cap), from the definition."""
    return sum(min(len(basket & set(picks)), cap) for basket in baskets)


def index_of(baskets, n):
    pairs = [(item, user) for user, basket in enumerate(baskets) for item in sorted(basket)]
    items, users = zip(*pairs, strict=True) if pairs else ((), ())
    return CoverageIndex.from_pairs(items, users, n)


def expect_marginals(relevance, baskets, picks, asked, cap):
    items = [asked[pick] for pick in picks]
    assert relevance.value() == value(baskets, items, cap)
    outside = [v for v in range(len(asked)) if v not in picks]
    gains = relevance.gains()
    for v in outside:
        assert gains[v] == value(baskets, [*items, asked[v]], cap) - value(baskets, items, cap)
    if picks and outside:
        table = relevance.swap_gains(np.array(outside))
        assert table.shape == (len(picks), len(outside))
        for slot in range(len(picks)):
            for column, v in enumerate(outside):
                swapped = [*items[:slot], asked[v], *items[slot + 1 :]]
                assert table[slot, column] == value(baskets, swapped, cap) - value(baskets, items, cap)


@st.composite
def shops(draw):
    n = draw(st.integers(2, 8))
    baskets = draw(st.lists(st.sets(st.integers(0, n - 1), max_size=n), max_size=12))
    asked = draw(st.permutations(range(n)).map(lambda order: order[: draw(st.integers(2, n))]))
    if draw(st.booleans()):
        asked = [*asked, -1]  # a candidate that the protected relation does not know
    return n, baskets, asked


@settings(max_examples=150, deadline=None)
@given(shops(), st.integers(1, 3), st.data())
def test_marginals_and_swaps_equal_the_definition_after_any_adds_and_swaps(shop, cap, data):
    n, baskets, asked = shop
    k = data.draw(st.integers(1, len(asked)))
    relevance = Coverage(index_of(baskets, n), max(len(baskets), 1), k, cap, asked)
    picks = []
    for item in data.draw(st.permutations(range(len(asked))))[:k]:
        expect_marginals(relevance, baskets, picks, asked, cap)
        relevance.add(item)
        picks.append(item)
    for _ in range(data.draw(st.integers(0, 6))):
        expect_marginals(relevance, baskets, picks, asked, cap)
        outside = [v for v in range(len(asked)) if v not in picks]
        if not outside:
            break
        slot, item = data.draw(st.integers(0, k - 1)), data.draw(st.sampled_from(outside))
        relevance.swap(slot, item)
        picks[slot] = item
    expect_marginals(relevance, baskets, picks, asked, cap)
    relevance.clear()
    expect_marginals(relevance, baskets, [], asked, cap)


@settings(max_examples=50, deadline=None)
@given(shops())
def test_every_candidate_is_asked_about_when_none_is_named(shop):
    n, baskets, _ = shop
    expect_marginals(Coverage(index_of(baskets, n), 12, 1), baskets, [], range(n), 1)


@settings(max_examples=100, deadline=None)
@given(shops(), st.integers(1, 3), st.sampled_from([0, 100, 1 << 24]), st.data())
def test_an_index_that_remembers_earlier_picks_counts_the_same(shop, cap, remembered, data):
    n, baskets, asked = shop
    index = index_of(baskets, n)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(coverage_index, "_REMEMBERED", remembered)
        for _ in range(3):  # questions one after the other
            k = data.draw(st.integers(1, len(asked)))
            relevance = Coverage(index, max(len(baskets), 1), k, cap, asked)
            picks = []
            for item in data.draw(st.permutations(range(len(asked))))[:k]:
                relevance.add(item)
                picks.append(item)
                expect_marginals(relevance, baskets, picks, asked, cap)
        assert sum(counts.nbytes for counts in index._beside.values()) <= remembered


def test_what_is_remembered_is_counted_among_what_an_index_may_take():
    index = CoverageIndex.from_pairs([0, 1, 2, 0, 1], [0, 0, 0, 1, 1], n=3)
    relevance = Coverage(index, m=2, k=2)
    relevance.add(0)
    relevance.gains()
    assert index._beside[0].tolist() == [2, 2, 1, 0]
    assert index.nbytes >= sum(counts.nbytes for counts in index._beside.values()) + index.units.nbytes


@pytest.mark.parametrize("cap", [1, 2])
def test_what_the_users_of_common_items_have_is_kept_within_bounds_and_counts_the_same(cap):
    random = np.random.default_rng(5)
    baskets = [set(random.choice(12, size=random.integers(2, 6), replace=False).tolist()) for _ in range(300)]
    index = index_of(baskets, 12)
    for _ in range(4):
        relevance = Coverage(index, len(baskets), 6, cap)
        picks = []
        for item in random.permutation(12)[:6].tolist():
            relevance.add(item)
            picks.append(item)
            expect_marginals(relevance, baskets, picks, range(12), cap)
    kept = index._held.values()
    assert kept
    sizes = [one.data.nbytes + one.indices.nbytes + one.indptr.nbytes for one in kept]
    assert sum(sizes) == index._held_bytes <= index._most_held
    assert index.nbytes >= sum(sizes) + index.units.nbytes


def test_a_purchase_that_comes_twice_counts_once():
    index = CoverageIndex.from_pairs([0, 0, 1, 1], [0, 0, 0, 1], n=2)
    assert index.units.tolist() == [1, 2]


def test_all_users_identical_are_all_covered_by_the_first_pick():
    relevance = Coverage(CoverageIndex.from_pairs([0, 1] * 5, np.repeat(range(5), 2), n=3), m=5, k=2)
    assert relevance.gains().tolist() == [5, 5, 0]
    relevance.add(1)
    assert relevance.value() == 5
    assert relevance.gains()[0] == 0


def test_a_relation_without_users_is_counts():
    relevance = Coverage(CoverageIndex.from_counts(np.array([3, 0, 2])), m=5, k=2)
    relevance.add(0)
    assert relevance.value() == 3
    assert relevance.gains()[1:].tolist() == [0, 2]
    assert relevance.swap_gains(np.array([1, 2])).tolist() == [[-3, -1]]


def test_more_picks_than_a_byte_counts():
    n = 300
    relevance = Coverage(CoverageIndex.from_pairs(np.arange(n), np.zeros(n, int), n=n), m=1, k=n, cap=n)
    for item in range(n):
        relevance.add(item)
    assert relevance.value() == n


def test_one_index_answers_several_questions_at_once():
    index = CoverageIndex.from_pairs([0, 0, 1, 1], [0, 1, 1, 2], n=2)
    one, other = Coverage(index, 3, 2), Coverage(index, 3, 2)
    one.add(0)
    assert other.gains().tolist() == [2, 2]


@pytest.mark.parametrize(("items", "users"), [([3], [0]), ([-1], [0]), ([0], [-1]), ([0, 1], [0])])
def test_codes_that_make_no_sense_are_refused(items, users):
    with pytest.raises(InputError):
        CoverageIndex.from_pairs(items, users, n=3)


def test_a_candidate_outside_of_the_index_is_refused():
    with pytest.raises(InputError, match="codes of the index"):
        Coverage(CoverageIndex.from_pairs([0], [0], n=1), 1, 1, candidates=[1])
