"""What Flight SQL asks about a database: catalogs, schemas, tables, types of tables; there are no keys."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TypeAlias

import pyarrow as pa

from msd_sql.catalog.accounts.account import Account
from msd_sql.curator.core import Curator
from msd_sql.curator.flight import abilities, type_info
from msd_sql.curator.flight.abilities import ESCAPE
from msd_sql.curator.flight.protobuf import Fields, numbers, text, texts
from msd_sql.database.sql_text import literal

Answer: TypeAlias = Callable[[Curator, Account, Fields], pa.Table]
_CATALOG = "memory"
_KEYWORDS = "SELECT keyword_name FROM duckdb_keywords() WHERE keyword_category = 'reserved' ORDER BY ALL"
_FOREIGN_KEYS = pa.schema([
    pa.field("pk_catalog_name", pa.string()), pa.field("pk_db_schema_name", pa.string()),
    pa.field("pk_table_name", pa.string(), False), pa.field("pk_column_name", pa.string(), False),
    pa.field("fk_catalog_name", pa.string()), pa.field("fk_db_schema_name", pa.string()),
    pa.field("fk_table_name", pa.string(), False), pa.field("fk_column_name", pa.string(), False),
    pa.field("key_sequence", pa.int32(), False),
    pa.field("fk_key_name", pa.string()), pa.field("pk_key_name", pa.string()),
    pa.field("update_rule", pa.uint8(), False), pa.field("delete_rule", pa.uint8(), False),
])  # fmt: skip
SCHEMAS: Mapping[str, pa.Schema] = {
    "CommandGetCatalogs": pa.schema([pa.field("catalog_name", pa.string(), False)]),
    "CommandGetDbSchemas": pa.schema([
        pa.field("catalog_name", pa.string()), pa.field("db_schema_name", pa.string(), False)
    ]),
    "CommandGetTableTypes": pa.schema([pa.field("table_type", pa.string(), False)]),
    "CommandGetTables": pa.schema([
        pa.field("catalog_name", pa.string()),
        pa.field("db_schema_name", pa.string()),
        pa.field("table_name", pa.string(), False),
        pa.field("table_type", pa.string(), False),
    ]),
    "CommandGetSqlInfo": abilities.SCHEMA,
    "CommandGetXdbcTypeInfo": type_info.SCHEMA,
    "CommandGetPrimaryKeys": pa.schema([
        pa.field("catalog_name", pa.string()), pa.field("db_schema_name", pa.string()),
        pa.field("table_name", pa.string(), False), pa.field("column_name", pa.string(), False),
        pa.field("key_name", pa.string()), pa.field("key_sequence", pa.int32(), False),
    ]),
    "CommandGetExportedKeys": _FOREIGN_KEYS,
    "CommandGetImportedKeys": _FOREIGN_KEYS,
    "CommandGetCrossReference": _FOREIGN_KEYS,
}  # fmt: skip


def schema_of(name: str, fields: Fields) -> pa.Schema:
    """The columns of the answer to a command about the database."""
    schema = SCHEMAS[name]
    wanted = name == "CommandGetTables" and bool(numbers(fields, 5))
    return schema.append(pa.field("table_schema", pa.binary(), False)) if wanted and numbers(fields, 5)[-1] else schema


def told(curator: Curator, account: Account, name: str, fields: Fields) -> pa.Table:
    """The answer to a command about the database, as the account sees it: what is published."""
    return _ANSWERS[name](curator, account, fields).cast(schema_of(name, fields))


def _catalogs(curator: Curator, account: Account, fields: Fields) -> pa.Table:
    return pa.table({"catalog_name": [_CATALOG]})


def _schemas(curator: Curator, account: Account, fields: Fields) -> pa.Table:
    where = _like("schema_name", text(fields, 2))
    sql = (
        "SELECT database_name AS catalog_name, schema_name AS db_schema_name FROM duckdb_schemas() "
        f"WHERE (NOT internal OR schema_name = 'main') AND database_name = '{_CATALOG}' AND {where} "
        "ORDER BY ALL"
    )
    return _rows(curator, account, sql) if text(fields, 1) in (None, _CATALOG) else _rows(curator, account, sql)[:0]


def _types(curator: Curator, account: Account, fields: Fields) -> pa.Table:
    return pa.table({"table_type": ["BASE TABLE"]})


def _tables(curator: Curator, account: Account, fields: Fields) -> pa.Table:
    kinds = texts(fields, 4)
    catalog = text(fields, 1) in (None, _CATALOG) and (not kinds or bool({"BASE TABLE", "TABLE"} & {*kinds}))
    sql = (
        "SELECT database_name AS catalog_name, schema_name AS db_schema_name, table_name, 'BASE TABLE' AS table_type "
        f"FROM duckdb_tables() WHERE NOT internal AND database_name = '{_CATALOG}' AND {str(catalog).lower()} AND "
        f"{_like('schema_name', text(fields, 2))} AND {_like('table_name', text(fields, 3))} ORDER BY ALL"
    )
    found = _rows(curator, account, sql)
    if len(schema_of("CommandGetTables", fields)) == 4:
        return found
    columns = []
    for row in found.to_pylist():
        name = ".".join('"' + row[part].replace('"', '""') + '"' for part in ("db_schema_name", "table_name"))
        columns.append(curator.schema(account, curator.check(f"FROM {name}")).serialize().to_pybytes())
    return found.append_column("table_schema", pa.array(columns, pa.binary()))


def _info(curator: Curator, account: Account, fields: Fields) -> pa.Table:
    wanted = numbers(fields, 1)
    words = _rows(curator, account, _KEYWORDS)["keyword_name"].to_pylist() if not wanted or 508 in wanted else []
    return abilities.abilities(wanted, words, curator.limits.statement)


def _type_info(curator: Curator, account: Account, fields: Fields) -> pa.Table:
    given = numbers(fields, 1)
    return type_info.type_info(_signed(given[-1]) if given else None)


def _none(schema: pa.Schema) -> Answer:
    """What is published has no keys in the database in front: there is nothing to tell."""
    return lambda curator, account, fields: schema.empty_table()


def _signed(number: int) -> int:
    """A number of 32 bits, of which a message sends one below 0 in 64."""
    return (number + (1 << 31)) % (1 << 32) - (1 << 31)


_ANSWERS: Mapping[str, Answer] = {
    "CommandGetCatalogs": _catalogs,
    "CommandGetDbSchemas": _schemas,
    "CommandGetTableTypes": _types,
    "CommandGetTables": _tables,
    "CommandGetSqlInfo": _info,
    "CommandGetXdbcTypeInfo": _type_info,
    "CommandGetPrimaryKeys": _none(SCHEMAS["CommandGetPrimaryKeys"]),
    "CommandGetExportedKeys": _none(_FOREIGN_KEYS),
    "CommandGetImportedKeys": _none(_FOREIGN_KEYS),
    "CommandGetCrossReference": _none(_FOREIGN_KEYS),
}


def _rows(curator: Curator, account: Account, sql: str) -> pa.Table:
    return curator.statement(account, curator.check(sql))


def _like(column: str, pattern: str | None) -> str:
    if pattern is None:
        return "true"
    # DuckDB refuses an escape before anything else than these; one that stands alone is meant as it is.
    plain = re.sub(r"\\([%_\\])?", lambda found: found[0] if found[1] else ESCAPE * 2, pattern)
    return f"{column} LIKE {literal(plain)} ESCAPE {literal(ESCAPE)}"
