"""Unit codes: a unit as an integer of few enough bits to stand beside a candidate in one 64-bit key.

The code of an integer id is the id itself. Any other id is its 64-bit hash without the lowest bits. Two units whose
codes collide become one unit that has the items of both. Replacing the rows of one person then replaces the rows of
that one merged unit, which still counts at most once in every marginal: the sensitivity, and every bound on it, stay
what they are, and a count is off by at most the number of collisions (of a million units, about 0.0001 expected).
"""

from __future__ import annotations

import sqlglot
from sqlglot import exp

from msd_sql.surface.column_types import INTEGERS


def is_integer(kind: str) -> bool:
    """Are units of this type whole numbers?

    >>> is_integer("BIGINT"), is_integer("VARCHAR")
    (True, False)
    """
    return kind in INTEGERS


def plain_code(unit: exp.Expr) -> exp.Expr:
    """Write the code of a unit that is expected to be a whole number from 0 on, in half the time of `unit_code`.

    Where one is too large DuckDB fails to make a key of it, and where one is negative so is its key.

    >>> plain_code(exp.column("u")).sql("duckdb")
    'CAST(u AS BIGINT)'
    """
    return exp.cast(unit.copy(), "BIGINT")


def unit_code(unit: exp.Expr, kind: str, room: int) -> exp.Expr:
    """Write a unit's code of at most `room` bits: an integer itself where it fits, else its hash.

    >>> unit_code(exp.column("u"), "VARCHAR", 51).sql("duckdb")
    'CAST(HASH(u) >> 13 AS BIGINT)'
    """
    if not is_integer(kind):
        return _filled("CAST(HASH(u) >> $shift AS BIGINT)", unit, shift=64 - room)
    half = 1 << (room - 1)  # codes from here on are for those that do not fit, so that they never meet the others
    text = "CASE WHEN u BETWEEN 0 AND $last THEN CAST(u AS BIGINT) ELSE $half + CAST(HASH(u) >> $shift AS BIGINT) END"
    return _filled(text, unit, last=half - 1, half=half, shift=65 - room)


def _filled(text: str, unit: exp.Expr, **numbers: int) -> exp.Expr:
    tree = sqlglot.parse_one(text, dialect="duckdb")
    for column in list(tree.find_all(exp.Column)):
        column.replace(unit.copy())
    for hole in list(tree.find_all(exp.Placeholder)):
        hole.replace(exp.Literal.number(numbers[hole.name]))
    return tree
