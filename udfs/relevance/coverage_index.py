"""The index behind coverage: which items each user has, and when it pays, which users each item has."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..errors import InputError
from ..types import BoolArray, IntArray
from .csr_rows import Codes, Rows
from .packed_pairs import item_bits
from .two_way_rows import TwoWays
from .unpacked_rows import unpack

if TYPE_CHECKING:  # where it is used it is loaded: a fifth of what starting up would take
    from scipy.sparse import csc_array

_PAIRS = 1 << 25  # pairs that are kept for the groups of a statement: a quarter of a gigabyte while they are sorted
_REMEMBERED = 1 << 24  # bytes of counts that an index keeps for further questions
_HELD = 1 << 25  # bytes of what the users of items that are picked again and again have
_GATHERED = 8  # to gather what a user has takes as long as to add up what so many are known to have


class CoverageIndex:
    """Who has what. A unit with a single item is only a count: it never shares anything.

    >>> index = CoverageIndex.from_pairs([0, 0, 1, 1, 1], [0, 1, 1, 1, 2], n=2)
    >>> index.units.tolist(), index.alone.tolist(), index.users(1).tolist()
    ([2, 2], [1, 1], [0])
    """

    def __init__(self, n: int, items_of: Rows, alone: IntArray) -> None:
        self.n = n
        self.items_of = items_of  # of a user who has two or more
        self.alone = alone  # per item: units that have this item and no other
        self.units: IntArray = alone + items_of.column_counts(n)  # per item: all its units
        self._both = TwoWays(items_of, n)
        self._beside: dict[int, npt.NDArray[np.int32]] = {}  # by item: per item, the users who have both
        self._held: dict[int, csc_array] = {}  # by item: what each of its users has, in a column of zeros and ones
        self._held_bytes = 0

    @classmethod
    def from_pairs(cls, items: npt.ArrayLike, users: npt.ArrayLike, n: int) -> CoverageIndex:
        """Index (item code, user code) pairs of items 0..n-1 and users 0..; a pair that comes twice counts once."""
        item_codes, user_codes = np.asarray(items), np.asarray(users)
        if item_codes.shape != user_codes.shape or item_codes.ndim != 1:
            raise InputError("Items and users must be two flat arrays of the same length.")
        if len(item_codes) and not 0 <= item_codes.min() <= item_codes.max() < n:
            raise InputError(f"Item codes must be in 0..{n - 1}.")
        if len(user_codes) and not 0 <= user_codes.min() <= user_codes.max() < 1 << (63 - item_bits(n)):
            raise InputError(f"User codes must be in 0..2^{63 - item_bits(n)} - 1.")
        return cls.from_keys((user_codes.astype(np.int64) << item_bits(n)) | item_codes.astype(np.int64), n)

    @classmethod
    def from_keys(cls, keys: IntArray, n: int) -> CoverageIndex:
        """Index packed pairs, user · 2^item_bits(n) + item; the array is used up."""
        return cls(n, *unpack(keys, n))

    @classmethod
    def from_counts(cls, units: IntArray) -> CoverageIndex:
        """Index units that have one item each, given how many each item has."""
        nobody = np.empty(0, np.uint16)
        return cls(len(units), Rows(np.zeros(1, np.int32), nobody), units)

    def of_groups(self, codes: IntArray, sizes: IntArray, most: int = _PAIRS) -> CoverageIndex | None:
        """One index of many groups of its items, side by side: a unit counts in each of them as a unit of its own.

        `codes` are the groups' items one after the other, `sizes` of each group; item -1 is one that nobody has. None
        where more than `most` pairs would have to be kept, because the groups share many items.

        >>> index = CoverageIndex.from_pairs([0, 1, 2], [7, 7, 7], n=3)
        >>> apart = index.of_groups(np.array([0, 2, 1]), np.array([2, 1]))
        >>> apart.units.tolist(), apart.alone.tolist()
        ([1, 1, 1], [0, 0, 1])
        """
        n, bits, groups = len(codes), item_bits(len(codes)), len(sizes)
        known = np.flatnonzero(codes >= 0)
        items = codes.take(known)
        users = len(self.items_of.bounds) - 1
        times = np.bincount(items, minlength=self.n)  # in how many groups each item is
        if int(times @ (self.units - self.alone)) > most or users * groups >= 1 << (63 - bits):
            return None
        group_of = np.repeat(np.arange(groups), sizes)
        if len(items) == self.n and (items[1:] > items[:-1]).all():  # the index that was read for these groups
            entries = self._neighbours(group_of.take(known).astype(np.min_scalar_type(groups)))
            place: Codes = known.take(self.items_of.codes.take(entries))
            user: Codes = np.searchsorted(self.items_of.bounds, entries, side="right") - 1
        else:
            place, user = self._placed(items, known, times)
        found = CoverageIndex.from_keys((user * groups + group_of.take(place)) << bits | place, n)
        found.alone[known] += self.units.take(items) - np.bincount(place, minlength=n).take(known)
        return CoverageIndex(n, found.items_of, found.alone)

    def _placed(self, items: IntArray, known: IntArray, times: IntArray) -> tuple[Codes, Codes]:
        """All pairs, each as often as its item is in a group: where the item stands there, and the unit."""
        user = np.repeat(np.arange(len(self.items_of.bounds) - 1), np.diff(self.items_of.bounds))
        if times.max(initial=0) <= 1:
            place_of = np.full(self.n, -1, np.int64)
            place_of[items] = known
            place = place_of.take(self.items_of.codes)
            asked = np.flatnonzero(place >= 0)
            return (place, user) if len(known) == self.n else (place.take(asked), user.take(asked))
        places = Rows(np.append(0, np.cumsum(times)), known.take(np.argsort(items, kind="stable")))
        where, counts = places.spans(self.items_of.codes.astype(np.int64))
        return places.codes.take(where), np.repeat(user, counts)

    def _neighbours(self, group_of: Codes) -> IntArray:
        """Where items of one group stand beside each other: all that a unit has of a group, in an order by groups.

        And few others: where a unit's last item is of the group of the next unit's first.
        """
        groups = group_of.take(self.items_of.codes)
        first = np.flatnonzero(groups[1:] == groups[:-1])
        return np.union1d(first, first + 1)

    @property
    def nbytes(self) -> int:
        """What the index may come to take, the other way round and what is remembered included."""
        remembered = self._memorable * (self.n + 1) * 4
        return int(self._both.nbytes + self.alone.nbytes + self.units.nbytes + remembered + self._most_held)

    def users(self, item: int) -> Codes:
        """Find the users who have the item and at least one other; nobody has item -1."""
        return self._both.column(item)[0]

    def tally(self, item: int, users: Codes, chosen: BoolArray) -> IntArray:
        """Per item (and 0 for the one that nobody has), how many of an item's users have it, of those who are chosen.

        The counts of all its users are remembered: an item that was picked once is often picked again, and then only
        those who are not chosen have to be counted, who are fewer until most have what they need. What its users have
        is remembered as well, from the second time on, so that it need not be gathered from those of all items.

        >>> index = CoverageIndex.from_pairs([0, 1, 0, 1, 2, 0, 2], [0, 0, 1, 1, 1, 2, 2], n=3)
        >>> index.tally(0, index.users(0), np.array([True, True, False])).tolist()
        [2, 1, 1, 0]
        """
        every = self._beside.get(item)
        full = every is None and len(self._beside) >= self._memorable
        many = int(np.count_nonzero(chosen))
        if every is not None and min(many, len(users) - many) * _GATHERED > len(users):
            held = self._held_by(item, users)
            if held is not None:
                return np.asarray(held @ chosen.astype(np.int32), np.int64)
        if full or 2 * many <= len(users):
            return self._counts(users, chosen)
        others = self._counts(users, ~chosen)
        if every is not None:
            return every - others
        counts = self._counts(users, chosen)
        self._beside[item] = (counts + others).astype(np.int32)
        return counts

    def expect(self, items: int) -> None:
        """Prepare for questions about the users of so many items, as many as those of the most common ones."""
        shared = self.units - self.alone
        most = shared if items >= self.n else np.partition(shared, self.n - items)[self.n - items :]
        self._both.expect(items, int(most.sum()))

    def turn_round(self) -> None:
        """Prepare for thousands of questions about the users of an item, as local search has them."""
        self._both.turn_round()

    @property
    def _most_held(self) -> int:
        """How many bytes may be taken by what the users of some items have: at most as much as the index itself."""
        return min(_HELD, 8 * len(self.items_of.codes))

    @property
    def _memorable(self) -> int:
        """How many items' counts may be remembered, of four bytes each."""
        return min(self.n, _REMEMBERED // (4 * (self.n + 1)))

    def _held_by(self, item: int, users: Codes) -> csc_array | None:
        """What each of an item's users has; None where it would take too much to remember."""
        found = self._held.get(item)
        left = self._most_held - self._held_bytes
        if found is not None or 8 * len(users) > left:
            return found
        from scipy import sparse

        where, lengths = self.items_of.spans(users)
        codes = self.items_of.codes.take(where).astype(np.int32)
        bounds = np.append(0, np.cumsum(lengths)).astype(np.int32)
        size = 2 * codes.nbytes + bounds.nbytes
        if size > left:
            return None
        found = sparse.csc_array((np.ones_like(codes), codes, bounds), shape=(self.n + 1, len(users)))
        self._held[item] = found
        self._held_bytes += size
        return found

    def _counts(self, users: Codes, chosen: BoolArray) -> IntArray:
        return self.items_of.tally(users.take(np.flatnonzero(chosen)), self.n + 1)
