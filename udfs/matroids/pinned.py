"""Pinned items: the contraction of a constraint by a set that is in every answer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..errors import InputError
from ..types import BoolArray, IntArray, Matroid
from .checks import members


class Pinned:
    """The sets of another constraint that hold the pinned items, which come first and never leave.

    Every set handed to it holds them. Its bases are as large as those of the other constraint. `names` say in an error
    which item does not fit.

    >>> from msd_sql.udfs import Uniform
    >>> Pinned(Uniform(5, 3), [4]).base()
    [4, 0, 1]
    """

    def __init__(self, constraint: Matroid, items: Sequence[int], names: Sequence[str] | None = None) -> None:
        self._constraint = constraint
        self.name, self.n, self.rank, self.apart = constraint.name, constraint.n, constraint.rank, constraint.apart
        self.start: tuple[int, ...] = tuple(int(item) for item in items)
        self.described = f"{constraint.described}, {len(self.start)} pinned"
        if not constraint.independent(self.start):
            self._refuse([str(item) for item in self.start] if names is None else list(names))

    def independent(self, items: Sequence[int]) -> bool:
        """Tell whether the set is independent and holds the pinned items.

        >>> from msd_sql.udfs import Uniform
        >>> Pinned(Uniform(5, 3), [4]).independent([0, 1])
        False
        """
        return set(self.start) <= set(items) and self._constraint.independent(items)

    def base(self) -> list[int]:
        """Return the pinned items and then the first ones in key order that still fit."""
        chosen = list(self.start)
        while len(chosen) < self.rank and (left := self.addable(chosen)).any():
            chosen.append(int(left.argmax()))
        return chosen

    def addable(self, items: Sequence[int]) -> BoolArray:
        """Mark the candidates that can join `items`."""
        return self._constraint.addable(items)

    def swappable(self, items: Sequence[int], sample: IntArray) -> BoolArray:
        """Mark, by slot and candidate of the sample, the swaps that keep the set independent.

        >>> from msd_sql.udfs import Uniform
        >>> Pinned(Uniform(3, 2), [2]).swappable([2, 0], np.array([1])).tolist()
        [[False], [True]]
        """
        allowed = self._constraint.swappable(items, sample)
        allowed[members(self.n, self.start)[np.asarray(items, dtype=np.int64)]] = False
        return allowed

    def _refuse(self, names: Sequence[str]) -> None:
        if len(set(self.start)) < len(self.start):
            twice = next(name for place, name in enumerate(names) if self.start[place] in self.start[:place])
            raise InputError(f"{twice} is pinned twice; name every item once.")
        if len(self.start) > self.rank:
            raise InputError(
                f"{len(self.start)} items are pinned, but at most {self.rank} can be chosen "
                f"({self._constraint.described}). Ask for a larger k, or pin fewer."
            )
        late = next(
            place for place, item in enumerate(self.start) if not self._constraint.addable(self.start[:place])[item]
        )
        raise InputError(
            f"{names[late]} cannot be pinned together with {', '.join(names[:late][:3]) or 'the minimums'}"
            f"{', …' if late > 3 else ''}: the constraint is {self._constraint.described}."
        )
