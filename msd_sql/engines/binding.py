"""Binding: what the steps' stand-in names mean for one declaration and one list of candidates.

Candidates arrive as text with a type. They are cast to the type of the relation's own item column, so that a join
reads the large side as it is stored.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from msd_sql.catalog.declarations import Protected
from msd_sql.database.host import Column, Host
from msd_sql.database.private_reads import private
from msd_sql.database.sql_text import quote
from msd_sql.database.temp_names import next_serial, temp_name
from msd_sql.engines.candidates import Candidates, Whole
from msd_sql.engines.cast_types import is_castable
from msd_sql.engines.key_table import KeyTable, key_table
from msd_sql.engines.steps import Names, own_column
from msd_sql.errors import EngineError
from msd_sql.udfs.types import IntArray

_EXACT = re.compile(
    r"U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|BOOLEAN|VARCHAR|STRING|DATE|TIMESTAMP|TIMESTAMP_NTZ|UUID|DECIMAL\([0-9, ]*\)"
)
_TEXTS = frozenset(["VARCHAR", "STRING"])


@dataclass(frozen=True)
class Binding:
    """One question's names: the relation, its unit and item columns with their types, and the candidates' table."""

    label: str  # the relation, for error messages
    names: Names
    item_type: str
    unit_type: str | None  # None: every row is a unit
    n: int
    serial: int  # tells the temp relations of one question from those of another on the same connection
    key_table: KeyTable | None = None  # the candidates by number: then they have no table

    def temp(self, name: str) -> str:
        """Name a temp relation of this question."""
        return temp_name(self.serial, name)


def column_types(host: Host, relation: str, columns: Sequence[str], label: str) -> list[str]:
    """The SQL types of some columns of a relation, without reading a row.

    >>> column_types(host, "shop.main.purchases", ["user_id", "item_id"], "purchases")
    ['INTEGER', 'INTEGER']
    """
    chosen = ", ".join(f"{quote(column)} AS c{at}" for at, column in enumerate(columns))
    with private(label):
        return [str(row[1]) for row in host.rows(f"DESCRIBE SELECT {chosen} FROM {relation}")]


def rows_of(protected: Protected) -> str:
    """The rows of a relation that count: all of them, or those of an audience.

    A row that the expression fails on counts as one that it is NULL for. Where DuckDB runs it, it is written as it is:
    DuckDB itself has checked it (question/audience.py). It must stay in a WHERE: out of a SELECT list DuckDB takes what
    comes twice in an expression, from under its TRY. In Spark a failure is NULL by a setting of the session.

    >>> rows_of(purchases)
    '"shop"."main"."purchases"'
    """
    relation, audience = protected.sql, protected.audience
    if audience is None:
        return relation
    condition = audience.sql if protected.in_spark else f"TRY({audience.sql})"
    return f"(SELECT * FROM {relation} AS r WHERE {condition})"


@contextmanager
def bound(
    host: Host, protected: Protected, candidates: Candidates, *, look_up: bool = False, groups: IntArray | None = None
) -> Iterator[Binding]:
    """Bind a declaration with an item column to the candidates, whose table exists for the length of a `with`.

    `look_up`: there need not be one where they, and the items, are whole numbers that lie close together. `groups` says
    which group each candidate is of: then a unit is one in each group, and an item may be a candidate of several.
    """
    if protected.item is None:
        raise EngineError(
            f"The protected relation {protected.name} was declared without an item column, so {protected.relevance} "
            "cannot join it with the candidates. Declare it again with item := the column that names the item."
        )
    columns = [protected.item] + ([protected.unit] if protected.unit else [])
    types = column_types(host, protected.sql, columns, protected.name)
    serial = next_serial()
    item, unit = own_column(protected.item, "r"), protected.unit
    units = {"r.unit": own_column(unit, "r"), "unit": own_column(unit, "r")} if unit else {}
    if unit and groups is not None:
        units["unit"] = f"STRUCT_PACK(g := c.g, unit := {units['r.unit']})"
    unit_type = types[1] if unit else None
    by_number = key_table(candidates, types[0]) if look_up and unit else None
    if by_number is not None:
        names = Names({"relation": rows_of(protected)}, {"r.item": item, **units})
        yield Binding(protected.name, names, types[0], unit_type, candidates.n, serial, by_number)
        return
    frame = temp_name(serial, "keys")
    public: dict[str, Column | Sequence[str]] = {"i": np.arange(candidates.n, dtype=np.int32), "key": candidates.column}
    if groups is not None:
        public["g"] = groups.astype(np.int32)
    keys = joined_keys(frame, candidates, types[0], item, of_groups=groups is not None)
    names = Names({"relation": rows_of(protected), "candidates": keys.table}, {"r.item": keys.column, **units})
    with host.table(frame, public):
        yield Binding(protected.name, names, types[0], unit_type, candidates.n, serial)


@dataclass(frozen=True)
class Joined:
    """The candidates as a table (i, key), and what of the other side equals its key."""

    table: str
    column: str


def joined_keys(frame: str, given: Candidates, native: str, column: str, *, of_groups: bool = False) -> Joined:
    """Join candidates with a column in the column's own type; as text where that type cannot be written in a cast.

    A private row meets one candidate at most: of several that are equal in that type, such as 0.0 and -0.0, 30 days and
    a month, or '1' and ' 1' of which a client says that they are numbers, the first one stands for all. Otherwise one
    row could move several scores, or one count by several. Only keys that are distinct whole numbers, or distinct texts
    in a column of texts, are known to be distinct in its type. `of_groups`: the candidates have a group g, and that
    holds within each.
    """
    g = ", g" if of_groups else ""
    typed = native_keys(frame, given.type, native, g)
    if typed is None:
        return Joined(f"(SELECT i{g}, CAST(key AS VARCHAR) AS key FROM {quote(frame)})", f"CAST({column} AS VARCHAR)")
    texts = {given.type.upper(), native.upper()} <= _TEXTS
    if texts or (isinstance(given.keys, Whole) and is_exact(native)):
        return Joined(typed, column)
    return Joined(f"(SELECT MIN(i) AS i{g}, key FROM {typed} AS k GROUP BY key{g})", column)


def is_exact(kind: str) -> bool:
    """Whether equal values of a type are the same value, which is one text; texts themselves are compared in binary.

    >>> is_exact("BIGINT"), is_exact("DOUBLE"), is_exact("INTERVAL")
    (True, False, False)
    """
    return _EXACT.fullmatch(kind.upper()) is not None


def some_fit(host: Host, candidates: Candidates, native: str) -> bool:
    """Can any of the candidates be a value of a column of that type? Not asked of types that cannot be cast.

    >>> some_fit(host, Candidates(["Song 1", "7"], "VARCHAR"), "BIGINT")
    True
    >>> some_fit(host, Candidates(["Song 1"], "VARCHAR"), "BIGINT")
    False
    """
    if {candidates.type.upper(), native.upper()} <= _TEXTS or candidates.type.upper() == native.upper():
        return True
    frame = temp_name(next_serial(), "fitting")
    typed = native_keys(frame, candidates.type, native)
    if typed is None:
        return True
    with host.table(frame, {"i": np.arange(candidates.n, dtype=np.int32), "key": candidates.column}):
        return bool(host.rows(f"SELECT 1 FROM {typed} AS k WHERE NOT key IS NULL LIMIT 1"))


def native_keys(frame: str, given: str, native: str, more: str = "") -> str | None:
    """(i, key) with the key in the type of the item column, without keys that it cannot hold exactly.

    A key such as 1.5 must not become item 2 of an integer column, nor '01' item 1: what does not come back is dropped.
    None where one of the types is not one to cast to. `more` names further columns of the frame.

    >>> native_keys("keys", "BIGINT", "BIGINT")
    '(SELECT i, TRY_CAST(key AS BIGINT) AS key FROM "keys")'
    """
    if not (is_castable(given) and is_castable(native)):
        return None
    if given.upper() == native.upper():
        return f"(SELECT i{more}, TRY_CAST(key AS {native}) AS key FROM {quote(frame)})"
    typed = f"SELECT i{more}, TRY_CAST(key AS {given}) AS given FROM {quote(frame)}"
    moved = f"SELECT i{more}, given, TRY_CAST(given AS {native}) AS key FROM ({typed}) AS g"
    return f"(SELECT i{more}, key FROM ({moved}) AS h WHERE TRY_CAST(key AS {given}) = given)"
