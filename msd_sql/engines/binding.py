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
import sqlglot
from sqlglot import exp

from msd_sql.catalog.declarations import Protected
from msd_sql.database.host import Host
from msd_sql.database.private_reads import private
from msd_sql.database.sql_text import quote
from msd_sql.database.temp_names import next_serial, temp_name
from msd_sql.engines.candidates import Candidates
from msd_sql.engines.key_table import KeyTable, key_table
from msd_sql.engines.steps import Names
from msd_sql.errors import EngineError

_EXACT = re.compile(
    r"U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|BOOLEAN|VARCHAR|STRING|DATE|TIMESTAMP|TIMESTAMP_NTZ|UUID|DECIMAL\([0-9, ]*\)"
)


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


def table(sql: str) -> exp.Table:
    """A relation's quoted name as a sqlglot table.

    >>> table('"shop"."main"."purchases"').sql("duckdb")
    '"shop"."main"."purchases"'
    """
    return exp.to_table(sql, dialect="duckdb")


@contextmanager
def bound(host: Host, protected: Protected, candidates: Candidates, *, look_up: bool = False) -> Iterator[Binding]:
    """Bind a declaration with an item column to the candidates, whose table exists for the length of a `with`.

    `look_up`: there need not be one where they, and the items, are whole numbers that lie close together.
    """
    if protected.item is None:
        raise EngineError(
            f"The protected relation {protected.name} was declared without an item column, so {protected.relevance} "
            "cannot join it with the candidates. Declare it again with item := the column that names the item."
        )
    columns = [protected.item] + ([protected.unit] if protected.unit else [])
    types = column_types(host, protected.sql, columns, protected.name)
    serial = next_serial()
    item, unit = exp.column(protected.item, table="r", quoted=True), protected.unit
    units = {"r.unit": exp.column(unit, table="r", quoted=True)} if unit else {}
    unit_type = types[1] if unit else None
    by_number = key_table(candidates, types[0]) if look_up and unit else None
    if by_number is not None:
        names = Names({"relation": table(protected.sql)}, {"r.item": item, **units})
        yield Binding(protected.name, names, types[0], unit_type, candidates.n, serial, by_number)
        return
    frame = temp_name(serial, "keys")
    keys = joined_keys(frame, candidates.type, types[0], item)
    names = Names({"relation": table(protected.sql), "candidates": keys.table}, {"r.item": keys.column, **units})
    with host.table(frame, {"i": np.arange(candidates.n, dtype=np.int32), "key": candidates.column}):
        yield Binding(protected.name, names, types[0], unit_type, candidates.n, serial)


@dataclass(frozen=True)
class Joined:
    """The candidates as a table (i, key), and what of the other side equals its key."""

    table: exp.Subquery
    column: exp.Expr


def joined_keys(frame: str, given: str, native: str, column: exp.Expr) -> Joined:
    """Join candidates with a column in the column's own type; as text where that type cannot be written in a cast.

    A private row meets one candidate at most: of several that are equal in that type, such as 0.0 and -0.0 or 30 days
    and a month, the first one stands for all. Otherwise one row could move several scores, or one count by several.
    """
    typed = native_keys(frame, given, native)
    if typed is None:
        texts = exp.select("i", exp.cast(exp.column("key"), "TEXT").as_("key")).from_(frame)
        return Joined(texts.subquery(), exp.cast(column, "TEXT"))
    if is_exact(native):
        return Joined(typed, column)
    first = exp.select("MIN(i) AS i", "key").from_(typed.as_("k")).group_by("key")
    return Joined(first.subquery(), column)


def is_exact(kind: str) -> bool:
    """Whether equal values of a type are the same value, which is one text; texts themselves are compared in binary.

    >>> is_exact("BIGINT"), is_exact("DOUBLE"), is_exact("INTERVAL")
    (True, False, False)
    """
    return _EXACT.fullmatch(kind.upper()) is not None


def native_keys(frame: str, given: str, native: str) -> exp.Subquery | None:
    """(i, key) with the key in the type of the item column, without keys that it cannot hold exactly.

    A key such as 1.5 must not become item 2 of an integer column, nor '01' item 1: what does not come back is dropped.

    >>> native_keys("keys", "BIGINT", "BIGINT").sql("duckdb")
    '(SELECT i, TRY_CAST(key AS BIGINT) AS key FROM keys)'
    """
    try:
        own, target = (exp.DataType.build(kind, dialect="duckdb") for kind in (given, native))
    except sqlglot.errors.SqlglotError:
        return None
    key = exp.column("key")
    if own == target:
        return exp.select("i", _try_cast(key, target).as_("key")).from_(frame).subquery()
    typed = exp.select("i", _try_cast(key, own).as_("given")).from_(frame)
    moved = exp.select("i", "given", _try_cast(exp.column("given"), target).as_("key")).from_(typed.subquery("g"))
    back = _try_cast(key, own).eq(exp.column("given"))
    return exp.select("i", "key").from_(moved.subquery("h")).where(back).subquery()


def _try_cast(value: exp.Expr, kind: exp.DataType) -> exp.Expr:
    return exp.TryCast(this=value, to=kind.copy(), safe=True)  # safe: Spark has TRY_CAST too
