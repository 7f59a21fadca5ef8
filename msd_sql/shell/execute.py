"""Running one statement exactly once, and its result as a relation that can be drawn.

A selection has to reach DuckDB in the words it was typed in (the guard reads them, the ledger keeps them) and must not
run again when it is drawn. Everything else is left to DuckDB's own lazy relation, which runs when it is drawn.
"""

from __future__ import annotations

import re
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from typing import Any

import duckdb

from msd_sql.surface.functions import RECORDING

Connection = duckdb.DuckDBPyConnection
Relation = duckdb.DuckDBPyRelation

_RECORDING = re.compile(rf"\b(?:{'|'.join(RECORDING)})\b", re.IGNORECASE)
_SILENT: tuple[list[str], ...] = (["Count"], ["Success"], [])
# Python has no value for these, or needs another package to make one: such a result is drawn by DuckDB itself.
_LOSSY = re.compile(r"TIME ZONE|INTERVAL|_NS\b|MAP\(|UNION|VARIANT|GEOMETRY", re.IGNORECASE)
_AT_ONCE = 200


def records(sql: str) -> bool:
    """Tell whether this statement may write to the ledger.

    >>> records("SELECT msd_reach([1], 0.1)")
    True
    """
    return _RECORDING.search(sql) is not None


def run(con: Connection, sql: str) -> Relation | None:
    """Run a statement; its result, or None where it has none to show.

    >>> run(duckdb.connect(), "SELECT 42 AS answer").fetchall()
    [(42,)]
    """
    reads = _kind(con, sql) == "SELECT"
    lazy = _bound(con, sql) if reads else None
    if lazy is not None and not (records(sql) and _plain(lazy.types)):
        return lazy
    names, types, rows = _fetched(con, sql)
    if not reads and names in _SILENT:
        return None
    return held(names, types, rows)


def _kind(con: Connection, sql: str) -> str:
    statements = con.extract_statements(sql)
    return statements[-1].type.name if statements else ""


def _bound(con: Connection, sql: str) -> Relation | None:
    """Bind it as a lazy relation; None where it does not bind: running it then says where, with a caret."""
    with suppress(duckdb.Error):
        return con.sql(sql)
    return None


def _plain(types: Sequence[Any]) -> bool:
    return not any(_LOSSY.search(str(kind)) for kind in types)


def _fetched(con: Connection, sql: str) -> tuple[list[str], list[str], list[tuple[Any, ...]]]:
    try:
        con.execute(sql)
        about = con.description or []
        return [str(column[0]) for column in about], [str(column[1]) for column in about], con.fetchall()
    finally:
        if hasattr(con, "abort"):  # 2.x keeps a connection busy until its result is read to the end
            with suppress(duckdb.Error):
                con.abort()


@cache
def _drawing_board() -> Connection:
    return duckdb.connect(":memory:")


def held(names: Sequence[str], types: Sequence[str], rows: Sequence[Sequence[Any]]) -> Relation:
    """Rows that were already fetched, as a relation of another database in memory: drawing it runs nothing of ours.

    >>> held(["a"], ["INTEGER[]"], [([1, 2],)]).fetchall()
    [([1, 2],)]
    """
    board = _drawing_board()
    try:
        return _table(board, names, types, rows)
    except duckdb.Error:  # a type that this DuckDB does not take back from Python: its text is still right
        return _table(board, names, ["VARCHAR"] * len(names), [[_text(v) for v in row] for row in rows])


def _table(board: Connection, names: Sequence[str], types: Sequence[str], rows: Sequence[Sequence[Any]]) -> Relation:
    columns = ", ".join(f"c{number} {kind}" for number, kind in enumerate(types))
    board.execute(f"CREATE OR REPLACE TABLE result ({columns})")
    one = f"({', '.join('?' * len(names))})"
    for start in range(0, len(rows), _AT_ONCE):
        block = rows[start : start + _AT_ONCE]
        values = [value for row in block for value in row]
        board.execute(f"INSERT INTO result VALUES {', '.join([one] * len(block))}", values).fetchall()
    shown = ", ".join(f"c{number} AS {_quoted(name)}" for number, name in enumerate(names))
    return board.sql(f"SELECT {shown} FROM result")


def _quoted(name: str) -> str:
    escaped = name.replace('"', '""')
    return f'"{escaped}"'


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


@contextmanager
def interruptible(con: Connection) -> Iterator[None]:
    """While this runs, Ctrl-C interrupts the connection's statement and nothing else."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, lambda number, frame: con.interrupt())
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
