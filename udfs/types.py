"""The few interfaces between relevance, distance, constraint, method and mechanism; none knows another's internals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

IntArray: TypeAlias = npt.NDArray[np.int64]
FloatArray: TypeAlias = npt.NDArray[np.float64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]

# Scores are integers in steps of 2^-20 of one count; one pick moves one unit's marginal by at most one count.
FRACTION_BITS = 20
ONE = 1 << FRACTION_BITS


class Relevance(Protocol):
    """Σ_x f_x as exact integers, with incremental marginals: what an engine has to provide.

    f(S) = value() / 2**bits / units. The picks are kept as slots 0..len-1, in the order they were added; `swap`
    replaces the item of one slot.
    """

    n: int  # candidates are 0..n-1, in public key order
    bits: int  # fraction bits of a gain: 0 where gains are counts of units, 20 where they are similarities
    units: int  # counts that make f = 1: m·cap for coverage, m for best_match, k for a public score
    cap: int  # counts that one unit can contribute in all (1 but for coverage with a cap)
    private: bool  # does it read protected data?
    binary: bool  # is every f_x in {0, 1}? (then the bound `covering` holds, see privacy/accounting.py)

    def gains(self) -> IntArray:
        """Marginal of every candidate given the picks, in 2**-bits of a count."""
        ...

    def add(self, item: int) -> None:
        """Append `item` to the picks and update the marginals of everything it touches."""
        ...

    def value(self) -> int:
        """Σ_x f_x(S) in 2**-bits of a count, for the present picks."""
        ...

    def swap_gains(self, sample: IntArray) -> IntArray:
        """value(S - picks[slot] + v) - value(S) for every slot (row) and every v of `sample` not in S (column)."""
        ...

    def swap(self, slot: int, item: int) -> None:
        """Replace the item of `slot` by `item`, touching only the units of the two."""
        ...

    def clear(self) -> None:
        """Forget the picks, so that the same index can answer another question."""
        ...


class RelevanceOfGroups(Protocol):
    """Coverage of the candidates of many groups, side by side: a pick changes the marginals of its own group only."""

    n: int  # the candidates of all groups, one group after the other
    cap: int

    def gains(self) -> IntArray:
        """Marginal of every candidate given the picks of its group, in counts; not to be written to."""
        ...

    def add_each(self, picks: IntArray) -> None:
        """Append one pick of every group."""
        ...


class Distance(Protocol):
    """A public pseudometric in [0, 1] over the candidates; never an n×n matrix."""

    n: int

    def row(self, item: int) -> FloatArray:
        """dist(item, v) for every candidate v."""
        ...


class Matroid(Protocol):
    """A public constraint: which sets of candidates are independent.

    What it allows depends on public facts and on the items it is asked about, and on nothing else.
    """

    name: str
    n: int
    rank: int  # the size of every base, never more than k; no set is larger, pinned items included
    start: tuple[int, ...]  # pinned: in every set, first and in this order; sets that are handed in hold them
    apart: float  # no two items nearer than this; above 0 it is not a matroid, and a run may end below the rank
    described: str  # for people

    def independent(self, items: Sequence[int]) -> bool:
        """Is the set independent? (the oracle of the paper)."""
        ...

    def base(self) -> list[int]:
        """A base that depends on public facts only: the first one in key order."""
        ...

    def addable(self, items: Sequence[int]) -> BoolArray:
        """For every candidate v: is v outside of `items` and `items` + v independent?"""
        ...

    def swappable(self, items: Sequence[int], sample: IntArray) -> BoolArray:
        """For every slot of the base `items` (row) and v of `sample` (column): is items - slot + v independent?

        False where v is already in `items`.
        """
        ...


class Source(Protocol):
    """Randomness. A private release draws from `secrets`; a seeded source marks the release as not private."""

    private: bool

    def randbelow(self, n: int) -> int:
        """A uniform integer of 0..n-1, for any size of n."""
        ...

    def sample(self, n: int, size: int) -> IntArray:
        """A uniform subset of 0..n-1, sorted: public randomness, independent of the data."""
        ...


class Mechanism(Protocol):
    """Chooses one candidate by its integer score."""

    def choose(self, scores: IntArray) -> int:
        """The index of the chosen score."""
        ...
