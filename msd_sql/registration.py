"""Registration: gives a connection the SQL functions, and its database the Python functions behind them."""

from __future__ import annotations

import atexit
import os
import threading
import time
import uuid
from typing import Any

import duckdb

from msd_sql import entry_points
from msd_sql.database.spark_host import check_session
from msd_sql.database.sql_text import literal, quote
from msd_sql.errors import CatalogError, InputError
from msd_sql.runtime import interrupts
from msd_sql.runtime.instance import Instance
from msd_sql.surface.macros import MACROS, TEXT

LEDGER = "msd_ledger"
PATIENCE = 5.0  # seconds
_instances: dict[str, Instance] = {}  # for the life of the process: DuckDB may call a function at any time
_lock = threading.RLock()
_DROPS = tuple(name for name, table in MACROS.items() if not table)
_DROPS_TABLE = tuple(name for name, table in MACROS.items() if table)


def register(
    con: duckdb.DuckDBPyConnection | None = None, *, ledger: str | os.PathLike[str] | None = None, spark: Any = None
) -> duckdb.DuckDBPyConnection:
    """Give a connection `msd_select` and its family; calling it again changes nothing.

    Every connection and cursor that uses the functions is registered by itself. `ledger` is a DuckDB file that keeps
    declarations and ledger (schema msd) instead of the data's own file, for read-only data; `spark` is a Spark session
    that holds protected relations.

    >>> con = register(duckdb.connect())
    >>> con.sql("FROM msd_ledger()").fetchall()
    []
    """
    default = con is None
    con = con if con is not None else duckdb.default_connection()
    with _lock:
        instance = _instance(con)
        if ledger is not None:
            _keep_ledger(con, instance, os.fspath(ledger))
        if spark is not None:
            instance.spark = check_session(spark)
        con.execute(TEXT)
        number = con.execute("SELECT current_connection_id()").fetchall()[0][0]
        if default or con is duckdb.default_connection():
            instance.join_default(number)
        else:
            instance.join(number, con)
    interrupts.watch(_stop)
    return con


def unregister(con: duckdb.DuckDBPyConnection | None = None) -> None:
    """Take the SQL functions from a connection; declarations and ledger stay in the database.

    >>> unregister(register(duckdb.connect()))
    """
    con = con if con is not None else duckdb.default_connection()
    for instance in list(_instances.values()):
        instance.leave(con)
    for name in _DROPS:
        con.execute(f"DROP MACRO IF EXISTS temp.{quote(name)}")
    for name in _DROPS_TABLE:
        con.execute(f"DROP MACRO TABLE IF EXISTS temp.{quote(name)}")


def instance_of(con: duckdb.DuckDBPyConnection) -> Instance:
    """What a registered connection shares with the others of its database.

    >>> instance_of(register(duckdb.connect())).home is None
    True
    """
    with _lock:
        found = _find(con)
    if found is None:
        raise CatalogError("This connection's database is not registered. Call msd_sql.register(con) first.")
    return found


def instance_named(token: str) -> Instance:
    """The database of that token, which `_msd_instance()` returns in SQL."""
    return _instances[token]


def _instance(con: duckdb.DuckDBPyConnection) -> Instance:
    found = _find(con)
    if found is not None:
        return found
    made = Instance(uuid.uuid4().hex)
    # On a cursor: an open transaction of the user must not decide over functions that all connections call.
    cursor = con.cursor()
    for function in entry_points.functions(made):
        entry_points.create(cursor, function)
        made.functions.append(function.run)
    _instances[made.token] = made
    return made


def _find(con: duckdb.DuckDBPyConnection) -> Instance | None:
    try:
        token = con.cursor().execute("SELECT _msd_instance()").fetchall()[0][0]
    except duckdb.CatalogException:
        return None
    return _instances.get(token)


def _keep_ledger(con: duckdb.DuckDBPyConnection, instance: Instance, path: str) -> None:
    cursor = con.cursor()
    attached = cursor.execute("SELECT database_name, path FROM duckdb_databases() WHERE path IS NOT NULL").fetchall()
    real = os.path.realpath(path)
    name = next((name for name, held in attached if os.path.realpath(held) == real), None)
    if instance.home is not None and instance.home != name:
        raise InputError(
            f"This database keeps its ledger in {instance.home} already; a second ledger would be a second budget. "
            "Use the same file."
        )
    if name is None:
        name = LEDGER
        # Said aloud, because a database that was opened for reading only attaches others likewise.
        cursor.execute(f"ATTACH {literal(path)} AS {quote(name)} (READ_WRITE)")
    instance.home = name


@atexit.register
def _finish() -> None:
    """Wait for what an interrupt left behind: a thread of DuckDB that returns to a Python that is gone is fatal."""
    busy = [instance for instance in _instances.values() if instance.busy]
    for instance in busy:
        instance.stop()
    deadline = time.monotonic() + PATIENCE
    while any(instance.busy for instance in busy) and time.monotonic() < deadline:
        time.sleep(0.01)
    if busy:
        time.sleep(0.5)  # from the end of a function to the end of its thread's work, on a busy machine too


def _stop(con: duckdb.DuckDBPyConnection | None) -> None:
    for instance in list(_instances.values()):
        number = None if con is None else instance.number(con)
        if con is None or number is not None:
            instance.stop(number)
