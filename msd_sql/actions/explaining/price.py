"""What a question costs, in words for `msd_explain`: budget and share, how many more like it, a whole GROUP BY."""

from __future__ import annotations

from decimal import Decimal

from msd_sql.catalog.accounts.account import Share
from msd_sql.catalog.amounts import brief, shown
from msd_sql.catalog.budget_filter import NOTHING, UNBOUNDED, Budget, Loss
from msd_sql.catalog.ledger import Balance

Line = tuple[str, str]


def price_lines(
    balance: Balance, price: Loss, groups: int, share: Share | None = None, of_share: Loss = NOTHING
) -> list[Line]:
    """The lines of `msd_explain` about the budget, for so many answers of this price in one statement.

    `share` is what the account that asks may spend, and `of_share` the price by its rules: both have to allow it.

    >>> balance = Balance(Budget(Decimal(1), Decimal(0), None), Loss(), 0)
    >>> price_lines(balance, Loss(Decimal("0.1")), 3)[-1]
    ('more like this', '10 answers before it, 7 after it')
    >>> share = Share("purchases", Budget(Decimal("0.5"), Decimal(0), None))
    >>> price_lines(balance, Loss(Decimal("0.1")), 3, share, Loss(Decimal("0.1")))[-1]
    ('more like this', '5 answers before it, 2 after it')
    """
    limits, spent = balance.limits, balance.spent
    whole = price.times(groups)
    held = [(limits, spent, price)] + ([(share.limits, share.spent, of_share)] if share else [])
    fits = min(limit.how_many(used, each) for limit, used, each in held)
    room = f"; {fits:,} such groups would fit" if groups > 1 else ""
    allowed = limits.allows(spent + whole)
    shared = share is None or share.limits.allows(share.spent + of_share.times(groups))
    lines = [
        ("budget before", _state(limits, spent)),
        *([("share before", _left(share, share.spent))] if share else []),
        ("charge", _charge(limits, whole) + (f" for {groups:,} groups" if groups > 1 else "")),
    ]
    if not allowed:
        lines.append(("budget after", f"refused: the budget does not allow it{room}"))
    elif shared:
        lines.append(("budget after", _state(limits, spent + whole)))
    if share and not shared:
        left = f"ε {brief(share.left)} is left of it"
        lines.append(("share after", f"refused: the share of this account does not allow it, {left}{room}"))
    elif share and allowed:
        lines.append(("share after", _left(share, share.spent + of_share.times(groups))))
    if not (allowed and shared):
        return lines
    more = min(limit.how_many(used + each.times(groups), each) for limit, used, each in held)
    return [*lines, ("more like this", f"{fits:,} answer{'' if fits == 1 else 's'} before it, {more:,} after it")]


def _left(share: Share, spent: Loss) -> str:
    return f"ε {brief(share.limits.left(spent))} left of {shown(share.limits.eps)}"


def _state(limits: Budget, spent: Loss) -> str:
    """Such as: spent ε 0.56 of 1 (by order: 0.08 of 0.518 at α = 36)."""
    said = f"spent ε {brief(limits.composed(spent))} of {shown(limits.eps)}"
    if limits.alpha is None:
        return said
    order = f"by order {_divergence(spent.renyi)} of {brief(limits.room)} at α = {shown(limits.alpha)}"
    return f"{said} (by sum ε {brief(spent.eps)}, δ {brief(spent.delta)} of {shown(limits.delta_sum)}; {order})"


def _divergence(amount: Decimal) -> str:
    return brief(amount) if amount < UNBOUNDED else "infinity"


def _charge(limits: Budget, price: Loss) -> str:
    said = f"ε {brief(price.eps)}, δ {brief(price.delta)}"
    return (
        said if limits.alpha is None else f"{said}, divergence {_divergence(price.renyi)} at α = {shown(limits.alpha)}"
    )
