"""The Uber relevance: the mean over pickups of the best convenience score of a chosen point (paper, section 7.2).

Pickups at the same place are one row with a weight, and similarities are a dense table: here every pickup is near
to hundreds of grid points, where a sparse index would be the larger one. The numbers are those of
`msd_sql.udfs.relevance.best_match`: multiples of 2^-20, summed exactly (integers below 2^53 in float64).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from msd_sql.udfs.types import FRACTION_BITS, ONE, FloatArray, IntArray

Similarities = npt.NDArray[np.float32]
CHUNK = 256  # rows that are near to each other and updated together
REMEMBERED = 20_000  # gain vectors kept, 8 KB each at n = 1,000


def convenience(places: FloatArray, points: FloatArray) -> Similarities:
    """Score c(a,b) = 2 - 2/(1+e^(-200‖a-b‖₁)) for every place (row) and point (column), in whole steps of 2^-20.

    >>> (convenience(np.array([[0.0, 0.0]]), np.array([[0.0, 0.0], [0.005, 0.005]])) / ONE).round(4)
    array([[1.    , 0.2384]], dtype=float32)
    """
    table = np.empty((len(places), len(points)), np.float32)
    for start in range(0, len(places), CHUNK):
        block = slice(start, start + CHUNK)
        apart = np.abs(places[block, None, 0] - points[:, 0]) + np.abs(places[block, None, 1] - points[:, 1])
        table[block] = np.rint(ONE * (2.0 - 2.0 / (1.0 + np.exp(-200.0 * apart))))
    return table


class Convenience:
    """A best-match relevance over weighted places; a gain vector once computed is remembered for other runs.

    >>> table = np.array([[ONE, 0.0], [ONE // 2, ONE]], dtype=np.float32)
    >>> relevance = Convenience(table, weights=np.array([3, 1]))
    >>> relevance.add(0)
    >>> (relevance.gains() / ONE).tolist()
    [0.0, 0.5]
    """

    bits = FRACTION_BITS
    cap = 1
    private = True
    binary = False

    def __init__(self, table: Similarities, weights: npt.NDArray[np.integer]) -> None:
        self.n = table.shape[1]
        self.units = int(weights.sum())
        self._table = table
        self._columns = np.ascontiguousarray(table.T)
        self._weights = weights.astype(np.float64)
        self._starts = np.arange(0, len(table), CHUNK)
        self._highest = np.stack([table[start : start + CHUNK].max(axis=0) for start in self._starts])
        self._alone = self._exact(self._columns)
        self._known: dict[frozenset[int], FloatArray] = {}
        self.clear()

    def gains(self) -> IntArray:
        """Marginal of every point given the picks, in steps of 2^-20 pickups."""
        present = frozenset(self._picks)
        known = self._known.get(present)
        if known is None:
            known = self._gain - self._lost()
            if len(self._known) < REMEMBERED:
                self._known[present] = known
        self._gain, self._counted = known, self._best
        return known.astype(np.int64)

    def add(self, item: int) -> None:
        """Append a point: every pickup keeps the better of what it had and this."""
        self._picks.append(int(item))
        self._best = np.maximum(self._best, self._columns[item])

    def value(self) -> int:
        """Sum of the best scores, in steps of 2^-20."""
        return int(self._best.astype(np.float64) @ self._weights)

    def swap_gains(self, sample: IntArray) -> IntArray:
        """value(S - picks[slot] + v) - value(S), slot by slot."""
        rows = []
        for slot in range(len(self._picks)):
            others = self._without(slot)
            rows.append(self._exact(np.maximum(self._columns[sample], others)) - self.value())
        return np.array(rows).reshape(len(self._picks), len(sample)).astype(np.int64)

    def swap(self, slot: int, item: int) -> None:
        """Replace the point of one slot; the gains are counted anew from nothing."""
        self._picks[slot] = int(item)
        self._best = self._columns[self._picks].max(axis=0)
        self._counted, self._gain = np.zeros_like(self._best), self._alone

    def clear(self) -> None:
        """Forget the picks, not what was learnt about sets of picks."""
        self._picks: list[int] = []
        self._best = np.zeros(len(self._table), np.float32)
        self._counted, self._gain = self._best, self._alone

    def forget(self) -> None:
        """Drop what was learnt about sets of picks, so that the next run can be timed."""
        self.clear()
        self._known.clear()

    def _exact(self, columns: Similarities) -> FloatArray:
        return np.array([column.astype(np.float64) @ self._weights for column in columns])

    def _without(self, slot: int) -> Similarities:
        others = [item for place, item in enumerate(self._picks) if place != slot]
        return self._columns[others].max(axis=0) if others else np.zeros_like(self._best)

    def _lost(self) -> FloatArray:
        """Sum up what every point's gain falls by, now that the best scores rose from `_counted` to `_best`."""
        lost = np.zeros(self.n)
        risen = self._best > self._counted
        for chunk in np.flatnonzero(np.logical_or.reduceat(risen, self._starts)):
            rows = slice(self._starts[chunk], self._starts[chunk] + CHUNK)
            before, weights = self._counted[rows], self._weights[rows]
            # A point no nearer to any of these rows than what they had gains nothing here, before or after.
            near = np.flatnonzero(self._highest[chunk] > before[risen[rows]].min())
            points = slice(near[0], near[-1] + 1)
            block = np.maximum(self._table[rows, points], before[:, None])
            np.minimum(block, self._best[rows, None], out=block)
            lost[points] += weights @ block - weights @ before
        return lost
