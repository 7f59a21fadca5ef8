"""The ε at which our calibration makes the same draws as the authors' does at ε = 0.1.

A run depends on its calibration through eta alone (the exponent per user), so equal eta means equal distributions: the
matching ε is a computation, and the runs at it are only a check.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from benchmarks.paper.cells import DIVERSITY, EPS, GAMMA, Cell, default_k
from benchmarks.paper.run import planned
from benchmarks.paper.tasks import Task
from msd_sql.udfs.methods import METHODS
from msd_sql.udfs.privacy.accounting import authors, best

DIGITS = 6


def matching_eps(cell: Cell, instance: Task) -> float:
    """Find the ε of our calibration with the eta that the paper's text gives the cell."""
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
    0.0092
    """
    made = METHODS[method]
    delta = m**-1.5
    weight = made.weight(GAMMA) * (1.0 - DIVERSITY)
    code = authors(EPS, delta, rounds=rounds, weight=weight, monotone=made.monotone)

    def eta(eps: float) -> float:
        return best(eps, delta, rounds=rounds, n=n, k=k, binary=binary, monotone=made.monotone).eta

    return _least(eta, code.eta, EPS)


def _least(eta: Callable[[float], float], wanted: float, high: float) -> float:
    low = high / 1e6
    for _ in range(60):
        middle = (low + high) / 2.0
        low, high = (middle, high) if eta(middle) < wanted else (low, middle)
    return high


def matched_cells(name: str, instance: Task, n: int | None, m: int | None) -> list[Cell]:
    """Make the cells of the task's main private method: theirs at the default ε, ours at the matching one."""
    method = "local_search" if name.endswith("_partition") else "greedy"
    theirs = Cell(name, method, "authors_matched", default_k(name), n=n, m=m)
    return [theirs, replace(theirs, calibration="ours_matched", eps=matching_eps(theirs, instance))]
