"""The paper's algorithms as they are written: an oracle that evaluates φ(S) from scratch, called once a candidate.

Nothing is kept between two calls, as in the paper's oracle model (section 2). No privacy: what it picks is compared
with what our code picks without noise.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt


class Oracle:
    """φ(S) = c·(1-λ)·f(S) + λ·2/(k(k-1))·d(S) over lists of users and sets of categories.

    >>> oracle = Oracle([np.array([0, 1]), np.array([1])], [{"a"}, {"b"}], m=2, k=2, diversity=0.5)
    >>> oracle.value([0, 1])
    1.0
    """

    def __init__(
        self,
        users: Sequence[npt.NDArray[np.integer]],
        categories: Sequence[set[str]],
        m: int,
        k: int,
        diversity: float,
        weight: float = 1.0,
    ) -> None:
        self.users, self.categories, self.m, self.k = users, categories, m, k
        self.diversity, self.weight = diversity, weight
        self.calls = 0

    def value(self, chosen: Sequence[int]) -> float:
        """Evaluate the objective of a set."""
        self.calls += 1
        reached = np.zeros(self.m, np.bool_)
        for item in chosen:
            reached[self.users[item]] = True
        f = np.count_nonzero(reached) / self.m
        pairs = self.k * (self.k - 1) / 2
        d = sum(jaccard(self.categories[u], self.categories[v]) for at, u in enumerate(chosen) for v in chosen[:at])
        return self.weight * (1 - self.diversity) * f + self.diversity * d / pairs


def jaccard(a: set[str], b: set[str]) -> float:
    """Compute the Jaccard distance of two sets.

    >>> jaccard({"a"}, {"a", "b"})
    0.5
    """
    return 1.0 - len(a & b) / len(a | b) if a or b else 0.0


def greedy(oracle: Oracle, n: int, k: int) -> list[int]:
    """Algorithm 1 without noise: n oracle calls a round."""
    chosen: list[int] = []
    for _ in range(k):
        held = oracle.value(chosen)
        best, gain = -1, -np.inf
        for item in range(n):
            if item in chosen:
                continue
            found = oracle.value([*chosen, item]) - held
            if found > gain + 1e-15:  # ties go to the lowest key; floats need a little room
                best, gain = item, found
        chosen.append(best)
    return chosen


def swap_round(oracle: Oracle, chosen: Sequence[int], sample: Sequence[int]) -> tuple[int, int] | None:
    """One round of the sampled local search without noise: the best swap of the sample, or None for the dummy."""
    best, value = None, oracle.value(chosen)
    for item in sample:
        if item in chosen:
            continue
        for slot in range(len(chosen)):
            found = oracle.value([*chosen[:slot], item, *chosen[slot + 1 :]])
            if found > value + 1e-15:
                best, value = (slot, item), found
    return best
