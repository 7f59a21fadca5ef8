"""Runs the plans of many groups together, round by round: what is done for one item is done for those of all groups.

A group's draws depend on its own scores only, which are the same integers as in a run of its own (`selection`): its
answer has the same distribution, and the same receipt.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .distances.of_groups import side_by_side
from .errors import InputError
from .methods import METHODS
from .methods.greedy import greedy
from .objective.objective import in_counts
from .planning import Plan
from .privacy.randomness import SecretSource
from .privacy.sampler import draw_each
from .selection import OnRound, Outcome, planned_receipt
from .types import Distance, FloatArray, IntArray, RelevanceOfGroups, Source


def alike(plan: Plan) -> tuple[object, ...] | None:
    """What plans must have in common to be run together; None where a plan must be run alone.

    >>> from msd_sql.udfs import plan
    >>> alike(plan(n=9, k=2, eps=0.1, diversity=0.5, m=100)) == alike(plan(n=5, k=2, eps=0.2, diversity=0.5, m=100))
    True
    """
    greedily = METHODS[plan.method].run is greedy and plan.relevance == "coverage" and plan.reads_private
    limited = plan.matroid != "uniform" or plan.pinned or plan.apart
    if not greedily or limited or plan.calibration is None or plan.trivial:
        return None
    return plan.method, plan.k, plan.diversity, plan.gamma, plan.m, plan.cap


def select_groups(
    plans: Sequence[Plan],
    relevance: RelevanceOfGroups,
    distances: Sequence[Distance | None],
    source: Source | None = None,
    on_round: OnRound | None = None,
) -> list[Outcome]:
    """Run plans that are `alike`, over the relevance of all their candidates, which is used up.

    Whoever calls has charged every plan before. `on_round` is called before every round of draws.

    >>> from msd_sql.udfs import CoverageIndex, plan
    >>> from msd_sql.udfs.relevance.coverage_of_groups import CoverageOfGroups
    >>> index = CoverageIndex.from_pairs([0, 0, 3], [0, 1, 2], n=4).of_groups(np.arange(4), np.array([2, 2]))
    >>> todo = plan(n=2, k=1, eps=1000.0, diversity=0.0, m=3)
    >>> [outcome.picks for outcome in select_groups([todo, todo], CoverageOfGroups(index, 1), [None, None])]
    [(0,), (1,)]
    """
    one = _check_fit(plans, relevance, distances)
    randomness = source if source is not None else SecretSource()
    sizes = np.array([plan.n for plan in plans], dtype=np.int64)
    starts = np.cumsum(sizes) - sizes
    etas = np.array([plan.calibration.eta for plan in plans if plan.calibration is not None])
    unit = METHODS[one.method].weight(one.gamma) * (1.0 - one.diversity) / (one.m * one.cap)
    pair = one.diversity * 2.0 / (one.k * (one.k - 1)) if one.k > 1 else 0.0
    given = [distance for distance in distances if distance is not None]
    apart = side_by_side(given) if pair or (len(given) == len(plans) and one.k > 1) else None
    near: FloatArray = np.zeros(relevance.n)
    spread: FloatArray = np.zeros(len(plans))
    left: IntArray = np.arange(relevance.n)
    picks: list[IntArray] = []
    for chosen in range(one.k):
        if on_round is not None:
            on_round(chosen + 1, one.k)
        if picks:
            relevance.add_each(picks[-1])
            if apart is not None:
                near += apart.rows(picks[-1])
        sizes_left = sizes - chosen
        public = near.take(left)
        public *= pair
        public -= np.repeat(np.maximum.reduceat(public, starts - np.arange(len(plans)) * chosen), sizes_left)
        scores = in_counts(relevance.gains().take(left), public, unit, bits=0)
        drawn = draw_each(scores, sizes_left, etas, randomness) + (starts - np.arange(len(plans)) * chosen)
        picks.append(left.take(drawn))
        spread += near.take(picks[-1])
        left = np.delete(left, drawn)
    own = (np.stack(picks, axis=1) - starts[:, None]).tolist()
    pairs = one.k * (one.k - 1) / 2
    receipts = {id(plan): planned_receipt(plan, randomness) for plan in _different(plans)}
    return [
        Outcome(tuple(found), None if apart is None else far / pairs, receipts[id(plan)], one.k * plan.n - int(pairs))
        for plan, found, far in zip(plans, own, spread.tolist(), strict=True)
    ]


def _different(plans: Sequence[Plan]) -> list[Plan]:
    """The plans, each once: groups of as many candidates have the same one."""
    return list({id(plan): plan for plan in plans}.values())


def _check_fit(plans: Sequence[Plan], relevance: RelevanceOfGroups, distances: Sequence[Distance | None]) -> Plan:
    """Check that what is run has the facts that the noise was calibrated for; any of the plans."""
    kinds = {alike(plan) for plan in _different(plans)}
    if len(kinds) != 1 or None in kinds:
        raise InputError("These plans cannot be run together: their questions differ in more than their candidates.")
    if relevance.n != sum(plan.n for plan in plans):
        raise InputError(f"The plans were made for other questions: the relevance has {relevance.n} candidates.")
    if relevance.cap != plans[0].cap:
        raise InputError(f"The plans were made for cap = {plans[0].cap}, the relevance counts up to {relevance.cap}.")
    for plan, distance in zip(plans, distances, strict=True):
        if distance is None and plan.diversity > 0.0 and plan.k > 1:
            raise InputError(f"diversity = {plan.diversity} needs a distance between the items; none was given.")
        if distance is not None and distance.n != plan.n:
            raise InputError(f"The plan was made for {plan.n} candidates, the distance for {distance.n}.")
    return plans[0]
