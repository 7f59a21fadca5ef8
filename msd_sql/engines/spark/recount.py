"""Relevance in Spark: its only state is the public list of picks; marginals are counted again when they are asked for.

One job gives the marginals of all candidates, another one those of all swaps with a sample. The value is kept track of
from marginals that are known already.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from msd_sql.engines.spark.workspace import SparkWorkspace
from msd_sql.udfs.types import IntArray


class Recounted(ABC):
    """The picks, and what was counted for them; how to count is left to coverage and best_match."""

    private = True

    def __init__(self, workspace: SparkWorkspace, first: IntArray) -> None:
        self.workspace = workspace
        self.picks: list[int] = []
        self._first = first  # the marginals before any pick
        self._gain: IntArray | None = first  # None: to be counted again
        self._value: int | None = 0
        self._swaps: dict[int, IntArray] = {}  # of the sample asked for last

    @abstractmethod
    def count_gains(self) -> IntArray:
        """Count the marginal of every candidate, in one job."""

    @abstractmethod
    def count_value(self) -> int:
        """Count what the picks are worth, in one job."""

    @abstractmethod
    def count_swaps(self, sample: IntArray) -> IntArray:
        """Count the marginal of every swap, slot by item of the sample, in one job."""

    @property
    def totals(self) -> IntArray:
        """The marginals before any pick."""
        return self._first

    def gains(self) -> IntArray:
        """Marginal of every candidate."""
        if self._gain is None:
            self._gain = self.count_gains()
        return self._gain.copy()

    def value(self) -> int:
        """What the picks are worth."""
        if self._value is None:
            self._value = self.count_value()
        return self._value

    def add(self, item: int) -> None:
        """Append a pick; nothing is run until someone asks."""
        known = self._value is not None and self._gain is not None
        self._value = self.value() + int(self.gains()[item]) if known else None
        self.picks.append(int(item))
        self._gain, self._swaps = None, {}

    def add_each(self, picks: IntArray) -> None:
        """Append picks of different groups, so that no unit has two of them."""
        for pick in picks.tolist():
            self.add(pick)

    def swap_gains(self, sample: IntArray) -> IntArray:
        """Marginal of every swap."""
        if not self.picks or not len(sample):
            return np.zeros((len(self.picks), len(sample)), np.int64)
        table = self.count_swaps(sample)
        self._swaps = {int(item): table[:, at] for at, item in enumerate(sample)}
        return table

    def listed(self, sample: IntArray) -> list[int] | None:
        """The sample as a statement lists it; None for all candidates."""
        return None if len(sample) == len(self._first) else sample.tolist()

    def swap(self, slot: int, item: int) -> None:
        """Replace one pick."""
        known = self._swaps.get(int(item))
        self._value = self._value + int(known[slot]) if self._value is not None and known is not None else None
        self.picks[slot] = int(item)
        self._gain, self._swaps = None, {}

    def clear(self) -> None:
        """Forget the picks; the projection stays."""
        self.picks.clear()
        self._gain, self._value, self._swaps = self._first, 0, {}

    def close(self) -> None:
        """Let go of the projection."""
        self.workspace.close()
