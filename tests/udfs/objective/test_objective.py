"""The objective: integer scores are the rule's marginals and swaps in counts, to the rounding of 2^-20."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from msd_sql.udfs import InputError, Objective, Score, Uniform
from tests.support.instances import random_instance

DIVERSITIES = [0.0, 0.3, 0.5, 0.999999]


def expect_scores(scores, exact, unit):
    """Scores are the exact values up to a common shift."""
    assert scores.dtype == np.int64
    exact = np.asarray(exact)
    differences = (scores - scores[0]) / 2**20
    np.testing.assert_allclose(differences, (exact - exact[0]) / unit, rtol=1e-9, atol=2**-19)


@settings(max_examples=80, deadline=None)
@given(
    st.integers(0, 10**6),
    st.sampled_from(DIVERSITIES),
    st.sampled_from([0.5, 1.0]),
    st.sampled_from(["coverage", "best_match"]),
    st.integers(1, 2),
)
def test_scores_equal_the_rule_after_any_adds_and_swaps(seed, diversity, weight, kind, cap):
    rng = np.random.default_rng(seed)
    case = random_instance(rng, n=7, kind=kind, cap=cap if kind == "coverage" else 1)
    k = int(rng.integers(2, 5))
    objective = Objective(case.relevance(k), case.distance(), k, diversity, weight)
    unit = weight * (1 - diversity) / objective.relevance.units

    def rule(picks):
        return weight * (1 - diversity) * case.f(picks) + diversity * 2 / (k * (k - 1)) * case.d(picks)

    picks = []
    for item in rng.permutation(case.n)[:k].tolist():
        left = np.setdiff1d(np.arange(case.n), picks)
        expect_scores(objective.marginals(left), [rule([*picks, v]) for v in left], unit)
        objective.add(item)
        picks.append(item)
    for _ in range(3):
        sample = np.sort(rng.choice(case.n, 4, replace=False))
        feasible = Uniform(case.n, k).swappable(picks, sample)
        swaps = [(slot, v) for slot in range(k) for column, v in enumerate(sample) if feasible[slot, column]]
        swapped = [[*picks[:slot], int(v), *picks[slot + 1 :]] for slot, v in swaps]
        expect_scores(objective.swaps(sample, feasible), [rule(each) for each in [*swapped, picks]], unit)
        if swaps:
            slot, item = swaps[int(rng.integers(len(swaps)))]
            objective.swap(slot, int(item))
            picks[slot] = int(item)
        assert objective.picks == picks
        left = np.setdiff1d(np.arange(case.n), picks)
        expect_scores(objective.marginals(left), [rule([*picks, v]) for v in left], unit)
        assert objective.value() == pytest.approx(rule(picks))
        assert objective.mean_distance() == (pytest.approx(case.d(picks) / (k * (k - 1) / 2)) if diversity else None)
    objective.clear()
    assert objective.value() == 0.0


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(DIVERSITIES))
def test_whole_solutions_are_compared_by_the_rule(seed, diversity):
    rng = np.random.default_rng(seed)
    case = random_instance(rng, n=6)
    objective = Objective(case.relevance(3), case.distance(), 3, diversity, 1.0)
    standings, values = [], []
    for _ in range(4):
        for item in rng.permutation(case.n)[:3]:
            objective.add(int(item))
        standings.append(objective.standing())
        values.append(objective.value())
        objective.clear()
    expect_scores(objective.compare(standings), values, (1 - diversity) / case.m)


class Untouchable:
    """A relevance that may be asked for its size and for nothing else."""

    n, units, bits, cap, private, binary = 5, 100, 0, 1, True, True

    def __getattr__(self, name):
        raise AssertionError(f"{name} was read")


def test_relevance_is_never_touched_when_only_diversity_counts():
    case = random_instance(np.random.default_rng(1), n=5)
    objective = Objective(Untouchable(), case.distance(), 3, 1.0, 0.5)
    for item in (0, 2, 4):
        left = np.setdiff1d(np.arange(5), objective.picks)
        scores = objective.marginals(left) / 2.0**40
        marginals = np.array([sum(case.d([v, pick]) for pick in objective.picks) for v in left]) / 3
        np.testing.assert_allclose(scores - scores[0], marginals - marginals[0], atol=2**-39)
        objective.add(item)
    sample = np.array([1, 3])
    objective.swaps(sample, Uniform(5, 3).swappable(objective.picks, sample))
    objective.swap(0, 1)
    objective.compare([objective.standing()])
    objective.clear()


class Unreachable:
    """A distance that may be asked for nothing."""

    n = 5

    def row(self, item):
        raise AssertionError("a distance was read")


@pytest.mark.parametrize(("k", "diversity"), [(1, 0.5), (3, 0.0)])
def test_distances_are_never_read_for_one_pick_or_for_relevance_alone(k, diversity):
    objective = Objective(Score(np.linspace(0, 1, 5), k), Unreachable(), k, diversity, 1.0)
    for item in range(k):
        objective.marginals(np.arange(item, 5))
        objective.add(item)
    objective.swaps(np.array([4]), Uniform(5, k).swappable(objective.picks, np.array([4])))
    objective.swap(0, 4)


def test_diversity_needs_a_distance():
    with pytest.raises(InputError, match="needs a distance"):
        Objective(Score([0.5, 0.5], 2), None, 2, 0.5, 1.0)


@pytest.mark.parametrize("diversity", [0.999999, 1 - 2**-53])
def test_diversity_near_one_does_not_overflow(diversity):
    """A billion users: the offsets exceed what an int64 holds unless they are cut off."""

    class Huge(Score):
        def __init__(self):
            super().__init__([1.0, 0.0, 1.0], 3)
            self.units = 10**9
            self._gain = np.array([10**9, 0, 10**9]) << 20

    case = random_instance(np.random.default_rng(3), n=3)
    case.points = np.array([[0.0], [1.0], [0.0]])
    objective = Objective(Huge(), case.distance(), 3, diversity, 0.5)
    objective.add(0)
    scores = objective.marginals(np.array([1, 2]))
    assert scores[0] > scores[1]
    assert scores[1] >= (10**9 << 20) - 2**60


def test_every_candidate_scored_is_one_oracle_call():
    objective = Objective(Score([0.1, 0.2, 0.3], 2), None, 2, 0.0, 1.0)
    objective.marginals(np.arange(3))
    objective.add(0)
    objective.marginals(np.array([1, 2]))
    objective.add(1)
    objective.swaps(np.array([1, 2]), Uniform(3, 2).swappable([0, 1], np.array([1, 2])))
    assert objective.calls == 3 + 2 + 2


def test_more_units_than_scores_can_hold_are_refused():
    score = Score([0.5], 1)
    score.units = 1 << 40
    with pytest.raises(InputError, match="units"):
        Objective(score, None, 1, 0.0, 1.0)
