"""A shop's file opened and declared, and the questions that are put to it: ours, and the plain query beside it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import duckdb

import msd_sql
from msd_sql.registration import instance_of

PLAIN = "SELECT item_id, count(DISTINCT user_id) AS c FROM {table} GROUP BY 1 ORDER BY c DESC LIMIT {k}"
_SERIAL = count(1)


class Asking:
    """Questions to one protected relation of an open file."""

    def __init__(self, con: duckdb.DuckDBPyConnection, table: str = "purchases", users: int | None = None) -> None:
        self._con, self._table = con, table
        counted = f", users := {users}" if users else ""
        con.execute("DROP SCHEMA IF EXISTS msd CASCADE")
        msd_sql.register(con)
        for sql in (
            f"SELECT msd_protect('{table}', unit := 'user_id', item := 'item_id', budget := 1e6, delta := 1e-3"
            f"{counted})",
            f"SELECT msd_items('products', key := 'item_id', features := 'categories', reach := '{table}')",
        ):
            con.execute(sql).fetchall()

    def plain(self, k: int = 20) -> list[tuple[object, ...]]:
        """Ask what one would write instead."""
        return self.run(PLAIN.format(table=self._table, k=k))

    def select(self, k: int = 20, more: str = "") -> list[tuple[object, ...]]:
        """Ask a question that was not asked before: no release can be told again."""
        eps = f"0.1{next(_SERIAL):06d}"
        return self.run(f"SELECT msd_select(item_id, {k}, {eps}, 0.5, delta := 1e-9{more}) FROM products")

    def run(self, sql: str) -> list[tuple[object, ...]]:
        """Run any other statement."""
        return self._con.execute(sql).fetchall()

    def forget(self) -> None:
        """Let go of everything that was kept (indexes, distances, layouts): the next question is a first one."""
        instance_of(self._con).drop_caches()


@contextmanager
def opened(path: Path, limit: str | None = None) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a file, with DuckDB's memory limit set if one is given."""
    with duckdb.connect(str(path)) as con:
        con.execute("SET enable_progress_bar = false")
        if limit:
            con.execute(f"SET memory_limit = '{limit}'")
        yield con
