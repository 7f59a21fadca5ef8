"""Vectors: one an item, as the rows of a matrix."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from msd_sql.errors import InputError
from msd_sql.udfs.types import IntArray

Matrix: TypeAlias = npt.NDArray[np.floating[Any]]


@dataclass(frozen=True)
class Vectors:
    """Vectors of items where they lie: that of item i is row `rows[i]` of the matrix, or row i without `rows`.

    Threads hand rows over in any order. To put a million vectors in the order of their keys takes as long as to scan
    them, and few are looked at.

    >>> Vectors(np.array([[1.0], [2.0], [3.0]]), np.array([2, 0, 1])).of(np.array([0, 1])).plain
    array([[3.],
           [1.]])
    """

    matrix: Matrix
    rows: IntArray | None = None

    def __len__(self) -> int:
        return len(self.matrix if self.rows is None else self.rows)

    def of(self, items: IntArray) -> Vectors:
        """Those of some items, in this order."""
        rows = items if self.rows is None else self.rows.take(items)
        in_place = len(rows) == len(self.matrix) and np.array_equal(rows, np.arange(len(rows)))
        return Vectors(self.matrix, None if in_place else rows)

    @property
    def plain(self) -> Matrix:
        """A matrix of one row an item."""
        return self.matrix if self.rows is None else self.matrix.take(self.rows, axis=0)


def vectors_of(vectors: Sequence[Any]) -> Vectors:
    """The vectors from one an item; NaN where it is NULL.

    >>> vectors_of([[1.0, 2.0], None]).plain
    array([[ 1.,  2.],
           [nan, nan]])
    """
    known = [vector for vector in vectors if vector is not None]
    width = one_length([len(vector) for vector in known])
    first = np.asarray(known[0]) if known else np.empty(0)
    rows = np.full((len(vectors), width), np.nan, dtype=np.float32 if first.dtype == np.float32 else np.float64)
    for place, vector in enumerate(vectors):
        if vector is not None:
            plain = np.ma.filled(vector, np.nan) if isinstance(vector, np.ma.MaskedArray) else vector
            rows[place] = np.asarray(plain, dtype=rows.dtype)
    return Vectors(rows)


def one_length(lengths: Iterable[int]) -> int:
    """The one length of all vectors, or an error.

    >>> one_length([3, 3])
    3
    """
    different = sorted(set(lengths))
    if len(different) > 1 or 0 in different:
        raise InputError(
            "Vectors need one length, the same for every candidate and above 0; lengths "
            f"{', '.join(str(length) for length in different[:5])} were given."
        )
    return different[0] if different else 1
