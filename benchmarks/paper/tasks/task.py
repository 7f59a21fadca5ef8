"""The tasks of the paper's section 7.2: what is relevant, what is diverse, what is allowed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from benchmarks.paper.tasks import amazon
from benchmarks.paper.tasks.convenience import Convenience, convenience
from benchmarks.paper.tasks.places import Groceries, grid, groceries, pickups
from msd_sql.udfs.distances import L1, Jaccard
from msd_sql.udfs.matroids import Partition, Uniform
from msd_sql.udfs.relevance.coverage import Coverage, CoverageIndex
from msd_sql.udfs.types import Distance, Matroid, Relevance

MOST_PICKS = 100
PAPER_PICKUPS = 600_000


@dataclass(frozen=True)
class Task:
    """One instance: n candidates, m private units, a relevance that can be asked again and again, and a constraint."""

    name: str
    m: int
    kind: str  # of relevance: coverage or best_match
    relevance: Relevance
    distance: Distance
    constraint: Callable[[int], Matroid]  # of k
    forget: Callable[[], None] = lambda: None  # drop what earlier runs have learnt, before a run that is timed

    @property
    def n(self) -> int:
        """Number of candidates."""
        return self.relevance.n


NAMES = ("uber", "amazon_partition", "amazon", "instacart_partition", "instacart")


def task(name: str, n: int | None = None, m: int | None = None, folder: Path | None = None) -> Task:
    """Build a task, or take the one built last when it is asked for again; n and m default to the paper's.

    `folder` holds the real Amazon files; without it the seeded stand-in of the same size is used.

    >>> task("amazon_partition", n=40, m=500).constraint(6).name
    'partition'
    """
    if name == "uber":
        return _uber(n or 1_000, m)
    if name.startswith("amazon"):
        return _shop(name, n or amazon.PAPER_ITEMS, m or amazon.PAPER_USERS, folder)
    return _groceries(name)


@lru_cache(maxsize=1)
def _uber(n: int, m: int | None) -> Task:
    points = grid(n)
    places, weights = pickups(m)
    relevance = Convenience(convenience(places, points), weights)
    span = float(np.ptp(points, axis=0).sum())  # M: no two points are further apart in L1
    return Task(
        name="uber",
        m=relevance.units,
        kind="best_match",
        relevance=relevance,
        distance=L1(points, scale=span),
        constraint=lambda k: Uniform(len(points), k),
        forget=relevance.forget,
    )


@lru_cache(maxsize=1)
def _products(n: int, users: int, folder: Path | None) -> tuple[amazon.Products, CoverageIndex, Jaccard]:
    made = amazon.stand_in(n, users) if folder is None else amazon.load(*amazon.real_files(folder), n=n)
    return made, _index(made), Jaccard(made.category_starts, made.category_tokens)


@lru_cache(maxsize=1)
def _orders() -> tuple[Groceries, CoverageIndex, Jaccard]:
    made = groceries()
    return made, _index(made), Jaccard(made.category_starts, made.category_tokens)


def _shop(name: str, n: int, users: int, folder: Path | None) -> Task:
    made, index, distance = _products(n, users, folder)
    return _coverage_task(name, made.users, index, distance, made.price_bins)


def _groceries(name: str) -> Task:
    made, index, distance = _orders()
    return _coverage_task(name, made.users, index, distance, made.aisles)


def _index(made: amazon.Products | Groceries) -> CoverageIndex:
    return CoverageIndex.from_pairs(made.item_codes, made.user_codes, made.n)


def _coverage_task(name: str, m: int, index: CoverageIndex, distance: Jaccard, groups: Sequence[int]) -> Task:
    def constraint(k: int) -> Matroid:
        # The default quota: ceil(k / number of groups) of each, so ceil(k/4) of every price bin.
        return Partition(groups, None, k) if name.endswith("_partition") else Uniform(index.n, k)

    return Task(name, m, "coverage", Coverage(index, m, MOST_PICKS), distance, constraint)
