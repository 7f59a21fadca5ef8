"""Exact discrete Laplace noise for counts, from uniform integers only (`docs/privacy.md`, "Reach").

P(x) = (e^(1/b) - 1)/(e^(1/b) + 1) · e^(-|x|/b) over the integers, for a rational scale b; the rejection sampler of
Canonne, Kamath and Steinke (2020), which never touches a floating-point number.
"""

from __future__ import annotations

from fractions import Fraction

from ..errors import InputError
from ..types import Source


def discrete_laplace(scale: Fraction, source: Source) -> int:
    """One integer of discrete Laplace noise of the given scale.

    >>> from msd_sql.udfs.privacy.randomness import SecretSource
    >>> isinstance(discrete_laplace(Fraction(20), SecretSource()), int)
    True
    """
    if scale <= 0:
        raise InputError(f"The scale of the noise is {scale}; it must be positive.")
    numerator, denominator = scale.numerator, scale.denominator
    while True:
        # remainder + numerator·quotient is geometric with ratio e^(-1/numerator).
        remainder = source.randbelow(numerator)
        if not _bernoulli_exp(remainder, numerator, source):
            continue
        quotient = 0
        while _bernoulli_exp(1, 1, source):
            quotient += 1
        magnitude = (remainder + numerator * quotient) // denominator
        negative = source.randbelow(2) == 1
        if not (negative and magnitude == 0):  # zero must not be counted with both signs
            return -magnitude if negative else magnitude


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


def _bernoulli_exp(numerator: int, denominator: int, source: Source) -> bool:
    """True with probability exp(-numerator/denominator), for a ratio of at most 1: von Neumann's alternating series."""
    k = 1
    while source.randbelow(denominator * k) < numerator:
        k += 1
    return k % 2 == 1
