"""In front: a database that holds what is published and nothing else, where the statements of one account run.

No private table is in its catalog, it reaches no file and no other database, and its settings are locked. Only SELECT
and EXPLAIN run; what they ask of private relations goes through `answer` like every other question. Every account has
a database of its own (`fronts`): whatever a statement hands to our functions, they ask for the account they belong to.
"""

from __future__ import annotations

import queue
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import duckdb
import pyarrow as pa

from msd_sql.catalog.accounts.account import Account
from msd_sql.curator.limits import LimitError, Limits
from msd_sql.curator.published import Published
from msd_sql.database.sql_text import Name, quote
from msd_sql.errors import InputError
from msd_sql.registration import instance_of, register_asking
from msd_sql.remote.wire import Door

_CLOSED = (
    "SET python_enable_replacements = false",
    "SET autoinstall_known_extensions = false",
    "SET autoload_known_extensions = false",
    "SET allow_community_extensions = false",
    "SET temp_directory = ''",
    "SET home_directory = '/nowhere'",  # settings and errors name folders in it
    "SET extension_directory = '/nowhere'",
    "SET secret_directory = '/nowhere'",
    "SET allow_persistent_secrets = false",
    "SET enable_external_access = false",
)
_EXPLAIN = re.compile(r"\s*EXPLAIN\s+(ANALYZE\s+)?(\([^()]*\)\s*)?", re.IGNORECASE)
# Functions that do more than read. The first two run a text that is not the statement's own, one of them on another
# connection, where it could write; the others change the instance (in 1.5.6 a log to a file ends the process).
_DOING = re.compile(
    r"json_execute_serialized_sql|\b(?:en|dis)able_(?:logging|profiling|\w*progress\w*)|\btruncate_duckdb_logs|\bwrite_log"
    r"|\b(?:force_)?checkpoint\b[\s\"]*\("
    r"|\bquery\b[\s\"]*(?:/\*.*?\*/\s*|--[^\n]*\n\s*)*\(",
    re.IGNORECASE | re.DOTALL,
)
_BATCH = 65_536  # rows

DoorFor = Callable[[Account, Callable[[], bool]], Door]


@dataclass(frozen=True)
class Statement:
    """A statement that may run."""

    sql: str
    parameters: tuple[str, ...]
    explain: bool


@cache
def _parser() -> duckdb.DuckDBPyConnection:
    """An empty database: it parses, each statement on a cursor of its own, and runs nothing that a client wrote."""
    con = duckdb.connect(config={"threads": 1})
    for setting in (*_CLOSED, "SET memory_limit = '64MB'", "SET lock_configuration = true"):
        con.execute(setting).fetchall()
    return con


def checked(sql: str, limits: Limits) -> Statement:
    """A statement that may run in front: one SELECT or EXPLAIN; an InputError for any other.

    >>> checked("SELECT $a", Limits()).parameters
    ('a',)
    """
    if len(sql) > limits.statement:
        raise LimitError(f"A statement may have {limits.statement:,} characters; this one has {len(sql):,}.")
    found = _parsed(sql)
    kinds = [one.type.name for one in found]
    explained = _EXPLAIN.match(sql) if kinds == ["EXPLAIN"] else None
    if explained is not None:  # EXPLAIN ANALYZE runs what it explains
        kinds = [one.type.name for one in _parsed(sql[explained.end() :])]
    if kinds != ["SELECT"]:
        told = ", ".join(kinds[:5]) or "nothing"
        raise InputError(
            f"The curator runs one SELECT (or EXPLAIN) at a time, over what is published; got {told}. For tables "
            "of your own use your own DuckDB: register(con, curator=…), then SELECT msd_pull('products')."
        )
    found_doing = _DOING.search(sql)
    if found_doing is not None:
        name = found_doing.group().split("(")[0].strip()[:60]
        raise InputError(f"{name} does not run here: only what reads does. Write the statement itself.")
    return Statement(sql, tuple(sorted(found[0].named_parameters)), explained is not None)


def _parsed(sql: str) -> list[duckdb.Statement]:
    cursor = _parser().cursor()
    try:
        return cursor.extract_statements(sql)
    except duckdb.Error as error:
        raise InputError(str(error)[:2000]) from None
    finally:
        cursor.close()


@lru_cache(maxsize=256)
def _arrow_schema(columns: tuple[tuple[str, str], ...]) -> pa.Schema:
    """Columns as DuckDB hands them to Arrow."""
    cursor = _parser().cursor()
    try:
        nulls = ", ".join(_null(name, kind) for name, kind in columns)
        return cursor.sql(f"SELECT {nulls} LIMIT 0").to_arrow_table().schema
    finally:
        cursor.close()


class Front:
    """The database in front, and its connections, each lent to one statement at a time."""

    def __init__(self, limits: Limits, door: DoorFor) -> None:
        self._limits, self._door = limits, door
        self._con = duckdb.connect()
        for setting in (*_CLOSED, f"SET memory_limit = '{limits.memory}'", f"SET threads = {limits.threads}"):
            self._con.execute(setting).fetchall()
        self._asking: dict[int, Door] = {}
        self._free: queue.LifoQueue[tuple[int, duckdb.DuckDBPyConnection]] = queue.LifoQueue()
        register_asking(self._con, self._asking.__getitem__)
        self._con.execute("SET lock_configuration = true").fetchall()
        self.instance = instance_of(self._con)
        self._shown: dict[Name, str] = {}
        self._copying = threading.Lock()

    def show(self, published: Mapping[Name, Published]) -> None:
        """Hold what is published now: copies of what has changed, and nothing that is no longer published."""
        with self._copying:
            for name in [name for name in self._shown if name not in published]:
                del self._shown[name]
                self._run(f"DROP TABLE IF EXISTS {_place(name)}")
            for name, one in published.items():
                if self._shown.get(name) != one.content:
                    self._copy(name, one)
                    self._shown[name] = one.content

    def schema(self, account: Account, statement: Statement) -> pa.Schema:
        """The columns that a statement will give; nothing is run."""
        if statement.explain:
            return pa.schema([("explain_key", pa.string()), ("explain_value", pa.string())])
        values = [None] * len(statement.parameters)
        with self._lent(account, lambda: False) as (_, con), _translated():
            try:
                described = con.execute(f"DESCRIBE {statement.sql}", values).fetchall()
            except duckdb.ParserException:  # of a DESCRIBE, and in 1.x of some others
                text = statement.sql.rstrip().rstrip(";")
                described = con.execute(f"DESCRIBE SELECT * FROM (\n{text}\n)", values).fetchall()
            return _arrow_schema(tuple((name, kind) for name, kind, *_ in described))

    def run(
        self,
        account: Account,
        statement: Statement,
        values: Sequence[Any] = (),
        *,
        watch: Callable[..., Any],
        gone: Callable[[], bool] = lambda: False,
    ) -> pa.Table:
        """The rows of a statement, all of them; a LimitError where they are too many bytes."""
        with self._lent(account, gone) as (number, con), watch(con.interrupt, gone):
            self.instance.failed.pop(number, None)
            try:
                reader = con.sql(statement.sql, params=list(values)).to_arrow_reader(_BATCH)
                return self._gathered(reader)
            except (duckdb.Error, OSError) as error:
                failure = self.instance.failed.pop(number, None)
                raise failure or InputError(_words(error)) from None

    def whole(self, name: Name) -> tuple[pa.Table, dict[str, str]]:
        """All rows of a published relation, and the types of its columns."""
        cursor = self._con.cursor()
        try:
            types = {row[0]: row[1] for row in cursor.execute(f"DESCRIBE {_place(name)}").fetchall()}
            return self._gathered(cursor.sql(f"SELECT * FROM {_place(name)}").to_arrow_reader(_BATCH)), types
        finally:
            cursor.close()

    def columns(self, name: Name) -> dict[str, str]:
        """The columns of a published relation and their types."""
        cursor = self._con.cursor()
        try:
            return {row[0]: row[1] for row in cursor.execute(f"DESCRIBE {_place(name)}").fetchall()}
        finally:
            cursor.close()

    def close(self) -> None:
        """Close the database and let go of it: our functions, which outlive it, lead here."""
        while not self._free.empty():
            self._free.get_nowait()[1].close()
        self._con.close()
        del self._con

    def _gathered(self, reader: Any) -> pa.Table:
        batches, size = [], 0
        for batch in reader:
            size += batch.nbytes
            if size > self._limits.answer_bytes:
                reader.close()
                raise LimitError(
                    f"The result has more than {self._limits.answer_bytes:,} bytes, which is the limit. Ask for fewer "
                    "rows or columns. What was charged stays charged."
                )
            batches.append(batch)
        return pa.Table.from_batches(batches, reader.schema)

    def _copy(self, name: Name, one: Published) -> None:
        made, types = self._con.cursor(), one.types
        try:
            made.execute(f"CREATE SCHEMA IF NOT EXISTS {quote(name.schema)}").fetchall()
            made.register("_published", one.rows)
            typed = ", ".join(f"CAST({quote(column)} AS {kind}) AS {quote(column)}" for column, kind in types.items())
            made.execute(f"CREATE OR REPLACE TABLE {_place(name)} AS SELECT {typed} FROM _published").fetchall()
            made.unregister("_published")
        finally:
            made.close()

    def _run(self, sql: str) -> None:
        cursor = self._con.cursor()
        try:
            cursor.execute(sql).fetchall()
        finally:
            cursor.close()

    @contextmanager
    def _lent(self, account: Account, gone: Callable[[], bool]) -> Iterator[tuple[int, duckdb.DuckDBPyConnection]]:
        try:
            number, con = self._free.get_nowait()
        except queue.Empty:
            con = register_asking(self._con.cursor(), self._asking.__getitem__)
            number = con.execute("SELECT current_connection_id()").fetchall()[0][0]
        self._asking[number] = self._door(account, gone)
        con.execute("BEGIN TRANSACTION READ ONLY")  # WITH x AS (DELETE …) is a SELECT as well
        try:
            yield number, con
        finally:
            del self._asking[number]
            self.instance.released.pop(number, None)
            try:
                con.execute("ROLLBACK")
            except duckdb.Error:
                con.close()
            else:
                self._free.put((number, con))


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except duckdb.Error as error:
        raise InputError(_words(error)) from None


def _words(error: BaseException) -> str:
    """What DuckDB says of a statement over published rows."""
    if isinstance(error, duckdb.InterruptException) or "INTERRUPT" in str(error):
        return "The statement took too long, or its client went away: it was stopped."
    return str(error)[:2000]


def _null(name: str, kind: str) -> str:
    value = "NULL" if kind == '"NULL"' else f"CAST(NULL AS {kind})"
    return f"{value} AS {quote(name)}"


def _place(name: Name) -> str:
    return f"{quote(name.schema)}.{quote(name.name)}"
