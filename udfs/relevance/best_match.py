"""Best match: a unit counts its highest similarity to an item of S (the paper's Uber objective, appendix F).

Similarities are whole multiples of 2^-20 per unit before anything is summed, so every sum is exact and one unit moves
no score by more than one count.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ..errors import InputError
from ..types import FRACTION_BITS, IntArray
from .best_match_index import BestMatchIndex
from .csr_rows import Codes
from .marginals import Marginals

__all__ = ["BestMatch", "BestMatchIndex"]

_BLOCK = 1 << 16  # similarities looked at together: their temporary arrays stay in the processor's cache


class MatchIndex(Protocol):
    """What is asked of an index of similarities, whatever form it has."""

    total: IntArray
    weights: IntArray
    alone: IntArray

    def units(self, item: int) -> tuple[Codes, Codes]:
        """The units that are similar to an item, and how similar."""
        ...

    def turn_round(self) -> None:
        """Prepare for thousands of questions about the units of an item."""
        ...


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

    def __init__(self, index: MatchIndex, m: int, candidates: npt.ArrayLike | None = None) -> None:
        if m < 1:
            raise InputError(f"best_match needs m of at least 1; {m} was given.")
        super().__init__(index.total, candidates, np.int64)
        self.units = m
        self._index = index
        count = len(index.weights)
        self._best = np.zeros(count, np.int32)
        self._second = np.zeros(count, np.int32)  # this and the next only from the first swap on
        self._best_slot = np.full(count, -1, np.int64)
        self._to_picks = np.zeros((count, 0), np.int32)  # similarity of every unit to every pick

    def swap(self, slot: int, item: int) -> None:
        """Replace one pick: a unit is looked at only where one of the two items is among its two best matches."""
        loss = self._losses()
        out, new = self._picks[slot], self._code(item)
        self._picks[slot] = new
        loss[slot] += self._lone(new) - self._lone(out)
        self._value += self._lone(new) - self._lone(out)
        leaving, left = self._units(out)
        coming, come = self._units(new)
        self._to_picks[leaving, slot] = 0
        self._to_picks[coming, slot] = come
        leaving = leaving[left >= self._second[leaving]]
        coming = coming[come > self._second[coming]]
        self._settle(np.union1d(leaving, coming), loss)

    def clear(self) -> None:
        """Forget the picks; the index stays."""
        for code in self._picks:
            units = self._units(code)[0]
            self._best[units] = 0
            self._second[units] = 0
            self._best_slot[units] = -1
        self._forget()

    def _enter(self, code: int) -> None:
        """Only units that the pick suits better than all before change their marginals."""
        units, similar = self._units(code)
        better = similar > self._best[units]
        units, similar = units[better], similar[better]
        before = self._best[units]
        self._best[units] = similar
        self._value += self._lone(code) + int((self._index.weights[units] * (similar - before)).sum())
        for part, items, owner, s in self._blocks(units):
            low, high = before[part][owner], similar[part][owner]
            np.subtract.at(self._gain, items, self._index.weights[units[part]][owner] * (np.clip(s, low, high) - low))

    def _tabulate(self) -> IntArray:
        self._index.turn_round()
        self._second[:] = 0
        self._best_slot[:] = -1
        # As if no pick were there yet: `_settle` enters them all.
        self._gain[:-1] = self._first_gains
        self._value = sum(self._lone(code) for code in self._picks)
        met = np.flatnonzero(self._best)
        self._best[:] = 0
        self._to_picks = np.zeros((len(self._best), len(self._picks)), np.int32)
        for slot, code in enumerate(self._picks):
            units, similar = self._units(code)
            self._to_picks[units, slot] = similar
        loss = np.array([self._lone(code) for code in self._picks], dtype=np.int64)
        self._settle(met, loss)
        return loss

    def _settle(self, units: Codes, loss: IntArray) -> None:
        """Find the best and the second best match of these units again and enter what changed in the table."""
        had = self._best[units], self._second[units], self._best_slot[units]
        has = _two_best(self._to_picks[units])
        changed = np.flatnonzero((had[0] != has[0]) | (had[1] != has[1]) | (had[2] != has[2]))
        units = units[changed]
        best, second, slots = (column[changed] for column in has)
        best0, second0, slots0 = (column[changed] for column in had)
        self._best[units], self._second[units], self._best_slot[units] = best, second, slots

        # A unit without a match has slot -1 and best = second = 0: what it adds to the last slot is 0.
        weight = self._index.weights[units]
        self._value += int((weight * (best - best0)).sum())
        np.add.at(loss, slots, weight * (best - second))
        np.subtract.at(loss, slots0, weight * (best0 - second0))
        back, row, row0 = self._back.reshape(-1), slots * self._width, slots0 * self._width
        least = np.minimum(second, second0)
        for part, items, owner, s in self._blocks(units):
            counts = s > least[part][owner]  # a match below the second best holds nothing up and gains nothing
            items, owner, s = items[counts], owner[counts] + part.start, s[counts]
            each, high, low, high0, low0 = weight[owner], best[owner], second[owner], best0[owner], second0[owner]
            np.add.at(self._gain, items, each * (np.maximum(s, high) - high - np.maximum(s, high0) + high0))
            np.add.at(back, row[owner] + items, each * (np.clip(s, low, high) - low))
            np.subtract.at(back, row0[owner] + items, each * (np.clip(s, low0, high0) - low0))

    def _units(self, code: int) -> tuple[Codes, Codes]:
        return self._index.units(code)

    def _lone(self, code: int) -> int:
        return int(self._index.alone[code]) if code >= 0 else 0

    def _blocks(self, units: Codes) -> Iterator[tuple[slice, Codes, Codes, Codes]]:
        """Walk over the similarities of many units: which units, then per similarity its item, its unit among these."""
        index = self._index
        assert isinstance(index, BestMatchIndex)  # another form has another walk
        rows = index.items_of
        ends = np.cumsum(rows.bounds[units + 1] - rows.bounds[units], dtype=np.int64)
        start = 0
        while start < len(units):
            done = int(ends[start - 1]) if start else 0
            stop = max(start + 1, int(np.searchsorted(ends, done + _BLOCK, side="right")))
            where, lengths = rows.spans(units[start:stop])
            owner = np.repeat(np.arange(stop - start), lengths)
            yield slice(start, stop), rows.codes[where].astype(np.int64), owner, rows.values[where].astype(np.int64)
            start = stop


def _two_best(to_picks: npt.NDArray[np.int32]) -> tuple[Codes, Codes, Codes]:
    """Per unit (row): its highest similarity to a pick, the next one, and the slot of the highest (-1: none at all)."""
    rows = np.arange(len(to_picks))
    slots = to_picks.argmax(axis=1)
    best = to_picks[rows, slots]
    to_picks[rows, slots] = 0
    return best, to_picks.max(axis=1), np.where(best > 0, slots, -1)
