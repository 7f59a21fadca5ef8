"""How private a pair of exact distributions is: ε at a δ, δ at an ε, and the Rényi divergence of any order."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext

from .exact import DIGITS, Leaf

SLACK = Decimal(10) ** -40  # relative, always taken against the claim


@dataclass(frozen=True)
class Measured:
    """What the audit found for one pair of data sets, in the worse direction."""

    eps: float  # the exact ε at the claimed δ
    delta_low: float  # the exact δ at the claimed ε lies between these two,
    delta_high: float  # which differ only by what was lumped


def measured(leaves: Sequence[Leaf], eps: float, delta: float) -> Measured:
    """Measure the leaves against a claim of (ε, δ), in both directions.

    >>> found = measured([Leaf(Decimal("0.75"), Decimal("0.25")), Leaf(Decimal("0.25"), Decimal("0.75"))], 0.5, 0.0)
    >>> round(found.eps, 6)
    1.098612
    """
    low, high = excess(leaves, eps)
    with localcontext() as context:
        context.prec = DIGITS
        return Measured(max(_eps_at(one, Decimal(delta)) for one in _both_ways(leaves)), low, high)


def excess(leaves: Sequence[Leaf], eps: float) -> tuple[float, float]:
    """The exact δ at this ε, in the worse direction: it lies between the two, which differ by what was lumped.

    >>> excess([Leaf(Decimal("0.75"), Decimal("0.25")), Leaf(Decimal("0.25"), Decimal("0.75"))], 0.0)
    (0.5, 0.5)
    """
    with localcontext() as context:
        context.prec = DIGITS
        factor = Decimal(eps).exp()
        low = max(_hockey_stick(one, factor) for one in _both_ways(leaves)) * (1 - SLACK)
        high = max(_hockey_stick(one, factor, lumped_in_full=True) for one in _both_ways(leaves)) * (1 + SLACK)
        return float(low), float(high)


def renyi(leaves: Sequence[Leaf], alpha: float) -> float:
    """D_α in the worse direction, to about twelve digits; what was lumped counts for no more than it is sure to add.

    >>> answer = [Leaf(Decimal("0.75"), Decimal("0.25")), Leaf(Decimal("0.25"), Decimal("0.75"))]
    >>> round(renyi(answer, 2.0), 6) == round(math.log(0.75**2 / 0.25 + 0.25**2 / 0.75), 6)
    True
    """
    with localcontext() as context:
        context.prec = DIGITS
        ratios = [(float(leaf.left), float(leaf.right), float((leaf.left / leaf.right).ln())) for leaf in leaves]
    # Σ P·((P/Q)^(α-1) - 1) keeps the digits that Σ P^α·Q^(1-α) loses where both are nearly equal.
    ahead = math.fsum(p * math.expm1((alpha - 1) * log) for p, _, log in ratios)
    back = math.fsum(q * math.expm1((1 - alpha) * log) for _, q, log in ratios)
    return math.log1p(max(ahead, back, 0.0)) / (alpha - 1)


_Pairs = list[tuple[Decimal, Decimal, bool]]


def _both_ways(leaves: Sequence[Leaf]) -> list[_Pairs]:
    ahead = [(leaf.left, leaf.right, leaf.lumped) for leaf in leaves]
    return [ahead, [(q, p, lumped) for p, q, lumped in ahead]]


def _hockey_stick(pairs: _Pairs, factor: Decimal, *, lumped_in_full: bool = False) -> Decimal:
    """Σ max(0, P - e^ε·Q), the smallest δ for this ε; the sum over lumped transcripts is at most their P."""
    return sum(
        (p if lumped and lumped_in_full else max(Decimal(0), p - factor * q) for p, q, lumped in pairs), Decimal(0)
    )


def _eps_at(pairs: _Pairs, delta: Decimal) -> float:
    """The smallest ε for this δ. Σ max(0, P - t·Q) is piecewise linear in t = e^ε, so the root is exact."""
    ordered = sorted(((p / q, p, q) for p, q, _ in pairs), reverse=True)
    mass, weight = Decimal(0), Decimal(0)
    for index, (ratio, p, q) in enumerate(ordered):
        mass, weight = mass + p, weight + q
        following = ordered[index + 1][0] if index + 1 < len(ordered) else Decimal(0)
        # With the leaves so far the hockey stick is mass - t·weight for t between the two ratios.
        if mass - following * weight > delta or following == 0:
            root = min(ratio, (mass - delta) / weight)
            return float(max(root, Decimal(1)).ln())
    raise AssertionError("a distribution has at least one transcript")
