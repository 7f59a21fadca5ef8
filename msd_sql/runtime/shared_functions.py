"""Shared functions: the macros that give all connections of a database the SQL functions (surface/shared_macros.py)."""

from __future__ import annotations

import threading
from contextlib import suppress

import duckdb

from msd_sql.surface.shared_macros import ATTACH, OWN, SHARED_FUNCTIONS, SHARED_HELPERS, SHARED_LATE_HELPERS


def share(con: duckdb.DuckDBPyConnection, *, own: bool = False) -> bool:
    """Give the functions to all connections of a database, and to this one its own; False if the name is taken.

    >>> share(con)
    True
    """
    cursor = con.cursor()
    failed: list[duckdb.Error] = []
    try:
        cursor.execute(ATTACH)
        cursor.execute(SHARED_HELPERS)
        beside = threading.Thread(target=_run, args=(con.cursor(), SHARED_FUNCTIONS, failed))
        with suppress(RuntimeError):  # there is no thread to be had
            beside.start()  # DuckDB makes one macro after the other, on one core
        try:
            soon = own and not _in_transaction(con)  # which would go on with the macros as they are now
            if soon:
                con.execute(OWN)
            cursor.execute(SHARED_LATE_HELPERS)
        finally:
            if beside.ident is not None:
                beside.join()
        if failed or beside.ident is None:
            cursor.execute(SHARED_FUNCTIONS)
        if own and not soon:
            con.execute(OWN)
    except duckdb.Error:
        return False
    return True


def _run(cursor: duckdb.DuckDBPyConnection, text: str, failed: list[duckdb.Error]) -> None:
    try:
        cursor.execute(text)
    except duckdb.Error as error:
        failed.append(error)


def _in_transaction(con: duckdb.DuckDBPyConnection) -> bool:
    """Has the user an open transaction? Without one, every statement is a transaction of its own."""
    first, second = (con.execute("SELECT txid_current()").fetchall() for _ in range(2))
    return first == second
