"""Reading figures off the results: means, gaps to the non-private method, growth, and who reaches what at which ε."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pandas as pd

from benchmarks.paper.cells import CARDINALITY, DIVERSITY, EPS, MATROID, default_k, method_of

Point = tuple[int, float, float]  # k, ε, λ


@dataclass(frozen=True)
class Readings:
    """The rows of one task; its base instance is the one that most rows are about."""

    frame: pd.DataFrame
    task: str

    @cached_property
    def rows(self) -> pd.DataFrame:
        """All rows of the task."""
        return self.frame[self.frame.task == self.task]

    @property
    def reference(self) -> str:
        """The non-private method that the paper compares with."""
        return "ls" if self.task.endswith("_partition") else "greedy"

    @property
    def reference_label(self) -> str:
        """Its name in the paper."""
        return "LS" if self.reference == "ls" else "Greedy"

    @property
    def private(self) -> tuple[str, ...]:
        """The private methods that make sense under the task's constraint."""
        return MATROID if self.reference == "ls" else CARDINALITY

    @cached_property
    def size(self) -> tuple[int, int]:
        """The n and m of the base instance."""
        n, m = self.rows.groupby(["n", "m"]).size().idxmax()
        return int(n), int(m)

    @property
    def default(self) -> Point:
        """The paper's default point."""
        return default_k(self.task), EPS, DIVERSITY

    @cached_property
    def _cells(self) -> dict[tuple[str, str, int, float, float, int], npt.NDArray[np.int64]]:
        """Where the rows of a cell stand; without ε it is 0."""
        kept = self.rows.assign(eps=self.rows.eps.fillna(0.0), place=np.arange(len(self.rows)))
        kept = kept[(kept.n == self.size[0]) & ~kept.timed]
        grouped = kept.groupby(["method", "calibration", "k", "eps", "diversity", "m"]).place
        return {cell: places.to_numpy() for cell, places in grouped}

    def at(self, method: str, calibration: str, point: Point, m: int | None = None) -> pd.DataFrame:
        """Find the rows of a method at one point of the base instance, or of the one with another m."""
        k, eps, diversity = point
        cell = (
            method_of(method, calibration),
            calibration,
            k,
            0.0 if calibration == "exact" else eps,
            diversity,
            m or self.size[1],
        )
        return self.rows.iloc[self._cells.get(cell, np.empty(0, np.int64))]

    def mean(
        self, method: str, calibration: str, point: Point, column: str = "objective", m: int | None = None
    ) -> float:
        """Mean over the runs; NaN where the cell was not run."""
        return float(self.at(method, calibration, point, m)[column].mean())

    def spread(self, method: str, calibration: str, point: Point) -> float:
        """Compute the standard deviation over the runs."""
        return float(self.at(method, calibration, point).objective.std(ddof=0))

    def gap(self, method: str, calibration: str, point: Point, m: int | None = None) -> float:
        """How far the mean lies below the non-private method's at the same k and λ."""
        kind = "exact" if method == "random" else calibration
        return 1.0 - self.mean(method, kind, point, m=m) / self.mean(self.reference, "exact", point, m=m)

    def average(self, method: str, calibration: str, points: Iterable[Point]) -> float:
        """Mean gap over several points."""
        return float(np.mean([self.gap(method, calibration, point) for point in points]))

    def over(self, column: str) -> list[Point]:
        """List the points of the sweep over k, eps or diversity, the others at their defaults."""
        n, m = self.size
        rows = self.rows[
            (self.rows.n == n) & (self.rows.m == m) & ~self.rows.timed & (self.rows.calibration == "authors")
        ]
        place = ("k", "eps", "diversity").index(column)
        for other, value in zip(("k", "eps", "diversity"), self.default, strict=True):
            if other != column:
                rows = rows[np.isclose(rows[other], value)]
        return [
            tuple(value if i == place else kept for i, kept in enumerate(self.default))  # type: ignore[misc]
            for value in sorted(rows[column].unique())
        ]

    def growth(self, method: str, calibration: str, column: str, against: str) -> dict[float, float]:
        """Average calls or seconds against k, n or m; seconds of the Uber task from cold runs only."""
        k, eps, diversity = self.default
        base = dict(zip(("k", "n", "m"), (k, *self.size), strict=True))
        base.pop(against)
        rows = self.rows[(self.rows.method == method_of(method, calibration)) & (self.rows.calibration == calibration)]
        rows = rows[np.isclose(rows.diversity, diversity) & (rows.eps.isna() | np.isclose(rows.eps, eps))]
        if column == "seconds" and self.task == "uber":
            rows = rows[rows.timed]
        for other, value in base.items():
            rows = rows[rows[other] == value]
        return {float(x): float(y) for x, y in rows.groupby(against)[column].mean().items()}


def slope(curve: dict[float, float]) -> float:
    """Exponent of a power law through the points: 1 is linear, 2 quadratic.

    >>> round(slope({10: 100, 100: 10_000}), 3)
    2.0
    """
    x, y = np.log(list(curve)), np.log(list(curve.values()))
    return float(np.polyfit(x, y, 1)[0])


def calls_of(method: str, n: int, k: int, gamma: float) -> int:
    """Count the oracle calls that the paper's text prescribes, without running anything.

    >>> calls_of("greedy", 10, 2, 0.1), calls_of("osg", 10, 2, 0.1)
    (19, 19)
    """
    total = 0
    for i in range(1, k + 1):
        left = n - i + 1
        share = {"greedy": 0, "nosg": k - i + 1, "osg": min(k, left)}[method]
        total += left if not share else math.ceil(left * min(math.log(1.0 / gamma) / share, 1.0))
    return total


def gamma_for(method: str, n: int, k: int, fewer: float) -> float:
    """Find the γ at which the method needs `fewer` times fewer calls than greedy.

    >>> 0.15 < gamma_for("osg", 1000, 100, 57) < 0.2
    True
    """
    low, high = 1e-6, 1.0 - 1e-6
    for _ in range(60):
        middle = (low + high) / 2.0
        if calls_of("greedy", n, k, middle) / calls_of(method, n, k, middle) < fewer:
            low = middle
        else:
            high = middle
    return (low + high) / 2.0


def first_within(readings: Readings, method: str, calibration: str, limit: float) -> float | None:
    """Find the smallest ε of the sweep at which the gap is at most the limit, and stays there."""
    reached: float | None = None
    for point in reversed(readings.over("eps")):
        if not readings.gap(method, calibration, point) <= limit:
            break
        reached = point[1]
    return reached


def percent(value: float) -> str:
    """Write a share as a percentage.

    >>> percent(0.0123), percent(-0.0004)
    ('1.23 %', '-0.04 %')
    """
    return "not run" if math.isnan(value) else f"{100 * value:.2f} %"


def span(values: Sequence[float]) -> str:
    """Write the range of some shares.

    >>> span([0.2, 0.1])
    '10.00 to 20.00 %'
    """
    return f"{100 * min(values):.2f} to {100 * max(values):.2f} %"
