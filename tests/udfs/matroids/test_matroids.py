"""Every constraint is a matroid, and its rank, base and feasible swaps agree with its oracle on all subsets."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from msd_sql.udfs.errors import InputError
from msd_sql.udfs.matroids import MATROIDS, Laminar, Partition, Transversal, Uniform, matroid_kind

sizes = st.integers(1, 6)


@st.composite
def uniforms(draw):
    n, k = draw(st.integers(0, 6)), draw(sizes)
    return Uniform(n, k), lambda items: len(items) <= k


@st.composite
def partitions(draw):
    groups = draw(st.lists(st.integers(0, 3), min_size=1, max_size=6))
    k = draw(sizes)
    caps = draw(st.one_of(st.none(), st.integers(0, 3), st.lists(st.integers(0, 3), min_size=4, max_size=4)))
    cap = math.ceil(k / len(set(groups))) if caps is None else caps

    def allowed(items):
        return len(items) <= k and all(
            sum(groups[item] == group for item in items) <= (cap[group] if isinstance(cap, list) else cap)
            for group in set(groups)
        )

    return Partition(groups, caps, k), allowed


@st.composite
def laminars(draw):
    inner = draw(st.lists(st.integers(0, 3), min_size=1, max_size=6))
    parents = draw(st.lists(st.integers(0, 1), min_size=4, max_size=4))
    outer = [parents[group] for group in inner]
    caps_outer = draw(st.lists(st.integers(0, 4), min_size=2, max_size=2))
    caps_inner = draw(st.lists(st.integers(0, 2), min_size=4, max_size=4))
    k = draw(sizes)

    def allowed(items):
        return (
            len(items) <= k
            and all(sum(outer[item] == group for item in items) <= caps_outer[group] for group in range(2))
            and all(sum(inner[item] == group for item in items) <= caps_inner[group] for group in range(4))
        )

    return Laminar([(outer, caps_outer), (inner, caps_inner)], k), allowed


@st.composite
def transversals(draw):
    held = draw(st.lists(st.lists(st.integers(0, 3), max_size=3), min_size=1, max_size=6))
    k = draw(sizes)
    bounds = np.cumsum([0] + [len(row) for row in held])

    def allowed(items):
        if len(items) > k:
            return False
        choices = itertools.product(*(held[item] for item in items))
        return any(len(set(choice)) == len(items) for choice in choices)

    return Transversal(len(held), bounds, np.array(list(itertools.chain(*held)), dtype=np.int64), k), allowed


def fillable(n, k, bounds):
    """The sets that some set of at most k items, with every group within its bounds, contains: the definition."""
    full = [
        frozenset(items)
        for size in range(k + 1)
        for items in itertools.combinations(range(n), size)
        if all(least <= sum(item in group for item in items) <= most for group, least, most in bounds)
    ]
    return full, lambda items: any(frozenset(items) <= one for one in full)


@st.composite
def with_minimums(draw):
    """A quota with minimums as its levels, minimums and k, and every group with its bounds, feasible or not."""
    inner = draw(st.lists(st.integers(0, 3), min_size=1, max_size=6))
    parents = draw(st.lists(st.integers(0, 1), min_size=4, max_size=4))
    made, minimums, bounds = [], [], []
    for groups in ([parents[group] for group in inner], inner)[-draw(st.integers(1, 2)) :]:
        width = max(groups) + 1
        caps = draw(st.lists(st.integers(0, 4), min_size=width, max_size=width))
        least = draw(
            st.one_of(st.integers(0, 1), st.lists(st.integers(0, 2), min_size=width, max_size=width), st.just(0))
        )
        made.append((groups, caps))
        minimums.append(least)
        for group in range(width):
            held = {item for item, own in enumerate(groups) if own == group}
            lowest = least[group] if isinstance(least, list) else (least if held else 0)
            bounds.append((held, lowest, caps[group]))
    return made, minimums, draw(sizes), len(inner), bounds


@settings(max_examples=300)
@given(with_minimums())
def test_minimums_are_refused_exactly_if_no_set_reaches_them(case):
    levels, minimums, k, n, bounds = case
    full, _ = fillable(n, k, bounds)
    if full:
        Laminar(levels, k, minimums)
    else:
        with pytest.raises(InputError, match=r"at least|add up|no candidate"):
            Laminar(levels, k, minimums)


@st.composite
def fair(draw):
    levels, minimums, k, n, bounds = draw(with_minimums())
    full, allowed = fillable(n, k, bounds)
    assume(full)
    return Laminar(levels, k, minimums), allowed


anything = st.one_of(uniforms(), partitions(), laminars(), transversals(), fair())


@given(with_minimums())
def test_every_base_reaches_the_minimums(case):
    levels, minimums, k, n, bounds = case
    full, _ = fillable(n, k, bounds)
    assume(full)
    matroid = Laminar(levels, k, minimums)
    assert matroid.rank == max(map(len, full))
    for items in itertools.combinations(range(n), matroid.rank):
        assert matroid.independent(items) == (frozenset(items) in full)


def subsets(n):
    return [list(items) for size in range(n + 1) for items in itertools.combinations(range(n), size)]


@given(anything)
def test_the_oracle_agrees_with_the_definition(case):
    matroid, allowed = case
    for items in subsets(matroid.n):
        assert matroid.independent(items) == allowed(items)


@given(anything)
def test_independent_sets_form_a_matroid(case):
    matroid, _ = case
    family = {frozenset(items) for items in subsets(matroid.n) if matroid.independent(items)}
    assert frozenset() in family
    for one in family:
        assert all(one - {item} in family for item in one)
        for other in family:
            if len(other) < len(one):
                assert any(other | {item} in family for item in one - other)


@given(anything)
def test_rank_is_the_size_of_the_largest_set_and_the_base_is_the_first_in_key_order(case):
    matroid, _ = case
    independent = [items for items in subsets(matroid.n) if matroid.independent(items)]
    largest = max(len(items) for items in independent)
    assert matroid.rank == largest
    assert matroid.base() == min(items for items in independent if len(items) == largest)


@given(anything)
def test_addable_agrees_with_the_oracle(case):
    matroid, _ = case
    for items in subsets(matroid.n):
        if matroid.independent(items):
            expected = [v not in items and matroid.independent([*items, v]) for v in range(matroid.n)]
            assert matroid.addable(items).tolist() == expected


@settings(max_examples=60)
@given(anything, st.randoms(use_true_random=False))
def test_swappable_agrees_with_the_oracle(case, random):
    matroid, _ = case
    for items in subsets(matroid.n):
        if not matroid.independent(items):
            continue
        random.shuffle(items)
        sample = np.array(sorted(random.sample(range(matroid.n), random.randint(0, matroid.n))), dtype=np.int64)
        expected = [
            [v not in items and matroid.independent([*items[:slot], *items[slot + 1 :], int(v)]) for v in sample]
            for slot in range(len(items))
        ]
        assert matroid.swappable(items, sample).tolist() == expected
        assert matroid.swappable(items, sample).shape == (len(items), len(sample))


def test_a_large_transversal_agrees_with_its_oracle_along_a_walk_of_swaps():
    rng = np.random.default_rng(3)
    n, k = 60, 12
    sizes = rng.integers(1, 4, n)
    matroid = Transversal(n, np.concatenate([[0], np.cumsum(sizes)]), rng.integers(0, 15, sizes.sum()), k)
    items = matroid.base()
    assert len(items) == matroid.rank
    for _ in range(40):
        sample = np.sort(rng.choice(n, 6, replace=False))
        allowed = matroid.swappable(items, sample)
        for slot, column in itertools.product(range(len(items)), range(len(sample))):
            swapped = [*items[:slot], *items[slot + 1 :], int(sample[column])]
            assert allowed[slot, column] == (sample[column] not in items and matroid.independent(swapped))
        choices = np.argwhere(allowed)
        if len(choices):
            slot, column = choices[rng.integers(len(choices))]
            items[slot] = int(sample[column])


def test_the_default_quota_spreads_k_over_the_groups():
    assert Partition([0, 0, 0, 1, 1, 1], None, k=3).base() == [0, 1, 3]


def test_duplicates_and_strangers_are_never_independent():
    for matroid in (Uniform(3, 3), Partition([0, 1, 2], 3, 3), Transversal(3, [0, 1, 2, 3], [0, 1, 2], 3)):
        assert not matroid.independent([1, 1])
        assert not matroid.independent([0, 3])


def test_items_without_a_category_are_never_chosen_by_a_transversal():
    matroid = Transversal(3, [0, 0, 0, 0], np.array([], dtype=np.int64), 2)
    assert matroid.rank == 0
    assert matroid.base() == []
    assert not matroid.addable([]).any()


REFUSED = {
    "k = 0": lambda: Uniform(3, 0),
    "k = 0 with a default quota": lambda: Partition([0, 1], None, 0),
    "negative group": lambda: Partition([0, -1], 1, 2),
    "group that is no whole number": lambda: Partition([0.5, 1.0], 1, 2),
    "negative quota": lambda: Partition([0, 1], -1, 2),
    "quota that is no whole number": lambda: Partition([0, 1], 0.5, 2),
    "too few quotas": lambda: Partition([0, 1, 2], [1, 1], 2),
    "no level": lambda: Laminar([], 2),
    "levels of different length": lambda: Laminar([([0, 0], 1), ([0], 1)], 2),
    "levels that are not nested": lambda: Laminar([([0, 1, 0], 1), ([0, 0, 1], 1)], 2),
    "bounds that do not fit": lambda: Transversal(2, [0, 1], [5], 2),
    "a dependent set to change": lambda: Transversal(2, [0, 1, 2], [5, 5], 3).addable([0, 1]),
}


@pytest.mark.parametrize("case", REFUSED)
def test_senseless_constraints_are_refused_in_words(case):
    with pytest.raises(InputError, match=r"\.$"):
        REFUSED[case]()


def test_constraints_are_found_by_name_and_suggested_when_misspelt():
    assert {kind.make.name for kind in MATROIDS.values()} == set(MATROIDS)
    with pytest.raises(InputError, match="Did you mean 'partition'"):
        matroid_kind("partitions")
