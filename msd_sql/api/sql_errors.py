"""Our errors from plain SQL: DuckDB hands on the text of an error, and here it becomes the error again."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import duckdb

from msd_sql import errors
from msd_sql.errors import MsdError

_TOLD = re.compile(r"(?:^|executing the UDF: |: )(?P<kind>[A-Z]\w+Error): (?P<text>.*?)(?:\n\nAt:\n.*)?$", re.DOTALL)


@contextmanager
def typed_errors() -> Iterator[None]:
    """Raise the errors of our SQL functions as what they are, inside of a `with`; all others as DuckDB raises them.

    Connections of `msd_sql.connect` do so by themselves.

    >>> with typed_errors():
    ...     con.execute("SELECT msd_select(item_id, 0, 0.1, 0.5) FROM products").fetchall()
    Traceback (most recent call last):
    msd_sql.udfs.errors.InputError: k must be a whole number from 1 to 1000000; got 0. Nothing was charged.
    """
    try:
        yield
    except duckdb.Error as error:
        found = as_ours(str(error))
        if found is None:
            raise
        raise found from None


def as_ours(text: str) -> MsdError | None:
    """The error that DuckDB's message tells of; None if it is not one of ours.

    >>> as_ours("Invalid Input Error: … while executing the UDF: BudgetError: The budget is spent.")
    BudgetError('The budget is spent.')
    """
    told = _TOLD.search(text)
    kind = getattr(errors, told["kind"], None) if told is not None else None
    if told is None or not (isinstance(kind, type) and issubclass(kind, MsdError)):
        return None
    return kind(told["text"].strip())
