"""Types that a cast may name: those that DuckDB and Spark know by themselves, and lists and records of them.

A type that a user made is known by its name only where its schema is on the search path: its values are compared as
texts. Asked of the name alone, so that a statement cannot fail to be bound after its question was charged.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

_TEXT = r"'(?:[^']|'')*'"
_PLAIN = re.compile(
    r"U?(TINY|SMALL|BIG|HUGE)?INT|U?INTEGER|BOOLEAN|FLOAT|DOUBLE|DECIMAL\(\d+, ?\d+\)|VARCHAR|STRING|TEXT|BLOB|BINARY"
    rf"|UUID|DATE|TIME( WITH TIME ZONE)?|TIMESTAMP(_S|_MS|_NS|_NTZ| WITH TIME ZONE)?|INTERVAL"
    rf"|ENUM\({_TEXT}(, {_TEXT})*\)",
    re.IGNORECASE,
)
_NESTED = re.compile(r"(STRUCT|UNION|MAP)\((.*)\)", re.DOTALL)
_FIELD = re.compile(r'(?:"(?:[^"]|"")*"|\w+) (.*)', re.DOTALL)
_PIECE = re.compile(rf'{_TEXT}|"(?:[^"]|"")*"|.', re.DOTALL)


@lru_cache(maxsize=256)
def is_castable(kind: str) -> bool:
    """May a cast name this type?

    >>> is_castable("DECIMAL(9,2)"), is_castable('STRUCT("a b" DOUBLE, c INTEGER[])[]'), is_castable("mood")
    (True, True, False)
    """
    inner = re.sub(r"(\[\d*\])+$", "", kind)
    if _PLAIN.fullmatch(inner):
        return True
    nested = _NESTED.fullmatch(inner)
    if nested is None:
        return False
    members = list(_members(nested[2]))
    if nested[1] == "MAP":
        return all(is_castable(member) for member in members)
    fields = [_FIELD.fullmatch(member) for member in members]
    return all(field is not None and is_castable(field[1]) for field in fields)


def _members(text: str) -> Iterator[str]:
    """The parts of a text between its commas, as far as those are not inside of brackets or quotes."""
    depth, part = 0, ""
    for piece in _PIECE.findall(text):
        depth += (piece in "([") - (piece in ")]")
        if piece == "," and depth == 0:
            yield part.strip()
            part = ""
        else:
            part += piece
    yield part.strip()
