"""What Flight SQL asks about a database: catalogs, schemas, tables, types of tables, and what the server can do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pyarrow as pa

from msd_sql import __version__
from msd_sql.catalog.accounts.account import Account
from msd_sql.curator.core import Curator
from msd_sql.curator.flight.protobuf import Fields, numbers, text, texts
from msd_sql.database.sql_text import literal

_CATALOG = "memory"
_INFO = pa.dense_union([
    pa.field("string_value", pa.string()),
    pa.field("bool_value", pa.bool_()),
    pa.field("bigint_value", pa.int64()),
    pa.field("int32_bitmask", pa.int32()),
    pa.field("string_list", pa.list_(pa.string())),
    pa.field("int32_to_int32_list_map", pa.map_(pa.int32(), pa.list_(pa.int32()))),
])  # fmt: skip
# By the number of SqlInfo: name, version and Arrow version of the server, read only, no transactions, no cancel.
_FACTS: Mapping[int, tuple[int, Any]] = {
    0: (0, "msd_sql curator"),
    1: (0, __version__),
    2: (0, pa.__version__),
    3: (1, True),
    4: (1, True),
    5: (1, False),
    8: (3, 0),
    9: (1, False),
    500: (1, False),
    501: (1, False),
    502: (1, False),
    504: (0, '"'),
}
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
    "CommandGetSqlInfo": pa.schema([pa.field("info_name", pa.uint32(), False), pa.field("value", _INFO, False)]),
    "CommandGetPrimaryKeys": pa.schema([
        pa.field("catalog_name", pa.string()), pa.field("db_schema_name", pa.string()),
        pa.field("table_name", pa.string(), False), pa.field("column_name", pa.string(), False),
        pa.field("key_name", pa.string()), pa.field("key_sequence", pa.int32(), False),
    ]),
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
    wanted = [one for one in numbers(fields, 1) or _FACTS if one in _FACTS]
    kinds = pa.array([_FACTS[one][0] for one in wanted], pa.int8())
    children: list[list[Any]] = [[] for _ in range(_INFO.num_fields)]
    offsets = []
    for one in wanted:
        kind, value = _FACTS[one]
        offsets.append(len(children[kind]))
        children[kind].append(value)
    values = pa.UnionArray.from_dense(
        kinds,
        pa.array(offsets, pa.int32()),
        [pa.array(child, _INFO.field(place).type) for place, child in enumerate(children)],
        [_INFO.field(place).name for place in range(_INFO.num_fields)],
    )
    return pa.Table.from_arrays([pa.array(wanted, pa.uint32()), values], schema=SCHEMAS["CommandGetSqlInfo"])


def _no_keys(curator: Curator, account: Account, fields: Fields) -> pa.Table:
    return SCHEMAS["CommandGetPrimaryKeys"].empty_table()


_ANSWERS: Mapping[str, Callable[[Curator, Account, Fields], pa.Table]] = {
    "CommandGetCatalogs": _catalogs,
    "CommandGetDbSchemas": _schemas,
    "CommandGetTableTypes": _types,
    "CommandGetTables": _tables,
    "CommandGetSqlInfo": _info,
    "CommandGetPrimaryKeys": _no_keys,
}


def _rows(curator: Curator, account: Account, sql: str) -> pa.Table:
    return curator.statement(account, curator.check(sql))


def _like(column: str, pattern: str | None) -> str:
    return "true" if pattern is None else f"{column} LIKE {literal(pattern)}"
