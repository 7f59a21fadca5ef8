"""Mistakes made on purpose, one a constant: an audit that does not notice one of them is blind to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import wraps
from types import MappingProxyType
from typing import Any

from ..privacy import accounting, bounds, profiles, renyi

Wrong = Callable[..., Any]  # of the right function and its arguments


@dataclass(frozen=True)
class Mistake:
    """What is said of it, what it does to eta, and the functions that it replaces."""

    said: str
    factor: float = 1.0
    replaced: tuple[tuple[Any, str, Wrong], ...] = ()

    @contextmanager
    def made(self) -> Iterator[None]:
        """Make the mistake for as long as the context is open."""
        with ExitStack() as stack:
            for place, name, wrong in self.replaced:
                stack.enter_context(_replaced(place, name, wrong))
            yield


@contextmanager
def _replaced(place: Any, name: str, wrong: Wrong) -> Iterator[None]:
    held = vars(place)[name]
    right = held.__func__ if isinstance(held, classmethod) else held

    @wraps(right)
    def replacement(*given: Any, **named: Any) -> Any:
        return wrong(right, *given, **named)

    setattr(place, name, classmethod(replacement) if isinstance(held, classmethod) else replacement)
    try:
        yield
    finally:
        setattr(place, name, held)


_ALL = {
    "sensitivity": Mistake("Δ_q is taken to be half of what it is, so eta is twice what the claims allow", 2.0),
    "clocks_rate": Mistake(
        "the clocks' privacy loss is taken to grow half as fast: (e^η-1)/2 instead of e^η-1",
        replaced=(
            (bounds, "clocks", lambda right, eta, delta: right(eta, delta) / 2),
            (profiles, "_clocks", lambda right, release, eps: right(release, 2 * eps)),
        ),
    ),
    "clocks_slip": Mistake(
        "the clocks' privacy loss is a hundredth too small where noise is solved for, and nowhere else",
        replaced=((bounds, "clocks", lambda right, eta, delta: 0.99 * right(eta, delta)),),
    ),
    "covering_slip": Mistake(
        "covering takes a hundredth less of δ where noise is solved for, and nowhere else",
        replaced=((bounds, "covering", lambda right, eta, rounds, delta: right(eta, rounds, delta / 0.99)),),
    ),
    "renyi_slip": Mistake(
        "the room that an order leaves is a hundredth too large",
        replaced=((bounds, "room", lambda right, eps, *given: 1.01 * right(eps, *given)),),
    ),
    "clocks_start": Mistake(
        "the clocks start half as far apart: tanh(η/2)/2 instead of tanh(η/2)",
        replaced=(
            (bounds, "clocks", lambda right, eta, delta: right(eta, 2 * delta)),
            (profiles, "_clocks", lambda right, release, eps: right(release, eps) / 2),
        ),
    ),
    "covering_own": Mistake(
        "covering forgets what x itself has: the leading η",
        replaced=(
            (bounds, "covering", lambda right, eta, rounds, delta: right(eta, rounds, delta) - eta),
            (profiles, "_covering", lambda right, release, eps: right(release, eps + release.eta)),
        ),
    ),
    "covering_rounds": Mistake(
        "covering counts one round too few",
        replaced=((bounds, "covering", lambda right, eta, rounds, delta: right(eta, max(1, rounds - 1), delta)),),
    ),
    "covering_rate": Mistake(
        "covering takes half of e^η-1 for what a round can add",
        replaced=((bounds, "covering", lambda right, eta, rounds, delta: (right(eta, rounds, delta) + eta) / 2),),
    ),
    "covering_delta": Mistake(
        "covering takes δ to be ten times smaller than it is",
        replaced=((profiles, "_covering", lambda right, release, eps: right(release, eps) / 10),),
    ),
    "divergence": Mistake(
        "the greedy family's divergence has 2 in the place of 4",
        replaced=((renyi, "greedy_divergence", lambda right, *given: right(*given) / 2),),
    ),
    "divergence_total": Mistake(
        "the greedy family's divergence forgets the cap",
        replaced=((renyi, "greedy_divergence", lambda right, alpha, eta, _: right(alpha, eta, 1)),),
    ),
    "bounded_range": Mistake(
        "a draw's divergence is α·ε0²/16 instead of α·ε0²/8",
        replaced=((renyi, "bounded_range_divergence", lambda right, *given: right(*given) / 2),),
    ),
    "conversion": Mistake(
        "the conversion of an order forgets δ",
        replaced=(
            (profiles, "conversion", lambda right, alpha, delta: right(alpha, delta) / 2),
            (bounds, "room", lambda right, eps, *given: (right(eps, *given) + eps) / 2),
        ),
    ),
    "swaps": Mistake(
        "swaps are taken for picks that are only ever added",
        replaced=((accounting.Draws, "of", lambda right, cls, **facts: right(cls, **{**facts, "swaps": 0})),),
    ),
    "count": Mistake(
        "a noisy count's divergence is half of what it is",
        replaced=((renyi, "laplace_divergence", lambda right, *given: right(*given) / 2),),
    ),
}
MISTAKES: Mapping[str, Mistake] = MappingProxyType(_ALL)
