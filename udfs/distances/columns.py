"""Distances over ordinary columns: hamming for categories, l1 and l2 for numbers scaled by a public bound."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ..errors import InputError
from ..types import FloatArray
from .checks import Scale, finite, positive, rectangle


class Hamming:
    """The share of columns in which two items differ.

    >>> Hamming([[1, 4], [1, 5], [2, 6]]).row(0)
    array([0. , 0.5, 1. ])
    """

    def __init__(self, codes: npt.ArrayLike | Sequence[Sequence[object]]) -> None:
        table = rectangle("hamming", codes)
        if table.dtype.kind == "f" and np.isnan(table).any():
            raise InputError("hamming: a category may not be NaN; give NULL a code of its own.")
        self.n = len(table)
        columns = [
            np.unique(column.astype(str) if column.dtype == object else column, return_inverse=True)[1]
            for column in table.T
        ]
        self._columns = np.stack(columns).astype(np.int32)

    def row(self, item: int) -> FloatArray:
        """dist(item, v) for every candidate v.

        >>> Hamming([["red", "S"], ["red", "M"]]).row(1)
        array([0.5, 0. ])
        """
        differing: FloatArray = (self._columns != self._columns[:, item, None]).mean(axis=0)
        return differing


class L1:
    """Manhattan distance of numbers: the mean over the columns, or their sum over one scale for all.

    scale = None: each column by its own range over the candidates; one number per column: each by its own; a single
    number: the largest distance that counts, all columns together. What lies beyond a given scale is at distance 1,
    which leaves a metric a metric.

    >>> L1([[0, 0], [1, 10], [0, 5]]).row(0)
    array([0.  , 1.  , 0.25])
    >>> L1([[0, 0], [3, 4]], scale=10).row(0)
    array([0. , 0.7])
    """

    def __init__(self, matrix: npt.ArrayLike | Sequence[Sequence[object]], scale: Scale = None) -> None:
        self._columns, self._together = _scaled("l1", matrix, scale)
        self.n = self._columns.shape[1]

    def row(self, item: int) -> FloatArray:
        """dist(item, v) for every candidate v.

        >>> L1([1, 2, 5]).row(2)
        array([1.  , 0.75, 0.  ])
        """
        apart = np.abs(self._columns - self._columns[:, item, None])
        near = np.minimum(apart, 1.0)
        distance: FloatArray = np.minimum(near.sum(axis=0), 1.0) if self._together else near.mean(axis=0)
        return distance


class L2:
    """Euclidean distance of numbers: the root of the mean square over the columns, or of their sum over one scale.

    The scale reads as in `L1`.

    >>> L2([[0, 0], [3, 4]], scale=10).row(0)
    array([0. , 0.5])
    """

    def __init__(self, matrix: npt.ArrayLike | Sequence[Sequence[object]], scale: Scale = None) -> None:
        self._columns, self._together = _scaled("l2", matrix, scale)
        self.n = self._columns.shape[1]

    def row(self, item: int) -> FloatArray:
        """dist(item, v) for every candidate v.

        >>> L2([[0, 0], [1, 1]]).row(0)
        array([0., 1.])
        """
        apart = np.abs(self._columns - self._columns[:, item, None])
        # Beyond 1 the answer is 1 anyway, so clip before squaring can overflow.
        square = np.minimum(apart, 1.0) ** 2
        total = np.minimum(square.sum(axis=0), 1.0) if self._together else square.mean(axis=0)
        distance: FloatArray = np.sqrt(total)
        return distance


def _scaled(name: str, matrix: npt.ArrayLike | Sequence[Sequence[object]], scale: Scale) -> tuple[FloatArray, bool]:
    """Return the columns over their scale, and whether that one scale is for all columns together."""
    table = finite(name, matrix)
    n, columns = table.shape
    if n == 0:
        return np.zeros((columns, 0)), False
    together = scale is not None and np.ndim(scale) == 0
    low = table.min(axis=0)
    with np.errstate(over="ignore", invalid="ignore"):
        if scale is None:
            divisors = table.max(axis=0) - low
            divisors[divisors == 0] = 1.0
        else:
            given = (
                np.broadcast_to(np.asarray(scale, dtype=np.float64), columns)
                if together
                else np.asarray(scale, np.float64)
            )
            if given.shape != (columns,):
                raise InputError(f"{name}: one scale per column is needed: {given.size} given for {columns} columns.")
            divisors = np.array([positive(name, "scale", float(value)) for value in given])
        scaled = (table - low) / divisors
    if not (np.isfinite(scaled).all() and np.isfinite(divisors).all()):
        raise InputError(f"{name}: the numbers are too far apart for this scale.")
    return np.ascontiguousarray(scaled.T), together
