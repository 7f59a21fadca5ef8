"""Behind: the private database, opened by this process alone, and calls on it for an account."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import duckdb

from msd_sql.catalog import homes
from msd_sql.catalog.accounts.account import Account
from msd_sql.catalog.accounts.account_book import AccountBook, Known
from msd_sql.catalog.records.who import Who, system_user
from msd_sql.database.duckdb_host import DuckDBHost
from msd_sql.database.open_file import connect
from msd_sql.database.sql_text import Name, SearchPath, fold, search_path
from msd_sql.errors import CatalogError
from msd_sql.guard.connection_view import ConnectionView
from msd_sql.guard.examine import Sources
from msd_sql.registration import instance_of, register
from msd_sql.runtime.call import Call
from msd_sql.runtime.caller import Context, Outside

_TEXT = 10_000  # characters of a statement that the ledger keeps


class Behind:
    """The private database. No SQL of a client ever runs here: only our own statements, over checked values."""

    def __init__(self, path: str, memory: str | None = None) -> None:
        self._con = connect(path)  # a second process cannot open it from here on
        self._con.execute("SET python_enable_replacements = false").fetchall()
        self._con.execute("SET autoinstall_known_extensions = false").fetchall()
        if memory is not None:
            self._con.execute(f"SET memory_limit = '{memory}'").fetchall()
        register(self._con)
        # So that what a protected view over files reads can be told when nothing can be set any more.
        self._con.execute("SET GLOBAL explain_output = 'all'").fetchall()
        self._con.execute("SET lock_configuration = true").fetchall()
        self.instance = instance_of(self._con)
        self._path: SearchPath = search_path(
            *self._con.execute("SELECT current_database(), current_schema()").fetchall()[0]
        )
        self.home = self._path[0][0]
        self._serial = itertools.count(1)
        self.published: list[Name] = []
        with self.cursor() as cursor:  # before an account is let in that was revoked after a backup
            host = DuckDBHost(cursor, own=True)
            homes.settle(host, homes.databases(host)[self.home])

    @contextmanager
    def call(
        self, account: Account, given: Mapping[str, Any], watch: Callable[[Callable[[], None]], Any] | None = None
    ) -> Iterator[Call]:
        """A call for an account; `watch` is told how to stop it."""
        number = -next(self._serial)
        text = str(given.get("statement") or "")[:_TEXT]
        view = ConnectionView(statement=text, path=self._path, connection=number, query=1)
        context = Context(view, Outside(account, Sources(rows=self._sources(given.get("from") or ()))))
        try:
            with self.instance.call(context) as call:
                if watch is None:
                    yield call
                else:
                    with watch(call.stop):
                        yield call
        finally:
            self.instance.forget(number)

    @contextmanager
    def book(self, account: Account | None = None) -> Iterator[AccountBook]:
        """The accounts, for reading and changing them."""
        found = system_user()
        who = found if account is None else Who(account.name, found.program)
        with self.instance.cursor(0) as cursor:
            yield AccountBook(DuckDBHost(cursor, own=True), self.home, who)

    def known(self) -> list[Known]:
        """Every account."""
        with self.book() as book:
            return book.known()

    @contextmanager
    def cursor(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A plain cursor, for copies of what is published."""
        with self.instance.cursor(0) as cursor:
            yield cursor

    def refresh(self) -> None:
        """Look again at what is published."""
        owner = Account("curator", "owner")
        with self.call(owner, {}) as call:
            self.published = call.published()

    def need_published(self, relation: str) -> Name:
        """A published relation by its name, or by schema and name."""
        given = tuple(fold(part.strip('"')) for part in relation.split("."))
        fitting = [name for name in self.published if _tail(name, len(given)) == given]
        if len(fitting) != 1:
            known = ", ".join(f"{name.schema}.{name.name}" for name in self.published) or "nothing"
            raise CatalogError(f"'{relation[:100]}' is not published. Published: {known}.")
        return fitting[0]

    def close(self) -> None:
        """Close the database; what is committed is in its file."""
        self.instance.stop()
        self._con.close()
        del self._con

    def _sources(self, given: Sequence[Any]) -> tuple[Name, ...]:
        """The published relations that a caller's tables are copies of, by schema and name, or by the name alone."""
        found: dict[Name, None] = {}
        for one in list(given)[:1000]:
            if not isinstance(one, list | tuple) or len(one) != 2 or not all(isinstance(part, str) for part in one):
                continue
            named = tuple(fold(part) for part in one)
            same = [name for name in self.published if _tail(name, 2) == named]
            same = same or [name for name in self.published if _tail(name, 1) == named[1:]]
            found.update(dict.fromkeys(same if len(same) == 1 else ()))
        return tuple(found)


def _tail(name: Name, length: int) -> tuple[str, ...]:
    return tuple(fold(part) for part in (name.database, name.schema, name.name)[-length:])
