"""The errors of msd_sql: one tree under `MsdError`, each message a full sentence that stands alone.

A message says what was given, what is allowed and what to do: DuckDB hands a UDF's error to the user as bare text.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from msd_sql.udfs.errors import InputError, MsdError, PrivacyError, nearest, suggest

__all__ = [
    "BudgetError",
    "CatalogError",
    "EngineError",
    "InputError",
    "LeakError",
    "MsdError",
    "PrivacyError",
    "nearest",
    "suggest",
    "uncharged",
]


class CatalogError(MsdError, LookupError):
    """A declaration (`msd_protect`, `msd_items`) is missing, ambiguous or contradicts another."""


class BudgetError(PrivacyError):
    """A release would overdraw the budget: nothing was run, nothing was charged."""


class LeakError(PrivacyError):
    """The candidates of a selection depend on a protected relation, or cannot be shown not to."""


class EngineError(MsdError, RuntimeError):
    """An engine could not compute the marginals (never says anything of private values)."""


@contextmanager
def uncharged() -> Iterator[None]:
    """Let every error of what happens before a charge say that nothing was charged.

    >>> with uncharged():
    ...     raise InputError("k is NULL.")
    Traceback (most recent call last):
    msd_sql.udfs.errors.InputError: k is NULL. Nothing was charged.
    """
    try:
        yield
    except MsdError as error:
        if "othing was charged" in str(error):
            raise
        raise type(error)(f"{error} Nothing was charged.") from None
