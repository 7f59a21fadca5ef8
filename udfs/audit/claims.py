"""Claims about instances, and the truth about them: a calibrated (ε, δ), the profile δ(ε), D at several orders."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypedDict

from ..privacy import profiles
from ..privacy.accounting import BOUNDS, Draws, candidates
from ..privacy.bounds import renyi as renyi_eps
from ..privacy.renyi import Divergence
from .exact import Leaf
from .measuring import excess, measured, renyi
from .neighbours import Wanted

ORDERS = (1.25, 2.0, 4.0, 8.0, 24.0)
STEPS = (0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)  # ε of a profile, in η
_ROUNDING = 1 + 1e-11  # of the measured divergences
_SOLVED = 1 + 1e-9  # the formulas' own rounding, once there and back
_SEARCHED = 1 + 1e-6  # two searches for the best order

Leaves = Callable[[float, Wanted], list[list[Leaf]]]  # of eta: the transcripts of the pairs that are worst


class Facts(TypedDict):
    """What `accounting.candidates` has to be told."""

    rounds: int
    n: int
    k: int
    cap: int
    binary: bool
    swaps: int


@dataclass(frozen=True)
class Case:
    """An instance (or a family of them), what is claimed about it, and its exact distributions."""

    name: str
    method: str
    facts: Facts
    claims: Sequence[tuple[str, float, float]]  # bound, ε, δ
    leaves: Leaves
    etas: Sequence[float] = ()  # the noise at which all orders and the whole profile of every bound are measured
    release: Callable[[float], Divergence] | None = None  # of eta; by default that of the selection


@dataclass(frozen=True)
class Finding:
    """A claim and the truth about it. Of a profile and of several orders the tightest point is told."""

    case: Case
    bound: str
    at: str
    claimed: float
    exact: float
    verdict: str  # holds, VIOLATED, or UNDECIDED where what was lumped together could decide it

    @property
    def tight(self) -> float:
        """The part of the claim that is reached."""
        return self.exact / self.claimed if self.claimed else 0.0


def audit(cases: Sequence[Case], factor: float = 1.0) -> Iterator[Finding]:
    """Measure every claim of every case, with the noise that the accounting gives (eta times `factor`).

    A factor of 2 is what a sensitivity of half the true one does: the audit has to notice.
    """
    for case in cases:
        for bound, eps, delta in case.claims:
            yield _calibrated(case, bound, eps, delta, factor)
            if bound in BOUNDS:
                yield _inverted(case, bound, eps, delta)
        for eta in case.etas:
            yield from _surveyed(case, eta, factor)


def _calibrated(case: Case, bound: str, eps: float, delta: float, factor: float) -> Finding:
    calibration = candidates(eps, delta, **case.facts)[bound]
    claimed = calibration.delta_used
    pairs = case.leaves(calibration.eta * factor, Wanted(eps=(eps,), deltas=(claimed,)))
    found = [measured(leaves, eps, claimed) for leaves in pairs]
    low, high = max(one.delta_low for one in found), max(one.delta_high for one in found)
    verdict = "VIOLATED" if low > claimed else "holds" if high <= claimed else "UNDECIDED"
    return Finding(case, bound, f"ε at δ = {claimed:.3g}", eps, max(one.eps for one in found), verdict)


def _inverted(case: Case, bound: str, eps: float, delta: float) -> Finding:
    """Does the noise that the accounting solves for give the (ε, δ) that it was asked for, by the inverse formula?

    An instance is rarely as bad as a bound allows. The inverse is the bound written down a second time, and where an
    instance reaches that, a constant that is off by little on either side shows here.
    """
    solved = candidates(eps, delta, **case.facts)[bound]
    if bound == "renyi":
        left, at = solved.delta - solved.reserve_delta, f"its own ε at δ = {delta:.3g}"
        claimed, found = eps - solved.reserve_eps, renyi_eps(replace(solved.divergence, drift=0.0), left)
        verdict = "holds" if found <= claimed * _SEARCHED else "VIOLATED"
    else:
        claimed, at = solved.delta_used, f"its own δ at ε = {eps:g}"
        found = profiles.proved_delta(bound, solved.divergence, eps)
        verdict = "holds" if found <= claimed * _SOLVED else "VIOLATED"
    return Finding(case, bound, at, claimed, found, verdict)


def _surveyed(case: Case, eta: float, factor: float) -> Iterator[Finding]:
    draws = Draws.of(**case.facts)
    release = case.release(eta) if case.release else draws.release(eta)
    steps = tuple(step * eta for step in STEPS)
    pairs = case.leaves(eta * factor, Wanted(eps=steps, orders=ORDERS))
    exact = [[excess(leaves, eps) for leaves in pairs] for eps in steps]
    bounds = [name for name in BOUNDS if draws.holds(name, 0.5)] if case.release is None else []
    for bound in bounds:
        points = []
        for eps, found in zip(steps, exact, strict=True):
            claimed = profiles.proved_delta(bound, release, eps)
            low, high = max(one[0] for one in found), max(one[1] for one in found)
            if claimed < 1:
                verdict = "VIOLATED" if low > claimed else "holds" if high <= claimed else "UNDECIDED"
                points.append(Finding(case, bound, f"δ at ε = {eps:.3g}, η = {eta:g}", claimed, low, verdict))
        yield from _tightest(points)
    orders = []
    for alpha in ORDERS:
        most = max(renyi(leaves, alpha) for leaves in pairs)
        claimed = release.at(alpha)
        verdict = "VIOLATED" if most > claimed * _ROUNDING else "holds"
        if verdict == "holds" and any(leaf.lumped for leaves in pairs for leaf in leaves):
            verdict = "not refuted"  # what was lumped together may add to a moment more than it is sure to
        orders.append(Finding(case, "divergence", f"D at α = {alpha:g}, η = {eta:g}", claimed, most, verdict))
    yield from _tightest(orders)


def _tightest(points: Sequence[Finding]) -> Iterator[Finding]:
    """The point that decides: a violated one, else the one nearest to it."""
    if points:
        yield max(points, key=lambda one: (one.verdict == "VIOLATED", one.verdict == "UNDECIDED", one.tight))
