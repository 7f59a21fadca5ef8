"""The transversal matroid: a set is independent if its items can stand for different categories (bipartite matching).

An item may belong to several categories. Whether one item can replace another is read off the exchange graph of the
present set: v enters for u exactly when an alternating path leads from v to the category that u stands for, or to a
category nobody stands for (Schrijver, Combinatorial Optimization, 39.4). One closure per set answers every pair.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ..errors import InputError
from ..types import BoolArray, IntArray
from .checks import distinct, members, size_limit


class Transversal:
    """At most k items that can be matched to different categories; the categories of an item as a CSR index.

    >>> Transversal(n=3, indptr=[0, 2, 3, 4], categories=[0, 1, 0, 0], k=3).base()
    [0, 1]
    """

    name = "transversal"
    start: tuple[int, ...] = ()
    apart = 0.0

    def __init__(self, n: int, indptr: npt.ArrayLike, categories: npt.ArrayLike, k: int) -> None:
        bounds, held = np.asarray(indptr, dtype=np.int64), np.asarray(categories)
        if bounds.shape != (n + 1,) or bounds[0] != 0 or bounds[-1] != len(held) or (np.diff(bounds) < 0).any():
            raise InputError(
                "transversal: the bounds must rise from 0 to the number of category entries, one per item."
            )
        self.n = n
        self.k = size_limit(k)
        names, coded = np.unique(held, return_inverse=True)
        self._width = len(names)
        from scipy.sparse import csr_array  # here: a fifth of what starting up would take

        self._held = csr_array(
            (np.ones(len(held), dtype=np.int32), coded.astype(np.int64), bounds), shape=(n, self._width)
        )
        self._held.sum_duplicates()
        self._known: tuple[tuple[int, ...], npt.NDArray[np.int32]] | None = None
        self._base = self._first_base()
        self.rank = len(self._base)
        self.described = f"{self.name} (one item for each of {self._width} categories)"

    def independent(self, items: Sequence[int]) -> bool:
        """Tell whether the set is independent.

        >>> Transversal(2, [0, 1, 2], [4, 4], k=2).independent([0, 1])
        False
        """
        return distinct(self.n, items, self.k) and bool((self._matched(items) >= 0).all())

    def base(self) -> list[int]:
        """Return the first base in key order: each item that leaves a matching possible.

        >>> Transversal(2, [0, 1, 2], [4, 5], k=1).base()
        [0]
        """
        return list(self._base)

    def addable(self, items: Sequence[int]) -> BoolArray:
        """Mark the candidates that can join `items`.

        >>> Transversal(3, [0, 1, 2, 3], [4, 4, 5], k=2).addable([0]).tolist()
        [False, False, True]
        """
        if len(items) >= self.k:
            return np.zeros(self.n, dtype=np.bool_)
        return self._free(self._exchange(items)) & ~members(self.n, items)

    def swappable(self, items: Sequence[int], sample: IntArray) -> BoolArray:
        """Mark, by slot and candidate of the sample, the swaps that keep the set independent.

        >>> Transversal(3, [0, 2, 3, 4], [4, 5, 5, 4], k=2).swappable([0, 1], np.array([2])).tolist()
        [[True], [True]]
        """
        reach = self._exchange(items)
        leads = np.asarray(self._held[sample] @ reach) > 0
        outside = ~members(self.n, items)[sample]
        allowed: BoolArray = (leads[:, :-1] | leads[:, -1:]).T & outside
        return allowed

    def _matched(self, items: Sequence[int]) -> IntArray:
        """Match each item of the set to one of its categories, -1 where that is impossible."""
        from scipy.sparse.csgraph import maximum_bipartite_matching  # a fifth of what starting up would take

        if not len(items) or not self._width:
            return np.full(len(items), -1, dtype=np.int64)
        rows = self._held[np.asarray(items, dtype=np.int64)]
        return maximum_bipartite_matching(rows, perm_type="column").astype(np.int64)

    def _exchange(self, items: Sequence[int]) -> npt.NDArray[np.int32]:
        """Find, by category, the slots that alternating paths reach; in the last column whether one ends free."""
        if self._known is not None and self._known[0] == tuple(items):
            return self._known[1]
        match = self._matched(items)
        if (match < 0).any():
            raise InputError("transversal: the set to change is not independent itself.")
        size = len(items)
        slot_of = np.full(self._width, size, dtype=np.int64)
        slot_of[match] = np.arange(size)
        reach = np.eye(size + 1, dtype=np.bool_)
        for slot, item in enumerate(items):
            reach[slot, slot_of[self._held.indices[self._held.indptr[item] : self._held.indptr[item + 1]]]] = True
        for slot in range(size):  # Warshall: paths through ever more slots
            reach[reach[:, slot]] |= reach[slot]
        self._known = (tuple(items), reach[slot_of].astype(np.int32))
        return self._known[1]

    def _free(self, reach: npt.NDArray[np.int32]) -> BoolArray:
        free: BoolArray = np.asarray(self._held @ reach[:, -1]) > 0
        return free

    def _first_base(self) -> list[int]:
        chosen: list[int] = []
        while len(chosen) < self.k:
            fitting = self._free(self._exchange(chosen)) & ~members(self.n, chosen)
            # What did not fit before never fits later, so the first that fits now stands behind the last one taken.
            if not fitting.any():
                break
            chosen.append(int(np.argmax(fitting)))
        return chosen
