"""`python -m benchmarks.gamma`: which γ suits local_search, measured on four data sets under quotas.

Each figure is the mean gap to the non-private LS (the larger of `ls` and `ls_greedy`), in percent; negative is better
than LS. Beside it stand the paper's DP-SLS, and greedy on relevance alone (`rel`).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from benchmarks.gamma.households import households
from benchmarks.paper.tasks.task import Task, task
from msd_sql.udfs import Partition, SeededSource, evaluate, plan, select

GAMMAS = (0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5)
EPS = (0.02, 0.05, 0.1, 0.2, 0.5)
PICKS = (6, 12, 20)


@dataclass(frozen=True)
class Line:
    """One data set, k and ε: the gap of every γ, of DP-SLS and of rel, in percent."""

    data: str
    k: int
    eps: float
    gaps: dict[float, float]
    sls: float
    rel: float


def uber() -> Task:
    """The paper's Uber task on fewer points, with quotas: as many picks from each of four bands of latitude."""
    made = task("uber", 300, 20_000)
    bands = np.arange(made.n) * 4 // made.n  # points are listed by latitude
    return Task("uber", made.m, made.kind, made.relevance, made.distance, lambda k: Partition(bands, None, k))


DATA: dict[str, Callable[[], Task]] = {
    "Instacart, quotas by aisle": lambda: task("instacart_partition"),
    "Amazon-like, quotas by price": lambda: task("amazon_partition"),
    "Complete Journey, quotas by price": households,
    "Uber, quotas by latitude": uber,
}


def value(made: Task, k: int, eps: float | None, method: str, gamma: float | None, seed: int) -> float:
    """Run one selection at λ = 1/2 and evaluate it exactly."""
    quotas = made.constraint(k)
    planned = plan(
        n=made.n, k=k, eps=eps, delta=made.m**-1.5, diversity=0.5, m=made.m, relevance=made.kind, method=method,
        gamma=gamma, matroid=quotas.name, rank=quotas.rank,
    )  # fmt: skip
    picks = select(planned, made.relevance, made.distance, quotas, SeededSource(seed)).picks
    return evaluate(made.relevance, made.distance, picks, diversity=0.5, k=planned.k).objective


def lines(made: Task, name: str, picks: Sequence[int], runs: int) -> Iterator[Line]:
    """Measure every k and ε on one data set."""
    for k in picks:
        best = max(value(made, k, None, method, 0.1, 0) for method in ("ls", "ls_greedy"))
        for eps in EPS:

            def gap(method: str, gamma: float | None, times: int, k: int = k, eps: float = eps, best: float = best):  # type: ignore[no-untyped-def]
                return 100 * (1 - fmean(value(made, k, eps, method, gamma, seed) for seed in range(times)) / best)

            gaps = {gamma: gap("local_search", gamma, runs) for gamma in GAMMAS}
            yield Line(name, k, eps, gaps, gap("sls", 0.1, max(1, runs // 4)), gap("rel", None, runs))


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table, line by line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gamma", description=__doc__)
    parser.add_argument("--runs", type=int, default=12)
    parser.add_argument("--data", default="", help="only data sets whose name holds this")
    parser.add_argument("--picks", default=",".join(map(str, PICKS)), help="comma-separated numbers of picks")
    given = parser.parse_args(arguments)
    print(f"| data | k | ε | {' | '.join(f'γ = {gamma:g}' for gamma in GAMMAS)} | DP-SLS | rel |")
    print("|" + "---|" * (5 + len(GAMMAS)))
    for name, build in DATA.items():
        if given.data.lower() in name.lower():
            for line in lines(build(), name, [int(k) for k in given.picks.split(",")], given.runs):
                cells = (*line.gaps.values(), line.sls, line.rel)
                told = " | ".join(f"{cell:.1f}" for cell in cells)
                print(f"| {line.data} | {line.k} | {line.eps:g} | {told} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
