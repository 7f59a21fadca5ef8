"""The memory engine for coverage: one pass over the relation, then everything in numpy (docs/architecture.md).

Each purchase of a candidate becomes one 64-bit key, unit code · 2^b + candidate, and is streamed into one array.
Sorting the keys groups them by unit and puts duplicates side by side: no hashing, no second copy, 8 bytes a purchase.
What stands for a unit is told in `units`. Rows without a unit are ignored.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from msd_sql.database.host import Host, HostError, Interrupted
from msd_sql.database.private_reads import private, private_columns
from msd_sql.engines.binding import Binding
from msd_sql.engines.key_table import KeyTable
from msd_sql.engines.memory.packed_steps import dense, packed_step
from msd_sql.engines.memory.unit_codes import is_integer, plain_code, unit_code
from msd_sql.engines.steps import Step, step
from msd_sql.udfs.relevance.coverage import CoverageIndex
from msd_sql.udfs.relevance.packed_pairs import item_bits
from msd_sql.udfs.types import IntArray

COUNTS = """
SELECT c.i AS i, COUNT(*) AS units
FROM {relation} AS r JOIN {candidates} AS c ON {r.item} = c.key
GROUP BY c.i
"""
KEYS = """
SELECT ({code}) * {width} + c.i AS key
FROM {relation} AS r JOIN {candidates} AS c ON {r.item} = c.key
WHERE NOT {r.unit} IS NULL
"""

_FIRST = 1 << 23  # keys to make room for before any are read: room that is not written to costs nothing


def counts_step(binding: Binding) -> Step:
    """Where every row is a unit, a unit has one item: all there is to know are counts."""
    return step("counts", COUNTS, binding.names)


def read_steps(host: Host, binding: Binding) -> list[Step]:
    """Show the statements that may read the relation: the second one, if a unit turns out not to fit the first."""
    if binding.unit_type is None:
        return [counts_step(binding)]
    table = dense(host, binding)
    ways = (True, False) if is_integer(binding.unit_type) else (False,)
    return [_step(binding, table, plain=plain) for plain in ways]


def keys_step(binding: Binding, *, plain: bool) -> Step:
    """Make a key for every purchase of a candidate."""
    if binding.unit_type is None:
        raise ValueError("A relation without a unit column has counts, not keys.")
    bits = item_bits(binding.n)
    unit = binding.names.expressions["r.unit"]
    code = plain_code(unit) if plain else unit_code(unit, binding.unit_type, 63 - bits)
    name = "keys_any" if is_integer(binding.unit_type) and not plain else "keys"
    return step(name, KEYS, binding.names, code=code, width=1 << bits)


def coverage_index(host: Host, binding: Binding) -> CoverageIndex:
    """Read the candidates' purchases into an index."""
    if binding.unit_type is None:
        found = private_columns(host, counts_step(binding).sql(), binding.label)
        units = np.zeros(binding.n, np.int64)
        units[found["i"]] = found["units"]
        return CoverageIndex.from_counts(units)
    table = dense(host, binding)
    with private(binding.label):
        keys = _plain_keys(host, binding, table) if is_integer(binding.unit_type) else None
        if keys is None:
            keys = gathered(_blocks(host, _step(binding, table, plain=False), table))
    return CoverageIndex.from_keys(keys, binding.n)


def _step(binding: Binding, table: KeyTable | None, *, plain: bool) -> Step:
    return packed_step(binding, table, plain=plain) if table else keys_step(binding, plain=plain)


def _plain_keys(host: Host, binding: Binding, table: KeyTable | None) -> IntArray | None:
    """The keys by plain codes; None if a unit has none. Who knows why DuckDB fails: the other statement will tell."""
    try:
        return gathered(_blocks(host, _step(binding, table, plain=True), table))
    except Interrupted:
        raise
    except (HostError, _Negative):
        return None


class _Negative(Exception):  # noqa: N818 - not a failure: another statement is asked
    """A unit is negative."""


def _blocks(host: Host, read: Step, table: KeyTable | None) -> Iterator[IntArray]:
    sparse = None if table is None or table.whole else table
    for block in host.blocks(read.sql()):
        keys: IntArray = block["key"]
        if keys.min(initial=0) < 0:
            raise _Negative
        yield sparse.keys(keys) if sparse else keys


def gathered(blocks: Iterator[IntArray], room: int = _FIRST) -> IntArray:
    """Gather blocks of keys in one array, whose room is doubled as they come.

    Room that is not written to costs nothing. Its size never tells how many rows there are, should there be too little
    memory for it: an error would quote that size.

    >>> gathered(iter([np.array([3, 1]), np.array([2])]), room=1)
    array([3, 1, 2])
    """
    found = np.empty(room, np.int64)
    size = 0
    for part in blocks:
        while size + len(part) > room:
            room *= 2
            found.resize(room, refcheck=False)  # moved by the system, not copied
        found[size : size + len(part)] = part
        size += len(part)
    found.resize(size, refcheck=False)  # not a part of it: the index frees what it owns
    return found
