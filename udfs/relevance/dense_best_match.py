"""Best match over a table of all similarities: where every row is a unit, nearly all of them are above 0.

A table takes less room than lists of those that are, needs no sort, and is read at the speed of memory. It holds the
units of one item side by side, which is the order in which DuckDB compares them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import numpy.typing as npt

from ..types import FRACTION_BITS, IntArray
from .best_match import BestMatch
from .csr_rows import Codes
from .packed_pairs import VALUE_BITS, item_bits

_CELLS = 1 << 18  # similarities worked on at a time: their temporary arrays stay in the processor's cache
_RUN = 64  # places side by side that are worth a step of their own
_REMEMBERED = 1 << 24  # bytes of marginals that an index keeps for further questions
_EXACT = 1 << (53 - FRACTION_BITS)  # units whose similarities sum to less than 2^53: floating point adds them exactly


class DenseBestMatchIndex:
    """The similarity of every item (row) to every unit, in multiples of 2^-20; how many equal units each stands for.

    >>> index = DenseBestMatchIndex(np.array([[1 << 20, 0], [1 << 19, 1 << 18]], np.int32), np.array([1, 3]))
    >>> index.total.tolist() == [1 << 20, (1 << 19) + 3 * (1 << 18)]
    True
    """

    def __init__(self, table: npt.NDArray[np.int32], weights: IntArray) -> None:
        self.n = table.shape[0]
        self.table = table
        self.weights = weights
        self.alone: IntArray = np.zeros(self.n, np.int64)  # every unit is in the table
        self._exact = int(weights.sum()) < _EXACT
        self.total: IntArray = np.zeros(self.n, np.int64)
        for items in blocks(self.n, len(weights)):
            self.total[items] = self.weighed(table[items], weights)
        self._after: dict[frozenset[int], IntArray] = {}  # by picks, the marginals that they leave

    @classmethod
    def from_keys(cls, keys: Iterable[IntArray], n: int, weights: IntArray) -> DenseBestMatchIndex:
        """Index keys (unit · 2^item_bits(n) + item) · 2^21 + similarity, block by block; a pair comes once.

        >>> DenseBestMatchIndex.from_keys([np.array([(0 << 1 | 1) << 21 | 9])], 2, np.array([1])).table.tolist()
        [[0], [9]]
        """
        table = np.zeros((n, len(weights)), np.int32)
        cells, bits = table.reshape(-1), item_bits(n)
        for part in keys:
            place = part >> VALUE_BITS
            unit = place >> bits
            place &= (1 << bits) - 1
            place *= len(weights)
            place += unit
            _write(cells, place, part & ((1 << VALUE_BITS) - 1))
        return cls(table, weights)

    @property
    def nbytes(self) -> int:
        """What the index may come to take."""
        return int(self.table.nbytes + self.weights.nbytes + 2 * self.total.nbytes + _REMEMBERED)

    def units(self, item: int) -> tuple[Codes, Codes]:
        """Find the units that are similar to the item, and how similar; none are to item -1."""
        similar = self.table[item] if item >= 0 else self.table[0, :0]
        found = np.flatnonzero(similar)
        return found, similar[found]

    def weighed(self, table: npt.NDArray[np.int32], weights: IntArray) -> IntArray:
        """Per item the sum of its similarities, each times the weight of its unit, as an exact whole number."""
        if self._exact:  # all sums are whole numbers below 2^53
            return np.rint(table.astype(np.float64) @ weights.astype(np.float64)).astype(np.int64)
        found: IntArray = table.astype(np.int64) @ weights
        return found

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
        index = self._dense
        units, similar = self._units(code)
        better = np.flatnonzero(similar > self._best[units])
        units, similar = units[better], similar[better]
        before = self._best[units]
        self._best[units] = similar
        self._value += int((index.weights[units] * (similar - before)).sum())
        picks = frozenset(self._picks)
        known = index.after(picks)
        if known is not None:
            self._gain = known.copy()
            return
        weights = index.weights[units]
        for items in blocks(index.n, len(units)):
            held = index.table[items].take(units, axis=1, mode="clip")  # they are in range: no look at each
            np.minimum(held, similar, out=held)
            np.maximum(held, before, out=held)
            held -= before
            self._gain[items] -= index.weighed(held, weights)
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


def _write(cells: npt.NDArray[np.int32], places: IntArray, values: IntArray) -> None:
    """Write values to their places: run by run where those stand side by side, as DuckDB compares units in order."""
    ends = np.append(np.flatnonzero(np.diff(places) != 1) + 1, len(places)).tolist()
    if len(ends) * _RUN > len(places):
        cells[places] = values
        return
    start = 0
    for end in ends:
        first = int(places[start])
        cells[first : first + end - start] = values[start:end]
        start = end
