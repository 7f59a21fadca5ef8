"""Relations by name: which table or view a user's text means, its columns, and why it may be out of sight."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection
from typing import Any, TypeAlias

from msd_sql.database.host import Host, Row
from msd_sql.database.private_reads import private
from msd_sql.database.sql_text import SPARK, Name, SearchPath, fold, literal, parts, shown
from msd_sql.errors import CatalogError, InputError, suggest

HIDDEN = (
    "A TEMP table or view, a registered data frame and whatever was created in a transaction that is not yet "
    "committed are visible to your connection alone: COMMIT, or make it a permanent table or view."
)
Question: TypeAlias = tuple[Any, ...]
Once: TypeAlias = Callable[[Question, Callable[[], Any]], Any]  # answers a question, by asking or from memory
_MANY = 12
_RELATIONS = """
SELECT 'table' AS kind, database_name, schema_name, table_name AS name, '' AS sql,
       CAST(table_oid AS VARCHAR) AS object_id
FROM system.main.duckdb_tables() WHERE NOT internal AND NOT temporary
UNION ALL
SELECT 'view', database_name, schema_name, view_name, {sql}, CAST(view_oid AS VARCHAR)
FROM system.main.duckdb_views() WHERE NOT internal AND NOT temporary
"""
ALL_RELATIONS = (  # that every connection sees
    "SELECT database_name, schema_name, table_name AS name FROM duckdb_tables() WHERE NOT internal AND NOT temporary "
    "UNION ALL "
    "SELECT database_name, schema_name, view_name AS name FROM duckdb_views() WHERE NOT internal AND NOT temporary"
)


def relation_rows(host: Host, once: Once) -> list[Row]:
    """Every table and view that all connections see: kind, database, schema, name, SQL of a view, and its object id."""

    def look() -> list[Row]:
        rows = host.rows(_RELATIONS.format(sql="''"))
        if any(row[0] == "view" for row in rows):  # DuckDB writes its own fifty views down, too
            rows = host.rows(_RELATIONS.format(sql="coalesce(sql, '')"))
        return rows

    found: list[Row] = once(("relations",), look)
    return found


def foreign_databases(host: Host) -> set[str]:
    """The folded names of the attached databases of other systems, whose objects have no lasting number.

    >>> foreign_databases(host)
    set()
    """
    sql = "SELECT database_name FROM system.main.duckdb_databases() WHERE type <> 'duckdb'"
    return {fold(row[0]) for row in host.rows(sql)}


def described(host: Host, once: Once, relation: str) -> dict[str, str]:
    """The columns of a relation that all connections see, with their types.

    >>> described(host, lambda question, answer: answer(), "products")["price_bin"]
    'INTEGER'
    """

    def look() -> dict[str, str]:
        return {row[0]: str(row[1]) for row in host.rows(f"DESCRIBE SELECT * FROM {relation}")}

    found: dict[str, str] = once(("described", relation), look)
    return found


class Relations:
    """The tables and views that a host sees.

    `path` is the caller's search path and `temporary` the caller's TEMP relations: a host has its own connection, so
    it cannot know either.

    >>> Relations(host, (("shop", "main"),)).resolve("purchases")
    Name(database='shop', schema='main', name='purchases')
    """

    def __init__(self, host: Host, path: SearchPath, temporary: Collection[str] = ()) -> None:
        self.host = host
        self._path = path
        self._temporary = {fold(name) for name in temporary}

    def resolve(self, text: str) -> Name:
        """The relation that `text` means, or a CatalogError that names the nearest one and says what hides others."""
        given = parts(text)
        if fold(given[-1]) in self._temporary and (len(given) == 1 or fold(given[0]) == "temp"):
            raise CatalogError(f"'{text}' is a TEMP relation, which msd_sql cannot read. {HIDDEN}")
        for place in self._places(given):
            found = self._find(*place)
            if found:
                return found
        near = suggest("relation", text, self._nearby(text))
        raise CatalogError(f"{near} {HIDDEN}")

    def columns(self, name: Name) -> dict[str, str]:
        """The columns of a relation with their types, in order."""
        with private(str(name)):  # a view over CSV reads lines of it to know its columns
            return {row[0]: row[1] for row in self.host.rows(f"DESCRIBE SELECT * FROM {name.sql}")}

    def column(self, name: Name, given: str, role: str) -> str:
        """The column of `name` that `given` means, spelled as the relation spells it."""
        return spelled(self.columns(name), given, f"{role} of {name}")

    def _places(self, given: tuple[str, ...]) -> list[tuple[str, str, str]]:
        if len(given) == 3:
            return [(given[0], given[1], given[2])]
        if len(given) == 1:
            return [(database, schema, given[0]) for database, schema in self._path]
        # a.b is table b of schema a, or table b of schema main of database a, as in DuckDB itself.
        return [*((database, given[0], given[1]) for database, _ in self._path), (given[0], "main", given[1])]

    def _find(self, database: str, schema: str, name: str) -> Name | None:
        wanted = {"database_name": database, "schema_name": schema, "name": name}
        matches = " AND ".join(f"lower({column}) = lower({literal(value)})" for column, value in wanted.items())
        # lower() knows more letters than DuckDB's names do: what it finds is looked through again.
        rows = self.host.rows(f"SELECT * FROM ({ALL_RELATIONS}) WHERE {matches}")
        same = [row for row in rows if tuple(map(fold, row)) == tuple(map(fold, wanted.values()))]
        return Name(*same[0]) if same else None

    def _nearby(self, text: str) -> list[str]:
        """The relations in sight; of very many, those with the nearest names."""
        found = [Name(*row) for row in self.host.rows(f"{ALL_RELATIONS} ORDER BY ALL") if row[1] != "msd"]
        names = [shown(name.name) if (name.database, name.schema) in self._path else str(name) for name in found]
        return names if len(names) <= _MANY else difflib.get_close_matches(text, names, n=_MANY, cutoff=0)


def spelled(columns: Collection[str], given: str, what: str) -> str:
    """The column that `given` means, as the relation spells it.

    >>> spelled(["User_ID", "item_id"], "user_id", "unit")
    'User_ID'
    """
    wanted = given.strip()
    if len(wanted) > 1 and wanted[0] == wanted[-1] == '"':
        wanted = wanted[1:-1].replace('""', '"')
    for column in columns:
        if fold(column) == fold(wanted):
            return column
    raise InputError(f"{what}: {suggest('column', given, columns)}")


def is_spark(text: str) -> bool:
    """Whether the text names a relation of a Spark session ('spark:shop.purchases')."""
    return text.startswith(SPARK)
