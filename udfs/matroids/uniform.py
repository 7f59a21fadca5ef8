"""The uniform matroid: any set of at most k items (the cardinality constraint of the paper, section 2)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..types import BoolArray, IntArray
from .checks import distinct, members, size_limit


class Uniform:
    """At most k of n items.

    >>> Uniform(n=5, k=2).base()
    [0, 1]
    """

    name = "uniform"
    start: tuple[int, ...] = ()
    apart = 0.0

    def __init__(self, n: int, k: int) -> None:
        self.n = n
        self.k = size_limit(k)
        self.rank = min(n, self.k)
        self.described = self.name

    def independent(self, items: Sequence[int]) -> bool:
        """Tell whether the set is independent.

        >>> Uniform(5, 2).independent([0, 3, 4])
        False
        """
        return distinct(self.n, items, self.k)

    def base(self) -> list[int]:
        """Return the first k items in key order.

        >>> Uniform(1, 2).base()
        [0]
        """
        return list(range(self.rank))

    def addable(self, items: Sequence[int]) -> BoolArray:
        """Mark the candidates that can join `items`.

        >>> Uniform(3, 2).addable([1]).tolist()
        [True, False, True]
        """
        if len(items) >= self.k:
            return np.zeros(self.n, dtype=np.bool_)
        return ~members(self.n, items)

    def swappable(self, items: Sequence[int], sample: IntArray) -> BoolArray:
        """Mark, by slot and candidate of the sample, the swaps that keep the set independent.

        >>> Uniform(3, 1).swappable([1], np.array([0, 1])).tolist()
        [[True, False]]
        """
        outside = ~members(self.n, items)[sample]
        return np.repeat(outside[None, :], len(items), axis=0)
