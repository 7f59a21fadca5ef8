"""Workspace: runs steps on a host and keeps their temp relations, which live and die with the host's connection."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress

from msd_sql.database.host import Column, Host, HostError
from msd_sql.database.private_reads import private
from msd_sql.database.sql_text import quote
from msd_sql.database.temp_names import temp_name
from msd_sql.engines.steps import Names, Step, drop, step


class Workspace:
    """The temp relations of one question, by the stand-in names that its steps use.

    Temp tables belong to the connection's own temp database: nothing is written to the user's file (which may be
    read-only), and DuckDB moves to its temp directory what exceeds its memory limit.
    """

    def __init__(self, host: Host, label: str, serial: int, names: Names | None = None) -> None:
        self._host, self._label, self._serial = host, label, serial
        self._names = names or Names({})
        self._tables: dict[str, str] = {}
        self._version = 0

    def step(self, name: str, text: str, **values: int | str) -> Step:
        """Bind a step to the temp relations that there are now."""
        temps = {stand_in: quote(table) for stand_in, table in self._tables.items()}
        return step(name, text, Names({**self._names.relations, **temps}, self._names.expressions), **values)

    def sampled(self, stand_in: str) -> str:
        """Join a relation with the items of a sample, which is public."""
        return f"JOIN {quote(self._tables['sample'])} AS sample ON {stand_in}.i = sample.i"

    def renew(self, stand_in: str, query: Step) -> None:
        """Keep a step's rows as `stand_in`, under a new name: a relation is never built from itself."""
        self._version += 1
        table = temp_name(self._serial, stand_in, self._version)
        self._run(query.kept(table).sql())
        self.drop(stand_in)
        self._tables[stand_in] = table

    def grow(self, stand_in: str, query: Step) -> None:
        """Add a step's rows to those of `stand_in`."""
        self._run(query.kept(self._tables[stand_in], grows=True).sql())

    def prepare(self, query: Step) -> None:
        """Run a step that says itself where its rows are kept."""
        self._run(query.sql())
        self._tables[query.name] = str(query.into)

    def read(self, query: Step) -> dict[str, Column]:
        """Run a step and take its rows: integers per candidate or per slot, never a unit."""
        with private(self._label):
            return self._host.columns(query.sql())

    @contextmanager
    def public(self, stand_in: str, columns: Mapping[str, Column]) -> Iterator[None]:
        """Make public columns visible to the steps, for the length of a `with`."""
        with self._host.table(temp_name(self._serial, stand_in), columns) as table:
            self._tables[stand_in] = table
            try:
                yield
            finally:
                del self._tables[stand_in]

    def holds(self, stand_in: str) -> bool:
        """Tell whether there is such a relation."""
        return stand_in in self._tables

    def drop(self, *stand_ins: str) -> None:
        """Forget temp relations, as far as they are there."""
        for stand_in in stand_ins:
            if stand_in in self._tables:
                self._run(drop(self._tables.pop(stand_in)))

    def close(self) -> None:
        """Drop what is left; a connection that is closed already has dropped it."""
        for table in self._tables.values():
            with suppress(HostError):
                self._host.run(drop(table))
        self._tables.clear()

    def _run(self, sql: str) -> None:
        with private(self._label):
            self._host.run(sql)
