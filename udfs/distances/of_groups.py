"""Distances of many groups, side by side: for one item of every group its distances within the group."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from ..types import Distance, FloatArray, IntArray
from .jaccard import Jaccard


class DistancesOfGroups(Protocol):
    """The distances within every group; items are counted through all groups."""

    def rows(self, picks: IntArray) -> FloatArray:
        """dist(pick of the group, v) for every item v, of one pick for every group."""
        ...


def side_by_side(distances: Sequence[Distance]) -> DistancesOfGroups:
    """The distances of groups, each over its own items; in one pass where that is possible.

    >>> side_by_side([Jaccard([0, 1, 2], [5, 6]), Jaccard([0, 1, 2], [5, 5])]).rows(np.array([0, 3])).tolist()
    [0.0, 1.0, 0.0, 0.0]
    """
    sets = [distance for distance in distances if isinstance(distance, Jaccard)]
    return _Sets(sets) if len(sets) == len(distances) else _OneByOne(distances)


class _OneByOne:
    def __init__(self, distances: Sequence[Distance]) -> None:
        self._distances = distances
        self._starts = _starts(distances)

    def rows(self, picks: IntArray) -> FloatArray:
        own = (picks - self._starts).tolist()
        return np.concatenate([distance.row(item) for distance, item in zip(self._distances, own, strict=True)])


class _Sets:
    """Jaccard: as one, in which no two groups have a token in common."""

    def __init__(self, distances: Sequence[Jaccard]) -> None:
        self._sizes = np.array([distance.n for distance in distances], dtype=np.int64)
        held = [distance.sets for distance in distances]
        entries = np.array([len(own.codes) for own in held], dtype=np.int64)
        words = np.array([own.words for own in held], dtype=np.int64)
        lengths = np.concatenate([np.zeros(1, np.int64), *(np.diff(own.bounds) for own in held)])
        tokens = np.concatenate([np.zeros(0, np.int64), *(own.codes for own in held)])
        self._all = Jaccard(np.cumsum(lengths), tokens + np.repeat(np.cumsum(words) - words, entries))

    def rows(self, picks: IntArray) -> FloatArray:
        return self._all.rows_within(picks, self._sizes)


def _starts(distances: Sequence[Distance]) -> IntArray:
    sizes = np.array([distance.n for distance in distances], dtype=np.int64)
    return np.cumsum(sizes) - sizes
