"""Exact output distributions of the real methods, and their exact privacy (`docs/privacy.md`, "The audit").

A method runs against a script that plays both the mechanism and the source: it follows the branches it was given and
stops at the first open one. Following every branch gives the whole tree of transcripts; a branch's probability is the
ratio of the very integers that the sampler draws from. The transcript holds every pick and all public randomness, so
whatever a release shows follows from it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from functools import lru_cache
from itertools import combinations
from math import comb

import numpy as np

from ..methods import METHODS
from ..objective.objective import Objective
from ..privacy.sampler import exact_weights
from ..types import Distance, FloatArray, IntArray, Matroid, Relevance

DIGITS = (
    60  # of every probability; with at most some hundred factors the error is far below what `measuring.py` allows for
)

Prefix = tuple[int, ...]


@dataclass(frozen=True)
class Event:
    """Where a run stands: a draw among scores, or public randomness with equally likely branches (scores None)."""

    branches: int
    scores: IntArray | None


class _Open(Exception):  # noqa: N818 (not an error: it carries the next event out of a method)
    def __init__(self, event: Event) -> None:
        self.event = event


class Script:
    """A mechanism and a source in one, which takes the branches it is told to and then stops the run."""

    private = False

    def __init__(self, branches: Sequence[int]) -> None:
        self._branches = branches
        self._at = 0

    def choose(self, scores: IntArray) -> int:
        """Take the next branch of a draw."""
        return self._next(len(scores), scores)

    def randbelow(self, n: int) -> int:
        """Take the next branch of a public number."""
        return self._next(n, None)

    def sample(self, n: int, size: int) -> IntArray:
        """Take the next branch of a public subset."""
        branch = self._next(comb(n, size), None)
        return np.array(_subsets(n, size)[branch], dtype=np.int64)

    def _next(self, branches: int, scores: IntArray | None) -> int:
        if branches == 1 and scores is None:
            return 0
        if self._at == len(self._branches):
            raise _Open(Event(branches, scores))
        self._at += 1
        return self._branches[self._at - 1]


@lru_cache(maxsize=64)
def _subsets(n: int, size: int) -> list[tuple[int, ...]]:
    return list(combinations(range(n), size))


class Offsets:
    """Public distances given as a matrix. Privacy needs no metric, so an adversary may choose any numbers."""

    def __init__(self, matrix: FloatArray) -> None:
        self.n = len(matrix)
        self._rows: list[FloatArray] = list(matrix)

    def row(self, item: int) -> FloatArray:
        """Read one item's distances."""
        return self._rows[item]


@dataclass(frozen=True)
class Question:
    """A selection with everything but the data."""

    method: str
    k: int
    matroid: Matroid
    distance: Distance
    diversity: float
    gamma: float = 0.5

    def next_event(self, relevance: Relevance, prefix: Prefix) -> Event | None:
        """Run the real method along the prefix: the event that comes next, or None where the run is over."""
        method = METHODS[self.method]
        objective = Objective(
            relevance,
            self.distance,
            k=self.k,
            diversity=self.diversity if method.weighs_diversity else 0.0,
            weight=method.weight(self.gamma),
            start=self.matroid.start,
        )
        objective.clear()
        script = Script(prefix)
        try:
            method.run(objective, self.matroid, script, script, k=self.k, gamma=self.gamma)
        except _Open as stop:
            return stop.event
        return None


@dataclass(frozen=True)
class Leaf:
    """A set of transcripts and its probability on either data set; `lumped` when it is more than one."""

    left: Decimal
    right: Decimal
    lumped: bool = False


def transcripts(
    question: Question,
    left: Relevance,
    right: Relevance,
    eta: float,
    *,
    draws: int | None = None,
    floor: float = 0.0,
    settled: Callable[[Prefix], bool] | None = None,
) -> list[Leaf]:
    """All transcripts of a question on two data sets, with exact probabilities.

    `draws` ends a transcript after so many draws. A branch less likely than `floor` on both sides is not followed but
    kept as one lumped leaf. `settled` says of a prefix that nothing that follows can differ between the two.
    """
    leaves = []
    open_nodes: list[tuple[Prefix, Decimal, Decimal, int]] = [((), Decimal(1), Decimal(1), 0)]
    with localcontext() as context:
        context.prec = DIGITS
        while open_nodes:
            prefix, p, q, drawn = open_nodes.pop()
            if drawn == draws or (settled is not None and settled(prefix)):
                leaves.append(Leaf(p, q))
                continue
            if max(p, q) < floor:
                leaves.append(Leaf(p, q, lumped=True))
                continue
            event, other = question.next_event(left, prefix), question.next_event(right, prefix)
            if event is None or other is None:
                leaves.append(Leaf(p, q))
                continue
            is_draw = event.scores is not None
            chances = zip(_chances(event, eta), _chances(other, eta), strict=True)
            open_nodes.extend(
                ((*prefix, branch), p * a, q * b, drawn + is_draw) for branch, (a, b) in enumerate(chances)
            )
    return leaves


def _chances(event: Event, eta: float) -> list[Decimal]:
    if event.scores is None:
        return [1 / Decimal(event.branches)] * event.branches
    weights = exact_weights(event.scores, eta)
    total = Decimal(sum(weights))
    return [Decimal(weight) / total for weight in weights]
