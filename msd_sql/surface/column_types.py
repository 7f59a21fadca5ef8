"""DuckDB's types by name: which are numbers, and whether a column is a vector, a list, a record or one value."""

from __future__ import annotations

import re

from msd_sql.udfs.distances import DISTANCES, OTHER_NAMES

SMALL_INTEGERS = ("TINYINT", "SMALLINT", "INTEGER", "UTINYINT", "USMALLINT", "UINTEGER")
KEY_INTEGERS = (*SMALL_INTEGERS, "BIGINT")  # a signed number of 64 bits holds them
INTEGERS = (*KEY_INTEGERS, "UBIGINT", "HUGEINT", "UHUGEINT")
NOT_GIVEN = '"NULL"[]'  # the type of a list of an argument that was left out
# Over the distance and the type of a list of the column, as a whole; the same in DuckDB's regular expressions and
# in Python's. A list of whole numbers is a set of ids unless a distance over numbers is asked for.
_OVER_NUMBERS = "|".join(name for name, kind in DISTANCES.items() if {"numbers", "vector", "latlon"} & {*kind.shapes})
_OVER_NUMBERS += "".join(f"|{name}" for name, meant in OTHER_NAMES.items() if meant in _OVER_NUMBERS.split("|"))
VECTOR = rf"({_OVER_NUMBERS}) (?s:.*)\]\[\]| (FLOAT|DOUBLE|DECIMAL[^\[]*)\[\d*\]\[\]"
FLOATING_VECTOR = rf"({_OVER_NUMBERS}|) (FLOAT|DOUBLE)\[\d*\]\[\]"
_VECTOR = re.compile(VECTOR)


def is_numeric(kind: str) -> bool:
    """Is a column of this type one of numbers?

    >>> is_numeric("BIGINT"), is_numeric("DECIMAL(9,2)"), is_numeric("DATE")
    (True, True, False)
    """
    return kind in (*INTEGERS, "FLOAT", "DOUBLE") or (kind.startswith("DECIMAL(") and kind.endswith(")"))


def shape_of(list_type: str | None, distance: str | None) -> str:
    """Whether a column is a vector, a list, a record or one value, by the type of a list of it: as the macros tell it.

    >>> [shape_of(kind, None) for kind in ("FLOAT[3][]", "INTEGER[][]", "STRUCT(a INTEGER)[]", "DATE[]", None)]
    ['vector', 'list', 'record', 'value', 'none']
    """
    kind = list_type or NOT_GIVEN
    if kind == NOT_GIVEN:
        return "none"
    if _VECTOR.fullmatch(f"{(distance or '').lower()} {kind}"):
        return "vector"
    return "list" if kind.endswith("][]") else "record" if kind[:5] in ("STRUC", "TUPLE") else "value"
