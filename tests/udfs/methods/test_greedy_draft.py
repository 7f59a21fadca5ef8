"""The draft: fewer candidates and fewer passes, the same picks as Algorithm 1 over the plain objective."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from msd_sql.udfs import Angular, Argmax, Objective, Partition, Score, SeededSource, Uniform, narrowed, plan, select
from msd_sql.udfs.distances.angular_front import cosines
from msd_sql.udfs.methods import greedy_draft
from msd_sql.udfs.methods.draft_check import suspects
from msd_sql.udfs.methods.greedy import greedy
from msd_sql.udfs.methods.greedy_draft import MOST, Draft, drafted
from msd_sql.udfs.objective.front import FrontObjective
from msd_sql.udfs.objective.public import PublicObjective
from msd_sql.udfs.privacy.mechanism import ExponentialMechanism
from msd_sql.udfs.selection import _way

DIVERSITIES = [0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99]


@pytest.fixture(params=["everyone", "some", "few"])
def drafts(request, monkeypatch):
    """Let everyone be drafted at first, or some, or so few that others have to join."""
    if request.param != "everyone":
        monkeypatch.setattr(greedy_draft, "_FEW", 0)
        monkeypatch.setattr(greedy_draft, "_PATIENCE", 4)
        monkeypatch.setattr(greedy_draft, "_FIRST", 30 if request.param == "some" else 1)
        monkeypatch.setattr(greedy_draft, "_PER_PICK", 1)


def instance(seed):
    """Vectors in clusters, some of them twice, opposite or nearly parallel to others; scores with ties."""
    rng = np.random.default_rng(seed)
    n, dimension = int(rng.integers(60, 400)), int(rng.choice([2, 3, 16, 40]))
    centres = rng.normal(size=(int(rng.integers(1, 12)), dimension))
    vectors = centres[rng.integers(0, len(centres), n)] + rng.choice([0.05, 0.8]) * rng.normal(size=(n, dimension))
    scores = rng.beta(2, 5, n)
    again, kind = rng.integers(0, n, n // 4), rng.integers(0, 5)
    if kind == 0:
        vectors[: len(again)], scores[: len(again)] = vectors[again], scores[again]
    elif kind == 1:
        vectors[: len(again)] = -vectors[again]
    elif kind == 2:
        vectors[: len(again)] = vectors[again] * (1.0 + 1e-5 * rng.normal(size=(len(again), dimension)))
    elif kind == 3:
        scores = np.round(scores * 4) / 4
    return vectors.astype(np.float32), scores, int(rng.integers(2, 14))


def run(kind, way, vectors, scores, k, diversity):
    objective = kind(Score(scores, k), Angular(vectors), k, diversity, 0.5)
    picks = way(objective, Uniform(len(scores), k), Argmax(), SeededSource(0), k=k, gamma=0.1)
    return list(picks), objective


@pytest.mark.usefixtures("drafts")
@pytest.mark.parametrize("diversity", DIVERSITIES)
def test_the_draft_picks_what_greedy_picks_with_ties_duplicates_and_near_parallels(diversity):
    for seed in range(60):
        vectors, scores, k = instance(seed)
        expected, plain = run(PublicObjective, greedy, vectors, scores, k, diversity)
        picks, objective = run(PublicObjective, drafted, vectors, scores, k, diversity)
        assert picks == expected == objective.picks
        assert objective.calls == plain.calls
        assert objective.mean_distance() == pytest.approx(plain.mean_distance(), abs=1e-6)
        assert objective.relevance.value() == plain.relevance.value()


@pytest.mark.usefixtures("drafts")
@pytest.mark.parametrize("diversity", DIVERSITIES)
def test_the_draft_picks_what_the_plain_objective_picks(diversity):
    for seed in range(40):
        rng = np.random.default_rng(seed)
        n, k = int(rng.integers(50, 300)), int(rng.integers(2, 12))
        vectors, scores = rng.normal(size=(n, 8)).astype(np.float32), rng.random(n) ** rng.choice([1.0, 4.0])
        expected, _ = run(Objective, greedy, vectors, scores, k, diversity)
        assert run(PublicObjective, drafted, vectors, scores, k, diversity)[0] == expected
        assert run(FrontObjective, drafted, vectors, scores, k, diversity)[0] == expected


def test_whole_selections_are_those_of_algorithm_1():
    for n, k in ((400, 10), (1500, 30), (9000, 40)):
        rng = np.random.default_rng(n)
        centres = rng.normal(size=(40, 32))
        vectors = (centres[rng.integers(0, 40, n)] + 0.8 * rng.normal(size=(n, 32))).astype(np.float32)
        scores = rng.beta(2, 5, n)
        made = plan(n=n, k=k, eps=None, diversity=0.5, relevance="score", method="greedy")
        outcome = select(made, Score(scores, k), Angular(vectors), Uniform(n, k))
        expected, plain = run(Objective, greedy, vectors, scores, k, 0.5)
        assert list(outcome.picks) == expected
        assert outcome.calls == plain.calls
        assert outcome.diversity == pytest.approx(plain.mean_distance(), abs=1e-6)


def test_equal_candidates_are_left_to_algorithm_1_which_takes_the_first():
    vectors = np.float32([[0, 1], [1, 0], [0, -1], [0, -1], [1, 0]])
    made = Draft(np.array([0.1, 0.9, 0.2, 0.2, 0.9]), Angular(vectors), k=3)
    assert not made.run()
    picks, _ = run(PublicObjective, drafted, vectors, np.array([0.1, 0.9, 0.2, 0.2, 0.9]), 3, 0.5)
    assert picks == run(Objective, greedy, vectors, np.array([0.1, 0.9, 0.2, 0.2, 0.9]), 3, 0.5)[0]
    assert picks[:2] == [1, 2]


@pytest.mark.parametrize("apart", [0.01, 3e-6, 1e-9])
def test_a_close_choice_is_measured_exactly_and_left_to_algorithm_1_only_where_that_does_not_tell(monkeypatch, apart):
    """Two are best in the second round, and float32 tells them from each other for sure only if they are far apart."""
    monkeypatch.setattr(greedy_draft, "_FEW", 0)
    rng = np.random.default_rng(4)
    vectors = (rng.normal(size=(600, 64)) + 2.0).astype(np.float32)
    own = np.linspace(1.0, 0.5, 600)
    angular = Angular(vectors)
    own[:3] = 9.0, 4.0, 4.0
    own[1] += np.pi * (angular.row(0)[2] - angular.row(0)[1]) - apart
    made = Draft(own, angular, k=2)
    looked = []
    monkeypatch.setattr(
        Draft,
        "_leader",
        lambda self, close, late, do=Draft._leader: (looked.append(len(close)), do(self, close, late))[1],
    )
    assert made.run() is (apart > 1e-8)
    assert looked == ([] if apart == 0.01 else [2])
    if apart > 1e-8:
        assert made.picks == [0, 2]


def test_one_who_was_not_drafted_joins(monkeypatch):
    """Of 200 nearly equal vectors the last is opposite to all, and the least relevant."""
    monkeypatch.setattr(greedy_draft, "_FEW", 0)
    rng = np.random.default_rng(2)
    vectors = np.concatenate((np.ones((199, 8)) + 0.3 * rng.normal(size=(199, 8)), -np.ones((1, 8)))).astype(np.float32)
    own = np.append(np.linspace(3.0, 2.0, 199), 1.9)
    monkeypatch.setattr(greedy_draft, "_FIRST", 20)
    drafts = []
    monkeypatch.setattr(
        Draft, "_draft", lambda self, items, do=Draft._draft: (drafts.append(len(items)), do(self, items))
    )
    made = Draft(own, Angular(vectors), k=2)
    assert made.run()
    assert made.picks == [0, 199]
    assert drafts[0] == 20
    assert len(drafts) == 2


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 10), st.integers(2, 6), st.sampled_from([0.01, 1.0]))
def test_nobody_who_might_have_been_better_escapes_the_check(seed, picks, dimension, noise):
    rng = np.random.default_rng(seed)
    vectors = rng.normal(size=dimension) + noise * rng.normal(size=(picks + 60, dimension))
    vectors[picks : picks + 20] *= -1.0
    angular = Angular(vectors.astype(np.float32))
    rest = np.append(np.full(picks, -np.inf), 4.0 * rng.random(60))
    scores = np.cumsum([np.zeros(picks + 60), *(np.pi * angular.row(pick) for pick in range(picks - 1))], axis=0) + rest
    sure = [float(np.quantile(each[picks:], rng.choice([0.8, 0.98, 1.0]))) + 1e-9 for each in scores]
    better = scores >= np.array(sure)[:, None]
    units = angular.vectors[:picks] * angular.shrink[:picks, None]
    found = suspects(angular, rest, units, np.array(sure))
    if better.any():
        assert found is not None
        assert found[0] <= better.any(axis=1).argmax()
        assert set(np.flatnonzero(better.any(axis=0))) <= set(found[1].tolist())


def test_cosines_are_the_same_in_blocks(monkeypatch):
    rng = np.random.default_rng(0)
    units, others = rng.normal(size=(7, 16)).astype(np.float32), rng.normal(size=(101, 16)).astype(np.float32)
    monkeypatch.setattr("msd_sql.udfs.distances.angular_front._ALONE", 2000)
    some = rng.permutation(101)[:77]
    np.testing.assert_allclose(cosines(units, others, some), units @ others[some].T, rtol=1e-4, atol=1e-5)


def test_the_rounds_of_a_draft_are_told_and_can_be_stopped():
    rng = np.random.default_rng(1)
    made = plan(n=900, k=30, eps=None, diversity=0.5, relevance="score", method="greedy")
    question = Score(rng.random(900), 30), Angular(rng.normal(size=(900, 8)).astype(np.float32)), Uniform(900, 30)
    told = []
    select(made, *question, on_round=lambda each, rounds: told.append((each, rounds)))
    assert told == [(each, 30) for each in range(1, 31)]

    def stop(each, rounds):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        select(made, *question, on_round=stop)


def test_the_draft_is_for_public_scores_angles_argmax_and_no_quotas_only():
    made = plan(n=100, k=3, eps=None, diversity=0.5, relevance="score", method="greedy")
    angular, uniform = Angular(np.eye(100, dtype=np.float32)), Uniform(100, 3)
    public = PublicObjective(Score(np.ones(100), 3), angular, 3, 0.5, 0.5)
    plain = Objective(Score(np.ones(100), 3), angular, 3, 0.5, 0.5)
    assert _way(made, public, angular, uniform, Argmax()) is drafted
    assert _way(made, plain, angular, uniform, Argmax()) is greedy
    assert _way(made, public, angular, uniform, ExponentialMechanism(1.0, SeededSource(0))) is greedy
    assert _way(made, public, angular, Partition(np.zeros(100, np.int64), 3, 3), Argmax()) is greedy
    assert _way(made, public, angular, narrowed(uniform, pinned=[1]), Argmax()) is greedy
    assert _way(made, public, angular, narrowed(uniform, distance=angular, apart=0.1), Argmax()) is greedy
    assert _way(made, public, None, uniform, Argmax()) is greedy
    large = plan(n=MOST, k=3, eps=None, diversity=0.5, relevance="score", method="greedy")
    assert _way(large, public, angular, uniform, Argmax()) is greedy
    other = plan(n=100, k=3, eps=None, diversity=0.5, relevance="score", method="nosg")
    assert _way(other, public, angular, uniform, Argmax()) is not drafted
