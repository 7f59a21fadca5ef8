"""Bounds that tables show beside those of `bounds.py`, which never need more noise (`docs/privacy.md`)."""

from __future__ import annotations

import math
from collections.abc import Callable

from .bounds import expm1
from .renyi import conversion

_GOLDEN = (math.sqrt(5) - 1) / 2


def advanced(eps0: float, rounds: int, delta: float) -> float:
    """Advanced composition: ε = sqrt(2T·ln(1/δ))·ε0 + T·ε0·(e^ε0 - 1).

    >>> round(advanced(0.00347, 20, 1e-9), 3)
    0.1
    """
    return math.sqrt(2 * rounds * -math.log(delta)) * eps0 + rounds * eps0 * expm1(eps0)


def zcdp(eps0: float, rounds: int, delta: float) -> float:
    """ρ = T·ε0²/8 by bounded range, converted at the best order α.

    >>> round(zcdp(0.00842, 20, 1e-9), 3)
    0.1
    """
    rho = rounds * eps0 * eps0 / 8

    def eps(log_excess: float) -> float:
        alpha = 1 + math.exp(log_excess)
        return rho * alpha + conversion(alpha, delta)

    return max(0.0, eps(_minimise(eps)))


def zcdp_eps0(eps: float, rounds: int, delta: float) -> float:
    """The ε0 for which `zcdp` gives ε: any order α yields a valid ρ, so the best one found is on the safe side.

    >>> round(zcdp_eps0(0.1, 20, 1e-9), 5)
    0.00842
    """

    def rho(log_excess: float) -> float:
        alpha = 1 + math.exp(log_excess)
        return (eps - conversion(alpha, delta)) / alpha

    return math.sqrt(8 * max(0.0, rho(_minimise(lambda log_excess: -rho(log_excess)))) / rounds)


def decomposable(eta: float, total: int, delta: float) -> float:
    """The paper's bound: ε = A·(e^η - 1)·(4 + ln(1/δ)) where one unit's marginals sum to at most A = `total` counts.

    >>> round(decomposable(0.00807 / 2, 1, 1e-9), 3)
    0.1
    """
    return total * expm1(eta) * (4 - math.log(delta))


def coverage(eta: float, delta: float) -> float:
    """A unit is covered once and for all: ε = η + (e^η - 1)·max(0, ln((1 - e^-η)/δ)), for any number of rounds.

    >>> round(coverage(0.01201 / 2, 1e-9), 3)
    0.1
    """
    if eta == 0:
        return 0.0
    return eta + expm1(eta) * max(0.0, math.log(-math.expm1(-eta)) - math.log(delta))


def _minimise(function: Callable[[float], float]) -> float:
    """The ln(α - 1) of the smallest value: a grid first, because nothing guarantees a single valley, then golden."""
    grid = [0.5 * step for step in range(-24, 121)]
    best = min(grid, key=function)
    low, high = best - 0.5, best + 0.5
    left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    at_left, at_right = function(left), function(right)
    for _ in range(45):
        if at_left <= at_right:
            high, right, at_right = right, left, at_left
            left = high - _GOLDEN * (high - low)
            at_left = function(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + _GOLDEN * (high - low)
            at_right = function(right)
    return left if at_left <= at_right else right
