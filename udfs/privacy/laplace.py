"""Exact discrete Laplace noise for counts, in steps whose number does not depend on it (`docs/privacy.md`, "Reach").

P(x) = (1 - r)/(1 + r)·r^|x| over the integers, r = e^(-1/b), is the difference of two geometric variables of ratio r;
and the digits of a geometric variable are independent, digit i being 1 with probability r^(2^i)/(1 + r^(2^i)). So a
draw is a fixed number of coins, each one comparison of a uniform integer with bounds of its probability. No
floating-point number is touched, and no coin is approximate: an integer between the bounds (once in 2^250) is extended.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

from ..errors import InputError
from ..types import Source

BITS = 256  # of the integers that are compared
_BEYOND = 128  # the digits that are drawn reach to b·128: what is larger comes once in e^128 draws


def discrete_laplace(scale: Fraction, source: Source) -> int:
    """One integer of discrete Laplace noise of the given scale.

    >>> from msd_sql.udfs.privacy.randomness import SecretSource
    >>> isinstance(discrete_laplace(Fraction(20), SecretSource()), int)
    True
    """
    if scale <= 0:
        raise InputError(f"The scale of the noise is {scale}; it must be positive.")
    return _geometric(1 / scale, source) - _geometric(1 / scale, source)


def private_count(count: int, eps: Fraction, source: Source, sensitivity: int = 1) -> int:
    """A count of units with the noise that makes it ε-differentially private when one unit moves it by `sensitivity`.

    It may be negative: rounding it up is the reader's business, and free.

    >>> from msd_sql.udfs.privacy.randomness import SecretSource
    >>> private_count(1000, Fraction(200), SecretSource())
    1000
    """
    if eps <= 0:
        raise InputError(f"eps is {eps}; it must be positive.")
    return count + discrete_laplace(Fraction(sensitivity) / eps, source)


def noise_within(eps: float, confidence: float) -> int:
    """The least t for which the noise of a count is at most t, either way, with that probability.

    P(|x| > t) = 2·r^(t+1)/(1 + r), r = e^-ε.

    >>> noise_within(0.05, 0.95), noise_within(1.0, 0.5)
    (60, 1)
    """
    ratio = math.exp(-eps)
    beyond = (1 - confidence) * (1 + ratio) / 2
    return max(0, math.ceil(math.log(beyond) / -eps) - 1)


@dataclass(frozen=True)
class _Coin:
    """1 with probability e^-x, or, for `odds`, e^-x/(1 + e^-x)."""

    x: Fraction
    odds: bool

    @cached_property
    def near(self) -> tuple[int, int]:
        return self.bounds(BITS)

    def bounds(self, bits: int) -> tuple[int, int]:
        """Integers around 2^bits times the probability."""
        low, high = exp_bounds(self.x, bits)
        if not self.odds:
            return low, high
        one = 1 << bits
        return (low << bits) // (one + low), -((-high << bits) // (one + high))

    def fall(self, source: Source) -> int:
        bits, (low, high) = BITS, self.near
        drawn = source.randbelow(1 << bits)
        while low <= drawn < high:
            drawn = (drawn << BITS) + source.randbelow(1 << BITS)
            bits += BITS
            low, high = self.bounds(bits)
        return int(drawn < low)


@lru_cache(maxsize=16)
def _coins(rate: Fraction) -> tuple[list[_Coin], _Coin]:
    """The coins of the digits of a geometric variable, and the one that tells whether it is larger than they reach."""
    digits = max(1, int(_BEYOND / rate).bit_length())
    return [_Coin(rate * 2**digit, odds=True) for digit in range(digits)], _Coin(rate * 2**digits, odds=False)


def _geometric(rate: Fraction, source: Source) -> int:
    """P(x) = (1 - r)·r^x for r = e^-rate, digit by digit; all of them are drawn, whatever they are."""
    coins, beyond = _coins(rate)
    low = sum(coin.fall(source) << digit for digit, coin in enumerate(coins))
    high = 0
    while beyond.fall(source):  # once in e^128 draws: the rest of the distribution
        high += 1
    return low + (high << len(coins))


def exp_bounds(x: Fraction, bits: int) -> tuple[int, int]:
    """Integers around 2^bits·e^-x that lie close together, for x ≥ 0.

    >>> low, high = exp_bounds(Fraction(1), 64)
    >>> low <= 6786177901268885274 < high, high - low  # 2^64/e
    (True, 1)
    """
    halvings = max(0, (x.numerator // x.denominator).bit_length() + 1)
    guard = 64 + halvings
    wide = bits + guard
    y = (x.numerator << wide) // (x.denominator << halvings)  # at most 1/2, one unit too small at most
    total, term, place = 0, 1 << wide, 0
    while term:
        total += -term if place % 2 else term
        place += 1
        term = (term * y >> wide) // place
    # Each of fewer than 2^10 terms is off by less than 2^3 units; squaring doubles an error below 1, and adds a unit.
    for _ in range(halvings):
        total = total * total >> wide
    error = 1 << (14 + halvings)
    return max(0, total - error) >> guard, (total + error >> guard) + 1
