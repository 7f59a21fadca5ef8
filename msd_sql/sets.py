"""Sets: one set of tokens an item, as codes in two flat arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from msd_sql.host import Column
from msd_sql.udfs.types import IntArray


@dataclass(frozen=True)
class Sets:
    """One set of tokens an item: those of item i are codes[indptr[i]:indptr[i + 1]]."""

    indptr: IntArray
    codes: IntArray

    def of(self, rows: IntArray) -> Sets:
        """The sets of some rows, in that order."""
        lengths = np.diff(self.indptr)[rows]
        indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        take = np.repeat(self.indptr[:-1][rows] - indptr[:-1], lengths) + np.arange(indptr[-1])
        return Sets(indptr, self.codes[take])


def csr(owners: IntArray, tokens: npt.NDArray[Any], n: int) -> Sets:
    """Sets from (item, token) pairs; the tokens of an item keep their order, and codes follow that of the tokens.

    >>> csr(np.array([1, 0, 1]), np.array(["a", "a", "b"]), 2).indptr.tolist()
    [0, 1, 3]
    """
    import pandas as pd

    codes, _ = pd.factorize(tokens, sort=True)
    order = np.argsort(owners, kind="stable")
    indptr = np.concatenate([[0], np.cumsum(np.bincount(owners, minlength=n))]).astype(np.int64)
    return Sets(indptr, codes[order].astype(np.int64))


def hashed_csr(owners: Column, hashes: Column, vocabulary: Column, n: int) -> Sets:
    """Sets from (item, hash of a token) pairs, with the codes that `csr` gives.

    `vocabulary` holds the hashes of the distinct tokens in the order of the tokens.

    >>> hashed_csr(np.array([1, 0, 1]), np.array([7, 7, 3]), np.array([7, 3]), 2)
    Sets(indptr=array([0, 1, 3]), codes=array([0, 0, 1]))
    """
    by_hash = np.argsort(vocabulary)
    codes = by_hash[np.searchsorted(vocabulary[by_hash], hashes)]
    order = np.argsort(owners, kind="stable")
    indptr = np.concatenate([[0], np.cumsum(np.bincount(owners, minlength=n))]).astype(np.int64)
    return Sets(indptr, codes[order].astype(np.int64))
