"""Statements over private rows: an error of the database never says more than its kind (docs/privacy.md)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from msd_sql.database.host import Column, Host, HostError, Interrupted, Row
from msd_sql.errors import EngineError


@contextmanager
def private(relation: str) -> Iterator[None]:
    """Turn any error of a statement over private rows into one without the database's words.

    >>> with private("shop.main.purchases"):
    ...     raise HostError("Could not convert string 'secret' to INT32", "ConversionException")
    Traceback (most recent call last):
    msd_sql.errors.EngineError: Reading the protected relation shop.main.purchases failed (ConversionException)...
    """
    try:
        yield
    except Interrupted:
        raise
    except HostError as error:
        error.withhold()
        raise EngineError(
            f"Reading the protected relation {relation} failed ({error.kind}). The database's own message is withheld "
            "because it could quote private values: run the declared columns and similarity over it as its owner to "
            "see it."
        ) from None


def private_rows(host: Host, sql: str, relation: str) -> list[Row]:
    """`host.rows` over private data.

    >>> private_rows(host, "SELECT count(*) FROM purchases", "shop.main.purchases")
    [(2000,)]
    """
    with private(relation):
        return host.rows(sql)


def private_columns(host: Host, sql: str, relation: str) -> dict[str, Column]:
    """`host.columns` over private data.

    >>> private_columns(host, "SELECT min(user_id) AS first FROM purchases", "shop.main.purchases")
    {'first': array([0], dtype=int32)}
    """
    with private(relation):
        return host.columns(sql)
