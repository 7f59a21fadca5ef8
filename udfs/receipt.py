"""What a release may say about itself: public facts only, never a score, a probability or an objective value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from .privacy.renyi import NOTHING, UNBOUNDED, Divergence


@dataclass(frozen=True)
class Receipt:
    """The public facts of one release. `private`: the answer satisfies (eps, delta). `exact`: private data, no noise.

    >>> Receipt(method="greedy", n=9, k=3, diversity=1.0, m=5).private
    False
    """

    method: str
    n: int  # candidates
    k: int
    diversity: float
    m: int  # units of the protected relation (0 where there is none)
    cap: int = 1
    rounds: int = 0  # draws that were paid for
    swaps: int = 0  # how many of them were draws among swaps
    bound: str | None = None
    eps: float | None = None
    delta: float | None = None  # as asked
    delta_used: float | None = None  # what was charged: less than asked for where the proof needs no δ
    eps0: float | None = None
    eta: float | None = None
    reserve_eps: float = 0.0
    reserve_delta: float = 0.0
    private: bool = False
    exact: bool = False
    loss: Divergence = NOTHING  # at every order; of a release that reads nothing private unless said
    constraint: str = "uniform"  # what limits the choice beside k, in words

    def divergence(self, alpha: float) -> float:
        """An upper bound on the release's Rényi divergence of order α > 1: 0 if public, infinite if exact.

        >>> Receipt(method="greedy", n=9, k=3, diversity=1.0, m=5).divergence(2.0)
        0.0
        """
        return self.loss.at(alpha)

    @property
    def noise(self) -> float | None:
        """The scale of the noise in users: a lead of this many users makes a candidate e times as likely."""
        return None if self.eta is None else 1 / self.eta

    def as_dict(self) -> dict[str, Any]:
        """The same facts as a dictionary, `noise` included.

        >>> Receipt(method="greedy", n=9, k=3, diversity=0.5, m=5, eta=0.5).as_dict()["noise"]
        2.0
        """
        return {**vars(self), "loss": self.loss.as_dict(), "noise": self.noise}

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Receipt:
        """The receipt that `as_dict` was made of.

        A receipt from before there were divergences has an infinite one, unless it read nothing private.

        >>> Receipt.from_dict(Receipt(method="greedy", n=9, k=3, diversity=0.5, m=5).as_dict()).k
        3
        """
        known = {field.name: stored[field.name] for field in fields(cls) if field.name in stored}
        loss = known.pop("loss", None)
        if loss is None:
            return cls(**known, loss=UNBOUNDED if stored.get("exact") or stored.get("eps") is not None else NOTHING)
        return cls(**known, loss=Divergence.from_dict(loss))

    def __str__(self) -> str:
        limited = "" if self.constraint == "uniform" else f", {self.constraint}"
        head = f"{self.method}: {self.k} of {self.n} candidates, diversity {self.diversity:g}{limited}"
        if self.exact:
            return f"{head}; exact answer from private data, no privacy guarantee (m = {self.m})"
        if self.eps is None or self.eta is None:
            return f"{head}; public data only, nothing charged"
        kind = "private" if self.private else "NOT private (seeded randomness)"
        cap = f", cap {self.cap}" if self.cap > 1 else ""
        return (
            f"{head}; {kind}: eps = {self.eps:g}, delta = {self.delta_used:.3g} by the {self.bound} bound, "
            f"{self.rounds} rounds of eps0 = {self.eps0:.4g}, noise of {1 / self.eta:.4g} users (m = {self.m}{cap}); "
            f"the sampler's share: eps {self.reserve_eps:.2g}, delta {self.reserve_delta:.2g}"
        )
