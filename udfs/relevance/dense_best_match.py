"""Best match over a table of all similarities: where every row is a unit, many of them are above 0.

A table takes less room than lists of those that are, needs no sort, and is read at the speed of memory. It holds the
units of one item side by side, and of some units together the highest similarity to every item is known: where that is
no better than what they have already, the item is passed over. The more alike neighbours are, the more is.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import numpy.typing as npt

from ..types import FRACTION_BITS, BoolArray, FloatArray, IntArray
from .best_match import BestMatch
from .csr_rows import Codes
from .similarity_table import Compared, Table, filled

_CELLS = 1 << 18  # similarities worked on at a time: their temporary arrays stay in the processor's cache
_UNITS = 512  # units side by side that are looked at together
_LARGE = 1 << 22  # similarities worth a second thread
_REMEMBERED = 1 << 24  # bytes of marginals that an index keeps for further questions
_EXACT = 1 << (53 - FRACTION_BITS)  # units whose similarities sum to less than 2^53: floating point adds them exactly

Best = npt.NDArray[np.int32]


class DenseBestMatchIndex:
    """The similarity of every item (row) to every unit, in multiples of 2^-20; how many equal units each stands for.

    >>> index = DenseBestMatchIndex(np.array([[1 << 20, 0], [1 << 19, 1 << 18]], np.int32), np.array([1, 3]))
    >>> index.total.tolist() == [1 << 20, (1 << 19) + 3 * (1 << 18)]
    True
    """

    def __init__(self, table: Table, weights: IntArray) -> None:
        self.n = table.shape[0]
        self.table = table
        self.weights = weights
        self.alone: IntArray = np.zeros(self.n, np.int64)  # every unit is in the table
        exact = int(weights.sum()) < _EXACT
        self._weights: FloatArray | IntArray = weights.astype(np.float64) if exact else weights
        self._starts = np.arange(0, len(weights), _UNITS)
        self._highest = np.zeros((len(self._starts), self.n), np.int32)  # of the units from there on, to every item
        self.total: IntArray = np.zeros(self.n, np.int64)
        for items in blocks(self.n, len(weights)):
            self.total[items] = _weighed(table[items], self._weights)
            self._highest[:, items] = np.maximum.reduceat(table[items], self._starts, axis=1).T
        self._after: dict[frozenset[int], IntArray] = {}  # by picks, the marginals that they leave

    @classmethod
    def from_blocks(cls, compared: Iterable[Compared], n: int, weights: IntArray) -> DenseBestMatchIndex:
        """Index (unit, item, similarity), block by block, in any order; a pair comes once at most.

        >>> DenseBestMatchIndex.from_blocks([(np.array([0]), np.array([1]), np.array([0.5]))], 2, np.array([3])).total
        array([      0, 1572864])
        """
        return cls(filled(compared, n, len(weights)), weights)

    @property
    def nbytes(self) -> int:
        """What the index may come to take."""
        own = (self.table, self.weights, self._weights, self._highest, self.total, self.alone)
        return int(sum(array.nbytes for array in own) + _REMEMBERED)

    def units(self, item: int) -> tuple[Codes, Codes]:
        """Find the units that are similar to the item, and how similar; none are to item -1."""
        similar = self.table[item] if item >= 0 else self.table[0, :0]
        found = np.flatnonzero(similar)
        return found, similar[found]

    def losses(self, before: Best, after: Best) -> IntArray:
        """Per item what it can no longer add once the units' best matches rise: Σ clip(s, before, after) - before.

        >>> index = DenseBestMatchIndex(np.array([[5, 0], [3, 9]], np.int32), np.array([1, 2]))
        >>> index.losses(np.array([2, 0], np.int32), np.array([5, 0], np.int32)).tolist()
        [3, 1]
        """
        rises = after > before
        if not rises.any():
            return np.zeros(self.n, np.int64)
        least = np.minimum.reduceat(np.where(rises, before, np.iinfo(np.int32).max), self._starts)
        wanted = self._highest > least[:, None]
        seen = np.count_nonzero(wanted) * _UNITS
        if seen > np.count_nonzero(rises) * self.n:  # neighbours are not alike
            return self._losses_of_units(np.flatnonzero(rises), before, after)
        places = np.flatnonzero(wanted.any(axis=1))
        if seen < _LARGE or (os.cpu_count() or 1) < 2:
            return self._losses_of_neighbours(places, wanted, before, after)
        with ThreadPoolExecutor(2) as threads:
            parts = (places[::2], places[1::2])
            found = threads.map(lambda part: self._losses_of_neighbours(part, wanted, before, after), parts)
            return sum(found, np.zeros(self.n, np.int64))

    def _losses_of_neighbours(self, places: Codes, wanted: BoolArray, before: Best, after: Best) -> IntArray:
        """All units of a place together, for the items that are wanted there: units that do not rise lose nothing."""
        lost = np.zeros(self.n, np.int64)
        room = np.empty((self.n, _UNITS), self._weights.dtype)  # once: fresh memory costs more than what is done
        for place in places.tolist():
            units = slice(place * _UNITS, (place + 1) * _UNITS)
            low, high, weights = before[units], after[units], self._weights[units]
            items = np.flatnonzero(wanted[place])
            held = self.table[items, units]
            np.minimum(held, high, out=held)
            if low.any():
                np.maximum(held, low, out=held)
                lost[items] -= int(low @ weights)
            numbers = room[: len(items), : len(weights)]
            numbers[:] = held
            lost[items] += (numbers @ weights).astype(np.int64)
        return lost

    def _losses_of_units(self, units: Codes, before: Best, after: Best) -> IntArray:
        """These units and no others, for every item."""
        lost = np.zeros(self.n, np.int64)
        low, high, weights = before[units], after[units], self._weights[units]
        for items in blocks(self.n, len(units)):
            held = self.table[items].take(units, axis=1, mode="clip")  # they are in range: no look at each
            np.minimum(held, high, out=held)
            np.maximum(held, low, out=held)
            held -= low
            lost[items] = _weighed(held, weights)
        return lost

    def after(self, picks: frozenset[int]) -> IntArray | None:
        """The marginals that these picks leave, if they were asked for before; None if not."""
        return self._after.get(picks)

    def remember(self, picks: frozenset[int], gains: IntArray) -> None:
        """Keep the marginals that these picks leave: questions that follow often begin alike."""
        if len(self._after) < _REMEMBERED // (8 * (self.n + 1)):
            self._after[picks] = gains.copy()

    def turn_round(self) -> None:
        """Nothing to prepare: a table is read both ways."""


class DenseBestMatch(BestMatch):
    """`BestMatch` over a table.

    >>> relevance = DenseBestMatch(DenseBestMatchIndex(np.array([[1 << 20], [1 << 19]], np.int32), np.array([2])), m=2)
    >>> relevance.add(1)
    >>> relevance.gains().tolist() == [1 << 20, 0]
    True
    """

    def __init__(self, index: DenseBestMatchIndex, m: int, candidates: npt.ArrayLike | None = None) -> None:
        self._dense = index
        super().__init__(index, m, candidates)

    def _enter(self, code: int) -> None:
        """Only units that the pick suits better than all before change their marginals."""
        if code < 0:  # nobody is like it
            return
        index, before = self._dense, self._best
        self._best = np.maximum(before, index.table[code])
        self._value += int((index.weights * (self._best - before)).sum())
        picks = frozenset(self._picks)
        known = index.after(picks)
        if known is not None:
            self._gain = known.copy()
            return
        self._gain[:-1] -= index.losses(before, self._best)
        index.remember(picks, self._gain)

    def _blocks(self, units: Codes) -> Iterator[tuple[slice, Codes, Codes, Codes]]:
        items = np.arange(self._dense.n)
        for part in blocks(len(units), self._dense.n):
            size = part.stop - part.start
            similar = self._dense.table.take(units[part], axis=1).astype(np.int64).reshape(-1)
            yield part, np.repeat(items, size), np.tile(np.arange(size), len(items)), similar


def blocks(rows: int, width: int) -> Iterator[slice]:
    """Cut so many rows of this width into blocks.

    >>> list(blocks(3, _CELLS // 2))
    [slice(0, 2, None), slice(2, 3, None)]
    """
    size = max(1, _CELLS // max(width, 1))
    return (slice(start, min(start + size, rows)) for start in range(0, rows, size))


def _weighed(similar: Table, weights: FloatArray | IntArray) -> IntArray:
    """Per row the sum of similarities, each times the weight of its unit: whole numbers, and exact."""
    return np.asarray(similar.astype(weights.dtype) @ weights).astype(np.int64)
