"""Opening a database file, in a storage that both supported DuckDBs can read."""

from __future__ import annotations

import os

import duckdb

_STORAGE: dict[str, str | bool | int | float | list[str]] = {"storage_compatibility_version": "v1.5.0"}


def open_file(
    path: str, *, read_only: bool = False, config: dict[str, str | bool | int | float | list[str]] | None = None
) -> duckdb.DuckDBPyConnection:
    """Open a database; a new file is made in the storage of DuckDB 1.5, which a duckdb shell of that version can open.

    >>> open_file(":memory:").execute("SELECT 1").fetchall()
    [(1,)]
    """
    if not read_only and not path.startswith((":memory:", "md:")) and path and not os.path.exists(path):
        duckdb.connect(path, config=_STORAGE).close()
    return duckdb.connect(path, read_only=read_only, config=config or {})
