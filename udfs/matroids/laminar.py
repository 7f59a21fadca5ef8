"""Quotas: the laminar matroid (nested quotas), and the partition matroid as its case of one level; both |S| ≤ k."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ..errors import InputError
from ..types import BoolArray, IntArray
from .checks import codes, distinct, members, quotas, size_limit

Level = tuple[npt.ArrayLike, int | npt.ArrayLike]


class Laminar:
    """At most cap items of every group of every level and at most k in all; levels from the outermost to the innermost.

    >>> department, aisle = [0, 0, 0, 1], [0, 0, 1, 2]
    >>> Laminar([(department, 2), (aisle, 1)], k=3).base()
    [0, 2, 3]
    """

    name = "laminar"

    def __init__(self, levels: Sequence[Level], k: int) -> None:
        if not levels:
            raise InputError(f"{self.name}: at least one level of groups is needed.")
        self.k = size_limit(k)
        self._groups = [codes(self.name, groups) for groups, _ in levels]
        self.n = len(self._groups[0])
        if any(len(groups) != self.n for groups in self._groups):
            raise InputError(f"{self.name}: every level needs one group code per item.")
        self._caps = [
            quotas(self.name, caps, int(groups.max(initial=-1)) + 1)
            for groups, (_, caps) in zip(self._groups, levels, strict=True)
        ]
        for outer, inner in zip(self._groups, self._groups[1:], strict=False):
            self._check_nested(outer, inner)
        self.rank = self._rank()

    def independent(self, items: Sequence[int]) -> bool:
        """Tell whether the set is independent.

        >>> Laminar([([0, 0, 1], 1)], k=2).independent([0, 1])
        False
        """
        return distinct(self.n, items, self.k) and all(
            bool((counts <= caps).all()) for counts, caps in zip(self._counts(items), self._caps, strict=True)
        )

    def base(self) -> list[int]:
        """Return the first base in key order: each item that still fits.

        >>> Laminar([([0, 0, 1], 1)], k=2).base()
        [0, 2]
        """
        counts = self._counts([])
        chosen: list[int] = []
        where = list(zip(self._groups, counts, self._caps, strict=True))
        for item in range(self.n):
            if len(chosen) == self.rank:
                break
            if all(count[groups[item]] < caps[groups[item]] for groups, count, caps in where):
                for groups, count, _ in where:
                    count[groups[item]] += 1
                chosen.append(item)
        return chosen

    def addable(self, items: Sequence[int]) -> BoolArray:
        """Mark the candidates that can join `items`.

        >>> Laminar([([0, 0, 1], 1)], k=2).addable([1]).tolist()
        [False, False, True]
        """
        if len(items) >= self.k:
            return np.zeros(self.n, dtype=np.bool_)
        allowed = ~members(self.n, items)
        for groups, counts, caps in zip(self._groups, self._counts(items), self._caps, strict=True):
            allowed &= (counts < caps)[groups]
        return allowed

    def swappable(self, items: Sequence[int], sample: IntArray) -> BoolArray:
        """Mark, by slot and candidate of the sample, the swaps that keep the set independent.

        >>> Laminar([([0, 0, 1], 1)], k=2).swappable([0, 2], np.array([1, 2])).tolist()
        [[True, False], [False, False]]
        """
        slots = np.asarray(items, dtype=np.int64)
        outside = ~members(self.n, items)[sample]
        allowed = np.repeat(outside[None, :], len(slots), axis=0)
        for groups, counts, caps in zip(self._groups, self._counts(items), self._caps, strict=True):
            entering = groups[sample]
            # A full group takes a newcomer only when the one who leaves is of the same group.
            allowed &= (counts < caps)[entering] | ((groups[slots][:, None] == entering) & (counts <= caps)[entering])
        return allowed

    def _counts(self, items: Sequence[int]) -> list[IntArray]:
        chosen = np.asarray(items, dtype=np.int64)
        return [
            np.bincount(groups[chosen], minlength=len(caps)).astype(np.int64)
            for groups, caps in zip(self._groups, self._caps, strict=True)
        ]

    def _check_nested(self, outer: IntArray, inner: IntArray) -> None:
        parent = np.full(int(inner.max(initial=-1)) + 1, -1, dtype=np.int64)
        parent[inner] = outer
        if (parent[inner] != outer).any():
            raise InputError(
                f"{self.name}: the levels must be nested, outermost first: a group of one level lies in two groups of "
                "the level above it. Quotas on two independent columns do not form a matroid."
            )

    def _rank(self) -> int:
        """Count the items that the quotas let through, from the innermost level outwards."""
        passing = np.ones(self.n, dtype=np.int64)
        represented = np.arange(self.n)
        for groups, caps in zip(reversed(self._groups), reversed(self._caps), strict=True):
            parents = groups[represented]
            through = np.minimum(np.bincount(parents, weights=passing, minlength=len(caps)).astype(np.int64), caps)
            occupied, first = np.unique(parents, return_index=True)
            represented, passing = represented[first], through[occupied]
        return min(self.k, int(passing.sum()))


class Partition(Laminar):
    """At most caps[g] items of group g and at most k in all; the default cap is ceil(k / number of groups).

    >>> Partition(groups=[0, 0, 0, 1], caps=None, k=4).base()
    [0, 1, 3]
    """

    name = "partition"

    def __init__(self, groups: npt.ArrayLike, caps: int | npt.ArrayLike | None, k: int) -> None:
        coded = codes(self.name, groups)
        if caps is None:
            caps = math.ceil(size_limit(k) / max(len(np.unique(coded)), 1))
        super().__init__([(coded, caps)], k)
