"""The five bounds on the privacy of a whole selection, as functions of one round's noise (`docs/privacy.md`).

`eta` is the exponent per count: a candidate with one user more is e^eta times as likely. `eps0` is the privacy of one
round on its own. Each function gives the ε that the bound proves for an ideal exponential mechanism. Those that these
replace, for tables and comparisons, are in `older_bounds.py`.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ..types import FloatArray
from .renyi import POLE, Divergence, conversion

_COARSE, _FINER = 0.125, (2.0**-6, 2.0**-10, 2.0**-14)  # steps of ln(α - 1): two peaks may lie close together
_LOWER = 0.9  # of the best order found in coarse steps: a lower peak has none that is better


def basic(eps0: float, rounds: int) -> float:
    """Basic composition: ε = T·ε0, with δ = 0.

    >>> basic(0.5, 4)
    2.0
    """
    return rounds * eps0


def telescoping(eta: float, rounds: int, total: int) -> float:
    """A unit's own marginals telescope to at most A = `total` counts: ε = (T + A)·η, with δ = 0.

    >>> telescoping(0.5, 3, 1)
    2.0
    """
    return (rounds + total) * eta


def covering(eta: float, rounds: int, delta: float) -> float:
    """A unit is covered once: ε = η + T·ln(1 + (e^η-1)(1 - e^(-ℓ/T))) with ℓ = max(0, ln((1 - e^-η)/δ)).

    For marginals of 0 or 1 that sum to 1. It is `telescoping` as δ goes to 0 and `coverage` as T goes to infinity.

    >>> round(covering(0.0302 / 2, 6, 1e-9), 3)
    0.1
    """
    if eta == 0:
        return 0.0
    spared = max(0.0, math.log(-math.expm1(-eta)) - math.log(delta))
    return eta + rounds * math.log1p(expm1(eta) * -math.expm1(-spared / rounds))


def clocks(eta: float, delta: float) -> float:
    """The exact privacy of picks that are only added: ε = (e^η - 1)·max(0, ln(tanh(η/2)/δ)), for any number of rounds.

    For marginals in [0, 1] that sum to 1.

    >>> round(clocks(0.0133 / 2, 1e-9), 3)
    0.1
    """
    if eta == 0:
        return 0.0
    return expm1(eta) * max(0.0, math.log(math.tanh(eta / 2)) - math.log(delta))


def renyi(release: Divergence, delta: float) -> float:
    """The smallest, over the orders α > 1, of D_α and what its conversion to this δ takes.

    >>> round(renyi(Divergence(eta=0.011198 / 2, adds=100), 1e-9), 4)
    0.1
    """

    def proved(log_excess: FloatArray) -> FloatArray:
        orders = (1 + np.exp(log_excess)).tolist()
        return np.array([release.at(alpha) + conversion(alpha, delta) for alpha in orders])

    return max(0.0, -_highest(lambda log_excess: -proved(log_excess), lambda _: -math.inf))


def renyi_eta(eps: float, delta: float, *, adds: int, total: int, swaps: int, span: int) -> float:
    """The largest η that some order proves (ε, δ) for: any order is valid, so the best one found errs towards privacy.

    >>> round(2 * renyi_eta(0.1, 1e-9, adds=100, total=1, swaps=0, span=1), 4)
    0.0112
    """

    def proved(log_excess: FloatArray) -> FloatArray:
        return _eta_by_order(log_excess, eps, delta, adds=adds, total=total, swaps=swaps, span=span)

    return _highest(proved, lambda best: _LOWER * best)


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


def expm1(value: float) -> float:
    """e^x - 1; infinite where it would overflow.

    >>> expm1(1000.0)
    inf
    """
    return math.expm1(value) if value < 700 else math.inf


def _highest(value: Callable[[FloatArray], FloatArray], above: Callable[[float], float]) -> float:
    """The highest value at any order: every peak above what `above` makes of the coarse best is looked at closely.

    D_α is the least of several, each with a best order of its own, so that there can be several peaks.
    """
    every = np.arange(-8.0, 36.0, _COARSE)
    found = value(every)
    best = float(found.max())
    beside = np.concatenate([[-math.inf], found, [-math.inf]])
    for peak in np.flatnonzero((found >= beside[:-2]) & (found >= beside[2:]) & (found > above(best))):
        log_excess, place = every, int(peak)
        for step in _FINER:
            log_excess = _around(log_excess, place, step)
            finer = value(log_excess)
            best, place = max(best, float(finer.max())), int(np.argmax(finer))
    return best


def _around(log_excess: FloatArray, best: int, step: float) -> FloatArray:
    """Orders around the best one found, in the next finer steps."""
    around: FloatArray = log_excess[best] + step * np.arange(-20, 21)
    return around


def room(eps: float, alpha: FloatArray, delta: float) -> FloatArray:
    """What the conversion of every order leaves of ε for D_α, at least 0.

    >>> room(1.0, np.array([36.0]), 5e-10).round(2).tolist()
    [0.52]
    """
    excess = alpha - 1
    left: FloatArray = np.maximum(eps + (np.log(alpha) + math.log(delta)) / excess + np.log1p(1 / excess), 0.0)
    return left


def _eta_by_order(
    log_excess: FloatArray, eps: float, delta: float, *, adds: int, total: int, swaps: int, span: int
) -> FloatArray:
    """For every order, given as ln(α-1), the largest η with D_α at most what the conversion leaves of ε; 0 if none.

    D_α is a smallest of several: the largest η is the largest over the bound taken for the adds and that for the swaps.
    """
    alpha = 1 + np.exp(log_excess)
    left = room(eps, alpha, delta)
    # What one η of the pure bounds and one η² of bounded range cost, for the adds and for the swaps.
    pure, square = (adds + min(total, adds)) * 1.0, alpha * adds / 2
    swap_pure, swap_square = 2.0 * span * swaps, alpha * swaps * span * span / 2
    found = np.zeros(len(alpha))
    for other_pure, other_square in ((swap_pure, 0.0 * alpha), (0.0, swap_square)):
        for own_pure, own_square in ((pure, 0.0 * alpha), (0.0, square)):
            found = np.maximum(found, _root(own_square + other_square, own_pure + other_pure, left))
        if adds:
            found = np.maximum(found, _greedy_root(alpha, total, other_square, other_pure, left))
    return found


def _root(square: FloatArray, linear: float, room: FloatArray) -> FloatArray:
    """The largest η with square·η² + linear·η ≤ room."""
    under = np.sqrt(linear * linear + 4 * square * room) + linear
    return np.divide(2 * room, under, out=np.zeros_like(room), where=under > 0)


def _greedy_root(alpha: FloatArray, total: int, square: FloatArray, linear: float, room: FloatArray) -> FloatArray:
    """The largest η with D(η) + square·η² + linear·η ≤ room, D the greedy family's divergence; never too large."""
    excess = alpha - 1

    def alone(left: FloatArray) -> FloatArray:
        part = np.minimum(-np.expm1(-excess * left / total), POLE * (1 - 2.0**-40))
        return 2 * np.arcsinh(np.sqrt(part / (4 * alpha * excess)))

    high = alone(room)
    if not linear and not square.any():
        return high
    low, high = np.zeros_like(high), np.minimum(high, _root(square, linear, room))
    for _ in range(48):
        middle = (low + high) / 2
        held = middle <= alone(np.maximum(room - (square * middle + linear) * middle, 0.0))
        low, high = np.where(held, middle, low), np.where(held, high, middle)
    return low
