"""What a database has forgotten: names and accounts that changed after it was last written, taken back in its journal.

A restored backup calls a relation by its old name, or charges it to an account that it had left. What was spent since
stands in the journal by the new name or in the other account, and counts for the people whom the rows are about.
"""

from __future__ import annotations

from copy import deepcopy
from decimal import Decimal
from typing import Any

from msd_sql.catalog.budget_filter import UNBOUNDED
from msd_sql.catalog.journal.chain import Accounts, Change, Totals

_ZERO = Decimal(0)


def taken_back(totals: Totals, known: int) -> tuple[Totals, list[dict[str, Any]]]:
    """What a journal says by the names and accounts of a database that knows so many of its records.

    And the records that make the journal itself say so.

    >>> taken_back(Totals(), 0)[1]
    []
    """
    since = [change for change in totals.changes if change.at >= known]
    if not since:
        return totals, []
    found, records = deepcopy(totals), []
    for change in reversed(since):
        record = _back(found, change)
        found.add(record)
        records.append(record)
    return found, records


def _back(totals: Totals, change: Change) -> dict[str, Any]:
    if change.moved:
        return {"kind": "move", "relation": change.after, "to": change.before}
    left, joined = (totals.spent.get(key, {}) for key in (change.before, change.after))
    # What an account of its own had spent came along when it was left; one that others drew on has grown since.
    alone = change.before == change.relation
    spent = {name: _together(name, left, joined, alone) for name in {**left, **joined}}
    texts = {name: str(amount) for name, amount in spent.items()}
    return {"kind": "seen", "relation": change.relation, "spent": {change.before: texts}}


def _together(name: str, left: Accounts, joined: Accounts, alone: bool) -> Decimal:
    mine, others = left.get(name, _ZERO), joined.get(name, _ZERO)
    if name == "renyi" and others:
        return UNBOUNDED  # the other account may count at a lower order
    return max(mine, others) if alone else mine + others
