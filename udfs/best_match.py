"""Best match: a unit counts its highest similarity to an item of S (DESIGN 1; the paper's Uber objective, appendix F).

Similarities are whole multiples of 2^-20 per unit before anything is summed, so every sum is exact and one unit moves
no score by more than one count.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from .errors import InputError
from .incidence import Codes, Rows
from .marginals import Marginals
from .types import FRACTION_BITS, ONE, IntArray

_BLOCK = 1 << 22  # similarities looked at together: bounds the temporary arrays


@dataclass(frozen=True)
class BestMatchIndex:
    """Similarities both ways round; a unit similar to one item only is a sum of that item's, it never competes."""

    n: int
    units_of: Rows  # of an item, with the similarity
    items_of: Rows  # of a unit, with the similarity
    weights: IntArray  # how many equal units each one stands for
    alone: IntArray  # per item: similarities of the units that are similar to no other
    total: IntArray  # per item: all its similarities

    @classmethod
    def from_triples(
        cls,
        units: npt.ArrayLike,
        items: npt.ArrayLike,
        similarities: npt.ArrayLike,
        n: int,
        weights: npt.ArrayLike | None = None,
    ) -> BestMatchIndex:
        """Index (unit code, item code, similarity in multiples of 2^-20).

        Of a pair that comes twice the highest similarity counts; zeros are dropped. `weights[x]` is how many equal
        units the code x stands for, by default 1.

        >>> BestMatchIndex.from_triples([0, 0, 1], [0, 1, 1], [1 << 20, 1 << 19, 1 << 18], n=2).total
        array([1048576,  786432])
        """
        unit_codes, item_codes = np.asarray(units, np.int64), np.asarray(items, np.int64)
        similar = np.asarray(similarities)
        if not unit_codes.shape == item_codes.shape == similar.shape or unit_codes.ndim != 1:
            raise InputError("Units, items and similarities must be three flat arrays of the same length.")
        if len(item_codes) and not 0 <= item_codes.min() <= item_codes.max() < n:
            raise InputError(f"Item codes must be in 0..{n - 1}.")
        # Says nothing of the values: they are private.
        if similar.dtype.kind not in "iu" or (len(similar) and not 0 <= similar.min() <= similar.max() <= ONE):
            raise InputError(f"Similarities must be whole multiples of 2^-{FRACTION_BITS}, from 0 to 1.")
        count = int(unit_codes.max()) + 1 if len(unit_codes) else 0
        weight = np.ones(count, np.int64) if weights is None else np.asarray(weights, np.int64)
        if len(weight) < count or (len(weight) and weight.min() < 1):
            raise InputError("Every unit code needs a weight of at least 1.")

        table = _table(unit_codes, item_codes, similar.astype(np.int32), (len(weight), n))
        held = np.diff(table.indptr)
        lone = np.flatnonzero(held == 1)
        alone = np.zeros(n, np.int64)
        at = table.indptr[lone]
        np.add.at(alone, table.indices[at], weight[lone] * table.data[at])
        several = np.flatnonzero(held > 1)
        table, weight = table[several], weight[several]
        items_of = Rows(table.indptr, table.indices, table.data)
        total = alone.copy()
        np.add.at(total, items_of.codes, np.repeat(weight, held[several]) * items_of.values)
        return cls(n, items_of.transposed(n), items_of, weight, alone, total)


class BestMatch(Marginals):
    """The picks' best matches over an index: only units whose best or second best match changes are looked at.

    With b and b' a unit's best and second best match in S and s its similarity to v:
    gain[v] = Σ max(0, s-b); over the units whose best is u, loss[u] = Σ b-b' and back[u, v] = Σ clip(s, b', b) - b'.

    >>> index = BestMatchIndex.from_triples([0, 0, 1], [0, 1, 1], [1 << 20, 1 << 19, 1 << 18], n=2)
    >>> relevance = BestMatch(index, m=2)
    >>> relevance.add(0)
    >>> relevance.gains()[1] == 1 << 18
    np.True_
    """

    bits = FRACTION_BITS
    cap = 1
    binary = False

    def __init__(self, index: BestMatchIndex, m: int, candidates: npt.ArrayLike | None = None) -> None:
        if m < 1:
            raise InputError(f"best_match needs m of at least 1; {m} was given.")
        super().__init__(index.total, candidates, np.int64)
        self.units = m
        self._index = index
        count = len(index.weights)
        self._best = np.zeros(count, np.int32)
        self._second = np.zeros(count, np.int32)  # this and the next only from the first swap on
        self._best_slot = np.full(count, -1, np.int32)

    def add(self, item: int) -> None:
        """Append a pick: only units that it suits better than all before change their marginals."""
        code = self._code(item)
        units, similar = self._units(code)
        better = similar > self._best[units]
        units, similar = units[better], similar[better]
        before = self._best[units]
        self._best[units] = similar
        self._value += self._lone(code) + int((self._index.weights[units] * (similar - before)).sum())
        for part, items, owner, s in self._blocks(units):
            low, high = before[part][owner], similar[part][owner]
            np.subtract.at(self._gain, items, self._index.weights[units[part]][owner] * (np.clip(s, low, high) - low))
        self._append(code)

    def swap(self, slot: int, item: int) -> None:
        """Replace one pick: only the units of the two items are read."""
        loss = self._losses()
        out, new = self._picks[slot], self._code(item)
        self._picks[slot] = new
        self._slot_of[out] = -1
        self._slot_of[new] = slot
        loss[slot] += self._lone(new) - self._lone(out)
        self._value += self._lone(new) - self._lone(out)
        self._settle(np.union1d(self._units(out)[0], self._units(new)[0]), loss)

    def clear(self) -> None:
        """Forget the picks; the index stays."""
        for code in self._picks:
            units = self._units(code)[0]
            self._best[units] = 0
            self._second[units] = 0
            self._best_slot[units] = -1
        self._forget()

    def _tabulate(self) -> IntArray:
        self._second[:] = 0
        self._best_slot[:] = -1
        loss = np.array([self._lone(code) for code in self._picks], dtype=np.int64)
        self._settle(np.flatnonzero(self._best), loss)
        return loss

    def _settle(self, units: Codes, loss: IntArray) -> None:
        """Find the best and the second best match of these units again and enter what changed in the table."""
        for part, items, owner, s in self._blocks(units):
            some = units[part]
            weight = self._index.weights[some]
            old = self._best[some], self._second[some], self._best_slot[some]
            new = _two_best(len(some), owner, s, self._slot_of[items])
            self._best[some], self._second[some], self._best_slot[some] = new
            self._value += int((weight * (new[0] - old[0])).sum())
            each = weight[owner]
            np.add.at(self._gain, items, each * (np.maximum(s - new[0][owner], 0) - np.maximum(s - old[0][owner], 0)))
            for (best, second, slots), sign in ((old, -1), (new, 1)):
                held = slots >= 0
                np.add.at(loss, slots[held], sign * (weight * (best - second))[held])
                inside = held[owner]
                low, high = second[owner][inside], best[owner][inside]
                back = sign * each[inside] * (np.clip(s[inside], low, high) - low)
                np.add.at(self._back.reshape(-1), slots[owner][inside] * self._width + items[inside], back)

    def _units(self, code: int) -> tuple[Codes, Codes]:
        rows = self._index.units_of
        span = rows.span(code) if code >= 0 else slice(0, 0)
        return rows.codes[span], rows.values[span]

    def _lone(self, code: int) -> int:
        return int(self._index.alone[code]) if code >= 0 else 0

    def _blocks(self, units: Codes) -> Iterator[tuple[slice, Codes, Codes, Codes]]:
        """Walk over the similarities of many units: which units, then per similarity its item, its unit among these."""
        rows = self._index.items_of
        ends = np.cumsum(rows.bounds[units + 1] - rows.bounds[units], dtype=np.int64)
        start = 0
        while start < len(units):
            done = int(ends[start - 1]) if start else 0
            stop = max(start + 1, int(np.searchsorted(ends, done + _BLOCK, side="right")))
            where, lengths = rows.spans(units[start:stop])
            owner = np.repeat(np.arange(stop - start), lengths)
            yield slice(start, stop), rows.codes[where].astype(np.int64), owner, rows.values[where].astype(np.int64)
            start = stop


def _two_best(count: int, owner: Codes, s: Codes, slots: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Per unit: its highest similarity to a pick, the next one, and the slot of the highest (-1: no pick)."""
    picked = slots >= 0
    owner, s, slots = owner[picked], s[picked], slots[picked]
    best, second = np.zeros(count, np.int64), np.zeros(count, np.int64)
    best_slot = np.full(count, -1, np.int64)
    np.maximum.at(best, owner, s)
    highest = s == best[owner]
    best_slot[owner[highest]] = slots[highest]
    others = slots != best_slot[owner]
    np.maximum.at(second, owner[others], s[others])
    return best, second, best_slot


def _table(
    units: IntArray, items: IntArray, similarities: npt.NDArray[np.int32], shape: tuple[int, int]
) -> sparse.csr_array[Any]:
    """Make one row a unit, without zeros; of equal pairs the highest."""
    kept = similarities > 0
    if not kept.all():
        units, items, similarities = units[kept], items[kept], similarities[kept]
    table = sparse.coo_array((similarities, (units, items)), shape=shape).tocsr()
    if table.nnz < len(similarities):  # scipy has added up equal pairs
        order = np.lexsort((similarities, items, units))
        units, items, similarities = units[order], items[order], similarities[order]
        last = np.append((units[1:] != units[:-1]) | (items[1:] != items[:-1]), True)
        table = sparse.coo_array((similarities[last], (units[last], items[last])), shape=shape).tocsr()
    return table
