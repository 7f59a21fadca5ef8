"""A session of the shell: one database with our functions registered, what its output looks like, and what it runs."""

from __future__ import annotations

import re
import shutil
import sys
import textwrap
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

import duckdb

import msd_sql
from msd_sql.database.open_file import open_file
from msd_sql.errors import MsdError
from msd_sql.shell import dot_commands
from msd_sql.shell.budget import Budgets
from msd_sql.shell.curated import Curated
from msd_sql.shell.execute import interruptible, records, run
from msd_sql.shell.messages import interrupted, told
from msd_sql.shell.render import render
from msd_sql.shell.statements import split

# In an empty database in memory nothing calls our functions before a statement names one, or brings a database along.
_NEEDING = re.compile(r"msd|\battach\b|\bimport\b", re.IGNORECASE)


class Leave(Exception):  # noqa: N818 - a wish, not a failure
    """Somebody asked to leave the shell."""


@dataclass
class Session:
    """One open database and the settings of the shell. Everything it prints goes through `write` and `complain`."""

    con: duckdb.DuckDBPyConnection
    path: str
    mode: str = "box"
    timer: bool = False
    max_rows: int = 40
    bail: bool = False
    interactive: bool = False
    budgets: Budgets | Curated = field(default_factory=Budgets)
    out: TextIO | None = None  # None: the standard output, looked up at every use
    failed: bool = False
    reading: list[Path] = field(default_factory=list)
    _number: int | None = None  # of the connection, as our functions know it; None: not yet registered
    _last: object = None

    @classmethod
    def open(
        cls,
        path: str = ":memory:",
        *,
        read_only: bool = False,
        ledger: str | None = None,
        curator: str | None = None,
        tls_roots: str | None = None,
        late: bool = False,
    ) -> Session:
        """Open a database and register our functions, answered by a curator where one is named.

        `late`: a script runs, and in an empty database they are registered when a statement can need them.

        >>> Session.open().path
        ':memory:'
        """
        con = open_file(path, read_only=read_only)
        con.execute("SET python_enable_replacements = false").fetchall()  # a name never means one of our variables
        con.execute(f"SET enable_progress_bar = {str(sys.stdout.isatty()).lower()}").fetchall()
        session = cls(con, path)
        if not late or path != ":memory:" or ledger is not None or curator is not None:
            session._register(ledger=ledger, curator=curator, tls_roots=tls_roots)
        if curator is not None:
            session.budgets = Curated.of(con)
        return session

    def _register(self, **options: str | None) -> None:
        msd_sql.register(self.con, **options)
        self._number = self.con.execute("SELECT current_connection_id()").fetchall()[0][0]

    @property
    def registered(self) -> bool:
        """Are our functions there already?"""
        return self._number is not None

    def close(self) -> None:
        """Close the database and the file that output went to."""
        self.redirect(None)
        self.con.close()

    def feed(self, text: str) -> str:
        """Run a text of dot-commands and finished statements; give back the unfinished rest.

        A dot-command is a line of its own that starts with a dot, where no statement is open.
        """
        rest = ""
        for line in text.splitlines(keepends=True):
            if not rest and line.startswith("."):
                self.command(line.strip())
                continue
            statements, rest = split(rest + line)
            for statement in statements:
                self.statement(statement)
        return rest

    def command(self, line: str) -> None:
        """Run one dot-command."""
        with self._reporting():
            if not self.registered:
                self._register()
            dot_commands.run(self, line)

    def statement(self, sql: str) -> None:
        """Run one statement and print what it gives."""
        start = time.perf_counter()
        try:
            with self._reporting(), _notes(self.complain), interruptible(self.con):
                if not self.registered and _NEEDING.search(sql):
                    self._register()
                result = run(self.con, sql)
                if result is not None:
                    self.write(render(result, self.mode, rows=self.max_rows))
        finally:  # also what failed or was interrupted may have been charged
            if records(sql) or self._answered():
                for line in self.budgets.news(self.con):
                    self.complain(line)
        if self.timer:
            self.write(f"Run time: {time.perf_counter() - start:.3f} s\n")

    def read(self, path: Path) -> None:
        """Run a file of statements and dot-commands."""
        if path.resolve() in self.reading:
            raise MsdError(f"{path} reads itself.")
        text = path.read_text("utf-8")
        self.reading.append(path.resolve())
        try:
            rest = self.feed(text)
            if rest:
                self.statement(rest.strip())
        finally:
            self.reading.pop()

    def redirect(self, path: str | None) -> None:
        """Send output to a file, or back to the standard output."""
        if self.out is not None:
            self.out.close()
        self.out = open(path, "w", encoding="utf-8") if path is not None else None  # noqa: SIM115 - closed by redirect

    def write(self, text: str) -> None:
        """Print a result."""
        out = self.out if self.out is not None else sys.stdout
        out.write(text)
        out.flush()

    def complain(self, text: str) -> None:
        """Print what is not a result: an error, a note, what a release cost."""
        sys.stdout.flush()
        print(
            _folded(text) if self.interactive else text, file=sys.stdout if self.interactive else sys.stderr, flush=True
        )

    def _answered(self) -> bool:
        """Tell whether a selection was answered since the last look, also behind a view or EXECUTE."""
        if self._number is None:
            return False
        from msd_sql.registration import instance_of

        last = instance_of(self.con).released.get(self._number)
        changed, self._last = last is not self._last, last
        return changed

    def _told(self, error: BaseException) -> str:
        said = told(error)
        hint = self.budgets.hint(said) if isinstance(self.budgets, Curated) else ""
        return f"{said.rstrip()}\n\n{hint}" if hint else said

    @contextmanager
    def _reporting(self) -> Iterator[None]:
        try:
            yield
        except Leave:
            raise
        except (duckdb.Error, MsdError, OSError, RuntimeError, ValueError, KeyboardInterrupt) as error:
            self.failed = True
            stopped = interrupted(error)
            self.complain("Interrupted." if stopped else self._told(error))
            if self.bail:
                raise Stop(130 if stopped else 1) from None


def _folded(text: str) -> str:
    """Fold long lines between words, but leave the lines of a caret as they are."""
    width = max(shutil.get_terminal_size((120, 24)).columns, 40)
    if any(line.strip("^ ") == "" and "^" in line for line in text.splitlines()):
        return text
    return "\n".join(textwrap.fill(line, width, break_long_words=False) for line in text.splitlines())


class Stop(Exception):  # noqa: N818 - how a script ends, not a failure of ours
    """A script ends at its first error, with this exit code."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


@contextmanager
def _notes(say: Callable[[str], None]) -> Iterator[None]:
    """Show our warnings as notes: a person at a shell has no use for a file name and a line number."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        try:
            yield
        finally:
            for warning in caught:
                with suppress(OSError):
                    say(f"Note: {warning.message}")
