"""Forecast: how many users an answer will reach, beside random picks and the exact answer, before anything is paid.

From a few public figures (`forecast`), or for the owner from the real rows (`owner_forecast`). The band of a public
forecast holds nine of ten simulated answers, widened by `UNKNOWN` for what a few figures cannot say.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from msd_sql.actions.explaining.lead import lead_needed
from msd_sql.errors import InputError
from msd_sql.studies.popularity import Popularity
from msd_sql.udfs import plan
from msd_sql.udfs.types import FloatArray

UNKNOWN = 1.5  # a factor on either side: real shares are no power of the rank, and real users' items go together
EPSILONS = (0.01, 0.03, 0.1, 0.3, 1.0)
_LOW, _HIGH = 5, 95  # percent of the simulated answers


@dataclass(frozen=True)
class Cell:
    """One ε and k: the users that an answer reaches, and the facts of the plan behind it."""

    eps: float
    k: int
    low: float
    reached: float  # the mean of the runs
    high: float
    best: float  # of the exact answer
    random: float  # the mean of random picks
    noise: float  # in users
    lead: float  # an item that leads by so many users is chosen with 95 %
    bound: str

    @property
    def loss(self) -> float:
        """What is lost of the exact answer, as a share."""
        return 1 - self.reached / self.best if self.best else 0.0

    @property
    def verdict(self) -> str:
        """What to think of it, in two or three words."""
        gained = (self.reached - self.random) / max(self.best - self.random, 1e-9)
        return (
            "as good as exact" if gained > 0.95 else "useful" if gained > 0.5 else "weak" if gained > 0.15 else "noise"
        )


@dataclass(frozen=True)
class Forecast:
    """A table of cells, and what it was made from, in one line."""

    label: str
    users: int
    cells: tuple[Cell, ...]


def forecast(
    n: int,
    m: int,
    *,
    head: float = 0.02,
    items_per_user: float | None = None,
    ks: Sequence[int] = (6, 20),
    epsilons: Sequence[float] = EPSILONS,
    delta: float | None = None,
    runs: int = 20,
    seed: int = 7,
) -> Forecast:
    """Simulate every ε and k on a catalogue that public figures describe; by default a user has three items.

    >>> forecast(200, 50_000, head=0.1, ks=[3], epsilons=[10.0], runs=3).cells[0].verdict
    'as good as exact'
    """
    if m < 1 or runs < 1 or any(not 1 <= k < n for k in ks):
        raise InputError(
            f"forecast needs m and runs of at least 1 and every k below n; got n = {n}, m = {m}, k = {list(ks)}, "
            f"runs = {runs}."
        )
    share = default_delta(m) if delta is None else delta
    each = max(head, min(3.0, head * n / 4)) if items_per_user is None else items_per_user
    shop, rng = Popularity.of(n, head, each), np.random.default_rng(seed)
    cells = []
    for k in ks:
        by_chance = float(shop.random(k, 200, rng).mean()) * m
        for eps in epsilons:
            made = plan(n=n, k=k, eps=eps, delta=share, diversity=0.0, m=m, method="greedy")
            assert made.calibration is not None
            eta = made.calibration.eta
            reached = shop.drawn(k, m, eta, runs, rng) * m
            cells.append(cell(made.calibration.bound, n, eps, k, eta, reached, shop.best(k) * m, by_chance, UNKNOWN, m))
    label = (
        f"Simulated for n = {n:,} items and m = {m:,} users, of whom an item has at most {head:g} and each has "
        f"{each:g} items; δ = {share:.2g}, {runs} runs, diversity 0 (with more: at most this). No private data was "
        "read."
    )
    return Forecast(label, m, tuple(cells))


def default_delta(m: int) -> float:
    """δ of an answer where none is given.

    >>> default_delta(10_000)
    1e-06
    """
    return float(round(float(m) ** -1.5, 15))


def cell(
    bound: str,
    n: int,
    eps: float,
    k: int,
    eta: float,
    reached: FloatArray,
    best: float,
    by_chance: float,
    wider: float,
    m: float,
) -> Cell:
    """Sum up the runs of one ε and k; the band is `wider` by that factor on either side.

    >>> cell("clocks", 100, 0.1, 3, 0.01, np.array([90.0, 110.0]), 200.0, 10.0, 1.0, 500).reached
    100.0
    """
    low, high = np.percentile(reached, (_LOW, _HIGH))
    return Cell(
        eps, k, float(low) / wider, float(reached.mean()), min(float(high) * wider, best * wider, m), best, by_chance,
        1 / eta, lead_needed(n, eta), bound,
    )  # fmt: skip
