"""Which budget a relation draws on when it is declared, and what was spent of others that comes along.

What was spent stays spent: a relation that is protected again, in another ledger or on a shared budget takes all that
it has cost its people with it. A divergence of one order says nothing of a higher one, so that it is worked out
again, for the new order, from the receipts of the answers; where these do not account for everything, no divergence is
claimed.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from functools import reduce
from typing import TypeAlias

from msd_sql.catalog.budget_filter import NOTHING, UNBOUNDED, Budget, Loss, choose_order
from msd_sql.catalog.declarations import Protected
from msd_sql.catalog.places.ledger_file import HomeHosts
from msd_sql.catalog.records.migration import proved
from msd_sql.database.host import Host
from msd_sql.database.sql_text import statement
from msd_sql.errors import CatalogError, InputError

Known: TypeAlias = Sequence[tuple[Protected, bool]]

_RECEIPTS = """
SELECT r.eps, r.receipt FROM msd.releases AS r JOIN msd.ledger AS l ON r.line = l.id
WHERE l.charged_to = $key AND l.charged_eps > 0
"""
_SET = """
UPDATE msd.protected SET spent = $eps, spent_delta = $delta, spent_renyi = $renyi, spent_clamp = $clamp,
  answers = answers + $answers, revision = revision + 1
WHERE key = $key
"""


def check_holder(name: str, unit: str | None, holder: Protected, home: str) -> None:
    """Refuse to share a budget that is its own, that is not about people, or that another ledger keeps."""
    if holder.name == name:
        raise InputError(f"{name} cannot share its own budget: name another protected relation.")
    if unit is None or holder.unit is None:
        raise CatalogError(
            f"shares := '{holder.name}' says that two relations are about the same people; both need a unit."
        )
    if holder.home != home:
        raise CatalogError(
            f"The budget of {holder.name} is kept in database {holder.home}, and this declaration would be kept in "
            f"{home}: one budget has one ledger. Keep both in one file: register(con, ledger='ledger.duckdb')."
        )


def with_own_budget(wanted: Protected, last: Protected | None) -> Protected:
    """The declaration with an account of its own, which goes on with what was spent before.

    The order of the second account stays what it was once anything was spent: it must not depend on answers.
    """
    if last is None or last.loss == NOTHING:
        return replace(wanted, alpha=choose_order(wanted.budget, wanted.delta))
    return replace(
        wanted,
        alpha=last.alpha,
        spent=last.spent,
        spent_delta=last.spent_delta,
        spent_renyi=last.spent_renyi,
        spent_clamp=last.spent_clamp,
        answers=last.answers,
    )


def join_budget(
    inner: Host, wanted: Protected, named: Protected, here: Known, last: Protected | None, hosts: HomeHosts
) -> tuple[Protected, Loss]:
    """The declaration on the budget of `named`, and what it brings along, which is taken from that budget now."""
    holder = next(known for known, _ in here if known.stored_name == named.stored_name)  # as it is now
    drawing = [known.name for known, active in here if active and known.shares == wanted.stored_name]
    if drawing:
        raise CatalogError(
            f"{', '.join(drawing)} draws on the budget of {wanted.name}, so that it cannot share another one. Let "
            f"{drawing[0]} share that one first."
        )
    along, answers = NOTHING, 0
    if last is not None and (last.home, last.charged_to) != (holder.home, holder.charged_to):
        along, answers = carried(hosts.at(last.home), last, holder.limits), last.answers
    spent = holder.loss + along
    if along != NOTHING:
        facts = {**vars(spent), "key": holder.charged_to, "answers": answers}
        inner.run(statement(_SET, holder.home, **facts))
    return (
        replace(
            wanted,
            shares=holder.charged_to,
            alpha=holder.alpha,
            spent=spent.eps,
            spent_delta=spent.delta,
            spent_renyi=spent.renyi,
            spent_clamp=spent.clamp,
            answers=holder.answers + answers,
        ),
        along,
    )


def carried(host: Host, last: Protected, limits: Budget) -> Loss:
    """What a relation has spent, as it counts for another budget."""
    if last.loss == NOTHING:
        return NOTHING
    if last.alpha is not None and limits.alpha is not None and last.alpha >= limits.alpha:
        return last.loss  # a divergence grows with its order
    rows = host.rows(statement(_RECEIPTS, last.home, key=last.charged_to))
    known = sum((Decimal(repr(eps)) for eps, _ in rows), Decimal(0))
    prices = [limits.price(Decimal(0), Decimal(0), proved(json.loads(receipt))) for _, receipt in rows]
    total = reduce(Loss.__add__, prices, NOTHING)
    whole = known >= last.spent
    return Loss(last.spent, last.spent_delta, total.renyi if whole else UNBOUNDED, last.spent_clamp)
