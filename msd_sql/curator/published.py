"""What is published, read from behind once for all accounts: rows in Arrow, types, and a hash that tells a change."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import duckdb

from msd_sql.curator.behind import Behind
from msd_sql.database.sql_text import Name, quote

_AS_TEXT = ("HUGEINT", "UHUGEINT", "UUID", "ENUM", "BIT", "TIME WITH TIME ZONE", "INTERVAL")  # Arrow has others


@dataclass(frozen=True)
class Published:
    """One published relation as it was last read."""

    content: str
    types: dict[str, str]
    rows: Any = field(repr=False)


def read_published(behind: Behind, known: dict[Name, Published]) -> dict[Name, Published]:
    """Every published relation; what has not changed is not read again."""
    found = {}
    for name in behind.published:
        with behind.cursor() as cursor:
            content = _content(cursor, name)
            before = known.get(name)
            found[name] = before if before and before.content == content else _read(cursor, name, content)
    return found


def _read(cursor: duckdb.DuckDBPyConnection, name: Name, content: str) -> Published:
    types = {row[0]: row[1] for row in cursor.execute(f"DESCRIBE {name.sql}").fetchall()}
    columns = ", ".join(
        f"CAST({quote(column)} AS VARCHAR) AS {quote(column)}" if kind.startswith(_AS_TEXT) else quote(column)
        for column, kind in types.items()
    )
    return Published(content, types, cursor.sql(f"SELECT {columns} FROM {name.sql}").to_arrow_table())


def _content(cursor: duckdb.DuckDBPyConnection, name: Name) -> str:
    described = cursor.execute(f"DESCRIBE {name.sql}").fetchall()
    told = cursor.execute(f"SELECT count(*), sum(hash(t)::HUGEINT), bit_xor(hash(t)) FROM {name.sql} AS t").fetchall()
    return repr((described, told))
