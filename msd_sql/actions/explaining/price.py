"""What a question costs, in words for `msd_explain`: both accounts, how many more like it, a whole GROUP BY."""

from __future__ import annotations

from decimal import Decimal

from msd_sql.catalog.amounts import brief, shown
from msd_sql.catalog.budget_filter import UNBOUNDED, Budget, Loss
from msd_sql.catalog.ledger import Balance

Line = tuple[str, str]


def price_lines(balance: Balance, price: Loss, groups: int) -> list[Line]:
    """The lines of `msd_explain` about the budget, for so many answers of this price in one statement.

    >>> balance = Balance(Budget(Decimal(1), Decimal(0), None), Loss(), 0)
    >>> price_lines(balance, Loss(Decimal("0.1")), 3)[-1]
    ('more like this', '10 answers before it, 7 after it')
    """
    limits, spent = balance.limits, balance.spent
    whole = price.times(groups)
    after = spent + whole
    lines = [
        ("budget before", _state(limits, spent)),
        ("charge", _charge(limits, whole) + (f" for {groups:,} groups" if groups > 1 else "")),
    ]
    fits = limits.how_many(spent, price)
    if not limits.allows(after):
        room = f"; {fits:,} such groups would fit" if groups > 1 else ""
        return [*lines, ("budget after", f"refused: the budget does not allow it{room}")]
    more = limits.how_many(after, price)
    return [
        *lines,
        ("budget after", _state(limits, after)),
        ("more like this", f"{fits:,} answer{'' if fits == 1 else 's'} before it, {more:,} after it"),
    ]


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
