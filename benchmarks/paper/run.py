"""Runs a cell: plan, calibrate (ours or the authors'), select, and measure the chosen set exactly."""

from __future__ import annotations

import time
import zlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from benchmarks.paper.cells import GAMMA, Cell
from benchmarks.paper.results import Row
from benchmarks.paper.tasks.task import Task, task
from msd_sql.udfs.methods import METHODS
from msd_sql.udfs.planning import Plan, plan
from msd_sql.udfs.privacy import bounds, older_bounds
from msd_sql.udfs.privacy.accounting import OLDER_BOUNDS, Calibration, authors, candidates
from msd_sql.udfs.privacy.randomness import SeededSource
from msd_sql.udfs.selection import evaluate, select


def planned(cell: Cell, instance: Task) -> Plan:
    """Make the plan of a cell, δ = m^-1.5, with the calibration that it asks for."""
    constraint = instance.constraint(cell.k)
    delta = instance.m**-1.5
    made = plan(
        n=instance.n,
        k=cell.k,
        eps=cell.eps,
        delta=delta,
        diversity=cell.diversity,
        m=instance.m,
        relevance=instance.kind,
        method=cell.method,
        gamma=None if cell.method == "local_search" else GAMMA,
        matroid=constraint.name,
        rank=constraint.rank,
    )
    if made.calibration is None or not (cell.theirs or cell.calibration == "older"):
        return made
    noise = theirs(cell, delta, made.rounds) if cell.theirs else _older(made, instance)
    return replace(made, calibration=noise)


def _older(made: Plan, instance: Task) -> Calibration:
    """Calibrate with our sensitivity and the best of the bounds that there were before."""
    if made.eps is None:
        raise ValueError("A plan without noise has no calibration.")
    found = candidates(
        made.eps,
        made.delta,
        rounds=made.rounds,
        n=made.n,
        k=made.k,
        binary=instance.kind == "coverage",
        swaps=made.swaps,
        names=("basic", "telescoping", *OLDER_BOUNDS),
    )
    return max(found.values(), key=lambda one: one.eta)


def theirs(cell: Cell, delta: float, rounds: int) -> Calibration:
    """Calibrate as the paper's text does: Δ = 1/m, and the largest ε0 of basic, advanced and decomposable.

    `authors` takes half of the decomposable ε0, as the authors' own code does; the text's theorem gives all of it, so
    that the comparison here is with the better of the two.

    >>> theirs(Cell("uber", "greedy", "authors", 20), 1e-9, 20).bound
    'decomposable'
    """
    if cell.eps is None:
        raise ValueError("A cell without noise has no calibration.")
    method = METHODS[cell.method]
    weight = method.weight(GAMMA) * (1.0 - cell.diversity if method.weighs_diversity else 1.0)
    code = authors(cell.eps, delta, rounds=rounds, weight=weight, monotone=method.monotone)
    if not method.monotone:
        return code
    eps0 = 2.0 * bounds.largest(lambda eta: older_bounds.decomposable(eta, 1, delta), cell.eps, 0.5)
    if eps0 <= code.eps0:
        return code
    return replace(code, bound="decomposable", eps0=eps0, eta=eps0 / 2.0 * weight)


def run(cell: Cell, runs: int, folder: Path | None = None) -> Iterator[Row]:
    """Run a cell and yield one row per run; the seeds follow from the cell, so a run can be repeated."""
    instance = task(cell.task, cell.n, cell.m, folder)
    constraint = instance.constraint(cell.k)
    made = planned(cell, instance)
    for number in range(runs):
        source = SeededSource(zlib.crc32(f"{cell.key}/{number}".encode()))
        if cell.timed:
            instance.forget()
        start = time.process_time()  # of this process alone: what else the machine does is not counted
        outcome = select(made, instance.relevance, instance.distance, constraint, source)
        seconds = time.process_time() - start
        values = evaluate(instance.relevance, instance.distance, outcome.picks, diversity=cell.diversity, k=made.k)
        noise = made.calibration
        yield Row(
            cell=cell.key,
            task=cell.task,
            method=cell.method,
            calibration=cell.calibration,
            n=instance.n,
            m=instance.m,
            k=cell.k,
            eps=cell.eps,
            delta=made.delta,
            gamma=made.gamma,
            diversity=cell.diversity,
            timed=cell.timed,
            run=number,
            objective=values.objective,
            relevance=values.relevance,
            spread=values.diversity,
            calls=outcome.calls,
            seconds=seconds,
            rounds=made.rounds,
            bound=noise.bound if noise else "",
            eps0=noise.eps0 if noise else None,
            eta=noise.eta if noise else None,
        )
