"""What only the caller's own connection sees, for the guard, as the macro `_msd_session()` tells it (caller.sql)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from msd_sql.database.sql_text import Name
from msd_sql.surface.macros import CALLED

Key = tuple[str, str, str]
# Functions that DuckDB calls for what is not written as a call: [1], {'a': 1}, x.y, x[1:2], INTERVAL 1 DAY, LIKE …
_SYNTAX = frozenset([
    "list_value", "struct_pack", "row", "map", "array_value", "list_extract", "array_extract", "struct_extract",
    "struct_extract_at", "map_extract", "map_extract_value", "union_extract", "json_extract", "json_extract_string",
    "list_slice", "array_slice", "list_concat", "list_contains", "array_contains", "contains", "list_transform",
    "list_filter", "list_apply", "list_zip", "unnest", "date_part", "datepart", "date_trunc", "to_years",
    "to_quarters", "to_months", "to_weeks", "to_days", "to_hours", "to_minutes", "to_seconds", "to_milliseconds",
    "to_microseconds", "to_centuries", "to_decades", "to_millennia", "count", "count_star", "first", "any_value",
    "arg_min", "arg_max", "position", "strpos", "instr", "substring", "substr", "trim", "ltrim", "rtrim", "overlay",
    "like_escape", "not_like_escape", "ilike_escape", "not_ilike_escape", "regexp_matches", "regexp_full_match",
    "timezone", "collate", "current_date", "current_time", "current_timestamp", "current_localtime",
    "current_localtimestamp", "localtime", "localtimestamp", "get_current_time", "get_current_timestamp", "today",
    "now", "current_user", "session_user", "user", "current_role", "current_catalog", "current_schema",
    "current_database", "current_query", "getvariable", "construct_array", "nullif", "ifnull", "min", "max", "avg",
    "stddev", "approx_unique", "approx_count_distinct", "approx_quantile",
])  # fmt: skip
RESERVED = CALLED | _SYNTAX  # a macro of the user must not hide one of them


@dataclass(frozen=True)
class Macro:
    """One overload of a user's macro: a scalar expression, or a query if `table`."""

    name: Name
    parameters: tuple[str, ...]
    body: str
    table: bool

    @property
    def hides(self) -> bool:
        """Tell whether it changes SQL that does not name it: an operator, or a function that our own macros call."""
        called = self.name.name.lower()
        return (
            called in RESERVED or called.startswith(("duckdb_", "pragma_")) or not re.fullmatch(r"[^\W\d]\w*", called)
        )


@dataclass(frozen=True)
class Session:
    """What only the caller's own connection can see: TEMP objects, prepared statements, and changes not committed.

    `macros` are the macros that it sees, `catalog` the object id of every table and view; None if not told.

    >>> Session.read('{"tables": [["temp", "main", "t", "7"], ["shop", "main", "products", "8"]]}').tables
    frozenset({'t'})
    """

    tables: frozenset[str] = frozenset()
    views: Mapping[str, str] = field(default_factory=dict)
    prepared: Mapping[str, str] = field(default_factory=dict)
    macros: tuple[Macro, ...] | None = None
    catalog: Mapping[Key, str] | None = None
    folders: tuple[str, ...] = ()  # SET file_search_path
    home: str = ""  # SET home_directory

    @staticmethod
    def read(text: str | None) -> Session:
        """The session as `_msd_session()` tells it, in JSON; nothing is known of it if there is no text."""
        return _read(text or "{}")


PLAIN = Session(macros=())  # of a connection that has nothing of its own


@lru_cache(maxsize=8)  # every group of a statement tells the same
def _read(text: str) -> Session:
    told = json.loads(text)
    tables, views = told.get("tables") or (), told.get("views") or ()
    own = {name.lower(): sql for database, _, name, sql in views if database == "temp"}
    catalog = {
        (database.lower(), schema.lower(), name.lower()): str(object_id)
        for database, schema, name, object_id in (*tables, *views)
        if database != "temp"
    }
    return Session(
        frozenset(name.lower() for database, _, name, _ in tables if database == "temp"),
        own,
        {name.lower(): sql for name, sql in told.get("prepared") or ()},
        tuple(macro(*one) for one in told["macros"]) if told.get("macros") is not None else None,
        catalog if "tables" in told else None,
        split(told.get("folders")),
        told.get("home") or "",
    )


def split(folders: str | None) -> tuple[str, ...]:
    """The folders of DuckDB's setting file_search_path.

    >>> split("/data, /more")
    ('/data', '/more')
    """
    return tuple(one.strip() for one in (folders or "").split(",") if one.strip())


def macro(database: str, schema: str, name: str, parameters: str, body: str | None, kind: str) -> Macro:
    """A macro from a row of duckdb_functions().

    >>> macro("memory", "main", "twice", "x", "(x * 2)", "macro").parameters
    ('x',)
    """
    listed = tuple(parameters.split(",")) if parameters else ()
    return Macro(Name(database, schema, name), listed, body or "", kind == "table_macro")
