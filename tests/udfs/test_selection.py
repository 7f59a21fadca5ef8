"""Selections: end points of λ, small inputs, receipts, cancelling; nothing private in an outcome but the picks."""

import dataclasses
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from msd_sql.udfs import (
    METHODS,
    Coverage,
    CoverageIndex,
    InputError,
    Partition,
    Score,
    SeededSource,
    Uniform,
    evaluate,
    plan,
    select,
)
from tests.support.instances import random_instance, random_matroid
from tests.udfs.objective.test_objective import Unreachable, Untouchable


def answer(case, matroid, eps=None, diversity=0.5, method="auto", k=None, **more):
    made = plan(
        n=case.n,
        k=k or matroid.k,
        eps=eps,
        delta=1e-6,
        diversity=diversity,
        m=case.m,
        cap=case.cap,
        relevance=case.kind,
        method=method,
        gamma=0.5,
        matroid=matroid.name,
        rank=matroid.rank,
    )
    return made, select(made, case.relevance(max(made.k, 1)), case.distance(), matroid, **more)


@settings(max_examples=120, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(sorted(METHODS)), st.sampled_from([None, 0.2, 5.0]))
def test_any_sensible_combination_gives_feasible_distinct_items(seed, method, eps):
    rng = np.random.default_rng(seed)
    case = random_instance(rng, n=int(rng.integers(1, 8)), kind=str(rng.choice(["coverage", "best_match"])))
    k = int(rng.integers(1, 6))
    matroid = random_matroid(rng, case.n, k) if METHODS[method].any_matroid else Uniform(case.n, k)
    eps = eps if METHODS[method].can_be_private else None
    made, outcome = answer(case, matroid, eps, float(rng.choice([0, 0.3, 0.999999, 1])), method)
    assert len(set(outcome.picks)) == len(outcome.picks) == matroid.rank == made.k
    assert matroid.independent(outcome.picks)
    if made.k >= 2:
        assert outcome.diversity == pytest.approx(2 * case.d(outcome.picks) / (made.k * (made.k - 1)))
    else:
        assert outcome.diversity is None
    assert outcome.receipt.private == (made.calibration is not None)
    assert outcome.receipt.exact == made.exact


def test_relevance_alone_takes_the_most_bought_first():
    case = random_instance(np.random.default_rng(1), n=4)
    case.similarity = np.array([[0, 1, 1, 0], [0, 1, 1, 0], [0, 0, 1, 1]])
    _, outcome = answer(case, Uniform(4, 2), diversity=0.0)
    assert outcome.picks == (2, 0)  # after 2 everybody is covered: all gain nothing, the lowest key comes first


def test_diversity_alone_reads_nothing_private_and_charges_nothing():
    case = random_instance(np.random.default_rng(2), n=5)
    made = plan(n=5, k=3, eps=0.1, delta=1e-9, diversity=1.0, m=100)
    outcome = select(made, Untouchable(), case.distance(), Uniform(5, 3))
    assert made.charged_eps == 0.0
    assert outcome.receipt.eps is None
    assert len(outcome.picks) == 3


def test_the_random_baseline_reads_nothing_private():
    case = random_instance(np.random.default_rng(2), n=5)
    made = plan(n=5, k=3, eps=0.1, diversity=0.5, m=100, method="random")
    assert len(select(made, Untouchable(), case.distance(), Uniform(5, 3)).picks) == 3


@pytest.mark.parametrize("n", [0, 1, 3])
def test_no_more_candidates_than_slots_are_all_taken_in_key_order_for_free(n):
    made = plan(n=n, k=3, eps=0.1, delta=1e-9, diversity=0.5, m=10)
    relevance = Untouchable()
    relevance.n = n
    distance = random_instance(np.random.default_rng(3), n=n).distance() if n else None
    outcome = select(made, relevance, distance, Uniform(n, 3))
    assert outcome.picks == tuple(range(n))
    assert made.charged_eps == 0.0
    assert outcome.calls == 0


def test_one_pick_is_the_most_relevant_whatever_the_diversity():
    relevance = Coverage(CoverageIndex.from_pairs([0, 1, 1, 2], [0, 1, 2, 3], n=5), m=4, k=1)
    made = plan(n=5, k=1, eps=None, diversity=0.9, m=4)
    outcome = select(made, relevance, Unreachable(), Uniform(5, 1))
    assert outcome.picks == (1,)
    assert outcome.diversity is None


def test_all_users_identical_leave_the_rest_to_diversity():
    case = random_instance(np.random.default_rng(4), n=4)
    case.similarity = np.array([[1, 1, 1, 0]] * 6)
    case.points = np.array([[0.0], [0.1], [0.5], [0.4]])
    _, outcome = answer(case, Uniform(4, 2))
    assert outcome.picks == (0, 2)


def test_an_item_nobody_bought_can_be_picked_for_its_diversity():
    case = random_instance(np.random.default_rng(4), n=3)
    case.similarity = np.array([[1, 1, 0]] * 6)
    case.points = np.array([[0.0], [0.0], [0.5]])
    _, outcome = answer(case, Uniform(3, 2))
    assert outcome.picks == (0, 2)


@pytest.mark.parametrize("method", ["greedy", "local_search"])
def test_diversity_near_one_works_with_noise(method):
    case = random_instance(np.random.default_rng(5), n=6)
    _, outcome = answer(case, Uniform(6, 3), eps=0.1, diversity=0.999999, method=method)
    assert len(outcome.picks) == 3


def test_much_eps_gives_the_exact_answer():
    for seed in range(10):
        rng = np.random.default_rng(seed)
        case = random_instance(rng, n=8, kind="best_match")
        case.similarity += rng.integers(1, 1000, case.similarity.shape)  # no ties: noise would break them at random
        case.similarity = np.minimum(case.similarity, 1 << 20)
        case.points += rng.random((8, 2)) / 100
        exact = answer(case, Uniform(8, 3))[1].picks
        assert answer(case, Uniform(8, 3), eps=1e9)[1].picks == exact


def test_a_receipt_says_public_facts_of_a_private_release():
    case = random_instance(np.random.default_rng(6), n=8)
    made, outcome = answer(case, Uniform(8, 3), eps=0.5)
    receipt = outcome.receipt
    assert (receipt.eps, receipt.delta, receipt.rounds, receipt.bound) == (0.5, 1e-6, 3, made.calibration.bound)
    assert receipt.private
    assert {field.name for field in dataclasses.fields(outcome)} == {"picks", "diversity", "receipt", "calls"}


def test_the_oracle_calls_do_not_depend_on_the_data():
    """`calls` is part of an outcome, so it must follow from public facts."""
    for method in ("greedy", "nosg", "osg", "rel", "mix"):
        calls = {
            answer(random_instance(np.random.default_rng(seed), n=9), Uniform(9, 4), 0.5, method=method)[1].calls
            for seed in range(5)
        }
        assert len(calls) == 1


def test_a_seeded_run_is_repeatable_and_not_private():
    case = random_instance(np.random.default_rng(7), n=8)
    one, other = (answer(case, Uniform(8, 3), eps=0.5, source=SeededSource(5))[1] for _ in range(2))
    assert one == other
    assert not one.receipt.private
    assert "NOT private" in str(one.receipt)


def test_an_index_that_still_holds_picks_is_cleared_first():
    case = random_instance(np.random.default_rng(8), n=8)
    made = plan(n=8, k=3, eps=None, diversity=0.5, m=case.m)
    relevance = case.relevance(3)
    first = select(made, relevance, case.distance(), Uniform(8, 3))
    assert select(made, relevance, case.distance(), Uniform(8, 3)) == first


def test_every_round_is_told_of_and_can_stop_the_run():
    case = random_instance(np.random.default_rng(9), n=8)
    told = []
    answer(case, Uniform(8, 3), eps=0.5, on_round=lambda i, rounds: told.append((i, rounds)))
    assert told == [(1, 3), (2, 3), (3, 3)]

    def cancel(i, rounds):
        if i == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        answer(case, Uniform(8, 3), eps=0.5, on_round=cancel)


@pytest.mark.parametrize(
    ("made", "relevance", "matroid", "fact"),
    [
        ({"n": 9}, {}, Uniform(8, 3), "candidates of the relevance is 8, planned was 9"),
        ({"k": 4}, {}, Uniform(8, 3), "rank"),
        ({}, {}, Partition([0] * 4 + [1] * 4, 2, 3), "constraint"),
        ({"m": 7}, {}, Uniform(8, 3), "units"),
        ({"cap": 2}, {}, Uniform(8, 3), "units"),
        ({"relevance": "best_match"}, {}, Uniform(8, 3), "binary"),
        ({"relevance": "score"}, {}, Uniform(8, 3), "private"),
    ],
)
def test_a_plan_for_another_question_is_refused(made, relevance, matroid, fact):
    usual = {"n": 8, "k": 3, "eps": 0.1, "delta": 1e-9, "diversity": 0.0, "m": 5}
    given_relevance = Coverage(CoverageIndex.from_pairs([0], [0], n=8), m=5, k=3)
    with pytest.raises(InputError, match=re.escape(fact)):
        select(plan(**{**usual, **made}), given_relevance, None, matroid)


def test_public_scores_need_no_privacy():
    made = plan(n=4, k=2, eps=None, diversity=0.5, relevance="score")
    distance = random_instance(np.random.default_rng(10), n=4).distance()
    outcome = select(made, Score([0.1, 1.0, 0.9, 0.0], 2), distance, Uniform(4, 2))
    assert not outcome.receipt.exact
    assert "public data only" in str(outcome.receipt)


def test_exact_values_equal_the_definition():
    for kind in ("coverage", "best_match"):
        case = random_instance(np.random.default_rng(11), n=6, kind=kind)
        values = evaluate(case.relevance(3), case.distance(), [4, 0, 2], diversity=0.3)
        assert values.relevance == pytest.approx(case.f([4, 0, 2]))
        assert values.diversity == pytest.approx(case.d([4, 0, 2]) / 3)
        assert values.objective == pytest.approx(case.phi([4, 0, 2], 0.3, 3))
