"""Variables of a Python program in a statement: lazy relations and data frames that it names like tables.

DuckDB 2 writes into a lazy relation's text what each of its names meant when it was made. DuckDB 1 keeps the text as
it was, and the relation as it was bound: planned again, a name can mean another variable by now. So on DuckDB 1 every
table that a statement names must be one of the database.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from typing import Any

from msd_sql.database.host import Host
from msd_sql.database.sql_text import fold, literal
from msd_sql.guard.connection_view import ConnectionView
from msd_sql.guard.statement_text import unreadable


def check_program_variables(host: Host, text: str, view: ConnectionView) -> None:
    """LeakError if a statement names, on DuckDB 1, a table that neither it nor the caller's connection has."""
    if not host.version.startswith("1."):
        return
    told = json.loads(host.rows(f"SELECT CAST(json_serialize_sql({literal(text)}) AS VARCHAR)")[0][0])
    for names in _tables(told, frozenset()):
        known = not names[-1].isidentifier() or _in_database(names, view)  # what is no identifier is a file
        if not known and not _of_duckdb(host, names):
            raise unreadable(
                f"'{names[-1]}' is no table or view of the database but a variable of the program, and DuckDB"
                f" {host.version} does not tell what it was when the statement was made: make it a table, write it in"
                " SQL, or use DuckDB 2"
            )


def _in_database(names: tuple[str, ...], view: ConnectionView) -> bool:
    *schema, name = map(fold, names)
    searched = {(fold(database), fold(one)) for database, one in (*view.path, ("temp", "main"))}
    return any(
        key[2] == name and (set(schema) <= {*key[:2]} if schema else key[:2] in searched)
        for key in (*view.tables, *view.views)
    )


def _of_duckdb(host: Host, names: tuple[str, ...]) -> bool:
    """Is it one of DuckDB's own views, such as information_schema.tables?"""
    *schema, name = map(fold, names)
    schemas = schema[-1:] or ["main", "pg_catalog"]  # where an unqualified one is found
    found = host.rows("SELECT lower(schema_name), lower(view_name) FROM duckdb_views() WHERE internal")
    return any((one, name) in found for one in schemas)


def _tables(node: Any, ctes: Collection[str]) -> Iterator[tuple[str, ...]]:
    """The tables that a parsed statement names, each with what it was qualified by, and without its CTEs."""
    if isinstance(node, list):
        for child in node:
            yield from _tables(child, ctes)
    if not isinstance(node, dict):
        return
    if node.get("type") == "BASE_TABLE":
        names = tuple(part for part in (node["catalog_name"], node["schema_name"], node["table_name"]) if part)
        if len(names) > 1 or fold(names[0]) not in ctes:
            yield names
    here = set(ctes)
    for entry in (node.get("cte_map") or {}).get("map", ()):
        name, query = fold(entry["key"]), entry["value"]["query"]
        recursive = query["node"]["type"] == "RECURSIVE_CTE_NODE"
        yield from _tables(query, here | {name} if recursive else here)
        here.add(name)
    if node.get("cte_name"):  # of a node that is a CTE and what follows it
        here.add(fold(node["cte_name"]))
    for key, child in node.items():
        if key != "cte_map":
            yield from _tables(child, here)
