"""Figures in Python: how many users some items reach, what is left of a budget, and the ledger."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import duckdb

from msd_sql.api.candidate_sources import value_text
from msd_sql.api.sql_errors import typed_errors
from msd_sql.database.sql_text import literal
from msd_sql.errors import InputError
from msd_sql.registration import inner, register

if TYPE_CHECKING:
    import pandas as pd


def reach(
    con: duckdb.DuckDBPyConnection,
    items: Sequence[Any],
    eps: float | str,
    *,
    relation: str | None = None,
    among: str | None = None,
    fresh: bool = False,
    public: bool = False,
) -> int:
    """Estimate, privately, how many users have any of these items: a release of its own, with its own ε.

    Args:
        con: a connection; it is registered, if it is not yet.
        items: the keys of the items; a `Selection` does.
        eps: the ε of the estimate; its noise is about 1/ε users.
        relation: the protected relation, where there are several.
        among: SQL over the private row r: only users with such a row count.
        fresh: ask (and pay) again instead of repeating the recorded answer.
        public: assert that the items do not depend on protected data; recorded.

    Returns:
        The number of users, with noise; at least 0.

    >>> msd_sql.reach(con, [1, 2, 3], 0.05) >= 0
    True

    """
    options = {"relation": relation, "among": among, "fresh": fresh or None, "public": public or None}
    if isinstance(items, str) or not hasattr(items, "__iter__"):
        raise InputError(f"items is a list of keys, such as [1, 2, 3], or a Selection; got {items!r}.")
    arguments = [value_text(list(items)), value_text(eps)]
    arguments += [f"{name} := {value_text(value)}" for name, value in options.items() if value is not None]
    return int(_one(con, f"SELECT msd_reach({', '.join(arguments)})"))


def remaining(con: duckdb.DuckDBPyConnection, relation: str) -> float:
    """Tell the ε that is left of a relation's budget. Costs nothing.

    Args:
        con: a connection; it is registered, if it is not yet.
        relation: the name of a protected relation.

    Returns:
        What all answers so far come to, taken from the budget.

    >>> 0 <= msd_sql.remaining(con, "purchases") <= 1
    True

    """
    if not isinstance(relation, str):
        raise InputError(f"relation is the name of a protected relation; got a {type(relation).__name__}.")
    return float(_one(con, f"SELECT msd_remaining({literal(relation)})"))


def ledger(con: duckdb.DuckDBPyConnection) -> pd.DataFrame:
    """Show the ledger: one row for every statement that declared, asked or repeated something, oldest first.

    Args:
        con: a connection; it is registered, if it is not yet.

    Returns:
        Who asked what of which relation, and what it cost: public facts only; times are UTC.

    >>> msd_sql.ledger(con).kind[0]
    'protect'

    """
    with typed_errors():
        found: pd.DataFrame = inner(register(con)).execute("FROM msd_ledger()").df()
    return found


def _one(con: duckdb.DuckDBPyConnection, sql: str) -> Any:
    with typed_errors():
        return inner(register(con)).execute(sql).fetchall()[0][0]
