"""The charge of an account's share: in the same transaction as the relation's budget, all of it or nothing.

The answers of an account together cost no more than its share, whatever others ask: an answer that was told to another
account first costs the relation's budget nothing, and this account's share what it is worth.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import reduce
from typing import Any

from msd_sql.catalog.accounts.account import Account, Share
from msd_sql.catalog.accounts.account_book import share_of
from msd_sql.catalog.amounts import brief, shown
from msd_sql.catalog.budget_filter import NOTHING, Loss
from msd_sql.catalog.declarations import Protected
from msd_sql.catalog.journal.steps import Step
from msd_sql.catalog.records.lines import Answer, accounts
from msd_sql.database.host import Conflict, Host
from msd_sql.database.sql_text import literal, statement
from msd_sql.errors import BudgetError, PrivacyError

_SHARE = """
SELECT relation, budget, delta, alpha, spent, spent_delta, spent_renyi, spent_clamp, answers, revision
FROM msd.shares WHERE account = $account AND relation = $relation
"""
_ACTIVE = (
    "SELECT expires_at IS NULL OR expires_at > $now FROM msd.accounts WHERE name = $account AND revoked_at IS NULL"
)
# The column itself against plain values, so that DuckDB passes over blocks that cannot hold them.
_HEARD = "SELECT release::VARCHAR FROM msd.heard WHERE account = $account AND release IN ({ids})"
_SPEND = """
UPDATE msd.shares SET spent = $eps, spent_delta = $delta, spent_renyi = $renyi, spent_clamp = $clamp,
  answers = answers + $count, revision = revision + 1
WHERE account = $account AND relation = $relation AND revision = $revision
"""
_HEAR = "INSERT INTO msd.heard SELECT $account, unnest($ids)::UUID"


@dataclass(frozen=True)
class Again:
    """An answer that was released before: its id, and what it is worth."""

    release: str
    answer: Answer


def take(
    inner: Step, account: Account, protected: Protected, answers: Sequence[Answer], again: Sequence[Again]
) -> list[str]:
    """Take new answers, and those that this account hears for the first time, from its share; the ids of the latter.

    A BudgetError where the share does not allow all of them; whoever calls it then ends the whole transaction.
    """
    if account.owner:
        return []
    share = _share(inner, account, protected)
    known = _heard(inner, account, protected, [one.release for one in again])
    first = {one.release: one.answer for one in again if one.release not in known}
    told = [*answers, *first.values()]
    prices = [share.limits.price(one.eps, one.delta, one.divergence) for one in told]
    cost = reduce(Loss.__add__, prices, NOTHING)
    spent = share.spent + cost
    if told and not share.limits.allows(spent):
        raise _refusal(account, protected, share, cost, len(told))
    if told:
        facts: dict[str, Any] = {
            "account": account.name,
            "relation": share.relation,
            "revision": share.revision,
            "count": len(told),
        }
        sql = statement(_SPEND, protected.home, **facts, **vars(spent))
        if inner.rows(sql) != [(1,)]:
            raise Conflict("the share was changed meanwhile")
        now = _journaled(replace(share, spent=spent, answers=share.answers + len(told)))
        inner.journal("share", share.relation, account=account.name, share=now, before=_journaled(share))
    return list(first)


def check(host: Host, account: Account, protected: Protected, answers: Sequence[Answer]) -> None:
    """Refuse, as `take` would, what the share does not allow now."""
    if account.owner:
        return
    share = _share(host, account, protected)
    prices = [share.limits.price(one.eps, one.delta, one.divergence) for one in answers]
    cost = reduce(Loss.__add__, prices, NOTHING)
    if answers and not share.limits.allows(share.spent + cost):
        raise _refusal(account, protected, share, cost, len(answers))


def hear(inner: Host, account: Account, protected: Protected, releases: Sequence[str]) -> None:
    """Remember which answers an account was told, and was not told before."""
    if releases and not account.owner:
        inner.run(statement(_HEAR, protected.home, account=account.name, ids=list(releases)))


def share_left(host: Host, account: Account, protected: Protected) -> Share | None:
    """The share of an account as it is now; None for an owner, who needs none."""
    return None if account.owner else _share(host, account, protected)


def _share(host: Host, account: Account, protected: Protected) -> Share:
    active = host.rows(statement(_ACTIVE, protected.home, account=account.name, now=datetime.now(UTC)))
    if active != [(True,)]:
        raise PrivacyError("This account has ended. Ask the owner for another one; nothing was charged.")
    rows = host.rows(statement(_SHARE, protected.home, account=account.name, relation=protected.stored_name))
    if not rows:
        raise no_share(account, protected.name)
    return share_of(rows[0])


def no_share(account: Account, relation: str) -> PrivacyError:
    """The refusal of a relation of which an account has no share."""
    open_to = ", ".join(share.relation for share in account.shares) or "none"
    return PrivacyError(
        f"Account {account.name} may not ask about '{relation[:100]}'. It may ask about: {open_to}. Nothing was "
        "charged."
    )


def _journaled(share: Share) -> dict[str, Any]:
    alpha = None if share.limits.alpha is None else str(share.limits.alpha)
    return {**accounts(share.spent), "answers": share.answers, "alpha": alpha}


def _heard(host: Host, account: Account, protected: Protected, releases: Sequence[str]) -> frozenset[str]:
    if not releases:
        return frozenset()
    ids = ", ".join(f"{literal(one)}::UUID" for one in releases)
    rows = host.rows(statement(_HEARD.format(ids=ids), protected.home, account=account.name))
    return frozenset(row[0] for row in rows)


def _refusal(account: Account, protected: Protected, share: Share, cost: Loss, many: int) -> BudgetError:
    what = f"these {many:,} answers" if many > 1 else "this answer"
    return BudgetError(
        f"The share that account {account.name} has of {protected.name} does not allow {what}; nothing was run and "
        f"nothing was charged. Requested: ε {brief(cost.eps)}, δ {brief(cost.delta)}. Left of the share: ε "
        f"{brief(share.left)} of {shown(share.limits.eps)}. Ask for less, or let the owner raise the share."
    )
