"""Workspace: runs steps on a host and keeps their temp relations, which live and die with the host's connection."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, suppress

from msd_sql.engines.steps import Step, drop
from msd_sql.host import Column, Host, HostError
from msd_sql.reading import private


class Workspace:
    """The temp relations of one question.

    Temp tables belong to the connection's own temp database: nothing is written to the user's file (which may be
    read-only), and DuckDB moves to its temp directory what exceeds its memory limit.
    """

    def __init__(self, host: Host, label: str) -> None:
        self._host = host
        self._label = label
        self._tables: set[str] = set()

    def keep(self, step: Step) -> str:
        """Run a step and keep its rows; the temp relation's name."""
        if step.into is None:
            raise ValueError(f"Step {step.name} has no relation to keep its rows in.")
        with private(self._label):
            self._host.run(step.sql())
        self._tables.add(step.into)
        return step.into

    def read(self, step: Step) -> dict[str, Column]:
        """Run a step and take its rows: integers per candidate or per slot, never a unit."""
        with private(self._label):
            return self._host.columns(step.sql())

    def public(self, name: str, columns: Mapping[str, Column]) -> AbstractContextManager[str]:
        """Make public columns visible to the steps, for the length of a `with`."""
        return self._host.table(name, columns)

    def forget(self, table: str) -> None:
        """Drop one temp relation."""
        with private(self._label):
            self._host.run(drop(table))
        self._tables.discard(table)

    def close(self) -> None:
        """Drop what is left; a connection that is closed already has dropped it."""
        for table in sorted(self._tables):
            with suppress(HostError):
                self._host.run(drop(table))
        self._tables.clear()
