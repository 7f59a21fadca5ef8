"""Forecast: the loss to expect at an ε and k, simulated on a synthetic shop of the declared size (no private data).

The loss is 1 - φ(private)/φ(without noise), averaged over seeded runs. n, m and δ are public, so anybody may ask.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from msd_sql.errors import InputError
from msd_sql.studies.simulation import Simulation
from msd_sql.udfs import plan

SIMULATED = 50_000  # users that are simulated at most; the noise is scaled to the declared number


@dataclass(frozen=True)
class Cell:
    """One ε and k: the mean loss, and the facts of the plan behind it."""

    eps: float
    k: int
    loss: float
    noise: float  # in users
    bound: str


@dataclass(frozen=True)
class Forecast:
    """A table of losses."""

    n: int
    m: int
    diversity: float
    delta: float
    runs: int
    cells: tuple[Cell, ...]

    @property
    def label(self) -> str:
        """What the figures are, in one line."""
        return (
            f"Simulated on synthetic data with n = {self.n:,} items and m = {self.m:,} users, diversity "
            f"{self.diversity:g}, δ = {self.delta:.2g}, mean of {self.runs} runs. No private data was read."
        )


def forecast(
    n: int,
    m: int,
    *,
    ks: Sequence[int] = (6, 20),
    epsilons: Sequence[float] = (0.01, 0.03, 0.1, 0.3, 1.0),
    diversity: float = 0.5,
    delta: float | None = None,
    runs: int = 5,
) -> Forecast:
    """Simulate every ε and k.

    >>> round(forecast(200, 5_000, ks=[3], epsilons=[10.0], runs=1).cells[0].loss, 1)
    0.0
    """
    if m < 1 or runs < 1 or any(not 1 <= k < n for k in ks):
        raise InputError(
            f"forecast needs m and runs of at least 1 and every k below n; got n = {n}, m = {m}, k = {list(ks)}, "
            f"runs = {runs}."
        )
    share = float(m) ** -1.5 if delta is None else delta
    shop = Simulation.make(n, min(m, SIMULATED))
    cells = []
    for k in ks:
        plain = plan(n=n, k=k, eps=None, diversity=diversity, m=shop.users, method="greedy")
        best = shop.run(plain, users=m, seed=0).objective
        for eps in epsilons:
            noisy = plan(n=n, k=k, eps=eps, delta=share, diversity=diversity, m=m, method="greedy")
            found = fmean(shop.run(noisy, users=m, seed=seed).objective for seed in range(runs))
            noise = noisy.calibration
            cells.append(
                Cell(eps, k, 1 - found / best, 1 / noise.eta if noise else 0.0, noise.bound if noise else "none")
            )
    return Forecast(n, m, diversity, share, runs, tuple(cells))
