"""Declarations in the journal: the limits of a budget, and what was spent when they were declared."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from msd_sql.catalog.amounts import brief
from msd_sql.catalog.budget_filter import UNBOUNDED
from msd_sql.catalog.declarations import Protected
from msd_sql.catalog.journal.chain import Totals
from msd_sql.catalog.records.lines import accounts
from msd_sql.errors import CatalogError


def declared(about: Protected, what: str) -> dict[str, Any]:
    """What the journal keeps of a declaration.

    >>> declared(purchases, "budget")["limits"]["budget"]
    '1.00000000000000000000'
    """
    alpha = None if about.alpha is None else str(about.alpha)
    limits = {"budget": str(about.budget), "delta": str(about.delta), "alpha": alpha}
    facts: dict[str, Any] = {"what": what, "m": about.m, "time": datetime.now(UTC).isoformat()}
    if about.head is not None:
        facts["head"] = about.head
    return {**facts, "spent": {about.charged_to: accounts(about.loss)}, **({} if about.shares else {"limits": limits})}


def remembered(wanted: Protected, old: Protected | None, totals: Totals) -> Protected | None:
    """The declaration that was there before with what was spent then, should only the journal know of it; or `old`.

    >>> remembered(purchases, None, Totals()) is None
    True
    """
    spent = totals.spent.get(wanted.stored_name, {})
    known = vars(old.loss) if old else {}
    if all(amount <= known.get(name, Decimal(0)) for name, amount in spent.items()):
        return old
    alpha = totals.limits.get(wanted.stored_name, {}).get("alpha")
    most = {name: max(amount, known.get(name, Decimal(0))) for name, amount in spent.items()}
    return replace(
        old or wanted,
        alpha=Decimal(alpha) if alpha is not None else None,  # a divergence says nothing of a higher order
        spent=most.get("eps", Decimal(0)),
        spent_delta=most.get("delta", Decimal(0)),
        spent_renyi=min(most.get("renyi", Decimal(0)), UNBOUNDED),
        spent_clamp=most.get("clamp", Decimal(0)),
    )


def check_moved(stored_name: str, here: Collection[str], totals: Totals) -> None:
    """Raise a CatalogError where what had this name was moved to another, and the database has forgotten both.

    It was deleted and loaded again: are these the rows that were moved, or others that took the name? The owner knows.
    `here` are the stored names that the database knows.

    >>> check_moved("main.purchases", [], Totals())
    """
    places: list[str] = []  # where what once had this name is now
    for change in totals.changes:
        if change.moved and change.before in (stored_name, *places):
            places = [*(one for one in places if one != change.before), change.after]
    lost = [one for one in places if one not in here and any(totals.spent.get(one, {}).values())]
    if not lost or stored_name in totals.spent:  # by this name it is known as well, and goes on
        return
    there = lost[-1]
    eps = brief(totals.spent[there].get("eps", Decimal(0)))
    raise CatalogError(
        f"What was called {stored_name} was moved to {there} (msd_move), ε {eps} of its budget were spent, and this "
        f"database, loaded anew, knows nothing of it. If these are the same rows, name them {there} and protect them "
        "by that name: what was spent goes on, and msd_move may give them this name then. Other rows are declared with "
        "replace := true. Nothing was declared."
    )
