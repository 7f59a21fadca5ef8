"""Sets: one set of tokens an item, as codes in two flat arrays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from msd_sql.database.host import Column
from msd_sql.udfs.types import IntArray


@dataclass(frozen=True)
class Sets:
    """One set of tokens an item: those of item i are codes[indptr[i]:indptr[i + 1]]."""

    indptr: IntArray
    codes: IntArray
    numbered: bool = field(default=False, repr=False)  # are the codes numbered as the tokens come up?

    def of(self, rows: IntArray) -> Sets:
        """The sets of some rows, in that order."""
        starts = self.indptr.take(rows)
        lengths = self.indptr.take(rows + 1)
        lengths -= starts
        indptr = np.zeros(len(rows) + 1, np.int64)
        np.cumsum(lengths, out=indptr[1:])
        take = np.repeat(starts - indptr[:-1], lengths) + np.arange(indptr[-1])
        return Sets(indptr, self.codes.take(take))

    @property
    def facts(self) -> IntArray:
        """The codes, numbered as the tokens come up: the same for the same sets, however their tokens were coded.

        >>> Sets(np.array([0, 2, 3]), np.array([7, 4, 7])).facts.tolist()
        [0, 1, 0]
        """
        return self.codes if self.numbered else _numbered(self.codes, np.array([len(self.codes)]))

    def split(self, sizes: Sequence[int]) -> list[Sets]:
        """The sets of groups, so many rows of each, every group's codes numbered as its tokens come up.

        >>> [part.codes.tolist() for part in Sets(np.array([0, 2, 3]), np.array([7, 4, 7])).split([1, 1])]
        [[0, 1], [0]]
        """
        rows = np.cumsum([0, *sizes])
        cuts = self.indptr.take(rows)
        codes = _numbered(self.codes, np.diff(cuts))
        parts = zip(pairwise(rows.tolist()), pairwise(cuts.tolist()), strict=True)
        return [
            Sets(self.indptr[first : last + 1] - start, codes[start:stop], numbered=True)
            for (first, last), (start, stop) in parts
        ]


def _numbered(codes: IntArray, sizes: IntArray) -> IntArray:
    """In each of some parts of so many codes: the codes, numbered from 0 on as they come up there."""
    size = int(codes.max(initial=-1)) + 1
    if len(sizes) > 1:
        codes = codes + np.repeat(np.arange(len(sizes)) * size, sizes)
        size *= len(sizes)
    if size > 2 * len(codes):  # the sets of a group, of tokens that were coded for all groups
        found, codes = np.unique(codes, return_inverse=True)
        size = len(found)
    first = first_places(codes, size)
    number = np.empty_like(first)
    number[np.argsort(first, kind="stable")] = np.arange(len(first))
    numbers = number[codes]
    if len(sizes) > 1:  # parts come one after the other, and so do the first numbers of each
        starts = np.cumsum(sizes) - sizes
        some = np.flatnonzero(sizes)
        numbers -= np.repeat(numbers[starts[some]], sizes[some])
    return numbers


def first_places(codes: Column, size: int) -> IntArray:
    """Where each of the codes 0..size-1 comes up first; behind all of them if it does not.

    >>> first_places(np.array([1, 0, 1]), 3).tolist()
    [1, 0, 3]
    """
    first = np.full(size, len(codes), np.int64)
    first[codes[::-1]] = np.arange(len(codes))[::-1]  # of several the last one written stays: the first
    return first


def csr(owners: Column, tokens: npt.NDArray[Any], n: int) -> Sets:
    """Sets from (item, token) pairs, a token being a text or what stands for it; those of an item keep their order.

    >>> csr(np.array([1, 0, 1]), np.array(["a", "a", "b"]), 2)
    Sets(indptr=array([0, 1, 3]), codes=array([0, 0, 1]))
    """
    import pandas as pd

    codes = pd.factorize(tokens)[0].astype(np.int64, copy=False)
    if (owners[1:] < owners[:-1]).any():
        codes = codes.take(np.argsort(owners, kind="stable"))
    indptr = np.concatenate([[0], np.cumsum(np.bincount(owners, minlength=n))]).astype(np.int64, copy=False)
    return Sets(indptr, codes)


def sets_of(lists: Sequence[Iterable[str | None] | None]) -> Sets:
    """Sets from one list an item; NULL is the empty set, and a NULL in a list is nothing.

    >>> sets_of([["a", "b"], None, ["a"]]).indptr.tolist()
    [0, 2, 2, 3]
    """
    rows = [[token for token in tokens if token is not None] if tokens is not None else [] for tokens in lists]
    owners = np.repeat(np.arange(len(rows)), [len(row) for row in rows]).astype(np.int64)
    tokens = np.empty(len(owners), dtype=object)
    tokens[:] = [token for row in rows for token in row]
    return csr(owners, tokens, len(rows))


def cells(column: Column) -> list[Any]:
    """The values of a column, None where it is masked.

    >>> cells(np.ma.array(["a", "b"], mask=[False, True], dtype=object))
    ['a', None]
    """
    if isinstance(column, np.ma.MaskedArray):
        return [None if masked else cell for cell, masked in zip(column.data, np.ma.getmaskarray(column), strict=True)]
    return list(column)
