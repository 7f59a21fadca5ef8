"""Jaccard distance between sets of tokens: 1 - |A ∩ B| / |A ∪ B|, two empty sets at distance 0 (paper, section 7)."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

import numpy as np
import numpy.typing as npt

from ..errors import InputError
from ..types import FloatArray, IntArray


class Jaccard:
    """Token sets as a CSR index; a row costs the posting lists of the item's own tokens.

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
        if bounds[0] != 0 or bounds[-1] != len(held) or (np.diff(bounds) < 0).any():
            raise InputError("jaccard: the bounds must rise from 0 to the number of tokens.")
        self.n = len(bounds) - 1
        codes, words = _dense(held)
        owner = np.repeat(np.arange(self.n, dtype=np.int64), np.diff(bounds))
        # A token repeated inside one set counts once.
        bits = max(words - 1, 0).bit_length()
        pairs = np.sort(owner << bits | codes, kind="stable")  # of an item after the other: nearly in order
        new = np.diff(pairs, prepend=-1) > 0
        pairs = pairs if new.all() else pairs[new]
        owner, codes = pairs >> bits, pairs & ((1 << bits) - 1)
        self._size = np.bincount(owner, minlength=self.n).astype(np.int64)
        self._bounds = np.concatenate([[0], np.cumsum(self._size)])
        self._tokens: IntArray = codes
        by_token = np.argsort(codes.astype(np.min_scalar_type(words)), kind="stable")  # a tenth of the time if small
        self._holders = owner[by_token].astype(np.int32)
        self._posting = np.concatenate([[0], np.cumsum(np.bincount(codes, minlength=words))])

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

    def row(self, item: int) -> FloatArray:
        """dist(item, v) for every candidate v.

        >>> Jaccard([0, 0, 0, 1], [5]).row(0)
        array([0., 0., 1.])
        """
        own = self._tokens[self._bounds[item] : self._bounds[item + 1]]
        lists = [self._holders[self._posting[token] : self._posting[token + 1]] for token in own]
        common = np.bincount(np.concatenate(lists), minlength=self.n) if lists else np.zeros(self.n, np.int64)
        union = self._size + self._size[item]
        union -= common
        if not len(own):
            return np.asarray(union > 0, dtype=np.float64)  # two empty sets are alike
        share: FloatArray = common / union
        return np.subtract(1.0, share, out=share)


def _dense(tokens: npt.NDArray[np.generic]) -> tuple[IntArray, int]:
    """Codes from 0 on for the tokens, and how many there may be; integers that are such codes already stay."""
    if tokens.dtype.kind in "iu" and len(tokens):
        low, high = int(tokens.min()), int(tokens.max())
        if low >= 0 and high < 2 * len(tokens) + 64:
            return tokens.astype(np.int64, copy=False), high + 1
    vocabulary, codes = np.unique(tokens, return_inverse=True)
    return codes.astype(np.int64, copy=False), len(vocabulary)
