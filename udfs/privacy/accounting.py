"""From a requested (ε, δ) to the noise of one round: the best of the bounds that hold (`docs/privacy.md`)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..errors import InputError
from . import bounds, older_bounds
from .renyi import UNBOUNDED, Divergence
from .sampler import CLAMP_BITS, THETA

BOUNDS = ("basic", "telescoping", "covering", "clocks", "renyi")  # what `best` takes the best of
OLDER_BOUNDS = ("advanced", "zcdp", "decomposable", "coverage")  # for tables and comparisons

# Every bound is evaluated in float64; this much of ε is held back so that the last bits never err against privacy.
_GUARD = 1 - 2.0**-36
_PURE = frozenset({"basic", "telescoping"})  # proved with δ = 0
_BARELY = 0.99  # a bound that needs no δ is taken when it gives at least this part of the largest eta


@dataclass(frozen=True)
class Calibration:
    """How much noise a release needs, by which bound, and what the sampler's arithmetic was given of ε and δ."""

    bound: str
    eps: float  # of the whole release, as asked
    delta: float  # as asked
    eps0: float  # of one round on its own; of a swap where there are any
    eta: float  # exponent per count
    rounds: int
    reserve_eps: float
    reserve_delta: float
    delta_used: float = 0.0  # what the release has to be charged: the sampler's share where the proof needs no δ
    table: Mapping[str, float] = field(default_factory=dict)  # eta by bound, for every bound that holds
    divergence: Divergence = UNBOUNDED  # by default nothing is claimed at any order


@dataclass(frozen=True)
class Draws:
    """The public facts of a selection that the bounds speak of.

    >>> Draws.of(rounds=11, swaps=5, n=100, k=6, cap=2)
    Draws(adds=6, swaps=5, n=100, total=2, span=2, binary=False)
    """

    adds: int  # draws that add a pick
    swaps: int  # draws among swaps or whole solutions
    n: int
    total: int  # counts that one unit's marginals sum to over the adds
    span: int  # counts that one unit moves the score of a swap by
    binary: bool  # marginals are 0 or 1 and sum to 1

    @classmethod
    def of(cls, *, rounds: int, n: int, k: int, cap: int = 1, binary: bool = False, swaps: int = 0) -> Draws:
        """The facts by the arguments of `best`."""
        adds = rounds - swaps
        return cls(adds, swaps, n, total=min(cap, max(adds, 1)), span=min(cap, k), binary=binary and cap == 1)

    @property
    def rounds(self) -> int:
        """All draws."""
        return self.adds + self.swaps

    @property
    def widest(self) -> int:
        """Counts that one unit moves a score by."""
        return self.span if self.swaps else 1

    def release(self, eta: float) -> Divergence:
        """The divergence of these draws with the exponent eta per count."""
        return Divergence.of_selection(
            eta, adds=self.adds, n=self.n, total=self.total, swaps=self.swaps, span=self.span
        )

    def holds(self, name: str, delta: float) -> bool:
        """Does the bound hold for these draws?"""
        if delta == 0:
            return name == "basic"  # what the clamp may change is paid for in δ
        if name in ("covering", "coverage"):
            return self.binary and not self.swaps
        if name in ("clocks", "decomposable"):
            return not self.swaps and (name != "clocks" or self.total == 1)
        return name != "telescoping" or self.adds > 0

    def clamped(self, name: str) -> bool:
        """Does the proof speak of exact marginals, which clamped weights do not follow?"""
        return name not in ("basic", "advanced", "zcdp") and self.adds > 0


def best(
    eps: float, delta: float, *, rounds: int, n: int, k: int, cap: int = 1, binary: bool = False, swaps: int = 0
) -> Calibration:
    """The least noise that gives (ε, δ): the valid bound with the largest eta, or one that is as good without any δ.

    `rounds` private draws, each among at most `n` candidates, the last `swaps` of them among swaps; the others only add
    picks. `cap` counts per unit in all; `binary` when every f_x is 0 or 1.

    >>> best(0.1, 1e-9, rounds=20, n=3000, k=20, binary=True).bound
    'covering'
    """
    found = candidates(eps, delta, rounds=rounds, n=n, k=k, cap=cap, binary=binary, swaps=swaps, names=BOUNDS)
    table = {name: one.eta for name, one in found.items()}
    enough = _BARELY * max(table.values())
    free = [one for one in found.values() if one.bound in _PURE and one.eta >= enough]
    # max keeps the first among equals, and BOUNDS begins with the plainest argument.
    return replace(max(free or found.values(), key=lambda one: one.eta), table=table)


def candidates(
    eps: float,
    delta: float,
    *,
    rounds: int,
    n: int,
    k: int,
    cap: int = 1,
    binary: bool = False,
    swaps: int = 0,
    names: Sequence[str] = BOUNDS + OLDER_BOUNDS,
) -> dict[str, Calibration]:
    """The calibration by every bound of `names` that holds, in that order.

    >>> list(candidates(0.1, 0.0, rounds=20, n=3000, k=20))
    ['basic']
    """
    _check(eps, delta, rounds=rounds, n=n, k=k, cap=cap)
    draws = Draws.of(rounds=rounds, n=n, k=k, cap=cap, binary=binary, swaps=swaps)
    found = {}
    for name in names:
        one = _solve(name, eps, delta, draws) if draws.holds(name, delta) else None
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
        found["advanced"] = bounds.largest(lambda eps0: older_bounds.advanced(eps0, rounds, delta), eps)
        if monotone:
            found["decomposable"] = bounds.largest(lambda eta: older_bounds.decomposable(eta, 1, delta), eps, 0.5)
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
        delta_used=delta,
        table=table,
    )


def _solve(name: str, eps: float, delta: float, draws: Draws) -> Calibration | None:
    reserve_eps = 4 * THETA * draws.rounds
    # The float64 weights are within a factor e^(±2θT) of the ideal ones over a whole run, which costs δ that factor.
    drift = 2 * THETA * draws.rounds
    clamp = (1 + _exp(eps)) * draws.adds * draws.n * 2.0**-CLAMP_BITS if draws.clamped(name) else 0.0
    reserve_delta = clamp * (1 + 2 * drift) if name in _PURE else delta * drift + clamp
    left_eps, left_delta = (eps - reserve_eps) * _GUARD, (delta - reserve_delta) * _GUARD
    if left_eps <= 0:
        raise InputError(
            f"eps = {eps!r} is below what the sampler's arithmetic alone needs for {draws.rounds} rounds "
            f"({reserve_eps:.3g}); ask for a larger eps."
        )
    if name != "basic" and left_delta <= 0:
        return None
    eta = _eta(name, left_eps, left_delta, draws)
    if eta <= 0:
        return None
    return Calibration(
        bound=name,
        eps=eps,
        delta=delta,
        eps0=2 * draws.widest * eta,
        eta=eta,
        rounds=draws.rounds,
        reserve_eps=reserve_eps,
        reserve_delta=reserve_delta,
        delta_used=reserve_delta if name in _PURE else delta,
        divergence=draws.release(eta),
    )


def _eta(name: str, eps: float, delta: float, draws: Draws) -> float:
    adds, swaps, span, total = draws.adds, draws.swaps, draws.span, draws.total
    if name == "renyi":
        return bounds.renyi_eta(eps, delta, adds=adds, total=total, swaps=swaps, span=span)
    if name == "zcdp":
        # T·ε0² of both kinds of draws, as so many of the wider kind.
        alike = adds / draws.widest**2 + swaps
        return older_bounds.zcdp_eps0(eps, 1, delta) / math.sqrt(alike) / (2 * draws.widest)
    if name == "decomposable":
        # The paper states it for ε0 ≤ 1.
        return bounds.largest(lambda eta: older_bounds.decomposable(eta, total, delta), eps, 0.5)
    return bounds.largest(
        {
            "basic": lambda eta: bounds.basic(2 * eta, adds) + bounds.basic(2 * span * eta, swaps),
            "telescoping": lambda eta: bounds.telescoping(eta, adds, total) + bounds.basic(2 * span * eta, swaps),
            "covering": lambda eta: bounds.covering(eta, adds, delta),
            "clocks": lambda eta: bounds.clocks(eta, delta),
            "advanced": lambda eta: older_bounds.advanced(2 * draws.widest * eta, draws.rounds, delta),
            "coverage": lambda eta: older_bounds.coverage(eta, delta),
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
