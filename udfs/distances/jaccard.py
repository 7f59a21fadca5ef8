"""Jaccard distance between sets of tokens: 1 - |A ∩ B| / |A ∪ B|, two empty sets at distance 0 (paper, section 7)."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import InputError
from ..types import FloatArray, IntArray


class Held(NamedTuple):
    """The tokens of every item: those of item i are codes[bounds[i]:bounds[i + 1]], numbers below `words`."""

    bounds: IntArray
    codes: IntArray
    words: int


class Posted(NamedTuple):
    """The items that hold a token: those of token t are holders[bounds[t]:bounds[t + 1]]."""

    bounds: IntArray
    holders: npt.NDArray[np.int32]


class Jaccard:
    """Token sets as a CSR index; a row costs the posting lists of the item's own tokens.

    The index is made when the first row is asked for: a replayed answer asks for none.

    >>> Jaccard(indptr=[0, 2, 3], tokens=[7, 9, 9]).row(0)
    array([0. , 0.5])
    """

    def __init__(self, indptr: npt.ArrayLike, tokens: npt.ArrayLike) -> None:
        bounds = np.asarray(indptr, dtype=np.int64)
        held = np.asarray(tokens)
        if bounds.ndim != 1 or held.ndim != 1 or len(bounds) == 0:
            raise InputError(
                "jaccard: token sets are given as two flat arrays, bounds (one more than items) and tokens."
            )
        if bounds[0] != 0 or bounds[-1] != len(held) or (bounds[1:] < bounds[:-1]).any():
            raise InputError("jaccard: the bounds must rise from 0 to the number of tokens.")
        self.n = len(bounds) - 1
        self._given = bounds, held

    @classmethod
    def from_sets(cls, sets: Sequence[Iterable[Hashable] | None]) -> Jaccard:
        """Build it from plain Python sets or lists; None is the empty set.

        >>> Jaccard.from_sets([["a", "b"], ["b"], None]).row(1)
        array([0.5, 0. , 1. ])
        """
        codes: dict[Hashable, int] = {}
        indptr: list[int] = [0]
        tokens: list[int] = []
        for held in sets:
            tokens.extend(codes.setdefault(token, len(codes)) for token in held or ())
            indptr.append(len(tokens))
        return cls(indptr, np.array(tokens, dtype=np.int64))

    @property
    def sets(self) -> Held:
        """The tokens as they were given, as numbers from 0 on; one may be in a set twice.

        >>> Jaccard([0, 2], [70, 90]).sets.codes.tolist()
        [0, 1]
        """
        bounds, tokens = self._given
        return Held(bounds, *_dense(tokens))

    @property
    def nbytes(self) -> int:
        """About the bytes that it takes once a row was asked for: its index is counted before it is made.

        >>> Jaccard([0, 2, 3], [7, 9, 9]).nbytes
        164
        """
        bounds, tokens = self._given
        given = int(bounds.nbytes + tokens.nbytes)
        return given + 16 * (self.n + 1) + 12 * len(tokens) + 8 * (len(tokens) + 1)

    def row(self, item: int) -> FloatArray:
        """dist(item, v) for every candidate v.

        >>> Jaccard([0, 0, 0, 1], [5]).row(0)
        array([0., 0., 1.])
        """
        held, posted = self._index
        own = held.codes[held.bounds[item] : held.bounds[item + 1]]
        if not len(own):
            return np.asarray(self._size > 0, dtype=np.float64)  # two empty sets are alike
        holders = np.concatenate([posted.holders[posted.bounds[token] : posted.bounds[token + 1]] for token in own])
        common = np.bincount(holders, minlength=self.n)
        few = 2 * len(holders) < self.n
        if few:  # all others have nothing in common with it
            common = common.take(holders)
        union = (self._size.take(holders) if few else self._size) + len(own)
        union -= common
        share: FloatArray = common / union
        np.subtract(1.0, share, out=share)
        if not few:
            return share
        row = np.ones(self.n)
        row[holders] = share
        return row

    def rows_within(self, picks: IntArray, sizes: IntArray) -> FloatArray:
        """dist(pick of the group, v) for every v, of one pick for every group; groups have no token in common.

        >>> Jaccard([0, 1, 2, 3, 4], [5, 6, 7, 7]).rows_within(np.array([0, 2]), np.array([2, 2]))
        array([0., 1., 0., 0.])
        """
        held, posted = self._index
        tokens = held.codes.take(_spans(held.bounds, picks))
        common = np.bincount(posted.holders.take(_spans(posted.bounds, tokens)), minlength=self.n)
        union = self._size + np.repeat(self._size.take(picks), sizes)
        union -= common
        share: FloatArray = common / np.maximum(union, 1)
        np.subtract(1.0, share, out=share)
        share[union == 0] = 0.0  # two empty sets are alike
        return share

    def among(self, items: Sequence[int]) -> FloatArray:
        """dist(u, v) for the items u (rows) and v, from their own tokens alone.

        >>> Jaccard([0, 2, 3], [7, 9, 9]).among([1, 0]).tolist()
        [[0.0, 0.5], [0.5, 0.0]]
        """
        held = self._index[0]
        rows = np.asarray(items, dtype=np.int64)
        sizes = self._size[rows]
        words, columns = np.unique(held.codes.take(_spans(held.bounds, rows)), return_inverse=True)
        holds = np.zeros((len(rows), len(words)), np.int64)
        holds[np.repeat(np.arange(len(rows)), sizes), columns] = 1
        common = holds @ holds.T
        union = sizes[:, None] + sizes - common
        return np.where(union > 0, 1.0 - common / np.maximum(union, 1), 0.0)

    @cached_property
    def _size(self) -> IntArray:
        return np.diff(self._index[0].bounds)

    @cached_property
    def _index(self) -> tuple[Held, Posted]:
        bounds, codes, words = self.sets
        owner = np.repeat(np.arange(self.n, dtype=np.int64), np.diff(bounds))
        # A token repeated inside one set counts once.
        bits = max(words - 1, 0).bit_length()
        pairs = np.sort(owner << bits | codes, kind="stable")  # of an item after the other: nearly in order
        new = np.diff(pairs, prepend=-1) > 0
        pairs = pairs if new.all() else pairs[new]
        owner, codes = pairs >> bits, pairs & ((1 << bits) - 1)
        by_token = np.argsort(codes.astype(np.min_scalar_type(words)), kind="stable")  # a tenth of the time if small
        posted = Posted(_bounds(np.bincount(codes, minlength=words)), owner[by_token].astype(np.int32))
        return Held(_bounds(np.bincount(owner, minlength=self.n)), codes, words), posted


def _bounds(counts: IntArray) -> IntArray:
    bounds: IntArray = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64, copy=False)
    return bounds


def _spans(bounds: IntArray, rows: IntArray) -> IntArray:
    """Where many rows lie, one after the other."""
    starts, stops = bounds.take(rows), bounds.take(rows + 1)
    lengths = stops - starts
    found: IntArray = np.repeat(stops - np.cumsum(lengths), lengths) + np.arange(int(lengths.sum()))
    return found


def _dense(tokens: npt.NDArray[np.generic]) -> tuple[IntArray, int]:
    """Codes from 0 on for the tokens, and how many there may be; integers that are such codes already stay."""
    if tokens.dtype.kind in "iu" and len(tokens):
        low, high = int(tokens.min()), int(tokens.max())
        if low >= 0 and high < 2 * len(tokens) + 64:
            return tokens.astype(np.int64, copy=False), high + 1
    vocabulary, codes = np.unique(tokens, return_inverse=True)
    return codes.astype(np.int64, copy=False), len(vocabulary)
