"""Whole numbers without large gaps by a table: a look-up in numpy replaces a join in DuckDB, at a third of the time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from msd_sql.engines.candidates import Candidates, Whole
from msd_sql.surface.column_types import KEY_INTEGERS
from msd_sql.udfs.relevance.packed_pairs import item_bits
from msd_sql.udfs.types import IntArray

_SHARE = 4  # at most so many values for every candidate: else most of the rows would be read for nothing


@dataclass(frozen=True)
class KeyTable:
    """The candidates as a table by item id: place[id - low] is the candidate, or -1."""

    low: int
    place: IntArray
    n: int

    @property
    def bits(self) -> int:
        """How many bits of a key hold the item."""
        return item_bits(len(self.place))

    @property
    def high(self) -> int:
        """The last id."""
        return self.low + len(self.place) - 1

    @property
    def whole(self) -> bool:
        """Are the candidates all the integers of a range, in their order?"""
        return len(self.place) == self.n and bool((self.place == np.arange(self.n)).all())

    def keys(self, packed: IntArray) -> IntArray:
        """Put the candidate in the place of the item, and drop the rows of other items.

        >>> KeyTable(5, np.array([0, -1, 1]), 2).keys(np.array([9 << 2 | 0, 9 << 2 | 1, 9 << 2 | 2])).tolist()
        [18, 19]
        """
        candidate = self.place.take(packed & ((1 << self.bits) - 1))
        keys: IntArray = packed >> self.bits
        keys <<= item_bits(self.n)
        keys |= candidate
        return keys if candidate.min(initial=0) >= 0 else keys[candidate >= 0]


def key_table(candidates: Candidates, key_type: str) -> KeyTable | None:
    """The look-up table of candidates in a column of this type; None where one of them is no whole number.

    >>> key_table(Candidates(["5", "7"], "VARCHAR"), "BIGINT") is None
    True
    """
    if not isinstance(candidates.keys, Whole) or key_type not in KEY_INTEGERS:
        return None
    return by_number(candidates.keys.numbers, np.arange(candidates.n), candidates.n)


def by_number(keys: IntArray, places: IntArray, n: int) -> KeyTable | None:
    """The look-up table of whole numbers; None where they are too far apart.

    >>> by_number(np.array([7, 5]), np.array([0, 1]), 2)
    KeyTable(low=5, place=array([ 1, -1,  0]), n=2)
    """
    if not len(keys):
        return None
    low, high = int(keys.min()), int(keys.max())
    if high - low >= _SHARE * n + 64:
        return None
    place = np.full(high - low + 1, -1, np.int64)
    place[keys - low] = places
    return KeyTable(low, place, n)
