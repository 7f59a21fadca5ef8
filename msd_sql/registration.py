"""Registration: gives a connection the SQL functions, and its database the Python functions behind them."""

from __future__ import annotations

import atexit
import os
import threading
import time
import uuid
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import duckdb

from msd_sql.database.sql_text import literal, quote
from msd_sql.errors import CatalogError, InputError
from msd_sql.runtime import interrupts
from msd_sql.runtime.instance import Instance
from msd_sql.runtime.late_functions import create_functions
from msd_sql.runtime.shared_functions import share
from msd_sql.surface.macros import MACROS, TEXT
from msd_sql.surface.shared_macros import DATABASE

if TYPE_CHECKING:
    from msd_sql.entry_points import Function
    from msd_sql.remote.functions import DoorOf

LEDGER = "msd_ledger"
PATIENCE = 5.0  # seconds
_instances: dict[str, Instance] = {}  # for the life of the process: DuckDB may call a function at any time
_lock = threading.RLock()
_DROPS = tuple(name for name, table in MACROS.items() if not table)
_DROPS_TABLE = tuple(name for name, table in MACROS.items() if table)


def register(
    con: duckdb.DuckDBPyConnection | None = None,
    *,
    ledger: str | os.PathLike[str] | None = None,
    spark: Any = None,
    curator: str | None = None,
    token: str | None = None,
    tls_roots: str | os.PathLike[str] | None = None,
) -> duckdb.DuckDBPyConnection:
    """Give a connection `msd_select` and its family; calling it again changes nothing.

    From then on, every connection of the same database finds the functions as `msd_sql.msd_select(…)`. Without the
    prefix they are found by connections that are registered: the first one keeps them; those after it have
    `msd_sql.main` on their search path, which takes a millisecond, and lose it with USE: register them again. Who
    detaches the database `msd_sql`, in memory, takes them from all connections until one is registered.

    Args:
        con: a connection or cursor; None: DuckDB's default connection.
        ledger: a DuckDB file that keeps declarations and ledger (schema msd) instead of the data's own file, for
            read-only data.
        spark: a Spark session that holds protected relations.
        curator: the address of a curator, 'grpc+tls://host:8815', which then answers for its private relations: this
            database itself holds no private row (docs/curator.md). It has to answer, and to know the token.
        token: the token of an account at the curator.
        tls_roots: a file of certificates to trust beside the system's.

    Returns:
        The connection itself.

    >>> con = register(duckdb.connect())
    >>> con.sql("FROM msd_ledger()").fetchall()
    []
    >>> con.cursor().sql("FROM msd_sql.msd_ledger()").fetchall()
    []

    """
    if curator is not None:
        if ledger is not None or spark is not None:
            raise InputError("A curator keeps the ledger and the private relations: leave ledger and spark out.")
        return _register_at(con, curator, token, tls_roots)
    return _register(con, _own_functions, ledger, spark)


def register_asking(con: duckdb.DuckDBPyConnection, door: DoorOf) -> duckdb.DuckDBPyConnection:
    """Give a connection the same functions, answered through the door that `door` tells for its number.

    >>> register_asking(duckdb.connect(), lambda connection: door).sql("SELECT _msd_instance() IS NULL").fetchall()
    [(False,)]
    """

    def functions(instance: Instance) -> list[Function]:
        from msd_sql.remote.functions import functions as asking_functions

        return asking_functions(instance, door)

    return _register(con, functions, None, None)


def _own_functions(instance: Instance) -> list[Function]:
    from msd_sql.entry_points import functions

    return functions(instance)


def _register_at(
    con: duckdb.DuckDBPyConnection | None, curator: str, token: str | None, tls_roots: str | os.PathLike[str] | None
) -> duckdb.DuckDBPyConnection:
    con = con if con is not None else duckdb.default_connection()
    with _lock:
        known = _find(con)
        if known is not None and known.curator != curator:
            where = f"at {known.curator}" if known.curator else "without a curator"
            raise InputError(f"This database is registered {where} already. Open another one: duckdb.connect().")
        if known is None:
            from msd_sql.remote.flight_door import open_door

            opened = open_door(curator, token, tls_roots)
            opened.check()  # a wrong token or address is told here, and not by the first question
            register_asking(con, lambda connection: opened)
            instance = instance_of(con)
            instance.curator, instance.door = curator, opened
            return con
    return _register(con, lambda instance: [], None, None)  # its functions are there: this makes the macros


def _register(
    con: duckdb.DuckDBPyConnection | None,
    functions: Callable[[Instance], list[Function]],
    ledger: str | os.PathLike[str] | None,
    spark: Any,
) -> duckdb.DuckDBPyConnection:
    default = con is None
    con = given = con if con is not None else duckdb.default_connection()
    con = inner(con)
    with _lock:
        instance = _instance(con, functions)
        if ledger is not None:
            _keep_ledger(con, instance, os.fspath(ledger))
        if spark is not None:
            from msd_sql.database.spark_host import check_session

            instance.spark = check_session(spark)
        number = _name_functions(con, instance)
        if default or con is duckdb.default_connection():
            instance.join_default(number)
        else:
            instance.join(number, con)
    interrupts.watch(_stop)
    return given


def unregister(con: duckdb.DuckDBPyConnection | None = None) -> None:
    """Take the SQL functions from a connection; declarations and ledger stay in the database.

    >>> unregister(register(duckdb.connect()))
    """
    con = con if con is not None else duckdb.default_connection()
    con = inner(con)
    for instance in list(_instances.values()):
        instance.leave(con)
    path = str(con.execute("SELECT current_setting('search_path')").fetchall()[0][0])
    if path.endswith(f",{DATABASE}.main"):
        con.execute(f"SET search_path = {literal(path.removesuffix(f',{DATABASE}.main'))}")
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


def inner(con: Any) -> duckdb.DuckDBPyConnection:
    """DuckDB's own connection: of `msd_sql.connect`, the one inside."""
    found: duckdb.DuckDBPyConnection = getattr(con, "_msd_inner", con)
    if not hasattr(found, "cursor"):
        raise InputError(
            f"This takes a connection of DuckDB, and a {type(con).__name__} was given. Open one: "
            "con = msd_sql.connect('my.duckdb')."
        )
    return found


def _name_functions(con: duckdb.DuckDBPyConnection, instance: Instance) -> int:
    """Let a connection find the functions without a prefix; the number of the connection."""
    number, path, database, schema = con.execute(
        "SELECT current_connection_id(), current_setting('search_path'), current_database(), current_schema()"
    ).fetchall()[0]
    on_path = f"{DATABASE}.main" in path.split(",")
    if instance.named and not on_path:  # the first connection has TEMP macros, which no USE takes away
        try:
            con.execute(_extended(path, database, schema))
            on_path = True
        except duckdb.Error:  # detached by the user
            instance.named = share(con)
            on_path = instance.named and bool(con.execute(_extended(path, database, schema)))
    if not on_path:
        instance.named = share(con, own=True)
        if not instance.named:
            con.execute(TEXT)
    return int(number)


def _extended(path: str, database: str, schema: str) -> str:
    """The statement that puts our macros behind all that a connection's search path has."""
    own = path or f"{quote(database)}.{quote(schema)}"
    return f"SET search_path = {literal(f'{own},{DATABASE}.main')}"


def _instance(con: duckdb.DuckDBPyConnection, functions: Callable[[Instance], list[Function]]) -> Instance:
    found = _find(con)
    if found is not None:
        return found
    made = Instance(uuid.uuid4().hex)
    # On a cursor: an open transaction of the user must not decide over functions that all connections call.
    cursor = con.cursor()
    made.functions = create_functions(
        cursor, made.token, lambda: {function.name: function.run for function in functions(made)}
    )
    _instances[made.token] = made
    return made


def _find(con: duckdb.DuckDBPyConnection) -> Instance | None:
    if not _instances:  # DuckDB takes long to say that there is no such function: it looks for similar names
        return None
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
    kept = instance.ledger_file.path if instance.ledger_file else None
    if instance.home is not None and (kept != real if kept else instance.home != name):
        raise InputError(
            f"This database keeps its ledger in {kept or instance.home} already; a second ledger would be a second "
            "budget. Use the same file."
        )
    if instance.home is None and name is None:
        # Attached only while it is used, so that other processes can use it in between.
        from msd_sql.catalog.places.ledger_file import ledger_file

        instance.ledger_file = ledger_file(real, LEDGER)
        with instance.ledger_file.opened():
            pass  # a file that cannot be opened is told of here
    instance.home = instance.home or name or LEDGER
    instance.declared = True


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
