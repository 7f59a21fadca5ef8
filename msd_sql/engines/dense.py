"""Dense candidates: where items are integers without large gaps, a look-up in numpy replaces the join in DuckDB.

It takes a third of the time: DuckDB makes one key of every row as it streams, and where the candidates are not simply
all the integers of a range, a key costs one look-up more.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sqlglot import exp

from msd_sql.engines.binding import Binding
from msd_sql.engines.steps import Step, step
from msd_sql.engines.units import SMALL_INTEGERS, is_integer, plain_code, unit_code
from msd_sql.host import Host
from msd_sql.udfs.packed import item_bits
from msd_sql.udfs.types import IntArray

CANDIDATES = "SELECT c.i AS i, CAST(c.key AS BIGINT) AS key FROM candidates AS c WHERE NOT c.key IS NULL"
PACKED = """
SELECT $code * $width + (CAST(r.item AS BIGINT) - $low) AS key
FROM relation AS r
WHERE r.item BETWEEN $low AND $high AND NOT r.unit IS NULL
"""

_SHARE = 4  # at most so many values for every candidate: else most of the rows would be read for nothing


@dataclass(frozen=True)
class Dense:
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

        >>> Dense(5, np.array([0, -1, 1]), 2).keys(np.array([9 << 2 | 0, 9 << 2 | 1, 9 << 2 | 2])).tolist()
        [18, 19]
        """
        candidate = self.place.take(packed & ((1 << self.bits) - 1))
        keys: IntArray = packed >> self.bits
        keys <<= item_bits(self.n)
        keys |= candidate
        return keys if candidate.min(initial=0) >= 0 else keys[candidate >= 0]


def dense(host: Host, binding: Binding) -> Dense | None:
    """The look-up table; None where the items are no integers, or too far apart.

    >>> dense(host, binding).place
    array([ 0,  1, -1,  2])
    """
    if binding.item_type not in (*SMALL_INTEGERS, "BIGINT") or binding.unit_type is None:
        return None
    if binding.numbers is not None:
        keys, places = binding.numbers, np.arange(binding.n)
    else:
        found = host.columns(step("candidates", CANDIDATES, binding.names).sql())
        keys, places = found["key"], found["i"]
    return by_number(keys, places, binding.n)


def by_number(keys: IntArray, places: IntArray, n: int) -> Dense | None:
    """The look-up table of whole numbers; None where they are too far apart.

    >>> by_number(np.array([7, 5]), np.array([0, 1]), 2)
    Dense(low=5, place=array([ 1, -1,  0]), n=2)
    """
    if not len(keys):
        return None
    low, high = int(keys.min()), int(keys.max())
    if high - low >= _SHARE * n + 64:
        return None
    place = np.full(high - low + 1, -1, np.int64)
    place[keys - low] = places
    return Dense(low, place, n)


def packed_step(binding: Binding, table: Dense, *, plain: bool) -> Step:
    """Make a key, unit code · 2^bits + item, of the rows of the items from the first candidate to the last."""
    unit = binding.names.expressions["r.unit"]
    code = plain_code(unit) if plain else unit_code(unit, str(binding.unit_type), 63 - table.bits)
    name = "packed_any" if is_integer(str(binding.unit_type)) and not plain else "packed"
    return step(
        name, PACKED, binding.names, code=exp.paren(code), width=1 << table.bits, low=table.low, high=table.high
    )
