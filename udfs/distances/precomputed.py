"""Precomputed: distances from a public table of pairs, held once per pair."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..errors import InputError
from ..types import FloatArray, IntArray


class Precomputed:
    """All n(n-1)/2 pairs, in any order and direction; the triangle inequality is the giver's promise.

    >>> Precomputed(i=[0, 2, 1], j=[1, 0, 2], d=[0.5, 1.0, 0.75], n=3).row(2)
    array([1.  , 0.75, 0.  ])
    """

    def __init__(self, i: npt.ArrayLike, j: npt.ArrayLike, d: npt.ArrayLike, n: int) -> None:
        left, right = np.asarray(i, dtype=np.int64), np.asarray(j, dtype=np.int64)
        try:
            distance = np.asarray(d, dtype=np.float64)
        except (TypeError, ValueError):
            raise InputError("precomputed: the distances must be numbers without NULL.") from None
        if not (left.ndim == 1 and left.shape == right.shape == distance.shape):
            raise InputError("precomputed: two items and one distance are needed for every pair.")
        if len(left) and (min(left.min(), right.min()) < 0 or max(left.max(), right.max()) >= n):
            raise InputError("precomputed: a pair names an item that is not a candidate.")
        if not ((distance >= 0) & (distance <= 1)).all():
            raise InputError("precomputed: every distance must lie in [0, 1]; one is outside, NaN or NULL.")
        if (distance[left == right] != 0).any():
            raise InputError("precomputed: an item must be at distance 0 from itself.")
        self.n = n
        apart = left != right
        low, high, distance = np.minimum(left, right)[apart], np.maximum(left, right)[apart], distance[apart]
        place = self._place(low, high)
        self._held = np.full(n * (n - 1) // 2, np.nan)
        self._held[place] = distance
        if (self._held[place] != distance).any():
            raise InputError("precomputed: a pair was given twice with different distances; a distance is symmetric.")
        missing = int(np.isnan(self._held).sum())
        if missing:
            raise InputError(f"precomputed: {missing} of {len(self._held)} pairs are missing; give every pair once.")

    def row(self, item: int) -> FloatArray:
        """dist(item, v) for every candidate v.

        >>> Precomputed([0], [1], [0.25], 2).row(0)
        array([0.  , 0.25])
        """
        row = np.zeros(self.n)
        below, above = np.arange(item), np.arange(item + 1, self.n)
        row[:item] = self._held[self._place(below, np.full(item, item))]
        row[item + 1 :] = self._held[self._place(np.full(len(above), item), above)]
        return row

    def _place(self, low: IntArray, high: IntArray) -> IntArray:
        """Where the pair low < high stands in the upper triangle, read row by row."""
        place: IntArray = low * (2 * self.n - low - 1) // 2 + high - low - 1
        return place
