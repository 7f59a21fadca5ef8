"""What an audit holds a claim against: an instance, the bounds that speak of it, and what was found."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypedDict

from ..privacy.accounting import candidates
from .exact import Divergence

Measure = Callable[[float, float, float], Divergence]  # of eta, ε and δ
Claims = Sequence[tuple[str, float, float]]  # bound, ε, δ


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
    """An instance (or a family of them), the bounds that claim something about it, and how to measure it."""

    name: str
    method: str
    facts: Facts
    claims: Claims
    measure: Measure


@dataclass(frozen=True)
class Finding:
    """A claim and the truth about it."""

    case: Case
    bound: str
    eps: float
    delta: float
    found: Divergence

    @property
    def verdict(self) -> str:
        """Say whether the claim holds; what was lumped together counts against it."""
        if self.found.delta_low > self.delta:
            return "VIOLATED"
        return "holds" if self.found.delta_high <= self.delta else "UNDECIDED"


def audit(cases: Sequence[Case], factor: float = 1.0) -> Iterator[Finding]:
    """Measure every claim of every case, with the noise that the accounting gives (eta times `factor`).

    A factor of 2 is what a sensitivity of half the true one does: the audit has to notice.
    """
    for case in cases:
        for bound, eps, delta in case.claims:
            calibration = candidates(eps, delta, **case.facts)[bound]
            claimed = calibration.delta_used
            yield Finding(case, bound, eps, claimed, case.measure(calibration.eta * factor, eps, claimed))
