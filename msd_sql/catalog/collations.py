"""Collations and other surroundings that could change what our statements mean, kept out (docs/privacy.md).

A user's macro hides a built-in function of the same name, and even an operator: our connections look names up in
DuckDB's own schema, where there are none (`OWN_NAMES`, `host`). A collation makes different texts equal, in some
places and versions and not in others; then it is not certain what one unit is, so that it is refused.
"""

from __future__ import annotations

from collections.abc import Mapping

from msd_sql.database.host import Host
from msd_sql.database.private_reads import private
from msd_sql.database.sql_text import literal, quote
from msd_sql.database.temp_names import next_serial, temp_name
from msd_sql.errors import CatalogError

_BINARY = ("", "binary", "c", "posix")
_DEFAULT = "SELECT current_setting('default_collation')"


def check_collations(host: Host, source: str, columns: Mapping[str, str], label: str) -> None:
    """Raise an error if texts in these columns (with their types) are not compared byte by byte; reads no row.

    >>> check_collations(host, '"shop"."main"."purchases"', {"user_id": "VARCHAR"}, "shop.main.purchases")
    """
    setting = str(host.rows(_DEFAULT)[0][0] or "")
    if setting.lower() not in _BINARY:
        raise CatalogError(
            f"default_collation is {setting}: different texts count as equal here, so that it is not certain what one "
            f"unit of {label} is. RESET GLOBAL default_collation, or open the database without it."
        )
    with private(label):
        collated = [name for name, kind in columns.items() if _collated(host, source, quote(name), kind)]
    for name in collated:
        raise CatalogError(
            f"Column {name} of {label} has a collation: different texts count as equal there, so that it is not "
            "certain what one unit is. Protect a view of it whose column has none: "
            f"CREATE VIEW … AS SELECT decode(encode({quote(name)})) AS {quote(name)}, …"
        )


def check_spark_collations(columns: Mapping[str, str], label: str) -> None:
    """The same for a relation of Spark, where a collation is a part of the type.

    >>> check_spark_collations({"user_id": "string"}, "spark:shop.purchases")
    """
    for name, kind in columns.items():
        if " collate " in kind.lower():
            raise CatalogError(
                f"Column {name} of {label} has a collation ({kind}): different texts count as equal there, so that it "
                "is not certain what one unit is. Protect a view that casts it to STRING COLLATE UTF8_BINARY."
            )


def _collated(host: Host, source: str, column: str, kind: str) -> bool:
    """Only the definition of a table tells a collation, and not one within a nested type: keep an empty one, and look.

    The members of a nested type become columns, level by level.
    """
    if "VARCHAR" not in kind and "JSON" not in kind:
        return False
    table = temp_name(next_serial(), "texts")
    host.run(f"CREATE TEMP TABLE {quote(table)} AS SELECT {_members(column, kind)} FROM {source} LIMIT 0")
    try:
        made = f"database_name = 'temp' AND table_name = {literal(table)}"
        definition = str(host.rows(f"SELECT sql FROM duckdb_tables() WHERE {made}")[0][0])
        if " COLLATE " in definition:
            return True
        inner = host.rows(f"SELECT column_name, data_type FROM duckdb_columns() WHERE {made}")
        return any(_collated(host, quote(table), quote(name), of) for name, of in inner if _is_nested(of))
    finally:
        host.run(f"DROP TABLE {quote(table)}")


def _is_nested(kind: str) -> bool:
    return kind.endswith("]") or kind.startswith(("STRUCT(", "MAP("))


def _members(column: str, kind: str) -> str:
    if kind.startswith("MAP(") and not kind.endswith("]"):
        return f"unnest(map_entries({column}), recursive := true)"
    return f"unnest({column}, recursive := true)" if _is_nested(kind) else column
