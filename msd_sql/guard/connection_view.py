"""What the caller's own connection says of itself, as the macro `_msd_told()` tells it (surface/caller.sql)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from msd_sql.database.sql_text import SearchPath, fold, search_path

Key = tuple[str, str, str]


@dataclass(frozen=True)
class ConnectionView:
    """A statement and the connection that runs it.

    `tables` and `views` are all that it sees, TEMP and uncommitted ones included, by folded name, with an object id
    that is another one for another table or definition.

    >>> ConnectionView.read('{"statement": "SELECT 1", "database": "shop", "schema": "main"}').path
    (('shop', 'main'),)
    """

    statement: str = ""
    path: SearchPath = ()
    tables: Mapping[Key, str] = field(default_factory=dict)
    views: Mapping[Key, str] = field(default_factory=dict)
    prepared: Mapping[str, str] = field(default_factory=dict)
    variables: tuple[str, ...] = ()
    enums: tuple[str, ...] = ()  # the names of ENUM types
    folders: tuple[str, ...] = ()  # SET file_search_path
    home: str = ""  # SET home_directory
    connection: int = 0  # current_connection_id()
    query: int = 0  # current_query_id(): the same for all groups of a statement
    plan: str | None = None  # what json_serialize_plan told; None where nothing is declared
    probes: tuple[str, ...] = ()  # the same of calls of possible TEMP macros (guard/probes.py)

    @classmethod
    def read(cls, told: str, plan: str | None = None, probes: Sequence[str] | None = None) -> ConnectionView:
        """The view from the macro's JSON, and what DuckDB told of the statement on the caller's connection."""
        view = _read(told)
        return view if plan is None and not probes else replace(view, plan=plan, probes=tuple(probes or ()))

    @property
    def temporary(self) -> frozenset[str]:
        """The names of the TEMP tables and views."""
        return frozenset(key[2] for key in (*self.tables, *self.views) if key[0] == "temp")


def key_of(database: str, schema: str, name: str) -> Key:
    """A relation's name as DuckDB compares it.

    >>> key_of("shop", "main", "Products")
    ('shop', 'main', 'products')
    """
    return fold(database), fold(schema), fold(name)


def split(folders: str | None) -> tuple[str, ...]:
    """The folders of DuckDB's setting file_search_path.

    >>> split("/data, /more")
    ('/data', '/more')
    """
    return tuple(one.strip() for one in (folders or "").split(",") if one.strip())


@lru_cache(maxsize=4)  # a statement asks for its own three times
def _read(told: str) -> ConnectionView:
    given = json.loads(told)
    seen: dict[str, list[list[str]]] = {}
    for kind, *facts in given.get("seen") or ():
        seen.setdefault(kind, []).append(facts)

    def keyed(name: str) -> dict[Key, str]:
        return {key_of(*facts[:3]): facts[3] for facts in seen.get(name, ())}

    return ConnectionView(
        given.get("statement") or "",
        search_path(given.get("database") or "", given.get("schema") or "main", given.get("path") or ""),
        keyed("table"),
        keyed("view"),
        {name: text for name, text, *_ in seen.get("prepared", ())},
        tuple(name for name, *_ in seen.get("variable", ())),
        tuple(fold(name) for name, *_ in seen.get("enum", ())),
        split(given.get("folders")),
        given.get("home") or "",
        int(given.get("connection") or 0),
        int(given.get("query") or 0),
    )
