"""Popularity: a catalogue as a few public figures describe it, and what is drawn from it with noise.

Item i has a share head·i^-s of the users, and s is such that a user has so many items. Users have their items
independently of each other's. All pairs of items are equally far apart, so that diversity decides nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from msd_sql.errors import InputError
from msd_sql.udfs.types import FloatArray, IntArray

_STEEPEST = 6.0
_HALVINGS = 60


@dataclass(frozen=True)
class Popularity:
    """The share of the users that each item has, the largest first."""

    shares: FloatArray
    steepness: float

    @classmethod
    def of(cls, n: int, head: float, items_per_user: float) -> Popularity:
        """The catalogue of n items whose largest has the share `head`, and of which a user has so many.

        >>> round(float(Popularity.of(1000, 0.1, 5.0).shares.sum()), 3)
        5.0
        """
        if not 0 < head <= 1 or not items_per_user > 0:
            raise InputError(
                f"head must be above 0 and at most 1, and a user must have items; got {head:g}, {items_per_user:g}."
            )
        if not head <= items_per_user <= head * n:
            raise InputError(
                f"No {n:,} items fit: with a head of {head:g} a user has between {head:g} and {head * n:,.4g} items; "
                f"got {items_per_user:g}."
            )
        ranks = np.arange(1, n + 1, dtype=np.float64)
        low, high = 0.0, _STEEPEST
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if head * float((ranks**-middle).sum()) > items_per_user else (low, middle)
        return cls(head * ranks**-low, low)

    def reach(self, picks: IntArray) -> FloatArray:
        """The share of the users that rows of picks reach.

        >>> Popularity(np.array([0.5, 0.5]), 0.0).reach(np.array([[0, 1]])).tolist()
        [0.75]
        """
        reached: FloatArray = 1 - np.prod(1 - self.shares[picks], axis=1)
        return reached

    def best(self, k: int) -> float:
        """The share that the k largest items reach: nothing reaches more."""
        return float(self.reach(np.arange(k)[None, :])[0])

    def random(self, k: int, runs: int, rng: np.random.Generator) -> FloatArray:
        """The shares that k items picked at random reach, run by run."""
        picks: IntArray = np.stack([rng.choice(len(self.shares), k, replace=False) for _ in range(runs)])
        return self.reach(picks)

    def drawn(self, k: int, users: int, eta: float, runs: int, rng: np.random.Generator) -> FloatArray:
        """The shares that the exponential mechanism's picks reach, run by run.

        A pick takes the users that it covers from every other item alike, because users have items independently.
        """
        found = np.zeros((runs, k), np.int64)
        for run in range(runs):
            left, open_to = 1.0, self.shares * (eta * users)
            for place in range(k):
                pick = int(np.argmax(open_to * left + rng.gumbel(size=len(open_to))))
                found[run, place] = pick
                left *= 1 - self.shares[pick]
                open_to[pick] = -np.inf
        return self.reach(found)
