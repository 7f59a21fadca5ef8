"""The ε at which our calibration makes the same draws as the authors' does at ε = 0.1.

A run depends on its calibration through eta alone (the exponent per user), so equal eta means equal distributions: the
matching ε is a computation, and the runs at it are only a check.
"""

from __future__ import annotations

from dataclasses import replace

from .cells import Cell, default_k
from .run import planned
from .tasks import Task

DIGITS = 6


def matching_eps(cell: Cell, instance: Task) -> float:
    """Find the ε of our calibration with the eta that the authors' gives the cell."""
    theirs = planned(replace(cell, calibration="authors"), instance).calibration
    if theirs is None or cell.eps is None:
        raise ValueError("A cell without noise has nothing to match.")
    low, high = 0.0, cell.eps
    for _ in range(60):
        middle = (low + high) / 2.0
        ours = planned(replace(cell, calibration="ours", eps=middle), instance).calibration
        low, high = (middle, high) if ours is not None and ours.eta < theirs.eta else (low, middle)
    return round(high, DIGITS)


def matched_cell(name: str, instance: Task, n: int | None, m: int | None) -> Cell:
    """Make the cell of the task's main private method at the matching ε."""
    method = "local_search" if name.endswith("_partition") else "greedy"
    cell = Cell(name, method, "ours", default_k(name), n=n, m=m)
    return replace(cell, eps=matching_eps(cell, instance))
