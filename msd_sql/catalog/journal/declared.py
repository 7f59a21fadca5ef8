"""Declarations in the journal: the limits of a budget, and what was spent when they were declared."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from msd_sql.catalog.budget_filter import UNBOUNDED
from msd_sql.catalog.declarations import Protected
from msd_sql.catalog.journal.chain import Totals
from msd_sql.catalog.records.lines import accounts


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
