"""Runs a plan: method × objective × constraint ⇄ mechanism, one draw a round, and reports public facts only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from .distances.among import sum_among
from .distances.angular import Angular
from .errors import InputError
from .methods import METHODS, Run
from .methods.greedy import greedy
from .methods.greedy_draft import MOST, drafted
from .objective.front import MANY, Fronted, FrontObjective
from .objective.objective import Objective
from .objective.public import PublicObjective, scores_fit
from .planning import Plan
from .privacy.mechanism import Argmax, ExponentialMechanism
from .privacy.randomness import SecretSource
from .privacy.renyi import NOTHING, UNBOUNDED
from .receipt import Receipt
from .types import Distance, IntArray, Matroid, Mechanism, Relevance, Source

OnRound = Callable[[int, int], None]


@dataclass(frozen=True)
class Outcome:
    """A selection: candidates in the order they were picked, and what follows from public facts."""

    picks: tuple[int, ...]
    diversity: float | None  # mean distance of the picks' pairs; None where there is no distance
    receipt: Receipt
    calls: int  # oracle calls, the paper's measure of work; follows from the draws, all of which are accounted for


@dataclass(frozen=True)
class ExactValues:
    """The exact values of a set. They depend on private data and are protected by nothing: never release them."""

    objective: float  # φ(S)
    relevance: float  # f(S)
    diversity: float  # 2/(k(k-1))·d(S)


def select(
    plan: Plan,
    relevance: Relevance,
    distance: Distance | None,
    matroid: Matroid,
    source: Source | None = None,
    on_round: OnRound | None = None,
) -> Outcome:
    """Run the plan. Whoever calls has charged `plan.charged_eps` before, if the data are protected.

    `on_round(i, rounds)` is called before every draw; what it raises ends the run (rounds is 0 for `ls`, which has no
    fixed number). A seeded `source` makes a run repeatable and its receipt not private.

    >>> from msd_sql.udfs import Score, Uniform, plan
    >>> select(plan(n=3, k=2, eps=None, diversity=0.0, relevance="score"), Score([0.1, 0.9, 0.5], 2), None,
    ...        Uniform(3, 2)).picks
    (1, 2)
    """
    _check_fit(plan, relevance, distance, matroid)
    randomness = source if source is not None else SecretSource()
    method = METHODS[plan.method]
    if plan.trivial:
        rest = np.flatnonzero(matroid.addable(matroid.start)).tolist() if plan.free else []
        picks = [*matroid.start, *rest]
        return Outcome(tuple(picks), _mean_distance(distance, picks), planned_receipt(plan, randomness), 0)
    mechanism: Mechanism = ExponentialMechanism(plan.calibration.eta, randomness) if plan.calibration else Argmax()
    objective = _rule(plan, relevance, distance, matroid, mechanism)(
        relevance,
        distance,
        k=plan.k,
        diversity=plan.diversity if method.weighs_diversity else 0.0,
        weight=method.weight(plan.gamma),
        start=matroid.start,
    )
    if method.reads_relevance:
        objective.clear()  # a prepared index may still hold the picks of the question before; now only what is pinned
    run = _way(plan, objective, distance, matroid, mechanism)
    if on_round is not None:
        mechanism = _Watched(mechanism, on_round, plan.rounds)
    picks = run(objective, matroid, mechanism, randomness, k=plan.k, gamma=plan.gamma)
    mean = objective.mean_distance() if picks == objective.picks else None
    if mean is None:
        mean = _mean_distance(distance, picks)
    return Outcome(tuple(picks), mean, planned_receipt(plan, randomness), objective.calls)


def evaluate(
    relevance: Relevance,
    distance: Distance | None,
    picks: Sequence[int],
    *,
    diversity: float,
    k: int | None = None,
) -> ExactValues:
    """Compute φ, f and the diversity of any set exactly, for tests and experiments: not a release, nothing is private.

    `k` is the number of slots, by default that of the picks. The relevance is left with these picks.

    >>> from msd_sql.udfs import Score
    >>> evaluate(Score([0.0, 1.0, 0.5], 2), None, [1, 2], diversity=0.0).objective
    0.75
    """
    relevance.clear()
    for item in picks:
        relevance.add(int(item))
    f = relevance.value() / (1 << relevance.bits) / relevance.units
    slots = len(picks) if k is None else k
    pairs = slots * (slots - 1) / 2
    d = sum_among(distance, picks) / pairs if distance is not None and pairs else 0.0
    return ExactValues((1.0 - diversity) * f + diversity * d, f, d)


class _Watched:
    """A mechanism that tells of every round before it is drawn."""

    def __init__(self, mechanism: Mechanism, on_round: OnRound, rounds: int) -> None:
        self._mechanism, self._on_round, self._rounds = mechanism, on_round, rounds
        self._drawn = 0

    def choose(self, scores: IntArray) -> int:
        self._drawn += 1
        self._on_round(self._drawn, self._rounds)
        return self._mechanism.choose(scores)


def _check_fit(plan: Plan, relevance: Relevance, distance: Distance | None, matroid: Matroid) -> None:
    """Check that what is run has the facts that the noise was calibrated for."""
    facts = {
        "candidates of the relevance": (relevance.n, plan.n),
        "candidates of the constraint": (matroid.n, plan.n),
        "constraint": (matroid.name, plan.matroid),
        "rank": (matroid.rank, plan.k),
        "number of pinned items": (len(matroid.start), plan.pinned),
        "apart": (matroid.apart, plan.apart),
        "private relevance": (relevance.private, plan.relevance != "score"),
    }
    if distance is not None:
        facts["candidates of the distance"] = (distance.n, plan.n)
    if plan.reads_private:
        facts["units"] = (relevance.units, plan.m * plan.cap)
        facts["cap"] = (relevance.cap, plan.cap)
        facts["binary relevance"] = (relevance.binary, plan.relevance == "coverage" and plan.cap == 1)
    for fact, (given, planned) in facts.items():
        if given != planned:
            raise InputError(f"The plan was made for another question: {fact} is {given}, planned was {planned}.")


def _rule(
    plan: Plan, relevance: Relevance, distance: Distance | None, matroid: Matroid, mechanism: Mechanism
) -> type[Objective]:
    """Choose the fastest form of the rule; the one that scores only who may be the best is for Argmax alone."""
    method = METHODS[plan.method]
    if not method.weighs_diversity or not scores_fit(relevance, plan.diversity, plan.k, method.weight(plan.gamma)):
        return Objective
    many = plan.n * plan.k >= MANY
    if many and _best_of_all(method.run, matroid, mechanism) and isinstance(distance, Fronted):
        return FrontObjective
    return PublicObjective


def _way(plan: Plan, objective: Objective, distance: Distance | None, matroid: Matroid, mechanism: Mechanism) -> Run:
    """Choose the fastest way to run the method; the draft is for Argmax alone, and for scores that are public."""
    run = METHODS[plan.method].run
    draftable = isinstance(objective, PublicObjective) and isinstance(distance, Angular) and plan.n * plan.k < MOST
    return drafted if draftable and _best_of_all(run, matroid, mechanism) else run


def _best_of_all(run: Run, matroid: Matroid, mechanism: Mechanism) -> bool:
    """Tell whether every pick is the best of all that were not picked yet."""
    unlimited = matroid.name == "uniform" and not matroid.start and not matroid.apart
    return run is greedy and isinstance(mechanism, Argmax) and unlimited


def planned_receipt(plan: Plan, source: Source) -> Receipt:
    """The receipt of a run, which follows from the plan: it can be written to a ledger before anything is drawn.

    >>> from msd_sql.udfs import SecretSource, plan
    >>> planned_receipt(plan(n=9, k=2, eps=0.1, diversity=0.5, m=100), SecretSource()).bound
    'basic'
    """
    public = Receipt(
        method=plan.method,
        n=plan.n,
        k=plan.k,
        diversity=plan.diversity,
        m=plan.m,
        cap=plan.cap,
        exact=plan.exact,
        loss=UNBOUNDED if plan.exact else NOTHING,
        constraint=plan.constraint,
    )
    noise = plan.calibration
    if noise is None:
        return public
    return Receipt(
        **{
            **vars(public),
            "rounds": plan.rounds,
            "swaps": plan.swaps,
            "bound": noise.bound,
            "eps": noise.eps,
            "delta": noise.delta,
            "delta_used": noise.delta_used,
            "eps0": noise.eps0,
            "eta": noise.eta,
            "reserve_eps": noise.reserve_eps,
            "reserve_delta": noise.reserve_delta,
            "private": source.private,
            "loss": noise.divergence,
        }
    )


def _mean_distance(distance: Distance | None, picks: Sequence[int]) -> float | None:
    if distance is None or len(picks) < 2:
        return None
    return sum_among(distance, picks) / (len(picks) * (len(picks) - 1) / 2)
