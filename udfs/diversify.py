"""Diversify: k of some scored vectors that are relevant and differ from each other; arrays in, places out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from .distances import Angular
from .errors import InputError
from .matroids import Partition, Uniform
from .planning import limits, plan
from .relevance.score import Score
from .selection import select
from .types import FloatArray, Matroid


def diversify(
    scores: npt.ArrayLike,
    vectors: npt.ArrayLike,
    k: int,
    diversity: float = 0.5,
    quota: Sequence[object] | None = None,
    quota_cap: int | Mapping[object, int] | None = None,
) -> list[int]:
    """Choose k places whose scores are high and whose vectors point in different directions. Public data: no privacy.

    It maximises (1-λ) · the mean score + λ · the mean angular distance of all pairs, greedily (with a quota, by swaps
    from a greedy start): about half of what the best k would reach, at least (docs/algorithms.md).

    Args:
        scores: one number for each, of any range: the lowest counts 0 (if below 0) and the highest 1.
        vectors: one embedding for each; only their directions count.
        k: how many to choose, at most; all of them, best first, if there are fewer.
        diversity: λ in [0, 1]: 0 is relevance only, 1 is diversity only.
        quota: a value for each, such as its source: at most `quota_cap` of every value.
        quota_cap: a number for all values, or by value; by default ceil(k / number of values).

    Returns:
        Places from 0, in the order of picking.

    >>> diversify([1.0, 0.9, 0.5], [[1, 0], [1, 0.01], [0, 1]], k=2)
    [0, 2]
    >>> diversify([1.0, 0.9, 0.5], [[1, 0], [1, 0.01], [0, 1]], k=2, diversity=0)
    [0, 1]

    """
    relevance = _scaled(scores)
    n = len(relevance)
    if n == 0:
        return []
    distance = Angular(vectors)
    if distance.n != n:
        raise InputError(f"There are {n} scores for {distance.n} vectors; give one for each.")
    wanted = min(k, n) if k > 0 else k
    matroid = _constraint(n, wanted, quota, quota_cap)
    planned = plan(
        n=n,
        k=wanted,
        eps=None,
        diversity=diversity,
        relevance="score",
        method="greedy" if quota is None else "ls_greedy",
        **limits(matroid),
    )
    if planned.trivial and quota is None:
        return [int(place) for place in np.argsort(-relevance, kind="stable")]
    return list(select(planned, Score(relevance, max(planned.k, 1)), distance, matroid).picks)


def _scaled(scores: npt.ArrayLike) -> FloatArray:
    values: FloatArray = np.asarray(scores, dtype=np.float64)
    if values.ndim != 1 or not np.isfinite(values).all():
        raise InputError("scores must be one finite number for each candidate.")
    low, high = min(float(values.min(initial=0.0)), 0.0), float(values.max(initial=0.0))
    return (values - low) / (high - low) if high > low else np.zeros(len(values))


def _constraint(
    n: int, k: int, quota: Sequence[object] | None, quota_cap: int | Mapping[object, int] | None
) -> Matroid:
    if quota is None:
        if quota_cap is not None:
            raise InputError("quota_cap needs quota: the value of each candidate that it is a cap for.")
        return Uniform(n, k)
    values = list(quota)
    if len(values) != n:
        raise InputError(f"quota has {len(values)} values for {n} candidates; give one for each.")
    names = {value: code for code, value in enumerate(dict.fromkeys(values))}
    groups = [names[value] for value in values]
    if isinstance(quota_cap, Mapping):
        return Partition(groups, [quota_cap.get(value, k) for value in names], k)
    return Partition(groups, quota_cap, k)
