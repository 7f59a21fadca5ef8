"""Amounts of ε and δ as exact decimals: what is asked is rounded up, what is granted is rounded down."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal, InvalidOperation
from typing import TypeAlias

from msd_sql.errors import InputError

Amount: TypeAlias = Decimal | int | float | str

EPS_STEP = Decimal(1).scaleb(-20)
DELTA_STEP = Decimal(1).scaleb(-30)
# DECIMAL(38, 20) has 18 digits before the point; a sum of a budget and a charge must fit as well.
EPS_LARGEST = Decimal(10) ** 15
_WIDE = Context(prec=60)


def exact(name: str, value: Amount) -> Decimal:
    """The decimal that the user wrote: a float counts as its shortest text, so that ten times 0.1 is 1.

    >>> exact("budget", 0.1)
    Decimal('0.1')
    """
    if isinstance(value, bool):
        raise InputError(f"{name} must be a number; got {value}.")
    try:
        number = Decimal(repr(float(value))) if isinstance(value, float) else Decimal(value)
    except InvalidOperation:
        raise InputError(f"{name} must be a number; got '{value}'.") from None
    if not number.is_finite():
        raise InputError(f"{name} must be a finite number; got {value}.")
    return number


def eps_budget(value: Amount) -> Decimal:
    """A total ε: positive, rounded down to what the ledger can hold."""
    number = exact("budget", value)
    granted = _rounded(number, EPS_STEP, ROUND_FLOOR) if 0 < number <= EPS_LARGEST else Decimal(0)
    if granted <= 0:
        raise InputError(f"budget (total ε) must be above 0 and at most 1e15; got {value}.")
    return granted


def delta_budget(value: Amount) -> Decimal:
    """A total δ: in [0, 1), rounded down; 0 means pure ε-differential privacy."""
    number = exact("delta", value)
    if not 0 <= number < 1:
        raise InputError(f"delta (total δ) must be at least 0 and below 1; got {value}.")
    return _rounded(number, DELTA_STEP, ROUND_FLOOR)


def default_delta(m: int) -> Decimal:
    """m^-1.5 cut to three digits that people can read, the δ of a budget that names none.

    >>> default_delta(200000)
    Decimal('1.1100000000000000000000E-8')
    """
    if m < 2:
        raise InputError(f"delta has no default for m = {m} unit: m^-1.5 would not be below 1. Give delta := a number.")
    root = _WIDE.sqrt(Decimal(m))
    exact_delta = _WIDE.divide(Decimal(1), _WIDE.multiply(root, Decimal(m)))
    readable = _rounded(exact_delta, Decimal(1).scaleb(exact_delta.adjusted() - 2), ROUND_FLOOR)
    return _rounded(readable, DELTA_STEP, ROUND_FLOOR)


def raised_delta(delta: Decimal, before: Decimal, after: Decimal) -> Decimal:
    """The δ of a budget whose ε is changed from `before` to `after`: in proportion, but it never shrinks by itself.

    >>> raised_delta(Decimal("1e-9"), Decimal(1), Decimal(3))
    Decimal('3.000000000000000000000E-9')
    """
    if after <= before:
        return delta
    raised = _WIDE.divide(_WIDE.multiply(delta, after), before)
    if raised >= 1:
        raise InputError(f"delta (total δ) would grow to {shown(raised)} with the budget: name one, delta := …")
    return _rounded(raised, DELTA_STEP, ROUND_FLOOR)


def eps_charge(value: Amount) -> Decimal:
    """An ε to charge: positive, rounded up."""
    number = exact("eps", value)
    if not 0 < number <= EPS_LARGEST:
        raise InputError(f"eps must be above 0 and at most 1e15; got {value}.")
    return _rounded(number, EPS_STEP, ROUND_CEILING)


def delta_charge(value: Amount) -> Decimal:
    """A δ to charge: in [0, 1), rounded up."""
    number = exact("delta", value)
    if not 0 <= number < 1:
        raise InputError(f"delta must be at least 0 and below 1; got {value}.")
    return _rounded(number, DELTA_STEP, ROUND_CEILING)


def share_of_delta(eps: Decimal, budget: Decimal, delta: Decimal) -> Decimal:
    """The δ of a release that names none, delta·eps/budget, rounded down so that δ never runs out before ε.

    >>> share_of_delta(Decimal("0.1"), Decimal(1), Decimal("1e-9"))
    Decimal('1.00000000000000000000E-10')
    """
    return _rounded(_WIDE.divide(_WIDE.multiply(delta, eps), budget), DELTA_STEP, ROUND_FLOOR)


def shown(amount: Decimal | float) -> str:
    """An amount without the zeros of its column, for people.

    >>> shown(Decimal("0.10000000000000000000")), shown(Decimal("1E-9")), shown(math.inf)
    ('0.1', '1e-9', 'infinity')
    """
    number = Decimal(amount) if not isinstance(amount, float) else exact_or_infinite(amount)
    if number.is_infinite():
        return "infinity"
    plain = number.normalize()
    if plain == 0:
        return "0"
    if abs(plain) < Decimal("1e-4"):
        mantissa, power = f"{plain:e}".split("e")
        return f"{mantissa}e{int(power)}"
    return f"{plain:f}"


def brief(amount: Decimal) -> str:
    """An amount in six digits, marked where there are more: a sum of shares can have thirty.

    >>> brief(Decimal("0.1")), brief(Decimal("1.6666666666666666E-9"))
    ('0.1', '≈1.66667e-9')
    """
    short = amount.normalize(Context(prec=6))
    return shown(amount) if short == amount else f"≈{shown(short)}"


def exact_or_infinite(value: float) -> Decimal:
    """A float as the decimal of its shortest text, or as infinity."""
    return Decimal("Infinity") if math.isinf(value) else Decimal(repr(value))


def _rounded(number: Decimal, step: Decimal, how: str) -> Decimal:
    return number.quantize(step, rounding=how, context=_WIDE)
