"""A ledger in a file of its own, open only while it is read or written, so that several processes can share it.

It is opened in a database of ours, and not attached to the user's: there any transaction that lists relations would
hold the file for as long as it lasts.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from msd_sql.catalog.homes import Database, databases
from msd_sql.catalog.journal.file import journal_of
from msd_sql.catalog.journal.steps import written_by_us
from msd_sql.database.duckdb_host import private_database
from msd_sql.database.host import Host, HostError, Row
from msd_sql.database.sql_text import literal, quote
from msd_sql.errors import EngineError

P = ParamSpec("P")
R = TypeVar("R", bound="AtHome")
T = TypeVar("T")
PATIENCE = 30.0  # seconds


class LedgerFile:
    """A database file that is open, under `name`, for the length of `with ledger.opened() as host:`."""

    def __init__(self, name: str, path: str) -> None:
        self.name, self.path = name, path
        written_by_us.add(path)
        self._lock = threading.RLock()
        self._host: Host | None = None
        self._depth = 0

    @contextmanager
    def opened(self) -> Iterator[Host]:
        """A host that sees the ledger and nothing else; threads and processes wait in the queue of its journal."""
        with self._lock, journal_of(self.path).locked():
            host = self._host = self._host or private_database()
            if self._depth == 0:
                self._attach(host)
            self._depth += 1
            try:
                yield host
            finally:
                self._depth -= 1
                if self._depth == 0:
                    host.run(f"DETACH {quote(self.name)}")

    def _attach(self, host: Host) -> None:
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                return host.run(f"ATTACH {literal(self.path)} AS {quote(self.name)} (READ_WRITE)")
            except HostError as error:
                busy = "lock" in str(error) or "file handle conflict" in str(error)
                if not busy or time.monotonic() > deadline:
                    told = f"The ledger {self.path} cannot be opened: {error}. Nothing was charged."
                    raise EngineError(told) from None
            time.sleep(0.01)


class HomeHosts:
    """Which host runs statements over which home: the user's, or the one of a ledger in its own file."""

    def __init__(self, host: Host, ledger_file: LedgerFile | None = None) -> None:
        self._host = host
        self._ledger_file = ledger_file
        self._ledger: Host | None = None

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Keep the ledger's file open, if there is one."""
        if self._ledger_file is None or self._ledger is not None:
            yield
            return
        with self._ledger_file.opened() as self._ledger:
            try:
                yield
            finally:
                self._ledger = None

    def at(self, home: str) -> Host:
        """The host for statements over schema msd of a database."""
        if self._ledger is not None and self._ledger_file is not None and home == self._ledger_file.name:
            return self._ledger
        return self._host

    def databases(self, relations: Collection[Row] | None = None) -> dict[str, Database]:
        """Every database of the user (see `homes.databases`), and the ledger's."""
        found = databases(self._host, relations)
        if self._ledger is not None and self._ledger_file is not None:
            found[self._ledger_file.name] = databases(self._ledger)[self._ledger_file.name]
        return found


class AtHome(Protocol):
    """Something whose methods read or write homes."""

    @property
    def home_hosts(self) -> HomeHosts:
        """Which host runs statements over which home."""
        ...


def with_ledger_open(method: Callable[Concatenate[R, P], T]) -> Callable[Concatenate[R, P], T]:
    """Make a method that runs while the ledger's file is open, if there is one."""

    @wraps(method)
    def inside(self: R, /, *args: P.args, **kwargs: P.kwargs) -> T:
        with self.home_hosts.opened():
            return method(self, *args, **kwargs)

    return inside


_files: dict[str, LedgerFile] = {}
_files_lock = threading.Lock()


def ledger_file(path: str, name: str) -> LedgerFile:
    """The ledger at a path: one object a process, so that its threads take turns."""
    real = os.path.realpath(path)
    with _files_lock:
        return _files.setdefault(real, LedgerFile(name, real))
