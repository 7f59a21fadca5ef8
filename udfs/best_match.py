"""Best match: a unit counts its highest similarity to an item of S (DESIGN 1; the paper's Uber objective, appendix F).

Similarities are whole multiples of 2^-20 per unit before anything is summed, so every sum is exact and one unit moves
no score by more than one count.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from .best_match_index import BestMatchIndex
from .errors import InputError
from .incidence import Codes
from .marginals import Marginals
from .types import FRACTION_BITS, IntArray

__all__ = ["BestMatch", "BestMatchIndex"]

_BLOCK = 1 << 22  # similarities looked at together: bounds the temporary arrays


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
        self._index.turn_round()
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
        return self._index.units(code)

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
