"""Spread: what a distance says of its items, told from a sample of pairs; public, as all distances are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..types import Distance

_ROWS, _COLUMNS = 24, 400  # items that are compared, and with how many others each
_SAME, _FAR = 0.02, 0.98  # as good as alike, as good as nothing in common
_NEARLY_ALL = 0.9


@dataclass(frozen=True)
class Spread:
    """How far two different items are apart, over a sample of pairs."""

    median: float
    ninetieth: float
    far: float  # the share of pairs at (nearly) the largest distance
    near: float  # the share of pairs that are (nearly) alike

    @property
    def says_little(self) -> str | None:
        """Why it hardly tells one pair from another: 'far', 'near', or None where it does."""
        return "far" if self.far >= _NEARLY_ALL else "near" if self.near >= _NEARLY_ALL else None


def spread(distance: Distance) -> Spread | None:
    """Look at some pairs, the same ones each time; None where there are no two items.

    >>> from msd_sql.udfs import L1
    >>> spread(L1([0.0, 1.0, 2.0, 3.0, 1000.0])).ninetieth > 0.9
    True
    """
    n = distance.n
    if n < 2:
        return None
    drawn = np.random.default_rng(7)
    rows = np.arange(n) if n <= _ROWS else drawn.choice(n, _ROWS, replace=False)
    columns = np.arange(n) if n <= _COLUMNS else drawn.choice(n, _COLUMNS, replace=False)
    found = np.concatenate([distance.row(int(row))[columns[columns != row]] for row in rows])
    return Spread(
        float(np.median(found)),
        float(np.percentile(found, 90)),
        float(np.mean(found >= _FAR)),
        float(np.mean(found <= _SAME)),
    )
