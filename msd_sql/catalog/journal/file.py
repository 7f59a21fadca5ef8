"""A journal's file: read and checked from its beginning once, then only what was added; written under its lock."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from msd_sql.catalog.journal.chain import START, Record, Totals, opened, salvaged, sealed
from msd_sql.catalog.journal.locks import flush, flush_folder, lock, unlock
from msd_sql.errors import CatalogError, EngineError

SUFFIX = ".msd-journal"
_BLOCK = 1 << 20
_journals: dict[str, Journal] = {}
_journals_lock = threading.Lock()


class JournalError(CatalogError):
    """A journal that is missing, cut, changed or somebody else's: charges wait until the owner mends it."""


@dataclass
class Read:
    """What was read of a journal so far."""

    inode: int = -1
    time: int = 0  # of the last change that was seen
    size: int = 0  # bytes of whole lines
    records: int = 0
    head: str = START
    totals: Totals = field(default_factory=Totals)
    torn: bool = False  # a line at the end was begun and not finished: what it says was never charged
    broken: int | None = None  # the line where the chain breaks


def journal_path(database_file: str) -> str:
    """Where the journal of a database file is: beside the file itself, whatever links lead to it.

    >>> journal_path("/data/shop.duckdb")
    '/data/shop.duckdb.msd-journal'
    """
    return os.path.realpath(database_file) + SUFFIX


def journal_of(database_file: str) -> Journal:
    """The journal of a database file: one object a process, so that its threads take turns."""
    path = journal_path(database_file)
    with _journals_lock:
        return _journals.setdefault(path, Journal(path))


def forget_journals() -> None:
    """Read every journal from its beginning the next time, as a new process does."""
    with _journals_lock:
        for journal in _journals.values():
            journal.read = Read()


class Journal:
    """One journal. `with journal.locked():` around everything that reads or writes it."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.read = Read()
        self._lock = threading.RLock()
        self._file = -1
        self._depth = 0

    @contextmanager
    def locked(self) -> Iterator[Journal]:
        """Hold the journal against other threads and processes; the file is made, empty, where there is none."""
        with self._lock:
            if self._depth == 0:
                self._file = self._opened()
            self._depth += 1
            try:
                yield self
            finally:
                self._depth -= 1
                if self._depth == 0:
                    file, self._file = self._file, -1
                    try:
                        unlock(file)
                    finally:
                        os.close(file)

    @contextmanager
    def examined(self) -> Iterator[Journal]:
        """Read the journal as it is, without waiting, making or changing anything."""
        with self._lock:
            if self._depth:
                self.refresh()
                yield self
                return
            try:
                self._file = os.open(self.path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
            except OSError:
                self.read = Read()
                yield self
                return
            try:
                self.refresh()
                yield self
            finally:
                os.close(self._file)
                self._file = -1

    def refresh(self) -> Read:
        """Read what was added since the last time; everything, where the file was replaced, cut or changed."""
        told = os.fstat(self._file)
        same = (told.st_ino, told.st_mtime_ns) == (self.read.inode, self.read.time)
        grown = told.st_ino == self.read.inode and told.st_size > self.read.size
        if not (same or grown) or self.read.broken is not None:
            self.read = Read(inode=told.st_ino)
        self.read.time = told.st_mtime_ns
        for line in self._lines(self.read.size):
            if not line.endswith(b"\n"):
                self.read.torn = True
                return self.read
            found = opened(self.read.head, line)
            if found is None:
                self.read.broken = self.read.records + 1
                return self.read
            self.read.head, record = found
            self.read.totals.add(record)
            self.read.records += 1
            self.read.size += len(line)
        self.read.torn = False
        return self.read

    def head_at(self, records: int) -> str | None:
        """The hash after so many records; None where there are fewer."""
        if records == self.read.records:
            return self.read.head
        if records == 0:
            return START
        for at, line in enumerate(self._lines(0), 1):
            if at == records:
                return line.partition(b" ")[0].decode("ascii", "replace") if at <= self.read.records else None
        return None

    def planned(self, records: Sequence[Record]) -> tuple[int, str, bytes]:
        """The number of records, the hash and the lines that `write` adds: known before anything is written."""
        head, lines = self.read.head, []
        for record in records:
            head, line = sealed(head, record)
            lines.append(line)
        return self.read.records + len(records), head, b"".join(lines)

    def write(self, records: Sequence[Record]) -> None:
        """Append records and bring them to the disk; an EngineError, and no record, where that fails."""
        count, head, lines = self.planned(records)
        try:
            if self.read.torn:
                os.ftruncate(self._file, self.read.size)
            _write_all(self._file, lines)
            flush(self._file)
            if self.read.size == 0:
                flush_folder(self.path)
        except OSError as error:
            self.read.torn = True  # what is there of it goes before the next line
            raise EngineError(
                f"The journal {self.path} cannot be written ({error.strerror}), and without it nothing is charged. "
                "Make room or give write access, and ask again; nothing was charged."
            ) from None
        told = os.fstat(self._file)
        self.read.torn = False
        self.read.inode, self.read.time = told.st_ino, told.st_mtime_ns
        self.read.records, self.read.head = count, head
        self.read.size += len(lines)
        for record in records:
            self.read.totals.add(record)

    def salvage(self) -> Totals:
        """What all lines that can be read add up to, though the chain may be broken."""
        return salvaged(self._lines(0))

    def set_aside(self, name: str) -> str:
        """Rename the file, so that a new journal can begin; its new path."""
        there = f"{self.path}.{name}"
        os.replace(self.path, there)
        flush_folder(self.path)
        self._reopen()
        return there

    def take_over(self, there: str) -> None:
        """Put the journal at another path in the place of this one, which is empty."""
        try:
            os.replace(there, self.path)
        except OSError:  # on another file system
            copy = f"{self.path}.copy"
            shutil.copyfile(there, copy)
            file = os.open(copy, os.O_RDWR)
            flush(file)
            os.close(file)
            os.replace(copy, self.path)
            os.remove(there)
        flush_folder(self.path)
        self._reopen()

    def _reopen(self) -> None:
        unlock(self._file)
        os.close(self._file)
        self._file = self._opened()
        self.read = Read()
        self.refresh()

    @property
    def inode(self) -> str:
        """What tells the file from a copy of it."""
        return str(os.fstat(self._file).st_ino) if self._file >= 0 else ""

    def _opened(self) -> int:
        while True:
            try:
                file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o666)
            except OSError as error:
                raise EngineError(
                    f"The journal {self.path} cannot be opened for writing ({error.strerror}), and without it nothing "
                    "is charged. Give write access to it and its folder; nothing was charged."
                ) from None
            try:
                lock(file, self.path)
                if os.path.exists(self.path) and os.path.samestat(os.fstat(file), os.stat(self.path)):
                    return file
            except BaseException:
                os.close(file)
                raise
            os.close(file)  # renamed while we waited

    def _lines(self, start: int) -> Iterator[bytes]:
        # Through the one descriptor: on NFS, closing a second one would give the lock back.
        rest = b""
        while True:
            os.lseek(self._file, start, os.SEEK_SET)
            data = os.read(self._file, _BLOCK)
            start += len(data)
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                yield line + b"\n"
            if not data:
                break
        if rest:
            yield rest


def _write_all(file: int, data: bytes) -> None:
    while data:
        data = data[os.write(file, data) :]
