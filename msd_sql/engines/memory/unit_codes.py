"""Unit codes: a unit as an integer of few enough bits to stand beside a candidate in one 64-bit key.

The code of an integer id is the id itself. Any other id is its 64-bit hash without the lowest bits. Two units whose
codes collide become one unit that has the items of both. Replacing the rows of one person then replaces the rows of
that one merged unit, which still counts at most once in every marginal: the sensitivity, and every bound on it, stay
what they are, and a count is off by at most the number of collisions (of a million units, about 0.0001 expected).
"""

from __future__ import annotations

from msd_sql.engines.steps import fill
from msd_sql.surface.column_types import INTEGERS


def is_integer(kind: str) -> bool:
    """Are units of this type whole numbers?

    >>> is_integer("BIGINT"), is_integer("VARCHAR")
    (True, False)
    """
    return kind in INTEGERS


def plain_code(unit: str) -> str:
    """Write the code of a unit that is expected to be a whole number from 0 on, in half the time of `unit_code`.

    Where one is too large DuckDB fails to make a key of it, and where one is negative so is its key.

    >>> plain_code("u")
    'CAST(u AS BIGINT)'
    """
    return f"CAST({unit} AS BIGINT)"


def unit_code(unit: str, kind: str, room: int) -> str:
    """Write a unit's code of at most `room` bits: an integer itself where it fits, else its hash.

    >>> unit_code("u", "VARCHAR", 51)
    'CAST(HASH(u) >> 13 AS BIGINT)'
    """
    if not is_integer(kind):
        return fill("CAST(HASH({u}) >> {shift} AS BIGINT)", {"u": unit, "shift": 64 - room})
    half = 1 << (room - 1)  # codes from here on are for those that do not fit, so that they never meet the others
    within, hashed = "{u} BETWEEN 0 AND {last}", "{half} + CAST(HASH({u}) >> {shift} AS BIGINT)"
    text = f"CASE WHEN {within} THEN CAST({{u}} AS BIGINT) ELSE {hashed} END"
    return fill(text, {"u": unit, "last": half - 1, "half": half, "shift": 65 - room})
