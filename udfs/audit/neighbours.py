"""Every data set of a few units and every pair of neighbours at once, to find the pair that leaks most.

A score is a sum over the units, so the real method is run on every *single* unit, and the scores of a data set are sums
of those; a sample of data sets is run directly and must give the same integers. Probabilities come from the sampler's
integers. This search is in float64: the pair it finds is then measured exactly by `exact_audit`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement

import numpy as np

from ..privacy.sampler import exact_weights
from ..types import FloatArray, IntArray, Relevance
from .exact import Event, Prefix, Question

Dataset = tuple[int, ...]  # the kinds of the units, in ascending order
Build = Callable[[Dataset], Relevance]
Pair = tuple[Dataset, Dataset]

_CHUNK = 1 << 16  # pair × transcript entries held at once: what a cache holds
_STEPS = 40


@dataclass(frozen=True)
class Wanted:
    """What the worst pair is wanted for: δ at each ε, ε at each δ, the Rényi divergence at each order."""

    eps: tuple[float, ...] = ()
    deltas: tuple[float, ...] = ()
    orders: tuple[float, ...] = ()


@dataclass(frozen=True)
class _Node:
    """A draw or public randomness (scores None) of the tree; `which` is the row of scores of every data set."""

    prefix: Prefix
    branches: int
    scores: IntArray | None
    which: IntArray | None

    def chances(self, eta: float, datasets: int) -> FloatArray:
        if self.scores is None:
            return np.full((datasets, self.branches), 1 / self.branches)
        chances = np.empty(self.scores.shape)
        for row, values in enumerate(self.scores):
            weights = exact_weights(values, eta)
            total = sum(weights)
            chances[row] = [weight / total for weight in weights]
        return chances[self.which]


@dataclass(frozen=True)
class Family:
    """All data sets of some units of given kinds, and the scores that the real method gives on each."""

    datasets: list[Dataset]
    left: IntArray  # data sets of every ordered pair of neighbours
    right: IntArray
    nodes: dict[Prefix, _Node]

    def worst(self, eta: float, wanted: Wanted) -> list[Pair]:
        """Find the pairs with the largest δ at every ε, the largest ε at every δ and the largest D at every order."""
        probabilities = self._probabilities(eta)
        found = [int(pair) for pair in self._over_all(probabilities, wanted).argmax(axis=0)]
        if wanted.deltas:
            ratios = _by_chunks(probabilities, self.left, self.right, lambda p, q: (p / q).max(axis=1))
            found += [
                int(np.argmax(ratios)) if delta == 0 else self._worst_eps(probabilities, ratios, delta)
                for delta in wanted.deltas
            ]
        return [(self.datasets[self.left[pair]], self.datasets[self.right[pair]]) for pair in dict.fromkeys(found)]

    def _over_all(self, probabilities: FloatArray, wanted: Wanted) -> FloatArray:
        """Pair × what is wanted: δ at every ε, then the moment at every order."""

        def measure(p: FloatArray, q: FloatArray) -> FloatArray:
            columns = [np.maximum(p - np.exp(eps) * q, 0.0).sum(axis=1) for eps in wanted.eps]
            if wanted.orders:
                log = np.log(p / q)
                columns += [(p * np.expm1((order - 1) * log)).sum(axis=1) for order in wanted.orders]
            return np.stack(columns, axis=1)

        if not wanted.eps and not wanted.orders:
            return np.empty((len(self.left), 0))
        return _by_chunks(probabilities, self.left, self.right, measure)

    def _worst_eps(self, probabilities: FloatArray, ratios: FloatArray, delta: float) -> int:
        """Bisect on ε, keeping only the pairs that exceed δ there."""
        alive = np.arange(len(self.left))
        low, high = 0.0, float(np.log(ratios.max()))
        for _ in range(_STEPS):
            middle = (low + high) / 2
            able = alive[ratios[alive] > np.exp(middle)]
            over = able[self._excess(probabilities, able, middle) > delta]
            if len(over):
                low, alive = middle, over
            else:
                high = middle
            if len(alive) == 1:
                break
        return int(alive[np.argmax(ratios[alive])])

    def _excess(self, probabilities: FloatArray, pairs: IntArray, eps: float) -> FloatArray:
        factor = np.exp(eps)
        measure = lambda p, q: np.maximum(p - factor * q, 0.0).sum(axis=1)  # noqa: E731
        return _by_chunks(probabilities, self.left[pairs], self.right[pairs], measure)

    def _probabilities(self, eta: float) -> FloatArray:
        """Data set × transcript."""
        finished = []
        open_nodes: list[tuple[Prefix, FloatArray]] = [((), np.ones(len(self.datasets)))]
        while open_nodes:
            prefix, reached = open_nodes.pop()
            if prefix not in self.nodes:
                finished.append(reached)
                continue
            node = self.nodes[prefix]
            chances = node.chances(eta, len(self.datasets))
            open_nodes.extend(((*prefix, branch), reached * chances[:, branch]) for branch in range(node.branches))
        return np.stack(finished, axis=1)


def family(
    question: Question, build: Build, kinds: int, units: int, *, draws: int | None = None, checks: int = 10
) -> Family:
    """Run the real method on every data set of `units` units of `kinds` kinds; kind 0 is a unit that has nothing.

    `checks` data sets, chosen at random but always the same, are run directly; the others are sums of single units.
    """
    datasets = list(combinations_with_replacement(range(kinds), units))
    counts = np.stack([np.bincount(dataset, minlength=kinds) for dataset in datasets])
    nothing = build((0,) * units)
    alone = [build((*(0,) * (units - 1), kind)) for kind in range(kinds)]
    chosen = np.random.default_rng(0).integers(0, len(datasets), checks)
    direct = [(int(index), build(datasets[index])) for index in chosen]

    nodes = {}
    open_nodes: list[tuple[Prefix, int]] = [((), 0)]
    while open_nodes:
        prefix, drawn = open_nodes.pop()
        event = None if drawn == draws else question.next_event(nothing, prefix)
        if event is None:
            continue
        if event.scores is None:
            nodes[prefix] = _Node(prefix, event.branches, None, None)
        else:
            moved = [_scores(question.next_event(one, prefix)) - event.scores for one in alone]
            scores = event.scores + counts @ np.stack(moved)
            for index, relevance in direct:
                if not np.array_equal(_scores(question.next_event(relevance, prefix)), scores[index]):
                    raise AssertionError("scores are not sums over units: the search would miss data sets")
            # Only differences count, and few rows differ in them.
            distinct, which = np.unique(scores - scores.max(axis=1, keepdims=True), axis=0, return_inverse=True)
            nodes[prefix] = _Node(prefix, event.branches, distinct, which.reshape(-1))
        following = drawn + (event.scores is not None)
        open_nodes.extend(((*prefix, branch), following) for branch in range(event.branches))
    left, right = _pairs(datasets, kinds)
    return Family(datasets, left, right, nodes)


def _scores(event: Event | None) -> IntArray:
    if event is None or event.scores is None:
        raise AssertionError("the shape of a run depends on the data")
    return event.scores


def _pairs(datasets: Sequence[Dataset], kinds: int) -> tuple[IntArray, IntArray]:
    """Every ordered pair that differs in one unit: the others are the same, one unit is of any two kinds."""
    place = {dataset: index for index, dataset in enumerate(datasets)}
    others = combinations_with_replacement(range(kinds), len(datasets[0]) - 1)
    families = np.array([[place[tuple(sorted((*rest, kind)))] for kind in range(kinds)] for rest in others])
    one, other = np.nonzero(~np.eye(kinds, dtype=np.bool_))
    return families[:, one].reshape(-1), families[:, other].reshape(-1)


def _by_chunks(
    probabilities: FloatArray,
    left: IntArray,
    right: IntArray,
    measure: Callable[[FloatArray, FloatArray], FloatArray],
) -> FloatArray:
    size = max(1, _CHUNK // probabilities.shape[1])
    parts = [
        measure(probabilities[left[at : at + size]], probabilities[right[at : at + size]])
        for at in range(0, len(left), size)
    ]
    return np.concatenate(parts) if parts else np.empty(0)
