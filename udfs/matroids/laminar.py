"""Quotas: the laminar matroid (nested quotas), and the partition matroid as its case of one level; both |S| ≤ k.

With minimums it is the family of the sets that can still be filled up: a group holds as many places as it has items,
but never fewer than its minimum, and no group and not the whole has more places than its limit. The sets that reach
every minimum are then the ones with no reserved place left, and every base is one of them (docs/constraints.md).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..errors import InputError
from ..types import BoolArray, IntArray
from .checks import codes, distinct, members, quotas, size_limit

Numbers = int | npt.ArrayLike  # one for all groups, or one for each
Level = tuple[npt.ArrayLike, Numbers]


@dataclass(frozen=True)
class _Level:
    """The groups of one level: their limits, and the group of the next level outwards in which each lies."""

    caps: IntArray
    minimums: IntArray
    parents: IntArray
    width: int  # groups of the next level


class Laminar:
    """At most cap items of every group of every level and at most k in all; levels from the outermost to the innermost.

    `minimums`, one number (or one for each group) a level, are how many items of a group there must be; one number is
    for all groups that have candidates. `labels` name the groups of each level in what is refused.

    >>> department, aisle = [0, 0, 0, 1], [0, 0, 1, 2]
    >>> Laminar([(department, 2), (aisle, 1)], k=3).base()
    [0, 2, 3]
    >>> Laminar([(department, 3)], k=3, minimums=[1]).base()
    [0, 1, 3]
    """

    name = "laminar"
    start: tuple[int, ...] = ()
    apart = 0.0

    def __init__(
        self,
        levels: Sequence[Level],
        k: int,
        minimums: Sequence[Numbers] | None = None,
        labels: Sequence[Sequence[str]] | None = None,
    ) -> None:
        if not levels:
            raise InputError(f"{self.name}: at least one level of groups is needed.")
        self.k = size_limit(k)
        groups = [codes(self.name, coded) for coded, _ in levels]
        self.n = len(groups[0])
        if any(len(coded) != self.n for coded in groups):
            raise InputError(f"{self.name}: every level needs one group code per item.")
        if minimums is not None and len(minimums) != len(levels):
            raise InputError(f"{self.name}: {len(minimums)} minimums were given for {len(levels)} levels of groups.")
        self._inner = groups[-1]
        self._levels = [*self._outwards(groups, levels, minimums), self._whole()]
        self._labels = [*reversed(labels)] if labels is not None else None
        self._reserved = any(level.minimums.any() for level in self._levels)
        self.rank = self._rank()
        self.described = f"{self.name} ({self._said()})"

    @property
    def numbers(self) -> list[IntArray]:
        """The limits and the minimums of every group, level by level: the same however they were said.

        >>> [one.tolist() for one in Laminar([([0, 0, 1], 9)], k=2).numbers]
        [[2, 2], [0, 0], [2], [0]]
        """
        return [one for level in self._levels for one in (np.minimum(level.caps, self.k), level.minimums)]

    def independent(self, items: Sequence[int]) -> bool:
        """Tell whether the set is independent.

        >>> Laminar([([0, 0, 1], 1)], k=2).independent([0, 1])
        False
        """
        return distinct(self.n, items, self.k) and all(
            bool((np.maximum(held, level.minimums) <= level.caps).all()) for level, held in self._held(items)
        )

    def base(self) -> list[int]:
        """Return the first base in key order: each item that still fits.

        >>> Laminar([([0, 0, 1], 1)], k=2).base()
        [0, 2]
        """
        counts = self._counts([])
        fits = self._open(counts)
        chosen: list[int] = []
        for item, group in enumerate(self._inner.tolist()):
            if len(chosen) == self.rank:
                break
            if fits[group]:
                chosen.append(item)
                counts[group] += 1
                fits = self._open(counts)
        return chosen

    def addable(self, items: Sequence[int]) -> BoolArray:
        """Mark the candidates that can join `items`.

        >>> Laminar([([0, 0, 1], 1)], k=2).addable([1]).tolist()
        [False, False, True]
        """
        allowed: BoolArray = self._open(self._counts(items))[self._inner]
        allowed[np.asarray(items, dtype=np.int64)] = False
        return allowed

    def swappable(self, items: Sequence[int], sample: IntArray) -> BoolArray:
        """Mark, by slot and candidate of the sample, the swaps that keep the set independent.

        >>> Laminar([([0, 0, 1], 1)], k=2).swappable([0, 2], np.array([1, 2])).tolist()
        [[True, False], [False, False]]
        """
        counts, leaving = self._counts(items), self._inner[np.asarray(items, dtype=np.int64)]
        entering, outside = self._inner[sample], ~members(self.n, items)[sample]
        allowed = np.empty((len(leaving), len(sample)), dtype=np.bool_)
        for group in np.unique(leaving):  # who leaves matters by its group alone
            counts[group] -= 1
            allowed[leaving == group] = self._open(counts)[entering] & outside
            counts[group] += 1
        return allowed

    def _counts(self, items: Sequence[int]) -> IntArray:
        chosen = self._inner[np.asarray(items, dtype=np.int64)]
        return np.bincount(chosen, minlength=len(self._levels[0].caps)).astype(np.int64)

    def _held(self, items: Sequence[int]) -> Iterator[tuple[_Level, IntArray]]:
        """The places that the groups of every level hold, from the innermost outwards, but for their own minimum."""
        held = self._counts(items)
        for level in self._levels:
            yield level, held
            held = _sums(level, np.maximum(held, level.minimums))

    def _open(self, counts: IntArray) -> BoolArray:
        """Which of the innermost groups can take one more item.

        It takes a place that is reserved for its group, or else one more of the group around it, and so on outwards.
        """
        fits = np.ones(len(counts), dtype=np.bool_)
        rises = fits.copy()
        held, at = counts, np.arange(len(counts))
        for level in self._levels:
            rises &= (held >= level.minimums)[at]
            held = np.maximum(held, level.minimums)
            fits &= ~rises | (held < level.caps)[at]
            held, at = _sums(level, held), level.parents[at]
        return fits

    def _outwards(
        self, groups: Sequence[IntArray], levels: Sequence[Level], minimums: Sequence[Numbers] | None
    ) -> Iterator[_Level]:
        """The levels from the innermost to the outermost, which lies in one group: everything."""
        outer = [np.zeros(self.n, dtype=np.int64), *groups[:-1]]
        for place in reversed(range(len(groups))):
            coded, around = groups[place], outer[place]
            size, width = int(coded.max(initial=-1)) + 1, int(around.max(initial=0)) + 1
            parents = np.zeros(size, dtype=np.int64)
            parents[coded] = around
            if (parents[coded] != around).any():
                raise InputError(
                    f"{self.name}: the levels must be nested, outermost first: a group of one level lies in two groups "
                    "of the level above it. Quotas on two independent columns do not form a matroid."
                )
            caps = quotas(self.name, levels[place][1], size)[:size]
            asked = 0 if minimums is None else minimums[place]
            least = quotas(f"{self.name} minimum", asked, size)
            if np.ndim(asked) == 0:
                least = np.where(np.bincount(coded, minlength=size) > 0, least, 0)
            elif least[size:].any():
                raise InputError(f"{self.name}: a minimum is for a group that has no candidate.")
            yield _Level(caps, least[:size], parents, width)

    def _whole(self) -> _Level:
        one: IntArray = np.zeros(1, dtype=np.int64)
        return _Level(one + self.k, one, one, 1)

    def _rank(self) -> int:
        """Count the items that the quotas let through, from the innermost level outwards; refuse what cannot be met."""
        through = np.bincount(self._inner, minlength=len(self._levels[0].caps)).astype(np.int64)
        for place, (level, reserved) in enumerate(self._held([])):
            least = np.maximum(reserved, level.minimums)
            for group in np.flatnonzero((least > np.minimum(through, level.caps)) & (least > 0))[:1]:
                raise InputError(self._unmet(place, int(group), int(least[group]), int(through[group])))
            through = _sums(level, np.minimum(through, level.caps))
        return min(self.k, int(through[0]))

    def _unmet(self, place: int, group: int, least: int, there: int) -> str:
        if place == len(self._levels) - 1:
            return (
                f"{self.name}: the minimums add up to {least} items, but k = {self.k}. Ask for a larger k, or for "
                "smaller minimums."
            )
        which = f"group {group}" if self._labels is None else f"'{self._labels[place][group]}'"
        cap = int(self._levels[place].caps[group])
        if there < least:
            return (
                f"{self.name}: at least {least} items of {which} are asked for, but only {there} of the candidates can "
                "be taken."
            )
        return f"{self.name}: at least {least} items of {which} are asked for, but at most {cap} are allowed."

    def _said(self) -> str:
        """The limits in words, the outermost level first."""
        levels = self._levels[-2::-1]
        most = " > ".join(_range(level.caps) for level in levels)
        if not self._reserved:
            return f"at most {most} of each"
        least = " > ".join(_range(level.minimums) for level in levels)
        return f"at least {least}, at most {most} of each"


def _sums(level: _Level, held: IntArray) -> IntArray:
    """Add up what the groups hold by the group of the next level."""
    return np.bincount(level.parents, weights=held, minlength=level.width).astype(np.int64)


def _range(numbers: IntArray) -> str:
    low, high = (int(numbers.min()), int(numbers.max())) if len(numbers) else (0, 0)
    return f"{low}" if low == high else f"{low} to {high}"


class Partition(Laminar):
    """At most caps[g] items of group g and at most k in all; the default cap is ceil(k / number of groups).

    With minimums there is no default cap.

    >>> Partition(groups=[0, 0, 0, 1], caps=None, k=4).base()
    [0, 1, 3]
    >>> Partition(groups=[0, 0, 0, 1], caps=None, k=3, minimums=1).base()
    [0, 1, 3]
    """

    name = "partition"

    def __init__(
        self,
        groups: npt.ArrayLike,
        caps: Numbers | None,
        k: int,
        minimums: Numbers | None = None,
        labels: Sequence[str] | None = None,
    ) -> None:
        coded = codes(self.name, groups)
        if caps is None:
            share = math.ceil(size_limit(k) / max(len(np.unique(coded)), 1))
            caps = share if minimums is None else size_limit(k)
        super().__init__(
            [(coded, caps)],
            k,
            minimums=None if minimums is None else [minimums],
            labels=None if labels is None else [labels],
        )
