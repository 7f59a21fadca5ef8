"""Pinned items, items apart and minimums: always feasible, as good as promised, and no more noise than rounds drawn."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from msd_sql.udfs import (
    L1,
    METHODS,
    Apart,
    InputError,
    Jaccard,
    Laminar,
    Partition,
    Pinned,
    Score,
    SeededSource,
    Uniform,
    evaluate,
    limits,
    narrowed,
    plan,
    select,
)
from msd_sql.udfs.privacy.accounting import best
from tests.support.instances import random_instance, random_matroid

GAMMA = 0.2


def random_minimums(rng, n, k):
    """A partition with minimums that can be met, and a cap above them or none."""
    groups = rng.integers(0, 3, n)
    there = np.bincount(groups, minlength=3)
    least = np.minimum(rng.integers(0, 3, 3), there)
    while least.sum() > k:
        least[np.argmax(least)] -= 1
    caps = None if rng.random() < 0.5 else least + rng.integers(0, 3, 3)
    return Partition(groups, caps, k, minimums=least), groups, least, caps


def random_constraint(rng, case, k, any_matroid):
    """Any constraint there is, with items pinned that fit, and apart or not."""
    kinds = [lambda: Uniform(case.n, k)]
    if any_matroid:
        kinds += [lambda: random_matroid(rng, case.n, k), lambda: random_minimums(rng, case.n, k)[0]]
    inner = kinds[rng.integers(len(kinds))]()
    apart = float(rng.choice([0.0, 0.1, 0.3, 1.0]))
    inner = narrowed(inner, distance=case.distance(), apart=apart)
    pinned = []
    for _ in range(rng.integers(0, 3)):
        left = np.flatnonzero(inner.addable(pinned))
        if len(left):
            pinned.append(int(rng.choice(left)))
    return narrowed(inner, pinned=pinned)


def answer(case, matroid, k, *, eps=None, diversity=0.5, method="auto", seed=None, gamma=GAMMA):
    made = plan(
        n=case.n,
        k=k,
        eps=eps,
        delta=1e-6,
        diversity=diversity,
        m=case.m,
        cap=case.cap,
        relevance=case.kind,
        method=method,
        gamma=gamma,
        **limits(matroid),
    )
    source = None if seed is None else SeededSource(seed)
    return made, select(made, case.relevance(max(made.k, 1)), case.distance(), matroid, source)


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(sorted(METHODS)), st.sampled_from([None, 0.2, 5.0]))
def test_every_answer_is_feasible_and_begins_with_what_is_pinned(seed, method, eps):
    rng = np.random.default_rng(seed)
    case = random_instance(rng, n=int(rng.integers(1, 8)), kind=str(rng.choice(["coverage", "best_match"])))
    k = int(rng.integers(1, 6))
    matroid = random_constraint(rng, case, k, METHODS[method].any_matroid)
    drawn = []
    made = plan(
        n=case.n,
        k=k,
        eps=eps if METHODS[method].can_be_private else None,
        delta=1e-6,
        diversity=float(rng.choice([0, 0.3, 0.999999, 1])),
        m=case.m,
        relevance=case.kind,
        method=method,
        gamma=0.5,
        **limits(matroid),
    )
    outcome = select(
        made,
        case.relevance(max(made.k, 1)),
        case.distance(),
        matroid,
        on_round=lambda one, rounds: drawn.append((one, rounds)),
    )
    assert outcome.picks[: len(matroid.start)] == matroid.start
    assert len(set(outcome.picks)) == len(outcome.picks)
    assert matroid.independent(outcome.picks)
    if not matroid.apart:
        assert len(outcome.picks) == matroid.rank
    elif METHODS[method].monotone and METHODS[method].can_be_private:  # else a swap may make room for one more
        assert not matroid.addable(outcome.picks).any()
    if made.calibration is not None:
        assert len(drawn) <= made.rounds == made.calibration.rounds
    assert outcome.receipt.constraint == matroid.described


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(["local_search", "sls", "ls", "ls_greedy", "rel", "random"]))
def test_minimums_are_reached_and_caps_kept(seed, method):
    rng = np.random.default_rng(seed)
    case, k = random_instance(rng, n=8), int(rng.integers(1, 6))
    matroid, groups, least, caps = random_minimums(rng, 8, k)
    _, outcome = answer(case, matroid, k, method=method, gamma=0.5)
    counts = np.bincount(groups[list(outcome.picks)], minlength=3)
    assert (counts >= least).all()
    assert caps is None or (counts <= caps).all()


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 10**6))
def test_apart_and_pinned_say_what_the_definition_says_along_any_walk(seed):
    """Joins, departures and jumps: what is remembered of the items before must not show."""
    rng = np.random.default_rng(seed)
    case = random_instance(rng, n=7)
    k, apart = int(rng.integers(2, 6)), float(rng.choice([0.1, 0.3, 0.5]))
    inner = random_matroid(rng, 7, k)
    matroid = Apart(inner, case.distance(), apart)
    far = np.stack([case.distance().row(item) for item in range(7)]) >= apart - 1e-9

    def allowed(items):
        return inner.independent(items) and all(far[u, v] for u, v in itertools.combinations(items, 2))

    for _ in range(12):
        items = rng.permutation(7)[: rng.integers(0, 4)].tolist()
        assert matroid.independent(items) == allowed(items)
        if not allowed(items):
            continue
        assert matroid.addable(items).tolist() == [v not in items and allowed([*items, v]) for v in range(7)]
        sample = np.sort(rng.permutation(7)[: rng.integers(0, 7)])
        swaps = [
            [v not in items and allowed([*items[:slot], *items[slot + 1 :], int(v)]) for v in sample]
            for slot in range(len(items))
        ]
        assert matroid.swappable(items, sample).tolist() == swaps
        pins = items[: rng.integers(0, len(items) + 1)]
        pinned = Pinned(matroid, pins)
        kept = [[False] * len(sample) if item in pins else row for item, row in zip(items, swaps, strict=True)]
        assert pinned.swappable(items, sample).tolist() == kept
        assert pinned.addable(items).tolist() == matroid.addable(items).tolist()
        base = pinned.base()
        assert base[: len(pins)] == pins
        assert allowed(base)
        assert not matroid.addable(base).any()


@pytest.mark.parametrize(
    ("name", "pinned", "samples", "guarantee"),
    [
        ("greedy", 1, 1, 1 / 2),
        ("greedy", 2, 1, 1 / 2),
        ("nosg", 1, 8, 1 / 2 - GAMMA),
        ("osg", 1, 8, 1 - (2 / math.e) ** ((1 - GAMMA) * (1 - 1 / 3))),
        ("local_search", 0, 2, 1 / 2 - GAMMA),
        ("local_search", 1, 2, 1 / 2 - GAMMA),
        ("local_search", 2, 2, 1 / 2 - GAMMA),
        ("sls", 1, 2, 1 / 2 - GAMMA),
        ("ls", 1, 1, 1 / 2 - GAMMA),
    ],
)
def test_the_guarantee_holds_for_what_the_pinned_items_leave_open(name, pinned, samples, guarantee):
    """Against every set that holds the pinned items; what they are worth by themselves does not help."""
    seen = 0
    for seed in range(150):
        rng = np.random.default_rng([seed, pinned])
        case = random_instance(rng, n=8, kind="best_match" if seed % 4 == 0 else "coverage")
        inner = Uniform(8, 4)
        if METHODS[name].any_matroid and seed % 3:
            inner = random_minimums(rng, 8, 4)[0] if seed % 3 == 1 else random_matroid(rng, 8, 4)
        pins = []
        for _ in range(pinned):
            left = np.flatnonzero(inner.addable(pins))
            pins += [int(rng.choice(left))] if len(left) else []
        matroid = narrowed(inner, pinned=pins)
        if matroid.rank <= len(pins):
            continue
        diversity = float(rng.choice([0.0, 0.2, 0.5, 0.8, 1.0]))
        own = case.phi(pins, diversity, matroid.rank)
        values = [
            case.phi(
                answer(case, matroid, 4, diversity=diversity, method=name, seed=one)[1].picks, diversity, matroid.rank
            )
            for one in range(samples)
        ]
        assert np.mean(values) - own >= guarantee * (case.best(matroid, diversity) - own) - 1e-9
        seen += 1
    assert seen >= 100


def test_pinned_items_cover_their_users_from_the_start():
    case = random_instance(np.random.default_rng(0), n=3)
    case.similarity = np.array([[1, 1, 0], [1, 1, 0], [0, 0, 1]])
    assert answer(case, narrowed(Uniform(3, 2), pinned=[1]), 2, diversity=0.0)[1].picks == (1, 2)
    assert answer(case, Uniform(3, 2), 2, diversity=0.0)[1].picks == (0, 2)


def test_a_pinned_item_costs_no_round_and_all_pinned_cost_nothing():
    facts = {"n": 50, "k": 6, "eps": 0.1, "delta": 1e-9, "diversity": 0.5, "m": 1000}
    for pinned in range(6):
        made = plan(**facts, pinned=pinned)
        expected = best(0.1, 1e-9, rounds=6 - pinned, n=50, k=6 - pinned, binary=True)
        assert made.rounds == 6 - pinned
        assert made.calibration.eta == pytest.approx(expected.eta, rel=1e-12)
    nothing = plan(**facts, pinned=6)
    assert nothing.trivial
    assert (nothing.rounds, nothing.charged_eps, nothing.reads_private) == (0, 0.0, False)


def test_all_candidates_are_no_trivial_answer_if_some_may_be_too_near():
    facts = {"n": 4, "k": 9, "eps": 0.1, "diversity": 0.5, "m": 1000}
    assert plan(**facts).trivial
    apart = plan(**facts, apart=0.5)
    assert (apart.trivial, apart.rounds, apart.guarantee) == (False, 4, "none (apart)")
    assert plan(**{**facts, "n": 1}, apart=0.5).trivial


def test_everything_taken_begins_with_what_is_pinned():
    case = random_instance(np.random.default_rng(0), n=4)
    _, outcome = answer(case, narrowed(Uniform(4, 9), pinned=[2, 1]), 9)
    assert outcome.picks == (2, 1, 0, 3)


def test_too_near_candidates_drop_out_and_the_answer_may_be_short():
    distance = L1([0.0, 0.05, 0.5, 1.0])
    made = plan(n=4, k=4, eps=None, diversity=0.0, relevance="score", apart=0.2)
    outcome = select(
        made, Score([0.9, 1.0, 0.5, 0.1], 4), distance, narrowed(Uniform(4, 4), distance=distance, apart=0.2)
    )
    assert outcome.picks == (1, 2, 3)
    assert outcome.diversity == pytest.approx((0.45 + 0.95 + 0.5) / 3)


def test_equal_on_paper_is_not_nearer():
    nine_of_ten = Jaccard.from_sets([list("abcdefghi"), list("abcdefghij")])
    assert nine_of_ten.row(0)[1] < 0.1  # in floating point
    assert Apart(Uniform(2, 2), nine_of_ten, 0.1).independent([0, 1])


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Pinned(Uniform(5, 2), [0, 1, 2]), "3 items are pinned, but at most 2 can be chosen"),
        (lambda: Pinned(Uniform(5, 3), [4, 1, 4], ["e", "b", "e"]), "e is pinned twice"),
        (lambda: Pinned(Partition([0, 0, 1], 1, 2), [0, 1], ["a", "b"]), "b cannot be pinned together with a: "),
        (lambda: Pinned(Partition([0, 0, 1], None, 2, minimums=1), [0, 1]), r"1 cannot be pinned .*at least 1"),
        (lambda: narrowed(Uniform(3, 2), pinned=[0, 1], distance=L1([0, 1, 9]), apart=0.5), r"1 cannot .*0\.5 apart"),
        (lambda: narrowed(Uniform(3, 2), apart=0.5), "nothing says how the items differ"),
        (lambda: Apart(Uniform(3, 2), L1([0, 1, 9]), 1.5), r"in \[0, 1\]"),
        (lambda: Apart(Uniform(3, 2), L1([0, 1, 9]), math.nan), r"in \[0, 1\]"),
        (lambda: Apart(Pinned(Uniform(3, 2), [0]), L1([0, 1, 9]), 0.5), "Pin items last"),
        (lambda: Partition([0, 0, 1], None, 2, minimums=[2, 1]), r"add up to 3 items, but k = 2"),
        (lambda: Partition([0, 0, 1], None, 4, minimums=2, labels=["tea", "jam"]), "2 items of 'jam' .* only 1"),
        (lambda: Partition([0, 0, 1], 1, 4, minimums=[2, 0], labels=["tea", "jam"]), "'tea' are asked for, .*most 1"),
        (lambda: Partition([0, 0, 1], None, 4, minimums=-1), "0 or more"),
        (lambda: Laminar([([0, 0], 1)], 2, minimums=[1, 1]), "2 minimums were given for 1 levels"),
        (lambda: plan(n=9, k=3, eps=None, diversity=0.0, m=1, pinned=4), "4 items are pinned"),
        (lambda: plan(n=9, k=3, eps=None, diversity=0.0, m=1, apart=0.5, distance=False), "give features"),
        (lambda: plan(n=9, k=3, eps=None, diversity=0.0, m=1, apart=2), "apart = 2"),
    ],
)  # fmt: skip
def test_what_cannot_be_met_is_refused_with_the_reason(make, said):
    with pytest.raises(InputError, match=said):
        make()


def test_a_plan_for_another_constraint_is_refused():
    case = random_instance(np.random.default_rng(0), n=6)
    made = plan(n=6, k=3, eps=0.1, diversity=0.0, m=case.m)
    for matroid, said in (
        (narrowed(Uniform(6, 3), pinned=[1]), "pinned"),
        (narrowed(Uniform(6, 3), distance=case.distance(), apart=0.5), "apart"),
    ):
        with pytest.raises(InputError, match=said):
            select(made, case.relevance(3), case.distance(), matroid)


def test_the_value_of_a_start_set_is_that_of_all_its_items():
    case = random_instance(np.random.default_rng(4), n=6)
    made, outcome = answer(case, narrowed(Uniform(6, 3), pinned=[5, 0]), 3)
    found = evaluate(case.relevance(3), case.distance(), outcome.picks, diversity=0.5)
    assert found.objective == pytest.approx(case.phi(outcome.picks, 0.5, 3))
    assert outcome.diversity == pytest.approx(found.diversity)
    assert made.constraint == "uniform, 2 pinned"
