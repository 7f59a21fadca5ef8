"""BridgeHost: the database of a shell in another process, as a `Host` (docs/architecture.md)."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from typing import Any

import numpy as np

from msd_sql.bridge import wire
from msd_sql.bridge.channel import Line
from msd_sql.database.host import OWN_NAMES, Column, HostError, Row, in_transaction
from msd_sql.database.sql_text import quote

_CHUNK = 2048  # rows of DuckDB's vectors
_BLOCK = 250_000  # rows of a block
_TYPES = {"b": ("BOOLEAN", wire.BOOLEAN), "i4": ("INTEGER", wire.INTEGER), "f4": ("FLOAT", wire.FLOAT),
          "f8": ("DOUBLE", wire.DOUBLE)}  # fmt: skip


class BridgeHost:
    """Runs statements on one of the extension's own connections; a transaction takes the next one."""

    def __init__(self, line: Line, version: str, connection: int = 0) -> None:
        self._line = line
        self._connection = connection
        self.version = version

    def rows(self, sql: str) -> list[Row]:
        """Every row as Python values."""
        found: list[Row] = []
        for vectors in self._line.run(self._connection, sql):
            if vectors:
                found.extend(zip(*(wire.values(vector) for vector in vectors), strict=True))
        return found

    def columns(self, sql: str) -> dict[str, Column]:
        """Every column as a numpy array, masked where it holds NULL."""
        return _joined(self._line, [vectors for vectors in self._line.run(self._connection, sql) if vectors])

    def blocks(self, sql: str) -> Iterator[dict[str, Column]]:
        """The columns in blocks, as they arrive."""
        with closing(_whole(self._line.run(self._connection, sql))) as parts:
            kept: list[list[wire.Vector]] = []
            for vectors in parts:
                kept.append(vectors)
                if sum(one[0].rows for one in kept) >= _BLOCK:
                    yield _joined(self._line, kept)
                    kept = []
            if kept:
                yield _joined(self._line, kept)

    def run(self, sql: str) -> None:
        """Run to the end and drop what it returns."""
        for _ in self._line.run(self._connection, sql):
            pass

    def begin_with(self, sql: str) -> None:
        """Run a setting, if it can be changed."""
        with suppress(HostError):
            self.run(sql)

    @contextmanager
    def table(self, name: str, columns: Mapping[str, Column | Sequence[Any]]) -> Iterator[str]:
        """Fill a TEMP table of this connection: nothing is written to the user's file."""
        given = {label: _typed(column) for label, column in columns.items()}
        members = ", ".join(f"{quote(label)} {kind}" for label, (kind, _, _) in given.items())
        self.run(f"CREATE OR REPLACE TEMP TABLE {quote(name)} ({members})")
        try:
            rows = len(next(iter(given.values()))[2])
            for start in range(0, rows, _CHUNK):
                parts = [(number, column[start : start + _CHUNK]) for _, number, column in given.values()]
                payload = b"".join(wire.encode(wire.Type(number), part) for number, part in parts)
                self._line.fill(self._connection, name, len(parts), len(parts[0][1]), payload)
            yield name
        finally:
            with suppress(HostError):
                self.run(f"DROP TABLE IF EXISTS temp.main.{quote(name)}")

    @contextmanager
    def transaction(self) -> Iterator[BridgeHost]:
        """A transaction on a connection of its own."""
        inner = BridgeHost(self._line, self.version, self._connection + 1)
        inner.run(OWN_NAMES)
        with in_transaction(inner):
            yield inner

    def second_connection(self) -> None:
        """No other: statements of one worker take turns."""

    def interrupt(self) -> None:
        """Stop the statement that runs now."""
        self._line.stop()


def _whole(parts: Iterator[list[wire.Vector]]) -> Generator[list[wire.Vector], None, None]:
    """The rows of a statement; read to the end even if nobody wants them, or the next message would be one of them."""
    try:
        for vectors in parts:
            if vectors:
                yield vectors
    finally:
        for _ in parts:
            pass


def _joined(line: Line, parts: list[list[wire.Vector]]) -> dict[str, Column]:
    if not parts:
        return {name: wire.empty(kind) for name, kind in zip(line.names, line.types, strict=True)}
    return {name: wire.column([one[i] for one in parts]) for i, name in enumerate(line.names)}


def _typed(column: Column | Sequence[Any]) -> tuple[str, int, list[Any]]:
    """A public column's SQL type, its number, and its values with None for NULL."""
    if isinstance(column, np.ma.MaskedArray):
        kept = column.tolist()
    else:
        kept = column.tolist() if isinstance(column, np.ndarray) else list(column)
    if isinstance(column, np.ndarray) and column.dtype.kind in "biuf":
        name, number = _TYPES.get(column.dtype.kind, _TYPES.get(column.dtype.str[1:], ("BIGINT", wire.BIGINT)))
        return name, number, kept
    whole = [one for one in kept if one is not None]
    if whole and all(isinstance(one, int) and not isinstance(one, bool) for one in whole):
        return "BIGINT", wire.BIGINT, kept
    if whole and all(isinstance(one, float) for one in whole):
        return "DOUBLE", wire.DOUBLE, kept
    return "VARCHAR", wire.VARCHAR, [None if one is None else str(one) for one in kept]
