"""Instance: one open DuckDB database of this process, its registered connections and what is remembered of it.

Functions belong to the database, TEMP macros to a connection. So a function has to find a live connection of its own
database, without keeping one alive: connections are held weakly, and a file's lock goes when its user closes it.

What a call needs is loaded with the first call: to register a connection takes none of it.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeVar

import duckdb

from msd_sql.database.duckdb_host import DuckDBHost
from msd_sql.errors import EngineError
from msd_sql.surface.shared_macros import DATABASE

if TYPE_CHECKING:
    from msd_sql.catalog.places.ledger_file import LedgerFile
    from msd_sql.database.host import Host
    from msd_sql.database.sql_text import Name
    from msd_sql.remote.wire import Door
    from msd_sql.runtime.caches import Caches
    from msd_sql.runtime.call import Call
    from msd_sql.runtime.caller import Context
    from msd_sql.runtime.vector_store import VectorStore
    from msd_sql.udfs.types import Source

T = TypeVar("T")
# What is kept of a statement under these names (`Instance.once`).
VECTORS = ("vectors",)
CALLER = ("caller",)
_HOMES = "SELECT 1 FROM duckdb_schemas() WHERE lower(schema_name) = 'msd' LIMIT 1"


class Instance:
    """What the functions of one database share."""

    def __init__(self, token: str) -> None:
        self.token = token
        self.spark: Any = None
        self.home: str | None = None  # the database that keeps schema msd; None: each relation's own
        self.ledger_file: LedgerFile | None = None  # its file, where it is attached only while it is used
        self.named = False  # do all connections find the functions as msd_sql.msd_select, …?
        self.curator: str | None = None  # the address of the curator that answers; None: this database itself
        self.door: Door | None = None  # to that curator
        self.declared = False  # has a schema msd ever been seen?
        self.seeded: tuple[str, Source] | None = None  # a test's own database in memory, whose answers repeat
        self.functions: list[Callable[..., Any]] = []  # a function that Python forgets would crash DuckDB
        self.released: dict[int, Any] = {}  # the last answer of each connection, for the Python face
        self.failed: dict[int, Exception] = {}  # DuckDB hands on the text of an error and not the error
        self._caches: Caches | None = None
        self._connections: dict[int, Callable[[], duckdb.DuckDBPyConnection | None]] = {}
        self._running: dict[int, list[Call]] = {}
        self._known: dict[int, tuple[int, dict[tuple[Hashable, ...], Any]]] = {}
        self._lock = threading.RLock()

    @property
    def caches(self) -> Caches:
        """What is remembered of the database: the same for all threads."""
        from msd_sql.runtime.caches import Caches

        with self._lock:
            if self._caches is None:
                self._caches = Caches()
            return self._caches

    @property
    def prefix(self) -> str:
        """What stands before a macro that our macros call, so that every connection finds it."""
        return f"{DATABASE}.main." if self.named else ""

    def drop_caches(self) -> None:
        """Let go of everything that is remembered of the database."""
        with self._lock:
            self._caches = None

    def join(self, connection: int, con: duckdb.DuckDBPyConnection) -> None:
        """Remember, weakly, a connection that has the macros."""
        with self._lock:
            self._connections[connection] = weakref.ref(con, lambda _: self.forget(connection))

    def join_default(self, connection: int) -> None:
        """Remember DuckDB's default connection, whose Python object comes and goes, by asking for it every time."""
        with self._lock:
            self._connections[connection] = self._default

    def leave(self, con: duckdb.DuckDBPyConnection) -> None:
        """Forget a connection."""
        with self._lock:
            gone = [number for number, held in self._connections.items() if held() is con]
        for number in gone:
            self.forget(number)

    def forget(self, connection: int) -> None:
        """Forget a connection that is gone, or a caller without one: what it has told and was told."""
        with self._lock:
            self._connections.pop(connection, None)
            self._known.pop(connection, None)
            self.released.pop(connection, None)
            self.failed.pop(connection, None)
            if not self._connections:
                self._caches = None  # indexes can be large, and no connection is left to use them

    def number(self, con: duckdb.DuckDBPyConnection) -> int | None:
        """The number of a registered connection; None if it is not one of this database."""
        with self._lock:
            return next((number for number, held in self._connections.items() if held() is con), None)

    def once(self, connection: int, query: int, question: tuple[Hashable, ...], answer: Callable[[], T]) -> T:
        """The answer of the same statement to the same question, or a new one."""
        with self._lock:
            known_query, answers = self._known.get(connection, (-1, {}))
            if known_query != query:
                answers = {}
                self._known[connection] = (query, answers)
            if question in answers:
                found: T = answers[question]
                return found
        made = answer()
        with self._lock:
            first: T = answers.setdefault(question, made)  # of two threads that ask at once
        return first

    def hear(self, context: Context) -> str:
        """Keep what a statement told of its caller; by which text it is found again."""
        kept = self.once(context.connection, context.query, CALLER, lambda: [context])
        if context.view.plan is not None:  # a call that the guard has nothing to say about tells no plan
            kept[:] = [context]
        return f"{context.connection} {context.query}"

    def heard(self, text: str) -> Context:
        """The caller that a statement told of, by the text of `hear`."""
        connection, query = text.split()
        return self.context(int(connection), int(query))

    def context(self, connection: int, query: int) -> Context:
        """The caller that a statement told of, by the numbers of connection and statement."""

        def missing() -> list[Context]:
            raise EngineError("Nothing is known of the statement that asks: run it again.")

        return self.once(connection, query, CALLER, missing)[0]

    def vectors(self, connection: int, query: int) -> VectorStore:
        """The vectors that the rows of a statement hand over."""
        from msd_sql.runtime.vector_store import VectorStore

        return self.once(connection, query, VECTORS, lambda: VectorStore(self.caches.buffer))

    @contextmanager
    def call(self, context: Context) -> Iterator[Call]:
        """A call on a host of its own: the caller's own connection is busy with the statement that calls."""
        from msd_sql.runtime.call import Call

        with self.host(context.connection) as host:
            call = Call(host, context, self)
            with self._lock:
                self._running.setdefault(context.connection, []).append(call)
            try:
                yield call
            finally:
                call.end()
                with self._lock:
                    running = self._running[context.connection]
                    running.remove(call)
                    if not running:
                        del self._running[context.connection]

    @contextmanager
    def host(self, connection: int) -> Iterator[Host]:
        """A fresh cursor of the connection that calls, or of another one of the same database."""
        with self.cursor(connection) as cursor:
            yield DuckDBHost(cursor, own=True)

    @contextmanager
    def cursor(self, connection: int) -> Iterator[duckdb.DuckDBPyConnection]:
        """The same as a plain cursor, with the database's own search path."""
        cursor = self._cursor(connection)
        try:
            yield cursor
        finally:
            cursor.close()

    def bring(self, connection: int, name: Name, table: Any, columns: str) -> None:
        """Make a table of Arrow data in the database of a connection, in place of one of that name."""
        with self.cursor(connection) as cursor:
            cursor.register("_msd_pulled", table)
            try:
                cursor.execute(f"CREATE OR REPLACE TABLE {name.sql} AS SELECT {columns} FROM _msd_pulled").fetchall()
            finally:
                cursor.unregister("_msd_pulled")

    def declares(self, host: Host) -> bool:
        """Was anything ever declared in a database that is attached, or is there a ledger that may say so?"""
        if not self.declared and self.ledger_file is None:
            self.declared = bool(host.rows(_HOMES))
        return self.declared or self.ledger_file is not None

    @property
    def busy(self) -> bool:
        """Is a function of this database running?"""
        with self._lock:
            return any(self._running.values())

    def stop(self, connection: int | None = None) -> None:
        """Stop what a connection runs in our functions, or what all of them run."""
        with self._lock:
            calls = [call for number, calls in self._running.items() if connection in (None, number) for call in calls]
        for call in calls:
            call.stop()

    def _cursor(self, connection: int) -> duckdb.DuckDBPyConnection:
        with self._lock:
            held = [self._connections[connection]] if connection in self._connections else []
            held += [other for number, other in self._connections.items() if number != connection]
        for reference in held:
            con = reference()
            if con is not None:
                with suppress(duckdb.ConnectionException):
                    return con.cursor()
        raise EngineError(
            "No registered connection of this database is open any more. Call msd_sql.register(con) on the connection "
            "that you use."
        )

    def _default(self) -> duckdb.DuckDBPyConnection | None:
        con = duckdb.default_connection()
        try:  # the program may have made another database the default one
            token = con.cursor().execute("SELECT _msd_instance()").fetchall()[0][0]
        except duckdb.Error:
            return None
        return con if token == self.token else None
