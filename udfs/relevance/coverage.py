"""Coverage: a unit counts 1 for each of its items in S, up to `cap` of them (paper, example 4.3)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import InputError
from ..types import IntArray
from .coverage_index import CoverageIndex
from .csr_rows import Codes
from .marginals import Marginals

__all__ = ["Coverage", "CoverageIndex"]


class Coverage(Marginals):
    """The picks' coverage over an index: marginals change only for the items of units that reach their cap.

    With t the number of picks that unit x has: gain[v] = #{x∋v: t<cap}, loss[u] = #{x∋u: t≤cap} and
    back[u, v] = #{x∋u,v: t=cap}. `candidates` are the index's items that are asked about (-1: nobody has it).

    >>> relevance = Coverage(CoverageIndex.from_pairs([0, 0, 1, 1], [0, 1, 1, 2], n=2), m=3, k=2)
    >>> relevance.add(0)
    >>> relevance.gains()[1]
    np.int64(1)
    """

    bits = 0

    def __init__(
        self, index: CoverageIndex, m: int, k: int, cap: int = 1, candidates: npt.ArrayLike | None = None
    ) -> None:
        if m < 1 or k < 1 or cap < 1:
            raise InputError(f"Coverage needs m, k and cap of at least 1; m = {m}, k = {k}, cap = {cap} were given.")
        super().__init__(index.units, candidates, np.int32)
        self.cap, self.units, self.binary = cap, m * cap, cap == 1
        self._index, self._k = index, k
        self._prepared = False  # does the index know how many users of an item will be asked for?
        self._times = np.zeros(len(index.items_of.bounds) - 1, np.min_scalar_type(k))  # picks that each user has

    def swap(self, slot: int, item: int) -> None:
        """Replace one pick: only the units of the two items are read."""
        loss, back = self._losses(), self._back[slot]
        out, new = self._picks[slot], self._code(item)
        self._picks[slot] = new

        users, before = self._users(out)
        self._times[users] = before - 1
        self._value -= self._held(out, before <= self.cap)
        self._slot_of[out] = -1
        self._gain += back  # the units that only this pick held at their cap are open again
        if self.cap > 1:
            self._hold(users[before == self.cap], -1)
        loss += self._hold(users[before == self.cap + 1], 1)

        users, before = self._users(new)
        self._times[users] = before + 1
        loss -= self._hold(users[before == self.cap], -1)
        full = before == self.cap - 1
        if self.cap > 1:
            self._hold(users[full], 1)
        back[:] = self._index.tally(new, users, full)
        self._gain -= back
        self._slot_of[new] = slot
        loss[slot] = self._held(new, before < self.cap)
        self._value += int(loss[slot])

    def clear(self) -> None:
        """Forget the picks; the index stays."""
        self._times.fill(0)
        self._forget()

    def _enter(self, code: int) -> None:
        """The units that the pick brings to their cap no longer count for their other items."""
        if not self._prepared:
            self._index.expect(self._k)
            self._prepared = True
        users, before = self._users(code)
        self._times[users] = before + 1
        self._gain -= self._index.tally(code, users, before == self.cap - 1)
        self._value += self._held(code, before < self.cap)

    def _users(self, code: int) -> tuple[Codes, npt.NDArray[np.unsignedinteger[Any]]]:
        """Find the users who share the item with another one, and how many picks each has."""
        users = self._index.users(code).astype(np.intp)  # once: numpy would do so wherever they are a place
        return users, self._times.take(users)

    def _held(self, code: int, counted: npt.NDArray[np.bool_]) -> int:
        return int(np.count_nonzero(counted)) + (int(self._index.alone[code]) if code >= 0 else 0)

    def _hold(self, users: Codes, sign: int) -> IntArray:
        """Enter (or strike out) users at their cap under every pick that they have; says how many under each."""
        rows = self._index.items_of
        where, lengths = rows.spans(users)
        items = rows.codes[where]
        slots = self._slot_of[items]
        picked = slots >= 0
        slots = slots[picked]
        if len(slots) != len(users):  # several picks each: the items of a user once for each of them
            where, lengths = rows.spans(np.repeat(users, lengths)[picked])
            items = rows.codes[where]
        np.add.at(self._back.reshape(-1), np.repeat(slots * self._width, lengths) + items, np.int32(sign))
        return np.bincount(slots, minlength=len(self._picks))

    def _tabulate(self) -> IntArray:
        loss = np.zeros(len(self._picks), np.int64)
        for slot, code in enumerate(self._picks):
            users, times = self._users(code)
            self._back[slot] = self._index.tally(code, users, times == self.cap)
            loss[slot] = self._held(code, times <= self.cap)
        return loss
