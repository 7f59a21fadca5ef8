"""The six bounds on the privacy of a whole selection, as functions of one round's noise (`docs/privacy.md`).

`eta` is the exponent per count: a candidate with one user more is e^eta times as likely. `eps0` is the privacy of one
round on its own. Each function gives the ε that the bound proves for an ideal exponential mechanism.
"""

from __future__ import annotations

import math
from collections.abc import Callable

_GOLDEN = (math.sqrt(5) - 1) / 2


def basic(eps0: float, rounds: int) -> float:
    """Basic composition: ε = T·ε0, with δ = 0.

    >>> basic(0.5, 4)
    2.0
    """
    return rounds * eps0


def advanced(eps0: float, rounds: int, delta: float) -> float:
    """Advanced composition: ε = sqrt(2T·ln(1/δ))·ε0 + T·ε0·(e^ε0 - 1).

    >>> round(advanced(0.00347, 20, 1e-9), 3)
    0.1
    """
    return math.sqrt(2 * rounds * -math.log(delta)) * eps0 + rounds * eps0 * _expm1(eps0)


def zcdp(eps0: float, rounds: int, delta: float) -> float:
    """ρ = T·ε0²/8 by bounded range, converted at the best order α.

    >>> round(zcdp(0.00842, 20, 1e-9), 3)
    0.1
    """
    rho = rounds * eps0 * eps0 / 8
    order = _minimise(lambda log_excess: _from_rho(rho, log_excess, delta))
    return max(0.0, _from_rho(rho, order, delta))


def zcdp_eps0(eps: float, rounds: int, delta: float) -> float:
    """The ε0 for which `zcdp` gives ε: any order α yields a valid ρ, so the best one found is on the safe side.

    >>> round(zcdp_eps0(0.1, 20, 1e-9), 5)
    0.00842
    """
    order = _minimise(lambda log_excess: -_to_rho(eps, log_excess, delta))
    return math.sqrt(8 * max(0.0, _to_rho(eps, order, delta)) / rounds)


def decomposable(eta: float, total: int, delta: float) -> float:
    """The paper's bound: ε = A·(e^η - 1)·(4 + ln(1/δ)) where one unit's marginals sum to at most A = `total` counts.

    >>> round(decomposable(0.00807 / 2, 1, 1e-9), 3)
    0.1
    """
    return total * _expm1(eta) * (4 - math.log(delta))


def telescoping(eta: float, rounds: int, total: int) -> float:
    """A unit's own marginals telescope to at most A = `total` counts: ε = (T + A)·η.

    >>> telescoping(0.5, 3, 1)
    2.0
    """
    return (rounds + total) * eta


def coverage(eta: float, delta: float) -> float:
    """A unit is covered once and for all: ε = η + (e^η - 1)·max(0, ln((1 - e^-η)/δ)), for any number of rounds.

    >>> round(coverage(0.01201 / 2, 1e-9), 3)
    0.1
    """
    if eta == 0:
        return 0.0
    return eta + _expm1(eta) * max(0.0, math.log(-math.expm1(-eta)) - math.log(delta))


def largest(bound: Callable[[float], float], eps: float, limit: float = math.inf) -> float:
    """The largest argument up to `limit` whose bound is at most ε, to the last bit; `bound` grows with its argument.

    >>> largest(lambda eta: 4 * eta, 1.0)
    0.25
    """
    low, high = 0.0, min(eps, limit)
    while bound(high) <= eps:
        if high >= limit:
            return limit
        low, high = high, min(2 * high, limit)
    while True:
        middle = low + (high - low) / 2
        if not low < middle < high or high - low <= high * 2.0**-50:
            return low
        if bound(middle) <= eps:
            low = middle
        else:
            high = middle


def _expm1(value: float) -> float:
    return math.expm1(value) if value < 700 else math.inf


def _from_rho(rho: float, log_excess: float, delta: float) -> float:
    excess = math.exp(log_excess)  # α - 1
    alpha = 1 + excess
    return rho * alpha + _conversion(alpha, excess, delta)


def _to_rho(eps: float, log_excess: float, delta: float) -> float:
    excess = math.exp(log_excess)
    alpha = 1 + excess
    return (eps - _conversion(alpha, excess, delta)) / alpha


def _conversion(alpha: float, excess: float, delta: float) -> float:
    # ln(1 - 1/α) = -ln(1 + 1/(α - 1)), which keeps its digits at both ends.
    return -(math.log(alpha) + math.log(delta)) / excess - math.log1p(1 / excess)


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
