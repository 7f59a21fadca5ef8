"""A connection whose cursors know the functions: for pools, data frames and notebooks that open cursors themselves."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import wraps
from typing import TYPE_CHECKING, Any

import duckdb

from msd_sql.api.sql_errors import typed_errors
from msd_sql.database.open_file import open_file
from msd_sql.errors import LeakError
from msd_sql.registration import register
from msd_sql.surface.functions import FUNCTIONS, RECORDING

if TYPE_CHECKING:
    _Base = duckdb.DuckDBPyConnection
else:
    _Base = object


_DECLARING = frozenset(name for name in RECORDING if FUNCTIONS[name].who == "owner")


class Connection(_Base):
    """A DuckDB connection whose `cursor()` is registered; everything else is DuckDB's own.

    Errors of our functions are raised as what they are (`msd_sql.BudgetError` and its kin).

    >>> with connect() as con:
    ...     con.cursor().execute("FROM msd_ledger()").fetchall()
    []
    """

    def __init__(self, con: duckdb.DuckDBPyConnection, **options: Any) -> None:
        self._msd_inner = register(con, **options)

    def cursor(self) -> Connection:
        """A registered cursor of the same database, whose own cursors are registered too."""
        return Connection(self._msd_inner.cursor())

    duplicate = cursor

    def sql(self, query: Any, **options: Any) -> Any:
        """DuckDB's lazy relation; but a declaration is made at once: nobody has to look at its row for that."""
        if isinstance(query, str) and _declares(query):
            with typed_errors():
                rows = self._msd_inner.execute(query, options.get("params")).df()
            return self._msd_inner.from_df(rows)
        with typed_errors():
            return self._msd_inner.sql(query, **options)

    query = sql

    def __getattr__(self, name: str) -> Any:
        if name == "_msd_inner":  # a copy that was never made
            raise AttributeError(name)
        found = getattr(self._msd_inner, name)
        if not callable(found):
            return found

        @wraps(found)
        def call(*arguments: Any, **named: Any) -> Any:
            with typed_errors():
                result = found(*arguments, **named)
            return self if result is self._msd_inner else result

        return call

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *raised: object) -> None:
        self._msd_inner.close()

    def __repr__(self) -> str:
        return f"msd_sql.{type(self).__name__}({self._msd_inner!r})"


def _declares(query: str) -> bool:
    from msd_sql.guard.statement_text import tokens

    try:
        return any(one.kind in ("word", "name") and one.name in _DECLARING for one in tokens(query))
    except LeakError:  # a text that ends in the middle of a word: DuckDB says so
        return False


def connect(
    database: str | os.PathLike[str] = ":memory:",
    *,
    read_only: bool = False,
    config: Mapping[str, str | bool | int | float | list[str]] | None = None,
    ledger: str | os.PathLike[str] | None = None,
    spark: Any = None,
    curator: str | None = None,
    token: str | None = None,
    tls_roots: str | os.PathLike[str] | None = None,
) -> Connection:
    """Open a DuckDB database with the functions registered, on the connection and on each of its cursors.

    Args:
        database: a file, or `:memory:`.
        read_only: open the file for reading only; declarations and charges then need `ledger`.
        config: DuckDB's own settings.
        ledger: a DuckDB file that keeps declarations and ledger instead of the data's own file.
        spark: a Spark session that holds protected relations.
        curator: the address of a curator (docs/curator.md), which alone has the private rows.
        token: the account's token there.
        tls_roots: certificates to trust instead of the system's.

    Returns:
        A connection to use as DuckDB's own; close it, or use it in a `with`.

    >>> with connect() as con:
    ...     con.sql("SELECT 1 AS one").fetchall()
    [(1,)]

    """
    con = open_file(os.fspath(database), read_only=read_only, config=dict(config or {}))
    try:
        return Connection(con, ledger=ledger, spark=spark, curator=curator, token=token, tls_roots=tls_roots)
    except BaseException:
        con.close()
        raise
