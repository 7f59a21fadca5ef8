"""From a requested (ε, δ) to the noise of one round: the best of the bounds that hold (`docs/privacy.md`)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from ..errors import InputError
from . import bounds
from .sampler import CLAMP_BITS, THETA

BOUNDS = ("basic", "advanced", "zcdp", "decomposable", "telescoping", "coverage")

# Every bound is evaluated in float64; this much of ε is held back so that the last bits never err against privacy.
_GUARD = 1 - 2.0**-42
_CLAMPED = frozenset({"decomposable", "telescoping", "coverage"})


@dataclass(frozen=True)
class Calibration:
    """How much noise a release needs, by which bound, and what the sampler's arithmetic was given of ε and δ."""

    bound: str
    eps: float  # of the whole release, as asked
    delta: float
    eps0: float  # of one round on its own
    eta: float  # exponent per count
    rounds: int
    reserve_eps: float
    reserve_delta: float
    table: Mapping[str, float] = field(default_factory=dict)  # eta by bound, for every bound that holds


def best(
    eps: float, delta: float, *, rounds: int, n: int, k: int, cap: int = 1, binary: bool = False, monotone: bool = True
) -> Calibration:
    """The least noise that gives (ε, δ): the valid bound with the largest eta.

    `rounds` private draws, each among at most `n` candidates; `cap` counts per unit in all; `binary` when every f_x is
    0 or 1; `monotone` when picks are only ever added (everything but local search).

    >>> best(0.1, 1e-9, rounds=20, n=3000, k=20, binary=True).bound
    'coverage'
    """
    found = candidates(eps, delta, rounds=rounds, n=n, k=k, cap=cap, binary=binary, monotone=monotone)
    table = {name: one.eta for name, one in found.items()}
    # max keeps the first among equals, and BOUNDS begins with the plainest argument.
    chosen = max(found.values(), key=lambda one: one.eta)
    return Calibration(**{**vars(chosen), "table": table})


def candidates(
    eps: float, delta: float, *, rounds: int, n: int, k: int, cap: int = 1, binary: bool = False, monotone: bool = True
) -> dict[str, Calibration]:
    """The calibration by every bound that holds, in the order of BOUNDS.

    >>> list(candidates(0.1, 0.0, rounds=20, n=3000, k=20))
    ['basic']
    """
    _check(eps, delta, rounds=rounds, n=n, k=k, cap=cap)
    # Counts that one unit moves one score by: its marginal, or for local search its whole value.
    span = 1 if monotone else min(cap, k)
    # Counts that one unit's marginals sum to over the private rounds.
    total = min(cap, rounds)
    names = [
        name
        for name in BOUNDS
        if (delta > 0 or name == "basic")
        and (monotone or name not in _CLAMPED)
        and (name != "coverage" or (binary and cap == 1))
    ]
    found = {}
    for name in names:
        one = _solve(name, eps, delta, rounds=rounds, n=n, span=span, total=total)
        if one is not None:
            found[name] = one
    return found


def authors(
    eps: float, delta: float, *, rounds: int, weight: float, cap: int = 1, monotone: bool = True
) -> Calibration:
    """The calibration of the paper's experiments, for comparisons: Δ = 1/m for the whole objective.

    ε0 is the largest of basic, advanced and (for monotone methods) half of the decomposable one. The public part is
    charged too, so with `weight` = c·(1-λ) on relevance one count moves the exponent by ε0/2·weight/cap only.

    >>> authors(0.1, 1e-9, rounds=20, weight=0.25).bound
    'basic'
    """
    _check(eps, delta, rounds=rounds, n=1, k=1, cap=cap)
    found = {"basic": eps / rounds}
    if delta > 0:
        found["advanced"] = bounds.largest(lambda eps0: bounds.advanced(eps0, rounds, delta), eps)
        if monotone:
            found["decomposable"] = bounds.largest(lambda eta: bounds.decomposable(eta, 1, delta), eps, 0.5)
    table = {name: eps0 / 2 * weight / cap for name, eps0 in found.items()}
    bound = max(found, key=lambda name: found[name])
    return Calibration(
        bound=bound,
        eps=eps,
        delta=delta,
        eps0=found[bound],
        eta=table[bound],
        rounds=rounds,
        reserve_eps=0.0,
        reserve_delta=0.0,
        table=table,
    )


def _solve(name: str, eps: float, delta: float, *, rounds: int, n: int, span: int, total: int) -> Calibration | None:
    reserve_eps = 4 * THETA * rounds
    # The float64 weights are within a factor e^(±2θT) of the ideal ones over a whole run, which costs δ that factor.
    reserve_delta = delta * 2 * THETA * rounds
    if name in _CLAMPED:
        reserve_delta += (1 + _exp(eps)) * rounds * n * 2.0**-CLAMP_BITS
    left_eps, left_delta = (eps - reserve_eps) * _GUARD, (delta - reserve_delta) * _GUARD
    if left_eps <= 0:
        raise InputError(
            f"eps = {eps!r} is below what the sampler's arithmetic alone needs for {rounds} rounds "
            f"({reserve_eps:.3g}); ask for a larger eps."
        )
    if name == "basic":
        reserve_delta = 0.0
    elif left_delta <= 0:
        return None
    eta = _eta(name, left_eps, left_delta, rounds=rounds, span=span, total=total)
    if eta <= 0:
        return None
    return Calibration(
        bound=name,
        eps=eps,
        delta=delta,
        eps0=2 * span * eta,
        eta=eta,
        rounds=rounds,
        reserve_eps=reserve_eps,
        reserve_delta=reserve_delta,
    )


def _eta(name: str, eps: float, delta: float, *, rounds: int, span: int, total: int) -> float:
    if name == "zcdp":
        return bounds.zcdp_eps0(eps, rounds, delta) / (2 * span)
    if name == "decomposable":
        # The paper states it for ε0 ≤ 1.
        return bounds.largest(lambda eta: bounds.decomposable(eta, total, delta), eps, 0.5)
    return bounds.largest(
        {
            "basic": lambda eta: bounds.basic(2 * span * eta, rounds),
            "advanced": lambda eta: bounds.advanced(2 * span * eta, rounds, delta),
            "telescoping": lambda eta: bounds.telescoping(eta, rounds, total),
            "coverage": lambda eta: bounds.coverage(eta, delta),
        }[name],
        eps,
    )


def _check(eps: float, delta: float, *, rounds: int, n: int, k: int, cap: int) -> None:
    if not (math.isfinite(eps) and eps > 0):
        raise InputError(f"eps is {eps!r}; it must be a positive finite number.")
    if not 0 <= delta < 1:
        raise InputError(f"delta is {delta!r}; it must be at least 0 and less than 1.")
    for name, value in {"rounds": rounds, "n": n, "k": k, "cap": cap}.items():
        if value < 1:
            raise InputError(f"{name} is {value!r}; it must be at least 1.")


def _exp(value: float) -> float:
    return math.exp(value) if value < 700 else math.inf
