"""Steps: every write to a home is one durable transaction, one at a time, in its journal before it is committed.

Journal first: a crash between the two leaves a charge that was never answered, counted once when the database is
opened again. The other order would leave an answered charge that a deleted .wal file takes back.
"""

from __future__ import annotations

import os
import random
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import Any, TypeVar

from msd_sql.catalog.journal import settle
from msd_sql.catalog.journal.accounts import undone
from msd_sql.catalog.journal.chain import Record, Totals
from msd_sql.catalog.journal.file import Journal, JournalError, journal_of
from msd_sql.database.host import Column, Conflict, Host, HostError, OwnHost, ReadOnly, Row
from msd_sql.errors import CatalogError, EngineError

T = TypeVar("T")
ATTEMPTS = 60
written_by_us: set[str] = set()  # files that only we attach, and never so that they forget
_logs: dict[str, tuple[int, int] | None] = {}  # of every file, its log after our last commit: inode and size
_locks: dict[str, threading.RLock] = {}
_locks_lock = threading.Lock()


class Step:
    """One transaction on a home: a host for its statements, and what it will have written to the journal."""

    def __init__(self, host: Host, totals: Totals, budgets: settle.BudgetRows | None = None) -> None:
        self._host = host
        self.totals = totals  # what the journal says so far; empty without a journal
        self.records: list[Record] = []
        self._budgets = budgets  # what was compared with the journal

    def budgets(self, database: str) -> settle.BudgetRows:
        """The rows of msd.protected as they were when the transaction began."""
        if self._budgets is None:
            self._budgets = settle.budget_rows(self._host, database)
        return self._budgets

    def journal(self, kind: str, relation: str | None, **facts: Any) -> None:
        """Have a record written before this transaction is committed."""
        self.records.append({"kind": kind, "relation": relation, **facts})

    @property
    def version(self) -> str:
        """The version of DuckDB."""
        return self._host.version

    def rows(self, sql: str) -> list[Row]:
        """Every row of a statement."""
        return self._host.rows(sql)

    def columns(self, sql: str) -> dict[str, Column]:
        """Every column of a statement."""
        return self._host.columns(sql)

    def blocks(self, sql: str) -> Iterator[dict[str, Column]]:
        """The columns of a statement in blocks."""
        return self._host.blocks(sql)

    def run(self, sql: str) -> None:
        """Run a statement to its end."""
        self._host.run(sql)

    def begin_with(self, sql: str) -> None:
        """Run a setting before the next statement."""
        self._host.begin_with(sql)

    def table(self, name: str, columns: Mapping[str, Column | Sequence[Any]]) -> AbstractContextManager[str]:
        """Make public columns visible as a relation."""
        return self._host.table(name, columns)

    def transaction(self) -> AbstractContextManager[Host]:
        """Another transaction, on another connection."""
        return self._host.transaction()

    def second_connection(self) -> OwnHost | None:
        """A host that works at the same time."""
        return self._host.second_connection()

    def interrupt(self) -> None:
        """Stop the statement that runs now."""
        self._host.interrupt()


def serialised(
    host: Host, database: str, key: str, file: str | None, act: Callable[[Step], T], *, fresh: bool = False
) -> T:
    """Run `act` in one durable transaction, one writer at a time; `key` tells the home, `file` is None in memory.

    `act` may run several times: another transaction can win a race, and then all of it is tried again. `fresh`: schema
    msd is yet to be created, so that there is nothing to compare with a journal.
    """
    with _turn(key), _held(file) as journal:
        if file is not None and not fresh and not _seen_to_last(file) and not _lasting(host, database, file):
            raise _forgetful(database)
        for attempt in range(ATTEMPTS):
            try:
                return _attempt(host, database, journal, file, act, fresh)
            except _Behind as behind:
                _catch_up(host, database, journal, behind.found)
            except Conflict:
                time.sleep(random.uniform(0, min(0.2, 0.002 * 2**attempt)))
            except ReadOnly:
                break
        else:
            raise EngineError(
                f"The ledger of database {database} stays busy: another transaction holds its rows. End that "
                "transaction (COMMIT or ROLLBACK) and ask again; nothing was charged."
            )
    raise read_only(database)


def read_only(database: str) -> CatalogError:
    """The refusal to write to a database that is open for reading only."""
    return CatalogError(
        f"Database {database} is open for reading only, so nothing can be declared or charged in it. Open it for "
        "writing, or keep declarations and ledger in another file: register(con, ledger='ledger.duckdb')."
    )


def settled(host: Host, database: str, file: str, identity: Callable[[], str]) -> None:
    """Raise the rows of a home to its journal at opening; where it is damaged that is said when something is charged.

    A look at the file and one at the head that the database remembers, while nothing has changed.
    """
    journal = journal_of(file)
    with suppress(OSError):
        told = os.stat(journal.path)
        known = settle.remembered(host, database)
        if (
            (told.st_size, told.st_ino) == (journal.read.size, journal.read.inode)
            and known is not None
            and (known.records, known.head) == (journal.read.records, journal.read.head)
        ):
            return
    with suppress(JournalError, EngineError):
        serialised(host, database, identity(), file, lambda step: None)


class _Behind(Exception):  # noqa: N818 - an event to act upon, not a failure
    def __init__(self, found: settle.Difference) -> None:
        super().__init__()
        self.found = found


def _attempt(
    host: Host, database: str, journal: Journal | None, file: str | None, act: Callable[[Step], T], fresh: bool
) -> T:
    before = _written(file)
    step = Step(host, Totals())
    head = ""
    try:
        with host.transaction() as inner:
            step = Step(inner, Totals()) if journal is None else _journaled(inner, database, journal, fresh)
            result = act(step)
            if journal is not None and step.records:
                head = _write(inner, database, journal, step.records)
    except BaseException as error:
        if not head or journal is None:
            raise
        if not _committed(host, database, head):
            _take_back(journal, step.records)
            raise
        if not isinstance(error, HostError):
            raise  # stopped after the commit: it stays charged
    if head and journal is not None and _written(file) == before and not _lasting(host, database, file):
        _take_back(journal, step.records)
        raise _forgetful(database)
    if file is not None:
        _logs[file] = _log(file)
    return result


def _write(inner: Host, database: str, journal: Journal, records: Sequence[Record]) -> str:
    count, head, _ = journal.planned(records)
    settle.remember(inner, database, journal, count, head)
    journal.write(records)
    return head


def _journaled(inner: Host, database: str, journal: Journal, fresh: bool) -> Step:
    if fresh:
        # A journal that is here already was of a file by the same name: what was spent there stays spent.
        journal.refresh()
        settle.check(None, journal)
        return Step(inner, journal.read.totals)
    found = settle.difference(inner, database, journal)
    if found:
        raise _Behind(found)
    return Step(inner, journal.read.totals, found.rows)


def _catch_up(host: Host, database: str, journal: Journal | None, found: settle.Difference) -> None:
    if journal is None:
        return
    with suppress(Conflict), host.transaction() as inner:  # it is looked at again in any case
        _write(inner, database, journal, settle.catch_up(inner, database, journal, found))


def _committed(host: Host, database: str, head: str) -> bool:
    """Whether a transaction that ended with an error was committed all the same; True where that cannot be told."""
    try:
        known = settle.remembered(host, database)
    except HostError:
        return True
    return known is not None and known.head == head


def _take_back(journal: Journal, records: list[Record]) -> None:
    """Write that charges were not made; where even that fails they count, and are reported at the next opening."""
    voids = [back for record in reversed(records) if (back := undone(record)) is not None]
    with suppress(EngineError):
        journal.write(voids or [{"kind": "not done"}])


@contextmanager
def _turn(key: str) -> Iterator[None]:
    with _locks_lock:
        lock = _locks.setdefault(key, threading.RLock())
    with lock:
        yield


@contextmanager
def _held(file: str | None) -> Iterator[Journal | None]:
    if file is None:
        yield None
        return
    with journal_of(file).locked() as journal:
        yield journal


def _lasting(host: Host, database: str, file: str | None) -> bool:
    """Whether a commit leaves a trace in the files: the log grows, or a checkpoint writes the database.

    Tried with a commit that changes nothing; some ticks of the file system's clock after the last one.
    """
    before = _written(file)
    if before is None:
        return True
    for wait in (0, 0.05):
        time.sleep(wait)
        try:
            with host.transaction() as inner:
                if not settle.touch(inner, database):
                    return True  # it has no journal yet: the next write begins one, and is looked at afterwards
        except ReadOnly:
            raise read_only(database) from None
        except Conflict:
            return True  # somebody else is writing: what is written now is looked at afterwards
        if _written(file) != before:
            return True
    return False


def _seen_to_last(file: str) -> bool:
    """Whether the log is the one that grew with our last commit, so that it need not be tried again."""
    seen, log = _logs.get(file), _log(file)
    return file in written_by_us or (seen is not None and log is not None and seen[0] == log[0] and seen[1] <= log[1])


def _log(file: str) -> tuple[int, int] | None:
    try:
        told = os.stat(f"{file}.wal")
    except OSError:
        return None
    return told.st_ino, told.st_size


def _forgetful(database: str) -> CatalogError:
    return CatalogError(
        f"Database {database} does not write what is committed to its file (it was attached with RECOVERY_MODE "
        "no_wal_writes), so that a charge would be forgotten. Attach it without that option; nothing was charged."
    )


def _written(file: str | None) -> tuple[int, ...] | None:
    """The size and time of a database file and of its log; None where there is none.

    Never by opening it: closing the second descriptor would give back the lock that DuckDB holds on the file.
    """
    marks: list[int] = []
    for path in (file, f"{file}.wal") if file is not None else ():
        try:
            told = os.stat(path)
        except OSError:
            continue
        marks += [told.st_size, told.st_mtime_ns]
    return tuple(marks) or None
