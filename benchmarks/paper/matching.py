"""The ε at which our calibration makes the same draws as the authors' does at ε = 0.1.

A run of one method depends on its calibration through eta alone (the exponent per user), so equal eta means equal
distributions: the matching ε is a computation, and runs at it are only a check. Where methods differ, runs decide.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from statistics import fmean

from benchmarks.paper.cells import DIVERSITY, EPS, GAMMA, Cell, default_k, method_of
from benchmarks.paper.run import planned
from benchmarks.paper.tasks.task import Task
from msd_sql.udfs.methods import METHODS
from msd_sql.udfs.privacy.accounting import authors, best
from msd_sql.udfs.privacy.randomness import SeededSource
from msd_sql.udfs.selection import evaluate, select

DIGITS = 6
SEARCH_RUNS = 20
SEARCH_RATIO = 1.03  # how finely an ε is looked for by runs


def matching_eps(cell: Cell, instance: Task) -> float:
    """Find the ε at which ours does what the paper's text does: by eta, or by runs where the methods differ."""
    mine = method_of(cell.method, "ours")
    if mine != cell.method:
        return _by_runs(cell, replace(cell, method=mine, calibration="ours_matched"), instance)
    theirs = planned(replace(cell, calibration="authors_matched"), instance).calibration
    if theirs is None or cell.eps is None:
        raise ValueError("A cell without noise has nothing to match.")

    def eta(eps: float) -> float:
        ours = planned(replace(cell, calibration="ours_matched", eps=eps), instance).calibration
        return ours.eta if ours is not None else 0.0

    return round(_least(eta, theirs.eta, cell.eps), DIGITS)


def matching_eps_of_code(method: str, n: int, m: int, k: int, rounds: int, *, binary: bool) -> float:
    """Find the ε of our calibration with the eta of the authors' code, which takes half of the decomposable ε0.

    >>> round(matching_eps_of_code("greedy", 3000, 1_317_193, 20, 20, binary=True), 4)
    0.0068
    """
    made = METHODS[method]
    delta = m**-1.5
    weight = made.weight(GAMMA) * (1.0 - DIVERSITY)
    code = authors(EPS, delta, rounds=rounds, weight=weight, monotone=made.monotone)

    def eta(eps: float) -> float:
        return best(eps, delta, rounds=rounds, n=n, k=k, binary=binary).eta

    return _least(eta, code.eta, EPS)


def _by_runs(theirs: Cell, ours: Cell, instance: Task) -> float:
    """Find the smallest ε at which the mean objective of ours, over seeded runs, is no worse than theirs."""

    def mean(cell: Cell) -> float:
        made, constraint = planned(cell, instance), instance.constraint(cell.k)
        picks = (
            select(made, instance.relevance, instance.distance, constraint, SeededSource(seed)).picks
            for seed in range(SEARCH_RUNS)
        )
        return fmean(
            evaluate(instance.relevance, instance.distance, chosen, diversity=cell.diversity, k=made.k).objective
            for chosen in picks
        )

    wanted = mean(theirs)
    low, high = EPS / 1000, EPS
    while high / low > SEARCH_RATIO:
        middle = math.sqrt(low * high)
        low, high = (middle, high) if mean(replace(ours, eps=middle)) < wanted else (low, middle)
    return round(high, DIGITS)


def _least(eta: Callable[[float], float], wanted: float, high: float) -> float:
    low = high / 1e6
    for _ in range(60):
        middle = (low + high) / 2.0
        low, high = (middle, high) if eta(middle) < wanted else (low, middle)
    return high


def matched_cells(name: str, instance: Task, n: int | None, m: int | None) -> list[Cell]:
    """Make the cells of the task's main private method: theirs at the default ε, ours at the matching one."""
    method = "sls" if name.endswith("_partition") else "greedy"
    theirs = Cell(name, method, "authors_matched", default_k(name), n=n, m=m)
    mine = method_of(method, "ours_matched")
    return [theirs, replace(theirs, method=mine, calibration="ours_matched", eps=matching_eps(theirs, instance))]
