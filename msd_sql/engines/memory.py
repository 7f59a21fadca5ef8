"""The memory engine for coverage: one pass over the relation, then everything in numpy (DESIGN 6).

Each purchase of a candidate becomes one 64-bit key, unit code · 2^b + candidate, computed by DuckDB in parallel and
streamed into one array. Sorting the keys groups them by unit and puts duplicates side by side: no hashing, no second
copy, 8 bytes a purchase.

The code of an integer id is the id itself. Any other id is its 64-bit hash without the lowest bits. Two units whose
codes collide become one unit that has the items of both. Replacing the rows of one person then replaces the rows of
that one merged unit, which still counts at most once in every marginal: the sensitivity, and every bound on it, stay
what they are, and a count is off by at most the number of collisions (of a million units, about 0.0001 expected).
Rows without a unit are ignored.
"""

from __future__ import annotations

import numpy as np
import sqlglot
from sqlglot import exp

from msd_sql.engines.binding import Binding
from msd_sql.engines.steps import Step, step
from msd_sql.host import Host
from msd_sql.reading import private, private_columns
from msd_sql.udfs.coverage import CoverageIndex
from msd_sql.udfs.packed import item_bits
from msd_sql.udfs.types import IntArray

COUNTS = """
SELECT c.i AS i, COUNT(*) AS units
FROM relation AS r JOIN candidates AS c ON r.item = c.key
GROUP BY c.i
"""
KEYS = """
SELECT $code * $width + c.i AS key
FROM relation AS r JOIN candidates AS c ON r.item = c.key
WHERE NOT r.unit IS NULL
"""

_SMALL = {  # how far below zero a type goes: with it, every value of the type is a code of at most 32 bits
    "TINYINT": 1 << 7,
    "SMALLINT": 1 << 15,
    "INTEGER": 1 << 31,
    "UTINYINT": 0,
    "USMALLINT": 0,
    "UINTEGER": 0,
}
_LARGE = {"BIGINT", "UBIGINT", "HUGEINT", "UHUGEINT"}


def counts_step(binding: Binding) -> Step:
    """Where every row is a unit, a unit has one item: all there is to know are counts."""
    return step("counts", COUNTS, binding.names)


def keys_step(binding: Binding) -> Step:
    """The one pass: a key for every purchase of a candidate."""
    if binding.unit_type is None:
        raise ValueError("A relation without a unit column has counts, not keys.")
    bits = item_bits(binding.n)
    code = unit_code(binding.names.expressions["r.unit"], binding.unit_type, 63 - bits)
    return step("keys", KEYS, binding.names, code=exp.paren(code), width=1 << bits)


def unit_code(unit: exp.Expr, kind: str, room: int) -> exp.Expr:
    """A unit's code of at most `room` bits: an integer itself where it fits, else its hash."""
    if kind in _SMALL:
        below = _SMALL[kind]
        exact = exp.cast(unit.copy(), "BIGINT")
        return exp.Add(this=exact, expression=exp.Literal.number(below)) if below else exact
    if kind in _LARGE:  # the upper half of the codes is for those that do not fit, so that they never meet the others
        half = 1 << (room - 1)
        text = (
            "CASE WHEN u BETWEEN 0 AND $last THEN CAST(u AS BIGINT) ELSE $half + CAST(HASH(u) >> $shift AS BIGINT) END"
        )
        return _filled(text, unit, last=half - 1, half=half, shift=65 - room)
    return _filled("CAST(HASH(u) >> $shift AS BIGINT)", unit, shift=64 - room)


def coverage_index(host: Host, binding: Binding, rows: int) -> CoverageIndex:
    """Read the candidates' purchases (about `rows` of them) into an index."""
    if binding.unit_type is None:
        found = private_columns(host, counts_step(binding).sql(), binding.label)
        units = np.zeros(binding.n, np.int64)
        units[found["i"]] = found["units"]
        return CoverageIndex.from_counts(units)
    return CoverageIndex.from_keys(read_keys(host, keys_step(binding), binding.label, rows), binding.n)


def read_keys(host: Host, keys: Step, label: str, rows: int, value_bits: int = 0) -> IntArray:
    """Stream the keys into one array, without those whose lowest `value_bits` are 0.

    Room that is reserved but not written to costs nothing, so `rows` may be a generous guess.
    """
    found = np.empty(max(rows, 1), np.int64)
    size = 0
    with private(label):
        for block in host.blocks(keys.sql()):
            part = block["key"]
            if value_bits:
                part = part[(part & ((1 << value_bits) - 1)) > 0]
            if size + len(part) > len(found):
                found.resize(max(size + size // 4, size + len(part)), refcheck=False)  # moved by the system, not copied
            found[size : size + len(part)] = part
            size += len(part)
    found.resize(size, refcheck=False)  # not a part of it: the index frees what it owns
    return found


def _filled(text: str, unit: exp.Expr, **numbers: int) -> exp.Expr:
    tree = sqlglot.parse_one(text, dialect="duckdb")
    for column in list(tree.find_all(exp.Column)):
        column.replace(unit.copy())
    for hole in list(tree.find_all(exp.Placeholder)):
        hole.replace(exp.Literal.number(numbers[hole.name]))
    return tree
