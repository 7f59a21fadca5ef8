"""Coverage: a unit counts 1 for each of its items in S, up to `cap` of them (DESIGN 1 and 6; paper, example 4.3)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .coverage_index import CoverageIndex
from .errors import InputError
from .incidence import Codes
from .types import IntArray

__all__ = ["Coverage", "CoverageIndex"]


class Coverage:
    """The picks' coverage over an index: marginals change only for the items of units that reach their cap.

    `candidates` names the index's items that are asked about, in their order (-1: an item that nobody has).

    >>> relevance = Coverage(CoverageIndex.from_pairs([0, 0, 1, 1], [0, 1, 1, 2], n=2), m=3, k=2)
    >>> relevance.add(0)
    >>> relevance.gains()[1]
    np.int64(1)
    """

    bits = 0
    private = True

    def __init__(
        self, index: CoverageIndex, m: int, k: int, cap: int = 1, candidates: npt.ArrayLike | None = None
    ) -> None:
        if m < 1 or k < 1 or cap < 1:
            raise InputError(f"Coverage needs m, k and cap of at least 1; m = {m}, k = {k}, cap = {cap} were given.")
        self._index = index
        self._asked = None if candidates is None else np.asarray(candidates, dtype=np.int64)
        self.n = index.n if self._asked is None else len(self._asked)
        self.cap, self.units, self.binary = cap, m * cap, cap == 1
        self._width = index.n + 1  # the last column is the item that nobody has
        self._times = np.zeros(len(index.items_of.bounds) - 1, np.min_scalar_type(k))  # picks that each user has
        self._gain: IntArray = np.append(index.units, 0)
        self._slot_of = np.full(self._width, -1, np.int64)
        self._picks: list[int] = []
        self._value = 0
        self._loss: IntArray | None = None  # per slot: counts lost without it; None until a swap is asked for
        self._back = np.zeros((0, self._width), np.int32)  # per slot and item: how many of them the item brings back

    def gains(self) -> IntArray:
        """Per candidate: its units below their cap."""
        return self._gain[: self._index.n].copy() if self._asked is None else self._gain[self._asked]

    def value(self) -> int:
        """Return the counts that the picks reach."""
        return self._value

    def add(self, item: int) -> None:
        """Append a pick: the units that it brings to their cap no longer count for their other items."""
        code = self._code(item)
        users, before = self._users(code)
        self._times[users] = before + 1
        self._count(self._items(users[before == self.cap - 1]), -1)
        self._value += self._held(code, before < self.cap)
        self._slot_of[code] = len(self._picks)
        self._picks.append(code)
        self._loss = None

    def swap_gains(self, sample: IntArray) -> IntArray:
        """value(S - u + v) - value(S): v's new counts, less those only u holds up, plus those of them that v has.

        = #{x∋v: t<cap} - #{x∋u: t≤cap} + #{x∋u,v: t=cap} with t the number of picks that x has.
        """
        loss = self._tabulate()
        codes = sample if self._asked is None else self._asked[sample]
        return self._back[:, codes] + (self._gain[codes][None, :] - loss[:, None])

    def swap(self, slot: int, item: int) -> None:
        """Replace one pick: only the units of the two items are read."""
        loss = self._tabulate()
        out, new = self._picks[slot], self._code(item)
        self._picks[slot] = new

        users, before = self._users(out)
        self._times[users] = before - 1
        self._value -= self._held(out, before <= self.cap)
        self._slot_of[out] = -1
        self._hold(users[before == self.cap], -1)
        self._count(self._items(users[before == self.cap]), 1)
        loss += self._hold(users[before == self.cap + 1], 1)
        self._back[slot] = 0

        users, before = self._users(new)
        self._times[users] = before + 1
        loss -= self._hold(users[before == self.cap], -1)
        self._slot_of[new] = slot
        self._hold(users[before == self.cap - 1], 1)
        self._count(self._items(users[before == self.cap - 1]), -1)
        loss[slot] = self._held(new, before < self.cap)
        self._value += int(loss[slot])

    def clear(self) -> None:
        """Forget the picks; the index stays."""
        for code in self._picks:
            self._times[self._users(code)[0]] = 0
        self._slot_of[self._picks] = -1
        self._gain[:-1] = self._index.units
        self._picks, self._value, self._loss = [], 0, None

    def _code(self, item: int) -> int:
        return int(item) if self._asked is None else int(self._asked[item])

    def _users(self, code: int) -> tuple[Codes, npt.NDArray[np.unsignedinteger]]:
        """Find the users who share the item with another one, and how many picks each has."""
        users = self._index.users(code)
        return users, self._times[users]

    def _held(self, code: int, counted: npt.NDArray[np.bool_]) -> int:
        return int(np.count_nonzero(counted)) + (int(self._index.alone[code]) if code >= 0 else 0)

    def _items(self, users: Codes) -> Codes:
        return self._index.items_of.codes[self._index.items_of.spans(users)[0]]

    def _count(self, items: Codes, sign: int) -> None:
        if 4 * len(items) > self._width:
            self._gain += sign * np.bincount(items, minlength=self._width)
        else:
            np.add.at(self._gain, items, sign)

    def _hold(self, users: Codes, sign: int) -> IntArray:
        """Enter (or strike out) users at their cap under every pick that they have; says how many under each."""
        rows = self._index.items_of
        where, lengths = rows.spans(users)
        slots = self._slot_of[rows.codes[where]]
        picked = slots >= 0
        holders, slots = np.repeat(users, lengths)[picked], slots[picked]
        where, lengths = rows.spans(holders)
        np.add.at(self._back.reshape(-1), np.repeat(slots * self._width, lengths) + rows.codes[where], sign)
        return np.bincount(slots, minlength=len(self._picks))

    def _tabulate(self) -> IntArray:
        """Give the losses of the swap table, made from scratch when picks were added since it was last kept."""
        if self._loss is None:
            self._index.turn_round()
            self._back = np.zeros((len(self._picks), self._width), np.int32)
            self._hold(np.flatnonzero(self._times == self.cap), 1)
            self._loss = np.array(
                [self._held(code, self._users(code)[1] <= self.cap) for code in self._picks], dtype=np.int64
            )
        return self._loss
