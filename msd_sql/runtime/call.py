"""A call: who asks, and what only the asking connection sees (its statement, search path and TEMP objects)."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from msd_sql.catalog import homes
from msd_sql.catalog.catalog import Catalog
from msd_sql.catalog.declarations import Items, Protected
from msd_sql.catalog.ledger import Ledger
from msd_sql.database.background import BackgroundRead
from msd_sql.database.host import Host
from msd_sql.database.spark_host import SparkHost, missing_session
from msd_sql.database.sql_text import Name, SearchPath, search_path
from msd_sql.database.storage_layout import Table
from msd_sql.errors import CatalogError, EngineError, MsdError
from msd_sql.guard.connection_view import PLAIN
from msd_sql.guard.examine import HostResolver, Session
from msd_sql.guard.names import relation_rows
from msd_sql.runtime.vector_store import VectorStore

if TYPE_CHECKING:
    from msd_sql.runtime.instance import Instance

T = TypeVar("T")
VECTORS = ("vectors",)
INTERRUPTED = "The query was interrupted. What had been charged before stays charged: see msd_ledger()."
MEANWHILE = "Something was protected or declared while this statement ran: run it again."
FIELDS = ("statement", "database", "schema", "path", "session", "connection", "query")


@contextmanager
def uncharged() -> Iterator[None]:
    """Let every error of what happens before a charge say that nothing was charged.

    >>> from msd_sql.errors import InputError
    >>> with uncharged():
    ...     raise InputError("k is NULL.")
    Traceback (most recent call last):
    msd_sql.udfs.errors.InputError: k is NULL. Nothing was charged.
    """
    try:
        yield
    except MsdError as error:
        if "othing was charged" in str(error):
            raise
        raise type(error)(f"{error} Nothing was charged.") from None


@dataclass(frozen=True)
class Context:
    """What the macro `_msd_context()` tells of the caller."""

    statement: str
    path: SearchPath
    session: Session
    connection: int  # current_connection_id()
    query: int  # current_query_id(): the same for all groups of a statement

    @classmethod
    def read(cls, told: Mapping[str, str | None]) -> Context:
        """The context from the macro's record of texts."""
        path = search_path(told["database"] or "", told["schema"] or "main", told["path"] or "")
        return cls(
            told["statement"] or "",
            path,
            Session.read(told["session"]),
            int(told["connection"] or 0),
            int(told["query"] or 0),
        )

    @property
    def temporary(self) -> frozenset[str]:
        """The names of the caller's TEMP tables and views."""
        return self.session.tables | frozenset(self.session.views)


class Call:
    """One call of a SQL function: a host on a fresh cursor, the caller's context and the memory of its database."""

    def __init__(self, host: Host, context: Context, instance: Instance) -> None:
        self.host = host
        self.context = context
        self.instance = instance
        self.stopped = False
        self._begun: list[BackgroundRead[Any]] = []

    @cached_property
    def catalog(self) -> Catalog:
        """The declarations in the databases that the caller sees."""
        spark = None if self.instance.spark is None else lambda: self.spark
        return Catalog(
            self.host, self.instance.home, path=self.context.path, temporary=self.context.temporary, spark=spark
        )

    @cached_property
    def spark(self) -> SparkHost:
        """The Spark session that was registered, as a host."""
        return SparkHost(self.instance.spark)

    def holder(self, protected: Protected) -> Host:
        """The host of the engine that a protected relation lives in."""
        if not protected.in_spark:
            return self.host
        if self.instance.spark is None:
            raise missing_session(protected.name)
        return self.spark

    @property
    def ledger(self) -> Ledger:
        """The ledgers in the databases that the caller sees."""
        return Ledger(self.host, self.identity)

    def identity(self, home: str) -> str:
        """What tells the database of a ledger from every other one."""
        return self.once(("identity", home), lambda: homes.identity(self.host, home, self.databases().get(home)))

    def protected(self) -> list[Protected]:
        """Every relation that is protected now."""
        return self.once(("protected",), lambda: self.catalog.all_protected(self.databases()))

    def need(self, relation: str) -> Protected:
        """A protected relation by its name; an error where it is not protected, or was not when the guard looked."""
        known = {protected.name: protected for protected in self.protected()}
        if relation in known:
            return known[relation]
        named = self.once(("protected", relation), lambda: self.catalog.need(relation))
        if named.name not in known:
            raise CatalogError(MEANWHILE)
        return named

    def items(self) -> list[Items]:
        """Every items relation that is declared."""
        return self.once(("items",), lambda: self.catalog.all_items(self.databases()))

    def databases(self) -> Mapping[str, homes.Database]:
        """The attached databases."""

        def look() -> Mapping[str, homes.Database]:
            rows = relation_rows(self.host, self.once)
            found = {row[1] for row in rows if (row[0], row[2], row[3]) == ("table", "msd", "protected")}
            return homes.databases(self.host, found)

        return self.once(("databases",), look)

    @cached_property
    def plain_session(self) -> bool:
        """Does the caller see what every connection sees, and nothing else?"""
        session = self.context.session
        if session.catalog is not None:
            rows = relation_rows(self.host, self.once)
            marks = {(row[1].lower(), row[2].lower(), row[3].lower()): row[5] for row in rows if row[0] != "foreign"}
            session = replace(session, catalog=None) if session.catalog == marks else session
        return session == PLAIN

    def stored(self, name: Name) -> Table | None:
        """A table that DuckDB itself stores; None if it is a view, or another system's."""
        database = self.databases().get(name.database)
        marks = {(row[1], row[2], row[3]): row[5] for row in relation_rows(self.host, self.once) if row[0] == "table"}
        object_id = marks.get((name.database, name.schema, name.name))
        return Table(name, object_id, database.path) if database is not None and database.native and object_id else None

    @property
    def resolver(self) -> HostResolver:
        """Names as the caller's connection resolves them."""
        return HostResolver(self.host, self.context.path, self.context.session, self.once)

    def once(self, question: tuple[Hashable, ...], answer: Callable[[], T]) -> T:
        """The answer to a question that has one answer for a whole statement, however many groups ask it."""
        return self.instance.once(self.context.connection, self.context.query, question, answer)

    @property
    def vectors(self) -> VectorStore:
        """The vectors that the rows of this statement handed over."""
        return self.instance.vectors(self.context.connection, self.context.query)

    def background(self, host: Host, work: Callable[[Host], T], table: str | None) -> BackgroundRead[T]:
        """Begin work over a table beside this call; it does not outlive it."""
        begun = BackgroundRead(host, work, table)
        self._begun.append(begun)
        return begun

    def end(self) -> None:
        """Leave nothing running."""
        for begun in self._begun:
            begun.shutdown()

    def stop(self) -> None:
        """Stop this call, from another thread: its statement now, its selection before the next draw."""
        self.stopped = True
        self.host.interrupt()
        for begun in list(self._begun):
            begun.stop()
        if "spark" in self.__dict__:
            self.spark.interrupt()

    def check(self) -> None:
        """Raise an error if the call was stopped."""
        if self.stopped:
            raise EngineError(INTERRUPTED)
