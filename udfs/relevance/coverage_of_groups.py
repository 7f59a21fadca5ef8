"""Coverage of many groups at once: in every round each group picks one item, and all are counted in one pass."""

from __future__ import annotations

import numpy as np

from ..types import IntArray
from .coverage_index import CoverageIndex


class CoverageOfGroups:
    """The marginals of all groups' candidates, side by side, over an index of theirs (`CoverageIndex.of_groups`).

    >>> index = CoverageIndex.from_pairs([0, 1, 2, 3], [7, 7, 7, 7], n=4).of_groups(np.arange(4), np.array([2, 2]))
    >>> relevance = CoverageOfGroups(index, cap=1)
    >>> relevance.add_each(np.array([0, 3]))
    >>> relevance.gains().tolist()
    [0, 0, 0, 0]
    """

    def __init__(self, index: CoverageIndex, cap: int) -> None:
        self.n, self.cap = index.n, cap
        self._index = index
        self._gain: IntArray = index.units.copy()
        self._units_of = index.items_of.transposed(index.n)
        self._times = np.zeros(len(index.items_of.bounds) - 1, np.int64)  # picks that each unit has in its group

    def gains(self) -> IntArray:
        """Marginal of every candidate, given the picks of its own group."""
        return self._gain

    def add_each(self, picks: IntArray) -> None:
        """Add picks, one of a group at most: no unit of a group has two of them."""
        units = np.sort(self._units_of.codes.take(self._units_of.spans(picks)[0]))
        times = self._times.take(units) + 1
        self._times[units] = times
        self._gain -= self._index.items_of.tally(units.take(np.flatnonzero(times == self.cap)), self._index.n)
