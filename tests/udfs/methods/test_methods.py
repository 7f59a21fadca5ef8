"""The methods: feasible picks always, the paper's sample sizes, rounds and oracle calls, ties by key."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from msd_sql.udfs import (
    L1,
    METHODS,
    Apart,
    Argmax,
    ExponentialMechanism,
    Objective,
    Partition,
    Pinned,
    Score,
    SeededSource,
    Uniform,
)
from tests.support.instances import random_instance, random_matroid


class Recorded:
    """A mechanism and a source that remember how much was asked of them."""

    private = False

    def __init__(self, seed=0, eta=None):
        self._source = SeededSource(seed)
        self._mechanism = Argmax() if eta is None else ExponentialMechanism(eta, self._source)
        self.scored, self.sampled = [], []

    def choose(self, scores):
        self.scored.append(len(scores))
        return self._mechanism.choose(scores)

    def randbelow(self, n):
        return self._source.randbelow(n)

    def sample(self, n, size):
        self.sampled.append(size)
        return self._source.sample(n, size)


def run(name, case, matroid, diversity=0.5, gamma=0.3, eta=None, seed=0):
    method, recorded = METHODS[name], Recorded(seed, eta)
    rule = diversity if method.weighs_diversity else 0.0
    k = matroid.rank
    objective = Objective(case.relevance(k), case.distance(), k, rule, method.weight(gamma), matroid.start)
    objective.clear()
    picks = method.run(objective, matroid, recorded, recorded, k=k, gamma=gamma)
    return picks, objective, recorded


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from(sorted(METHODS)),
    st.integers(0, 10**6),
    st.sampled_from([0.0, 0.5, 0.999999, 1.0]),
    st.sampled_from([None, 0.3]),
    st.sampled_from(["coverage", "best_match"]),
)
def test_picks_are_always_a_base(name, seed, diversity, eta, kind):
    rng = np.random.default_rng(seed)
    case = random_instance(rng, n=int(rng.integers(2, 9)), kind=kind, cap=int(rng.integers(1, 3)))
    k = int(rng.integers(1, 5))
    matroid = random_matroid(rng, case.n, k) if METHODS[name].any_matroid else Uniform(case.n, k)
    if matroid.rank == 0:
        return
    picks, _, recorded = run(name, case, matroid, diversity, gamma=0.9, eta=eta, seed=seed)
    assert len(set(picks)) == len(picks) == matroid.rank
    assert matroid.independent(picks)
    assert all(type(pick) is int for pick in picks)
    if METHODS[name].rounds(matroid.rank, 0.9) or name == "random":
        assert len(recorded.scored) == METHODS[name].rounds(matroid.rank, 0.9)


def test_greedy_scores_every_candidate_that_is_left():
    case = random_instance(np.random.default_rng(1), n=8)
    _, objective, recorded = run("greedy", case, Uniform(8, 3))
    assert recorded.scored == [8, 7, 6]
    assert objective.calls == 21


def test_nosg_samples_grow_as_picks_run_out():
    case = random_instance(np.random.default_rng(2), n=50)
    _, objective, recorded = run("nosg", case, Uniform(50, 5), gamma=0.3)
    expected = [math.ceil((50 - i + 1) * min(math.log(1 / 0.3) / (5 - i + 1), 1)) for i in range(1, 6)]
    assert recorded.sampled == recorded.scored == expected
    assert objective.calls == sum(expected)


def test_osg_samples_stay_the_same_share():
    case = random_instance(np.random.default_rng(3), n=50)
    _, _, recorded = run("osg", case, Uniform(50, 5), gamma=0.3)
    assert recorded.sampled == [math.ceil((50 - i + 1) * math.log(1 / 0.3) / 5) for i in range(1, 6)]


def test_osg_looks_at_all_that_is_left_when_fewer_than_k_are():
    case = random_instance(np.random.default_rng(4), n=6)
    _, _, recorded = run("osg", case, Uniform(6, 5), gamma=0.3)
    expected = [math.ceil(left * min(math.log(1 / 0.3) / min(5, left), 1)) for left in (6, 5, 4, 3, 2)]
    assert recorded.sampled == expected


def test_sls_runs_the_papers_rounds_with_a_dummy_swap_and_a_final_choice():
    case = random_instance(np.random.default_rng(5), n=10)
    _, objective, recorded = run("sls", case, Uniform(10, 3), gamma=0.5)
    rounds = math.ceil(2 * 3 * math.log(8 * 3) / (0.5 * (1 - 1 / math.e))) + 1
    assert METHODS["sls"].rounds(3, 0.5) == rounds + 1
    assert len(recorded.scored) == rounds + 1
    assert recorded.sampled == [math.ceil(10 / 3)] * rounds
    assert recorded.scored[-1] == rounds
    assert objective.calls == sum(recorded.scored[:-1]) - rounds + 1  # the dummy is known but for the first


def test_sls_stays_where_no_swap_is_feasible():
    """One item a group and nothing else to choose: only the dummy is ever left."""
    case = random_instance(np.random.default_rng(6), n=3)
    picks, _, recorded = run("sls", case, Uniform(3, 3), gamma=0.9)
    assert sorted(picks) == [0, 1, 2]
    assert set(recorded.scored[:-1]) == {1}


@pytest.mark.parametrize(("gamma", "swaps"), [(0.05, 7), (0.1, 5), (0.3, 2), (0.5, 0), (0.9, 0)])
def test_local_search_fills_greedily_and_then_scores_every_swap_and_none(gamma, swaps):
    case = random_instance(np.random.default_rng(5), n=10)
    matroid = Partition(np.arange(10) % 2, 3, 6)
    picks, _, recorded = run("local_search", case, matroid, gamma=gamma, eta=0.5)
    assert matroid.independent(picks)
    assert swaps == max(0, math.ceil(6 / 2 * math.log(1 / (2 * gamma))))
    assert METHODS["local_search"].rounds(6, gamma) == 6 + swaps == len(recorded.scored)
    assert recorded.sampled == []
    # Three of five of each group are picked: the other two can take the place of any of the three.
    assert recorded.scored[6:] == [2 * 2 * 3 + 1] * swaps


@pytest.mark.parametrize(
    "name", ["greedy", "nosg", "osg", "rel", "mix", "random", "local_search", "sls", "ls", "ls_greedy"]
)
def test_picks_that_are_there_from_the_beginning_stay(name):
    """Items that are pinned: the constraint lets nothing take their places, and only free slots are drawn for."""
    for seed in range(5):
        case = random_instance(np.random.default_rng(seed), n=9)
        picks, _, recorded = run(name, case, Pinned(Uniform(9, 5), [7, 3]), gamma=0.2, eta=0.5, seed=seed)
        assert picks[:2] == [7, 3]
        assert len(set(picks)) == 5
        if METHODS[name].can_be_private:
            assert len(recorded.scored) == METHODS[name].rounds(3, 0.2)


@pytest.mark.parametrize("name", ["greedy", "nosg", "osg", "rel", "mix", "random", "local_search", "ls_greedy"])
def test_a_method_ends_where_nothing_fits_any_more(name):
    """Items that are too near to a pick drop out, so that there may be fewer than k."""
    case = random_instance(np.random.default_rng(3), n=9)
    picks, _, _ = run(name, case, Apart(Uniform(9, 5), L1(range(9)), 0.5), gamma=0.3, eta=0.5)
    assert 2 <= len(picks) <= 3
    assert min(abs(a - b) for a in picks for b in picks if a != b) >= 4


def test_ls_ends_where_no_swap_gains_enough():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        case = random_instance(rng, n=8)
        matroid = random_matroid(rng, 8, 3)
        picks, objective, _ = run("ls", case, matroid, gamma=0.3)
        k, value = matroid.rank, objective.value()
        everything = np.arange(8)
        feasible = matroid.swappable(picks, everything)
        for slot, item in zip(*np.nonzero(feasible), strict=True):
            swapped = [*picks[:slot], int(item), *picks[slot + 1 :]]
            assert case.phi(swapped, 0.5, k) <= value * (1 + 0.3 / k) + 1e-9


def test_ls_starts_from_the_best_pair():
    case = random_instance(np.random.default_rng(8), n=8)
    picks, _, _ = run("ls", case, Uniform(8, 2))
    best = max(case.phi([u, v], 0.5, 2) for u in range(8) for v in range(u))
    assert case.phi(picks, 0.5, 2) == pytest.approx(best)


def test_mix_leaves_half_of_the_picks_to_chance():
    case = random_instance(np.random.default_rng(9), n=10)
    _, _, recorded = run("mix", case, Uniform(10, 5))
    assert recorded.scored == [8, 7, 6]


def test_random_takes_every_subset_equally_often():
    source = SeededSource(11)
    objective = Objective(Score([0.5] * 4, 2), None, 2, 0.0, 1.0)
    draws = [
        frozenset(METHODS["random"].run(objective, Uniform(4, 2), Argmax(), source, k=2, gamma=0.1))
        for _ in range(3000)
    ]
    counts = [draws.count(subset) for subset in set(draws)]
    assert len(counts) == 6
    assert sum((count - 500) ** 2 / 500 for count in counts) < 20.5  # chi-square, 5 degrees, 0.1 %


@pytest.mark.parametrize("name", ["greedy", "rel", "ls"])
def test_ties_go_to_the_lowest_key(name):
    objective = Objective(Score([0.5] * 5, 2), None, 2, 0.0, 1.0)
    picks = METHODS[name].run(objective, Uniform(5, 2), Argmax(), SeededSource(0), k=2, gamma=0.1)
    assert picks == [0, 1]


def test_the_weight_on_relevance_decides_between_reach_and_distance():
    """After item 0, item 1 reaches half of the users and item 2 is far away: f/2 + d prefers the latter, f + d not."""
    case = random_instance(np.random.default_rng(0), n=3)
    case.similarity = np.array([[1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 1, 0]])
    case.points = np.array([[0.0], [0.1], [0.5]])
    assert run("greedy", case, Uniform(3, 2))[0] == [0, 2]
    assert run("nosg", case, Uniform(3, 2), gamma=0.01)[0] == [0, 2]
    assert run("osg", case, Uniform(3, 2), gamma=0.01)[0] == [0, 1]
    assert METHODS["nosg"].weight(0.1) == pytest.approx(1 / 1.9)
