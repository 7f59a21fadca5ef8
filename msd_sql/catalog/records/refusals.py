"""What a refused charge says: which of ε, δ and Rényi divergence is missing, what would fit, and how to mend it."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from functools import reduce

from msd_sql.catalog.accounts.account import Share
from msd_sql.catalog.amounts import brief, shown
from msd_sql.catalog.budget_filter import UNBOUNDED, Budget, Loss
from msd_sql.catalog.declarations import Protected
from msd_sql.errors import BudgetError


def refusal(
    protected: Protected,
    limits: Budget,
    spent: Loss,
    price: Loss,
    prices: Sequence[Loss],
    share: Share | None = None,
    of_share: Sequence[Loss] = (),
) -> BudgetError:
    """The error of a statement that neither rule allows.

    `share` is what the account that asks may spend, and `of_share` are the prices by its rules: what is said to fit has
    to fit both.

    >>> much = Loss(Decimal(9))
    >>> print(refusal(purchases, Budget(Decimal(1), Decimal(0), None), Loss(), much, [much]))
    The budget of shop.main.purchases does not allow this answer (ε is missing); ...
    """
    many = len(prices)
    what = f"these {many:,} answers" if many > 1 else "this answer"
    missing = _missing(limits, spent + price)
    parts = [
        f"The budget of {protected.name} does not allow {what} ({missing}); nothing was run and nothing was charged.",
        f"Requested: ε {brief(price.eps)}, δ {brief(price.delta)}"
        + (f" for {many:,} groups of ε {brief(prices[0].eps)}" if many > 1 else "")
        + ".",
        f"Spent: ε {brief(spent.eps)}, δ {brief(spent.delta)}{_composed(limits, spent)}.",
        f"Remaining: ε {brief(max(limits.eps - spent.eps, Decimal(0)))}, "
        f"δ {brief(max(limits.delta_sum - spent.delta, Decimal(0)))} by sum{_by_order(limits, spent, price)}.",
        f"Limit: ε {shown(limits.eps)}, δ {shown(limits.delta)}.",
        f"Left of this account's share: ε {brief(share.left)} of {shown(share.limits.eps)}." if share else "",
        _fitting([(limits, spent, prices)] + ([(share.limits, share.spent, of_share)] if share else [])),
        _mending(protected, limits, spent, price),
        _mending_share(share, of_share),
    ]
    return BudgetError(" ".join(part for part in parts if part))


def _composed(limits: Budget, spent: Loss) -> str:
    """What all answers come to, where that is less than their sum."""
    come_to = limits.composed(spent)
    return f" by sum, which all come to ε {brief(come_to)}" if come_to < spent.eps else ""


def _missing(limits: Budget, spent: Loss) -> str:
    """Which part of each account is overdrawn."""
    sums = [name for name, over in (("ε", spent.eps > limits.eps), ("δ", spent.delta > limits.delta_sum)) if over]
    said = f"{' and '.join(sums)} {'are' if len(sums) > 1 else 'is'} missing"
    if limits.alpha is None:
        return said
    order = "Rényi divergence" if spent.renyi > limits.room else "δ for the sampler's clamp"
    return f"by sum {said}, by order {order}"


def _by_order(limits: Budget, spent: Loss, price: Loss) -> str:
    if limits.alpha is None:
        return ""
    left = max(limits.room - spent.renyi, Decimal(0))
    cost = "no bound is proved for it" if price.renyi >= UNBOUNDED else f"it takes {brief(price.renyi)}"
    return f"; divergence {brief(left)} by order α = {shown(limits.alpha)}, of which {cost}"


def _fitting(held: Sequence[tuple[Budget, Loss, Sequence[Loss]]]) -> str:
    """What all of these limits, of which so much is spent, would allow instead of answers of these prices."""
    if len(held[0][2]) > 1:
        fits = min(
            limits.how_many(spent, max(prices, key=lambda one: (one.renyi, one.eps))) for limits, spent, prices in held
        )
        return f"{fits:,} such groups would fit."
    left = min(limits.left(spent) for limits, spent, _ in held)
    if left >= held[0][2][0].eps:  # one that δ = 0 proves would fit; this one needs δ or divergence that is not there
        return "A smaller ε would fit: FROM msd_explain(…) tells what is left after it."
    return f"An answer of ε {brief(left)} would fit, if δ = 0 proves it (few rounds)." if left > 0 else ""


def _mending(protected: Protected, limits: Budget, spent: Loss, price: Loss) -> str:
    """Who can do what about it."""
    name = protected.relation.name if protected.relation else protected.name
    total = spent + price
    if total.eps <= limits.eps:  # δ alone is in the way: more ε would not help
        return (
            f"ε would be enough: leave delta := out, or ask for a smaller one; the owner can raise δ with "
            f"SELECT msd_budget('{name}', {shown(limits.eps)}, delta := …)."
        )
    return f"Ask for less, or let the owner raise the budget: SELECT msd_budget('{name}', …)."


def _mending_share(share: Share | None, prices: Sequence[Loss]) -> str:
    if share is None or share.limits.allows(reduce(Loss.__add__, prices, share.spent)):
        return ""
    return "The share of this account would not allow it either."
