"""Apart: no two picks nearer than a distance. Not a matroid: it may be full with fewer items than another set holds.

What it allows follows from public distances and from the picks, which are released: it costs no privacy
(docs/constraints.md). No method keeps its approximation guarantee.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..errors import InputError
from ..types import BoolArray, Distance, IntArray, Matroid

# Distances that are equal on paper differ in their last digits: 1 - 9/10 is below 0.1.
_ROUNDING = 1e-9


class Apart:
    """The sets of another constraint of which no two items are nearer than `apart`.

    Its rank is that of the other constraint: no set is larger, and there may be none of this size. What the present
    items rule out is kept and changed by the items that joined or left since the question before.

    >>> from msd_sql.udfs import L1, Uniform
    >>> Apart(Uniform(4, 3), L1([0, 1, 5, 10]), 0.2).base()
    [0, 2, 3]
    """

    start: tuple[int, ...] = ()

    def __init__(self, constraint: Matroid, distance: Distance, apart: float) -> None:
        if not 0.0 <= apart <= 1.0:
            raise InputError(f"apart = {apart!r} was given; it must be a distance in [0, 1].")
        if constraint.start:
            raise InputError("Pin items last: what is pinned has to be apart as well.")
        self._constraint, self._distance, self.apart = constraint, distance, float(apart)
        self.name, self.n, self.rank = constraint.name, constraint.n, constraint.rank
        self.described = f"{constraint.described}, {apart:g} apart"
        self._forget()

    def independent(self, items: Sequence[int]) -> bool:
        """Tell whether the set is allowed by the other constraint and its items are apart.

        >>> from msd_sql.udfs import L1, Uniform
        >>> Apart(Uniform(4, 3), L1([0, 1, 5, 10]), 0.2).independent([0, 1])
        False
        """
        if not self._constraint.independent(items):
            return False
        self._follow(items)
        return bool((self._rivals[np.asarray(items, dtype=np.int64)] <= 1).all())  # each is near itself

    def base(self) -> list[int]:
        """Return the first items in key order that fit, until none does."""
        chosen: list[int] = []
        while len(chosen) < self.rank and (left := self.addable(chosen)).any():
            chosen.append(int(left.argmax()))
        return chosen

    def addable(self, items: Sequence[int]) -> BoolArray:
        """Mark the candidates that can join `items`.

        >>> from msd_sql.udfs import L1, Uniform
        >>> Apart(Uniform(4, 3), L1([0, 1, 5, 10]), 0.2).addable([0]).tolist()
        [False, False, True, True]
        """
        self._follow(items)
        allowed: BoolArray = self._constraint.addable(items) & (self._rivals == 0)
        return allowed

    def swappable(self, items: Sequence[int], sample: IntArray) -> BoolArray:
        """Mark, by slot and candidate of the sample, the swaps that keep the set allowed.

        >>> from msd_sql.udfs import L1, Uniform
        >>> Apart(Uniform(4, 2), L1([0, 1, 5, 10]), 0.2).swappable([0, 2], np.array([1, 3])).tolist()
        [[True, True], [False, True]]
        """
        self._follow(items)
        rivals = self._rivals[sample]
        # Who is near one item only can come in its place.
        in_place = np.asarray(items, dtype=np.int64)[:, None] == self._rival_sum[sample]
        allowed = self._constraint.swappable(items, sample)
        allowed &= (rivals == 0) | ((rivals == 1) & in_place)
        return allowed

    def _forget(self) -> None:
        self._held: frozenset[int] = frozenset()
        self._rivals = np.zeros(self.n, dtype=np.int32)  # of each candidate, how many of the held items are too near
        self._rival_sum: IntArray = np.zeros(self.n, dtype=np.int64)  # the sum of their numbers: who it is, if one

    def _follow(self, items: Sequence[int]) -> None:
        wanted = frozenset(int(item) for item in items)
        if len(self._held - wanted) > len(wanted):
            self._forget()
        for change, changed in ((-1, self._held - wanted), (1, wanted - self._held)):
            for item in changed:
                near = self._distance.row(item) < self.apart - _ROUNDING
                near[item] = True
                self._rivals[near] += change
                self._rival_sum[near] += change * item
        self._held = wanted
