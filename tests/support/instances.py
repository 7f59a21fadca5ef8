"""Small random instances whose optimum can be found by looking at every set."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from msd_sql.udfs import (
    L1,
    BestMatch,
    BestMatchIndex,
    Coverage,
    CoverageIndex,
    Laminar,
    Partition,
    Transversal,
    Uniform,
)

ONE = 1 << 20


@dataclass
class Instance:
    """Similarities of users to items (0 or 1 for coverage) and points whose L1 distances are the diversity."""

    kind: str
    similarity: np.ndarray  # users × items, in multiples of 2^-20 for best_match, 0 or 1 for coverage
    points: np.ndarray
    cap: int = 1

    @property
    def n(self):
        return self.similarity.shape[1]

    @property
    def m(self):
        return len(self.similarity)

    def relevance(self, k):
        users, items = np.nonzero(self.similarity)
        if self.kind == "best_match":
            index = BestMatchIndex.from_triples(users, items, self.similarity[users, items], self.n)
            return BestMatch(index, self.m)
        return Coverage(CoverageIndex.from_pairs(items, users, self.n), self.m, k, self.cap)

    def distance(self):
        return L1(self.points, scale=1.0)

    def f(self, picks):
        held = self.similarity[:, list(picks)]
        if self.kind == "best_match":
            return float(held.max(axis=1, initial=0).sum()) / ONE / self.m
        return float(np.minimum(held.sum(axis=1), self.cap).sum()) / (self.m * self.cap)

    def d(self, picks):
        return sum(min(abs(self.points[u] - self.points[v]).sum(), 1.0) for u, v in combinations(picks, 2))

    def phi(self, picks, diversity, k):
        pairs = k * (k - 1) / 2
        return (1 - diversity) * self.f(picks) + (diversity * self.d(picks) / pairs if pairs else 0.0)

    def best(self, matroid, diversity):
        """φ of the best base, by looking at all of them."""
        k = matroid.rank
        bases = (picks for picks in combinations(range(self.n), k) if matroid.independent(picks))
        return max(self.phi(picks, diversity, k) for picks in bases)


def random_instance(rng, n=8, kind="coverage", cap=1):
    m = int(rng.integers(3, 12))
    # Popular and unpopular items, some bought by nobody, some users who bought nothing, and duplicates of points.
    similarity = (rng.random((m, n)) < rng.random(n) ** 2).astype(np.int64)
    if kind == "best_match":
        similarity *= rng.integers(0, ONE + 1, (m, n))
    points = np.round(rng.random((n, 2)) * rng.choice([0.2, 1.0]), 1) / 2
    return Instance(kind, similarity, points, cap)


def random_matroid(rng, n, k):
    kind = rng.choice(["uniform", "partition", "laminar", "transversal"])
    if kind == "uniform":
        return Uniform(n, k)
    if kind == "partition":
        return Partition(rng.integers(0, 3, n), int(rng.integers(1, k + 1)), k)
    if kind == "laminar":
        inner = rng.integers(0, 4, n)
        return Laminar([(inner // 2, int(rng.integers(1, k + 1))), (inner, int(rng.integers(1, 3)))], k)
    held = [np.flatnonzero(rng.random(4) < 0.5) for _ in range(n)]
    return Transversal(n, np.cumsum([0, *map(len, held)]), np.concatenate(held), k)
