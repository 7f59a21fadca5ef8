"""Rényi divergences of whole releases, so that many releases compose (`docs/privacy.md`, "Rényi divergence").

D_α is the Rényi divergence, of order α > 1, of the transcripts on two neighbouring data sets, the larger of the two
directions. Orders add up over adaptive releases, and every order gives an (ε, δ) by `conversion`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from ..errors import InputError

_GUARD = 1 + 2.0**-36  # more than the formulas below lose in float64
POLE = 1 - 2.0**-16  # nearer to its pole the greedy family's formula is left to the other bounds


def greedy_divergence(alpha: float, eta: float, total: float) -> float:
    """D_α of picks that are only ever added: -(A/(α-1))·ln(1 - 4α(α-1)·sinh²(η/2)), whatever their number.

    `total` is A, the most counts that one unit's marginals sum to. Infinite where (α-1)(e^η-1) ≥ 1.

    >>> round(greedy_divergence(2.0, 0.1, 1), 5)
    0.02022
    """
    part = 4 * alpha * (alpha - 1) * math.sinh(eta / 2) ** 2 if eta < 100 else math.inf
    return -total / (alpha - 1) * math.log1p(-part) if part <= POLE else math.inf


def bounded_range_divergence(alpha: float, eps0: float, rounds: int) -> float:
    """D_α of exponential mechanisms of whatever scores: α·T·ε0²/8.

    >>> bounded_range_divergence(2.0, 0.2, 10)
    0.1
    """
    return alpha * rounds * eps0 * eps0 / 8


def laplace_divergence(alpha: float, eps: float) -> float:
    """D_α of discrete Laplace noise of scale 1/ε on a count that one unit moves by 1: the exact sum.

    It is ln((e^((α-1)ε) + e^(-αε))/(1 + e^-ε))/(α-1), below both ε and α·ε²/2.

    >>> round(laplace_divergence(2.0, 0.1), 6)
    0.009959
    """
    growth = (alpha - 1) * eps
    if growth > 700:
        return eps
    return math.log1p(math.expm1(growth) * -math.expm1(-alpha * eps) / (1 + math.exp(-eps))) / (alpha - 1)


def conversion(alpha: float, delta: float) -> float:
    """What ε exceeds D_α by, at most, for this δ: ln(1/(αδ))/(α-1) + ln(1-1/α).

    >>> round(conversion(36.0, 5e-10), 3)
    0.481
    """
    excess = alpha - 1
    # ln(1 - 1/α) = -ln(1 + 1/(α - 1)), which keeps its digits at both ends.
    return -(math.log(alpha) + math.log(delta)) / excess - math.log1p(1 / excess)


@dataclass(frozen=True)
class Divergence:
    """The Rényi divergence of one release at any order: public facts of its plan, stored with the release.

    A selection is `adds` draws that add a pick and then `swaps` draws among swaps (or whole solutions), all with the
    exponent `eta` per count. `laplace` is the ε of a noisy count, 0 where there is none. `unbounded` is an answer
    without noise. Each of them alone is a release; where several are set, their divergences add up.

    `at` bounds the real sampler but for its clamp: with a probability of at most `clamp` a run differs from the one
    that `at` speaks of. A ledger adds up the clamps as well, and a total of τ takes (1 + e^ε)·τ of its δ.

    >>> Divergence.of_selection(0.01, adds=20, n=3000).at(36.0) < 0.0041
    True
    """

    eta: float = 0.0
    adds: int = 0
    total: int = 1  # counts that one unit's marginals sum to over the adds
    swaps: int = 0
    span: int = 1  # counts by which one unit moves the score of a swap
    laplace: float = 0.0
    drift: float = 0.0  # every probability of a transcript is within e^±drift of the ideal one
    clamp: float = 0.0
    unbounded: bool = False

    @classmethod
    def of_selection(
        cls, eta: float, *, adds: int, n: int, total: int = 1, swaps: int = 0, span: int = 1
    ) -> Divergence:
        """The divergence of a selection among n candidates, the sampler's arithmetic included.

        >>> Divergence.of_selection(0.01, adds=6, swaps=5, n=100).drift == 22 * 2.0**-46
        True
        """
        from .sampler import CLAMP_BITS, THETA  # numpy, which a ledger's own arithmetic does without

        drift, clamp = 2 * THETA * (adds + swaps), adds * n * 2.0**-CLAMP_BITS
        return cls(eta=eta, adds=adds, total=total, swaps=swaps, span=span, drift=drift, clamp=clamp)

    @classmethod
    def of_count(cls, eps: float) -> Divergence:
        """The divergence of a count with discrete Laplace noise of scale 1/ε.

        >>> Divergence.of_count(0.05).at(2.0) < 0.0025
        True
        """
        return cls(laplace=eps)

    def at(self, alpha: float) -> float:
        """D_α of the release, rounded up; infinite for an exact answer.

        >>> Divergence().at(2.0), Divergence(unbounded=True).at(2.0)
        (0.0, inf)
        """
        if not 1 < alpha < math.inf:
            raise InputError(f"The order of a Rényi divergence is {alpha!r}; it must be finite and above 1.")
        if self.unbounded:
            return math.inf
        found = self._adding(alpha) + self._swapping(alpha) + self.drift * (2 * alpha - 1) / (alpha - 1)
        if self.laplace:
            found += laplace_divergence(alpha, self.laplace)
        return found * _GUARD

    def as_dict(self) -> dict[str, Any]:
        """The fields that differ from those of a release that reads nothing, for JSON.

        >>> Divergence.of_count(0.05).as_dict()
        {'laplace': 0.05}
        """
        return {name: value for name, value in vars(self).items() if value != getattr(NOTHING, name)}

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Divergence:
        """What `as_dict` was made of; a name that is not known is an error, because it may stand for a loss.

        >>> Divergence.from_dict({"laplace": 0.05}) == Divergence.of_count(0.05)
        True
        """
        unknown = set(stored) - set(asdict(Divergence()))
        if unknown:
            raise InputError(f"A stored divergence has '{min(unknown)}', which this version does not know.")
        return cls(**stored)

    def _adding(self, alpha: float) -> float:
        """The smallest of the three bounds for picks that are only ever added; T·ε0 exceeds (T + A)·η."""
        if not self.adds:
            return 0.0
        return min(
            greedy_divergence(alpha, self.eta, self.total),
            bounded_range_divergence(alpha, 2 * self.eta, self.adds),
            (self.adds + min(self.total, self.adds)) * self.eta,
        )

    def _swapping(self, alpha: float) -> float:
        eps0 = 2 * self.span * self.eta
        return min(bounded_range_divergence(alpha, eps0, self.swaps), self.swaps * eps0)


NOTHING = Divergence()  # of a release that reads nothing private
UNBOUNDED = Divergence(unbounded=True)  # of an exact answer
