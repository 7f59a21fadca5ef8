"""What the bounds prove of a release whose noise is given: the δ at every ε, the inverse of `bounds.py`."""

from __future__ import annotations

import math

import numpy as np

from . import bounds
from .renyi import Divergence, conversion

_UP = 1 + 2.0**-36  # the formulas' own rounding


def proved_delta(bound: str, release: Divergence, eps: float) -> float:
    """The δ that a bound proves at ε for the real sampler; 1 where it proves nothing.

    >>> round(proved_delta("clocks", Divergence(eta=0.1, adds=9), 0.5), 6)
    0.00043
    """
    left = eps - 2 * release.drift
    ideal = {
        "basic": _basic,
        "telescoping": _telescoping,
        "covering": _covering,
        "clocks": _clocks,
        "renyi": _renyi,
    }[bound](release, left)
    clamped = 0.0 if bound == "basic" else (1 + math.exp(eps)) * release.clamp
    return min(1.0, (ideal * math.exp(release.drift) + clamped) * _UP)


def _basic(release: Divergence, eps: float) -> float:
    spent = bounds.basic(2 * release.eta, release.adds) + bounds.basic(2 * release.span * release.eta, release.swaps)
    return 0.0 if spent <= eps else 1.0


def _telescoping(release: Divergence, eps: float) -> float:
    start = bounds.telescoping(release.eta, release.adds, release.total)
    return 0.0 if start + bounds.basic(2 * release.span * release.eta, release.swaps) <= eps else 1.0


def _covering(release: Divergence, eps: float) -> float:
    """ε = η + T·ln(1 + c·s) at δ = (1 - e^-η)·(1 - s)^T."""
    if eps < release.eta:
        return 1.0
    spared = math.expm1((eps - release.eta) / release.adds) / math.expm1(release.eta)
    return -math.expm1(-release.eta) * max(0.0, 1 - spared) ** release.adds


def _clocks(release: Divergence, eps: float) -> float:
    """The hockey stick of two exponential clocks that swap their rates."""
    return math.tanh(release.eta / 2) * math.exp(-max(0.0, eps) / math.expm1(release.eta))


def _renyi(release: Divergence, eps: float) -> float:
    """The conversion of D_α solved for δ, at the best of many orders."""
    orders = (1 + np.exp(np.arange(-6.0, 12.0, 0.05))).tolist()
    exponents = [(alpha - 1) * (release.at(alpha) + conversion(alpha, 1.0) - eps) for alpha in orders]
    return math.exp(min(0.0, *exponents))
