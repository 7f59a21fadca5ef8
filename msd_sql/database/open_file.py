"""Opening a database file, in a storage that both supported DuckDBs can read; where it is locked, what to do."""

from __future__ import annotations

import os
from typing import TypeAlias

import duckdb

Config: TypeAlias = dict[str, str | bool | int | float | list[str]]
_STORAGE: Config = {"storage_compatibility_version": "v1.5.0"}
_LOCKED = ("Could not set lock on file", "being used by another process")  # the second is how Windows says it
_ELSEWHERE = (
    "Another process has the file open: if a curator serves it, ask that one (msd shell --curator grpc://host:8815; an "
    "owner: msd account grpc://host:8815 …, with the token in MSD_TOKEN), or stop it first."
)


def open_file(path: str, *, read_only: bool = False, config: Config | None = None) -> duckdb.DuckDBPyConnection:
    """Open a database; a new file is made in the storage of DuckDB 1.5, which a duckdb shell of that version can open.

    >>> open_file(":memory:").execute("SELECT 1").fetchall()
    [(1,)]
    """
    if not read_only and not path.startswith((":memory:", "md:")) and path and not os.path.exists(path):
        connect(path, config=_STORAGE).close()
    return connect(path, read_only=read_only, config=config)


def connect(path: str, *, read_only: bool = False, config: Config | None = None) -> duckdb.DuckDBPyConnection:
    """Open a database as duckdb.connect does, and say what to do where another process has it open.

    >>> connect(":memory:").execute("SELECT 1").fetchall()
    [(1,)]
    """
    try:
        return duckdb.connect(path, read_only=read_only, config=config or {})
    except duckdb.IOException as error:
        if not any(text in str(error) for text in _LOCKED):
            raise
        raise duckdb.IOException(f"{str(error).rstrip()}\n{_ELSEWHERE}") from None
