"""DuckDBHost: DuckDB in this process as a `Host`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np

from msd_sql.database.host import OWN_NAMES, Column, Row, host_error, in_transaction, unoptimised

if TYPE_CHECKING:
    import pandas as pd

_VECTORS = 128  # of 2,048 rows each: a block of `blocks`


class DuckDBHost:
    """A cursor of a connection in this process. Make a fresh cursor for every UDF call: the caller's own would hang.

    `own`: nobody else uses the cursor, so that its search path is ours to set, before the first statement: of a
    statement's many groups most ask for nothing that is not known already.

    >>> DuckDBHost(duckdb.connect()).rows("SELECT 1 AS one")
    [(1,)]
    """

    def __init__(self, cursor: duckdb.DuckDBPyConnection, *, own: bool = False) -> None:
        self._connection = cursor
        self._own = own
        self._opening = OWN_NAMES if own else ""  # what is run before the first statement
        self._settings: list[str] = []  # and after it, where the owner has not locked them

    @property
    def version(self) -> str:
        """The version of the DuckDB module."""
        return duckdb.__version__

    @property
    def _cursor(self) -> duckdb.DuckDBPyConnection:
        if self._opening:
            self._connection.execute(self._opening).fetchall()
            self._opening = ""  # an interrupted one is run again
        while self._settings:
            with suppress(duckdb.InvalidInputException, duckdb.PermissionException):
                self._connection.execute(self._settings[0]).fetchall()
            del self._settings[0]
        return self._connection

    def rows(self, sql: str) -> list[Row]:
        """Every row as Python values."""
        with _translated():
            return self._cursor.execute(sql).fetchall()

    def columns(self, sql: str) -> dict[str, Column]:
        """Every column as a numpy array, masked where it holds NULL."""
        with _translated():
            found = self._cursor.execute(sql).fetchnumpy()
        return {name: _plain(column) for name, column in found.items()}

    def blocks(self, sql: str) -> Iterator[dict[str, Column]]:
        """The columns in blocks: the result streams, so memory is bounded by one block."""
        with _translated():
            reader = self._cursor.sql(sql).to_arrow_reader(_VECTORS * 2048)
        try:
            while True:
                try:
                    batch = reader.read_next_batch()
                except StopIteration:
                    return
                except OSError as error:  # so Arrow hands on what DuckDB said
                    kind = str(error).partition(" Error:")[0].title().replace(" ", "")
                    raise host_error(f"{kind}Exception", str(error)) from None
                yield {
                    name: column.to_numpy(zero_copy_only=False)
                    for name, column in zip(batch.schema.names, batch.columns, strict=True)
                }
        finally:
            reader.close()

    def run(self, sql: str) -> None:
        """Run to the end: 2.x streams, so that a statement that is not fetched may stop half way."""
        with _translated():
            self._cursor.execute(sql).fetchall()

    def begin_with(self, sql: str) -> None:
        """Keep a setting for the next statement."""
        self._settings.append(sql)

    @contextmanager
    def table(self, name: str, columns: Mapping[str, Column | Sequence[Any]]) -> Iterator[str]:
        """Register a frame on this cursor alone (a registered frame is TEMP, so other cursors have their own)."""
        with _translated():
            self._cursor.register(name, _arrays(columns) or _frame(columns))
        try:
            yield name
        finally:
            with suppress(duckdb.Error):
                self._cursor.unregister(name)

    @contextmanager
    def transaction(self) -> Iterator[DuckDBHost]:
        """A transaction on a cursor of its own, closed at the end: nobody interrupts it half way.

        For what schema msd keeps: rows of a few small tables, which take longer to optimise than to read or write.
        """
        with closing(unoptimised(self.second_connection())) as inner, in_transaction(inner):
            yield inner

    def second_connection(self) -> DuckDBHost:
        """A host on another cursor."""
        with _translated():
            return DuckDBHost(self._connection.cursor(), own=self._own)

    def close(self) -> None:
        """Let go of the cursor: while one is open, the database file stays locked for other processes."""
        self._connection.close()

    def interrupt(self) -> None:
        """Stop the statement that runs now."""
        self._connection.interrupt()


def private_database() -> DuckDBHost:
    """A host on an empty database of its own, in memory.

    >>> private_database().rows("SELECT count(*) FROM duckdb_tables()")
    [(0,)]
    """
    return DuckDBHost(duckdb.connect(), own=True)


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except duckdb.Error as error:
        raise host_error(type(error).__name__, str(error)) from None


def _plain(column: Any) -> Column:
    """Drop the mask where nothing is masked; an ENUM arrives as a pandas Categorical."""
    if isinstance(column, np.ma.MaskedArray):
        return column if np.ma.is_masked(column) else np.asarray(column.data)
    return np.asarray(column)


def _arrays(columns: Mapping[str, Column | Sequence[Any]]) -> dict[str, Column] | None:
    """The columns as plain arrays, which DuckDB reads three times as fast as a frame; None where that will not do."""
    found: dict[str, Column] = {}
    for name, column in columns.items():
        if isinstance(column, np.ndarray):
            plain = not isinstance(column, np.ma.MaskedArray) and column.dtype.kind in "iuf"
            found[name] = column
        else:
            plain = set(map(type, column)) <= {str}  # as fast as a loop of C: there may be many thousands
            found[name] = np.array(column, dtype=object)
        if not plain or not len(column):
            return None
    return found


def _frame(columns: Mapping[str, Column | Sequence[Any]]) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame({name: _series(pd, column) for name, column in columns.items()})


def _series(pd: Any, column: Column | Sequence[Any]) -> Any:
    if not isinstance(column, np.ma.MaskedArray):
        return pd.Series(column)
    mask = np.ma.getmaskarray(column)
    if column.dtype.kind in "iu":
        return pd.Series(pd.arrays.IntegerArray(np.asarray(column.data), mask))
    values = np.asarray(column.data).astype(object)
    values[mask] = None
    return pd.Series(values)
