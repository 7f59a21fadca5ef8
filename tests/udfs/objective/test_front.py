"""Public scores: fewer passes and fewer candidates measured, the same choice as the plain objective's."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from msd_sql.udfs import Angular, Argmax, Objective, Score, SeededSource, Uniform, narrowed, plan, select
from msd_sql.udfs.distances import angular_front
from msd_sql.udfs.distances.among import sum_among
from msd_sql.udfs.methods.greedy import greedy
from msd_sql.udfs.objective.front import MANY, FrontObjective
from msd_sql.udfs.objective.public import PublicObjective, scores_fit
from msd_sql.udfs.privacy.mechanism import ExponentialMechanism
from msd_sql.udfs.selection import _rule
from tests.support.instances import random_instance, random_matroid

DIVERSITIES = [0.01, 0.1, 0.3, 0.5, 0.9, 0.99]


@pytest.mark.parametrize("n", [0, 1, 500])
def test_products_are_the_same_without_numpy_2(monkeypatch, n):
    vectors = np.random.default_rng(n).normal(size=(n, 33)).astype(np.float32)
    one = np.ones(33, np.float32)
    found = angular_front.dots(vectors, vectors), angular_front.dots(vectors, one)
    monkeypatch.setattr(angular_front, "_VECDOT", False)
    assert np.array_equal(found[0], angular_front.dots(vectors, vectors))
    assert np.array_equal(found[1], angular_front.dots(vectors, one))
    assert np.allclose(found[0], (vectors**2).sum(axis=1), rtol=1e-5)


def public_instance(rng, n, ties=True):
    """Vectors of small whole numbers, whose products float32 holds exactly, so that equal is equal."""
    vectors = rng.integers(-3, 4, (n, int(rng.integers(2, 7)))).astype(np.float32)
    vectors[~vectors.any(axis=1)] = 1.0
    scores = rng.random(n) ** rng.choice([1.0, 4.0])
    if ties:
        again = rng.integers(0, n, n // 3)
        vectors[: len(again)] = vectors[again]
        scores = np.round(scores * 8) / 8 if rng.random() < 0.3 else scores
        scores[: len(again)] = scores[again]
    return vectors, scores


def run(kind, vectors, scores, k, diversity, matroid):
    objective = kind(Score(scores, k), Angular(vectors), k, diversity, 0.5)
    picks = greedy(objective, matroid, Argmax(), SeededSource(0), k=min(k, matroid.rank), gamma=0.1)
    return list(picks), objective


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(DIVERSITIES), st.integers(2, 12), st.integers(13, 150))
def test_the_front_makes_the_same_choices_with_ties_duplicates_and_quotas(seed, diversity, k, n):
    rng = np.random.default_rng(seed)
    vectors, scores = public_instance(rng, n)
    matroid = random_matroid(rng, n, k)
    expected, all_measured = run(PublicObjective, vectors, scores, k, diversity, matroid)
    picks, objective = run(FrontObjective, vectors, scores, k, diversity, matroid)
    assert picks == expected
    assert objective.calls == all_measured.calls
    assert objective.mean_distance() == pytest.approx(all_measured.mean_distance(), abs=1e-7)
    assert objective.value() == pytest.approx(all_measured.value(), abs=1e-7)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(DIVERSITIES), st.integers(2, 8))
def test_both_make_the_choices_of_the_plain_objective(seed, diversity, k):
    rng = np.random.default_rng(seed)
    vectors, scores = rng.normal(size=(60, 5)).astype(np.float32), rng.random(60)
    matroid = random_matroid(rng, 60, k)
    expected, plain = run(Objective, vectors, scores, k, diversity, matroid)
    for kind in (PublicObjective, FrontObjective):
        picks, objective = run(kind, vectors, scores, k, diversity, matroid)
        assert picks == expected
        assert objective.mean_distance() == pytest.approx(plain.mean_distance(), abs=1e-6)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(DIVERSITIES), st.sampled_from([0.5, 1.0]))
def test_public_scores_equal_the_plain_ones_to_a_step(seed, diversity, weight):
    rng = np.random.default_rng(seed)
    distance = random_instance(rng, n=9).distance()
    plain = Objective(Score(rng.random(9), 4), distance, 4, diversity, weight)
    lean = PublicObjective(plain.relevance, distance, 4, diversity, weight)
    for item in rng.permutation(9)[:3].tolist():
        left = np.setdiff1d(np.arange(9), plain.picks)
        shift = lean.marginals(left) - plain.marginals(left)
        assert np.ptp(shift) <= 2
        plain.add(item)
        lean.add(item)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6))
def test_swaps_and_a_second_question_are_those_of_the_plain_objective(seed):
    rng = np.random.default_rng(seed)
    vectors, scores = public_instance(rng, 40)
    expected, plain = run(PublicObjective, vectors, scores, 4, 0.2, Uniform(40, 4))
    _, objective = run(FrontObjective, vectors, scores, 4, 0.2, Uniform(40, 4))
    sample = np.sort(rng.choice(40, 8, replace=False))
    feasible = Uniform(40, 4).swappable(expected, sample)
    assert (objective.swaps(sample, feasible) == plain.swaps(sample, feasible)).all()
    new = int(np.setdiff1d(sample, expected)[0])
    for each in (objective, plain):
        each.swap(1, new)
    left = np.setdiff1d(np.arange(40), plain.picks)
    assert (objective.marginals(left) == plain.marginals(left)).all()
    assert objective.value() == pytest.approx(plain.value())
    objective.clear()
    assert greedy(objective, Uniform(40, 4), Argmax(), SeededSource(0), k=4, gamma=0.1) == expected


def test_candidates_that_cannot_be_the_best_are_never_measured():
    class Sparing(Angular):
        def row(self, item):
            raise AssertionError("all candidates were measured")

    rng = np.random.default_rng(5)
    n, k = 8000, 40
    assert n * k >= MANY
    vectors, scores = rng.normal(size=(n, 16)).astype(np.float32), rng.beta(2, 5, n)
    made = plan(n=n, k=k, eps=None, diversity=0.5, relevance="score", method="greedy")
    outcome = select(made, Score(scores, k), Sparing(vectors), Uniform(n, k))
    expected, plain = run(Objective, vectors, scores, k, 0.5, Uniform(n, k))
    assert list(outcome.picks) == expected
    assert outcome.calls == plain.calls
    assert outcome.diversity == pytest.approx(plain.mean_distance(), abs=1e-6)


def test_the_front_is_for_the_best_choice_among_all_only():
    made = {
        method: plan(n=MANY, k=2, eps=None, diversity=0.5, relevance="score", method=method)
        for method in ("greedy", "nosg", "osg", "local_search", "sls", "ls", "ls_greedy", "rel", "mix", "random")
    }
    relevance, distance = Score([0.1, 0.2], 2), Angular([[1, 0], [0, 1]])
    noisy = ExponentialMechanism(1.0, SeededSource(0))
    assert _rule(made["greedy"], relevance, distance, Uniform(MANY, 2), Argmax()) is FrontObjective
    for method, each in made.items():
        assert _rule(each, relevance, distance, Uniform(MANY, 2), noisy) is not FrontObjective
        if method != "greedy":
            assert _rule(each, relevance, distance, Uniform(MANY, 2), Argmax()) is not FrontObjective
    for narrow in (narrowed(Uniform(2, 2), pinned=[0]), narrowed(Uniform(2, 2), distance=distance, apart=0.1)):
        assert _rule(made["greedy"], relevance, distance, narrow, Argmax()) is not FrontObjective


@pytest.mark.parametrize(
    ("diversity", "k", "fit"),
    [(0.5, 2, True), (0.0, 2, False), (1.0, 2, False), (1 - 2**-20, 2, False), (0.5, 1, False)],
)
def test_scores_that_do_not_fit_are_left_to_the_plain_objective(diversity, k, fit):
    assert scores_fit(Score([0.5, 0.5], k), diversity, k, 0.5) is fit
    assert not scores_fit(random_instance(np.random.default_rng(1)).relevance(2), diversity, k, 0.5)


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 12), st.integers(1, 6), st.sampled_from([0.0, 1e-3, 1.0]))
def test_no_vector_exceeds_the_bound(seed, picks, dimension, noise):
    """Also not those opposite to a pick, or to all of them, or when the picks are nearly the same."""
    rng = np.random.default_rng(seed)
    chosen = rng.normal(size=dimension) + noise * rng.normal(size=(picks, dimension))
    units = chosen / np.linalg.norm(chosen, axis=1, keepdims=True)
    total = units.sum(axis=0)
    against_all = -total if np.linalg.norm(total) > 1e-6 else -units[0]
    others = np.concatenate((-units, [against_all], rng.normal(size=(50, dimension))))
    angular = Angular(np.concatenate((units, others)).astype(np.float32))
    front = angular.front(slots=picks)
    for pick in range(picks):
        front.add(pick)
    largest = sum(angular.row(pick) for pick in range(picks)).max()
    assert largest <= front.at_most_closely() <= front.at_most() + 1e-6 <= picks * (1 + 1e-4)


def test_picks_that_differ_leave_little_room():
    front = Angular(np.eye(64, dtype=np.float32)).front(slots=64)
    for pick in range(64):
        front.add(pick)
    assert front.at_most_closely() < 0.56 * 64


def test_nearly_equal_and_nearly_opposite_vectors_are_measured_by_the_chord():
    tiny = 1e-4
    angular = Angular(np.array([[1, 0], [1, tiny], [-1, tiny], [0, 1]], dtype=np.float32))
    front = angular.front(slots=2)
    front.extend(np.array([1]))
    front.add(0)
    front.extend(np.array([2, 3]))
    np.testing.assert_allclose(front.near, [tiny / np.pi, 1 - tiny / np.pi, 0.5], rtol=1e-6)
    assert sum_among(angular, (0, 1, 3)) == pytest.approx(tiny / np.pi + 0.5 + 0.5 - tiny / np.pi, rel=1e-6)
