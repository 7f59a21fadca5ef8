"""The budget as a filter with two rules, in exact arithmetic (docs/privacy.md, "A budget that composes").

A budget (ε, δ) keeps two accounts of the same answers. *By sum*: the ε and the δ of every answer add up. *By order*:
the Rényi divergences of every answer add up, at one order α that is fixed when the relation is protected. An answer is
allowed if, with it, either account stays within its limit, and it is entered in both. Whatever is asked next in the
light of the answers, all of them together are (ε, δ)-differentially private.

Pure functions of decimals: what is spent is rounded up, what is granted is rounded down.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from functools import lru_cache

from msd_sql.catalog.amounts import DELTA_STEP, EPS_STEP
from msd_sql.udfs.privacy.renyi import Divergence, conversion

UNBOUNDED = Decimal(10) ** 17  # stands for an infinite divergence: above every room, and a column can hold it
_CLAMP_SHARE = 64  # one part in so many of the second account's δ pays for what the sampler's clamp may change
_WIDE = Context(prec=60)
_MARGIN = Decimal(1).scaleb(-40)  # more than the logarithms below lose in 60 digits
_ZERO = Decimal(0)
_HUGE = 10**18  # "how many more" ends here


@dataclass(frozen=True)
class Loss:
    """What one answer costs, or what many have cost together: an entry in both accounts.

    >>> Loss(Decimal("0.1"), Decimal("1e-10")) + Loss(Decimal("0.2"), _ZERO)
    Loss(eps=Decimal('0.3'), delta=Decimal('1E-10'), renyi=Decimal('0'), clamp=Decimal('0'))
    """

    eps: Decimal = _ZERO
    delta: Decimal = _ZERO
    renyi: Decimal = _ZERO  # the divergence at the budget's order; UNBOUNDED where none is proved
    clamp: Decimal = _ZERO  # the chance that the sampler's clamp makes a run differ from the one that was proved

    def __add__(self, other: Loss) -> Loss:
        return Loss(
            _WIDE.add(self.eps, other.eps),
            _WIDE.add(self.delta, other.delta),
            min(_WIDE.add(self.renyi, other.renyi), UNBOUNDED),
            _WIDE.add(self.clamp, other.clamp),
        )

    def times(self, count: int) -> Loss:
        """The loss of so many answers like this one.

        >>> Loss(Decimal("0.1"), Decimal("1e-10")).times(3).eps
        Decimal('0.3')
        """
        many = Decimal(count)
        return Loss(
            _WIDE.multiply(self.eps, many),
            _WIDE.multiply(self.delta, many),
            min(_WIDE.multiply(self.renyi, many), UNBOUNDED),
            _WIDE.multiply(self.clamp, many),
        )


NOTHING = Loss()


@dataclass(frozen=True)
class Budget:
    """A total (ε, δ) and the order of its second account; `alpha` is None where there is only the first.

    >>> budget = Budget(Decimal(1), Decimal("1e-9"), choose_order(Decimal(1), Decimal("1e-9")))
    >>> budget.alpha, round(budget.room, 3)
    (Decimal('36'), Decimal('0.518'))
    """

    eps: Decimal
    delta: Decimal
    alpha: Decimal | None

    @property
    def delta_sum(self) -> Decimal:
        """The δ of the first account: half of it where there are two."""
        return self.delta if self.alpha is None else _down(_WIDE.divide(self.delta, Decimal(2)), DELTA_STEP)

    @property
    def overhead(self) -> Decimal:
        """What the second account counts before the first answer: ε exceeds a divergence of order α by this much."""
        return _overhead(self.delta, self.alpha) if self.alpha is not None else UNBOUNDED

    @property
    def room(self) -> Decimal:
        """The limit of the second account: divergences of order α may add up to this; 0 where there is none."""
        return max(self.eps - self.overhead, _ZERO) if self.alpha is not None else _ZERO

    @property
    def clamp_room(self) -> Decimal:
        """The limit of the clamp's part of the second account: (1 + e^ε) times it is a share of its δ."""
        return _clamp_room(self.eps, self.delta) if self.alpha is not None else _ZERO

    def price(self, eps: Decimal, delta: Decimal, divergence: Divergence) -> Loss:
        """What an answer of these facts costs this budget.

        >>> budget = Budget(Decimal(1), Decimal("1e-9"), Decimal(36))
        >>> round(budget.price(Decimal("0.05"), Decimal(0), Divergence.of_count(0.05)).renyi, 6)
        Decimal('0.031710')
        """
        renyi = math.inf if self.alpha is None else divergence.at(_at_least(self.alpha))
        return Loss(
            up(eps, EPS_STEP),
            up(delta, DELTA_STEP),
            UNBOUNDED if math.isinf(renyi) else min(up(Decimal(renyi), EPS_STEP), UNBOUNDED),
            up(Decimal(divergence.clamp), DELTA_STEP),
        )

    def allows(self, spent: Loss) -> bool:
        """May this much have been spent in all?

        >>> budget = Budget(Decimal(1), Decimal("1e-9"), Decimal(36))
        >>> budget.allows(Loss(Decimal(1), Decimal("5e-10"), UNBOUNDED))
        True
        >>> budget.allows(Loss(Decimal(7), renyi=Decimal("0.5")))
        True
        """
        return self.by_sum(spent) or self.by_order(spent)

    def by_sum(self, spent: Loss) -> bool:
        """Does the first account allow it?"""
        return spent.eps <= self.eps and spent.delta <= self.delta_sum

    def by_order(self, spent: Loss) -> bool:
        """Does the second account allow it?"""
        return self.alpha is not None and spent.renyi <= self.room and spent.clamp <= self.clamp_room

    def composed(self, spent: Loss) -> Decimal:
        """The smallest ε, of a budget declared with this δ and this order, that would have allowed all of this.

        >>> budget = Budget(Decimal(1), Decimal("1e-9"), Decimal(36))
        >>> round(budget.composed(Loss(Decimal(5), Decimal("1e-9"), Decimal("0.1"))), 3)
        Decimal('0.582')
        """
        sums = spent.eps if spent.delta <= self.delta_sum else UNBOUNDED
        if spent.renyi == _ZERO == spent.clamp or spent.clamp > self.clamp_room:
            return sums
        return min(sums, _WIDE.add(spent.renyi, self.overhead))

    def left(self, spent: Loss) -> Decimal:
        """The ε that is left: an answer that is proved with δ = 0 and costs no more than this is allowed."""
        return max(_WIDE.subtract(self.eps, self.composed(spent)), _ZERO)

    def how_many(self, spent: Loss, price: Loss) -> int:
        """How many more answers of this price it allows.

        >>> Budget(Decimal(1), Decimal(0), None).how_many(NOTHING, Loss(Decimal("0.1")))
        10
        """
        sums = min(_fits(self.eps - spent.eps, price.eps), _fits(self.delta_sum - spent.delta, price.delta))
        if self.alpha is None:
            return sums
        orders = min(_fits(self.room - spent.renyi, price.renyi), _fits(self.clamp_room - spent.clamp, price.clamp))
        return max(sums, orders)


def choose_order(eps: Decimal, delta: Decimal) -> Decimal | None:
    """The order for a budget: the one at which most answers of little divergence fit; None for a budget without δ.

    (ε - v(α))/α is the number of answers, but for a factor, because a divergence grows like α. Two digits are enough:
    near the best order little changes.

    >>> choose_order(Decimal(1), Decimal("1e-9")), choose_order(Decimal("0.1"), Decimal("1e-6"))
    (Decimal('36'), Decimal('170'))
    """
    if delta < 4 * DELTA_STEP or eps <= 0:
        return None
    total, share = float(eps), float(_delta_order(delta))

    def worth(excess: float) -> float:
        return (total - conversion(1 + excess, share)) / (1 + excess)

    # Orders in steps of a tenth of a power of e first: the best one lies between two of them.
    near = max((math.exp(step / 10) for step in range(-300, 400)), key=worth)
    fine = max((near * math.exp(step / 1000) for step in range(-110, 111)), key=worth)
    alpha = Decimal(1 + fine)
    digits = alpha if alpha > 10 else alpha - 1
    readable = digits.quantize(Decimal(1).scaleb(digits.adjusted() - 1), rounding=ROUND_FLOOR, context=_WIDE)
    return _plain(readable if alpha > 10 else readable + 1)


def order_of(stored: Decimal | None) -> Decimal | None:
    """An order as it was chosen, without the zeros of its column.

    >>> order_of(Decimal("36.0000000000"))
    Decimal('36')
    """
    return None if stored is None else Decimal(f"{stored.normalize():f}")


def up(number: Decimal, step: Decimal) -> Decimal:
    """Rounded up to a multiple of `step`.

    >>> up(Decimal("0.11"), Decimal("0.1"))
    Decimal('0.2')
    """
    return number.quantize(step, rounding=ROUND_CEILING, context=_WIDE)


def _down(number: Decimal, step: Decimal) -> Decimal:
    return number.quantize(step, rounding=ROUND_FLOOR, context=_WIDE)


def _plain(number: Decimal) -> Decimal:
    return Decimal(f"{number.normalize():f}")


def _delta_order(delta: Decimal) -> Decimal:
    """The δ by which the second account's divergence becomes an ε: its half, but for the clamp's share."""
    half = _WIDE.divide(delta, Decimal(2))
    return _WIDE.subtract(half, _WIDE.divide(half, Decimal(_CLAMP_SHARE)))


@lru_cache(maxsize=256)
def _overhead(delta: Decimal, alpha: Decimal) -> Decimal:
    """v(α) = (ln(1/δ) - ln α)/(α - 1) + ln(1 - 1/α), rounded up; UNBOUNDED where δ is 0."""
    order = _delta_order(delta)
    if order <= 0:
        return UNBOUNDED
    excess = _WIDE.subtract(alpha, Decimal(1))
    lead = _WIDE.divide(-(_WIDE.ln(order) + _WIDE.ln(alpha)), excess)
    exact = _WIDE.add(lead, _WIDE.ln(_WIDE.divide(excess, alpha)))
    return up(_WIDE.add(exact, _MARGIN), EPS_STEP)


@lru_cache(maxsize=256)
def _clamp_room(eps: Decimal, delta: Decimal) -> Decimal:
    if eps > 200:  # nothing that a column can hold is left
        return _ZERO
    share = _WIDE.divide(delta, Decimal(2 * _CLAMP_SHARE))
    return _down(_WIDE.divide(share, _WIDE.add(Decimal(1), _WIDE.exp(eps)) + _MARGIN), DELTA_STEP)


@lru_cache(maxsize=256)
def _at_least(alpha: Decimal) -> float:
    """The order as a float that is not below it: a divergence of a higher order is an upper bound."""
    near = float(alpha)
    return near if Decimal(near) >= alpha else math.nextafter(near, math.inf)


def _fits(left: Decimal, price: Decimal) -> int:
    if left < 0:
        return 0
    return min(int(left // price), _HUGE) if price > 0 else _HUGE
