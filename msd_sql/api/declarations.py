"""What owners declare, in Python: a protected relation and its budget, public items."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager

import duckdb

from msd_sql.actions import declare
from msd_sql.catalog.amounts import Amount
from msd_sql.catalog.declarations import Items, Protected
from msd_sql.question.options import read_python
from msd_sql.registration import inner, instance_of, register
from msd_sql.runtime.call import Call

Columns = str | Sequence[str] | None


def protect(
    con: duckdb.DuckDBPyConnection,
    relation: str,
    *,
    budget: Amount | None = None,
    unit: str | None = None,
    item: str | None = None,
    delta: Amount | None = None,
    shares: str | None = None,
    users: int | None = None,
    cap: int = 1,
    relevance: str = "coverage",
    similarity: str | None = None,
    head: float | None = None,
    replace: bool = False,
) -> Protected:
    """Protect a relation: from now on, selections that use it are charged to its budget. At once, not lazily.

    Args:
        con: a connection; it is registered, if it is not yet.
        relation: the name of a table or view.
        budget: the total ε that all answers together may come to.
        unit: the column that names whom to protect; None: every row for itself.
        item: the column that names the item.
        delta: the total δ; m^-1.5 by default.
        shares: instead of a budget, a protected relation about the same people, whose budget this one draws on.
        users: m, the public number of units; counted once by default.
        cap: how many chosen items of one user count.
        relevance: `coverage` or `best_match`.
        similarity: for best_match, SQL over r (the private row) and v (the item row).
        head: the largest share of the users that an item is expected to have, as far as it is public: what
            `explain` and the shell say an answer is worth then.
        replace: replace a different declaration, on the record; what was spent stays.

    Returns:
        The declaration as it is kept.

    >>> msd_sql.protect(con, "purchases", unit="user_id", item="item_id", budget=1.0, delta=1e-9).m
    398

    """
    given = read_python(
        "msd_protect",
        relation=relation,
        unit=unit,
        item=item,
        budget=budget,
        delta=delta,
        shares=shares,
        users=users,
        cap=cap,
        relevance=relevance,
        similarity=similarity,
        head=head,
        replace=replace,
    )
    with calling(con, "msd_sql.protect") as call:
        return declare.protect(call, **given)


def items(
    con: duckdb.DuckDBPyConnection,
    relation: str,
    *,
    key: str,
    features: Columns = None,
    distance: str | None = None,
    quota: Columns = None,
    quota_cap: int | Sequence[int] | None = None,
    reach: str | None = None,
    replace: bool = False,
) -> Items:
    """Declare the public items: their key, what makes them differ, and which protected relation they reach.

    Args:
        con: a connection; it is registered, if it is not yet.
        relation: the name of a table or view.
        key: the column that names an item.
        features: the column (or columns) that make items differ.
        distance: the distance over them.
        quota: the column (or nested columns) of the default quota.
        quota_cap: its cap (one for each column).
        reach: the protected relation whose users the items reach.
        replace: replace a different declaration, on the record.

    Returns:
        The declaration as it is kept.

    >>> msd_sql.items(con, "products", key="item_id", features="categories", reach="purchases").key_column
    'item_id'

    """
    given = read_python(
        "msd_items",
        relation=relation,
        key=key,
        features=features,
        distance=distance,
        quota=quota,
        quota_cap=quota_cap,
        reach=reach,
        replace=replace,
    )
    with calling(con, "msd_sql.items") as call:
        return declare.items(call, **given)


def calling(given: duckdb.DuckDBPyConnection, statement: str) -> AbstractContextManager[Call]:
    """A call on behalf of a connection, for what is asked in Python; the ledger shows `statement`.

    >>> with calling(con, "msd_sql.items") as call:
    ...     [items.key_column for items in call.items()]
    ['item_id']
    """
    con = inner(register(given))
    instance = instance_of(con)
    told = con.execute(f"SELECT {instance.prefix}_msd_context()").fetchall()[0][0]
    return instance.call(instance.heard(told).saying(statement))
