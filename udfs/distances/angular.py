"""Angular distance of embeddings, arccos(cosine)/π: a metric in [0, 1], which 1 - cosine is not."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ..errors import InputError
from ..types import FloatArray, IntArray
from .angular_front import AngularFront, Float32, cosines, dots
from .checks import rectangle

# Where |cosine| exceeds this, arccos magnifies a float32 rounding error; the chord does not.
NEAR = 0.999
# Squared lengths that float32 holds with all its digits.
_TINY, _HUGE = 1e-20, 1e30


class Angular:
    """Vectors with their lengths, measured once; a row is one matrix-vector product in float32.

    An array of float32 is used as it is, not copied: at 10^5 vectors a copy costs as much as ten rows. Other numbers
    are made float32 first: a direction keeps seven digits either way. Nor is it put in another order: with `rows`, the
    vector of item i is row `rows[i]`.

    >>> Angular([[1, 0], [0, 2], [-3, 0]]).row(0).round(6)
    array([0. , 0.5, 1. ])
    >>> Angular([[1, 0], [0, 2], [-3, 0]], np.array([2, 1])).row(0).round(6)
    array([0. , 0.5])
    """

    def __init__(self, matrix: npt.ArrayLike | Sequence[Sequence[object]], rows: IntArray | None = None) -> None:
        table = rectangle("angular", matrix)
        self.n = len(table) if rows is None else len(rows)
        self._rows = rows
        if table.dtype.kind in "fiu":
            with np.errstate(over="ignore"):  # what does not fit becomes infinite, and does not pass below
                vectors: Float32 = np.ascontiguousarray(table, dtype=np.float32)
            squares = dots(vectors, vectors)
            # The place of an extreme is found faster than its value. NaN is none that passes, so nothing is zero, NaN
            # or about to overflow.
            if not len(squares) or (squares[squares.argmin()] > _TINY and squares[squares.argmax()] < _HUGE):
                self.vectors: Float32 = vectors
                self.shrink: Float32 = np.reciprocal(np.sqrt(squares))
                return
        self.vectors, self._rows = _normalised(table if rows is None else table[rows]), None
        self.shrink = np.ones(self.n, np.float32)

    def row(self, item: int) -> FloatArray:
        """dist(item, v) for every candidate v.

        >>> Angular([[1.0, 1.0], [2.0, 2.0]]).row(0)
        array([0., 0.])
        """
        place = int(self.places([item])[0])
        cosine = self.vectors @ self.vectors[place]
        cosine *= self.shrink
        cosine *= self.shrink[place]
        if self._rows is not None:
            cosine = cosine.take(self._rows)
        cosine[item] = 0.0  # it is not measured, so it does not count as near
        distance: FloatArray = self.apart(cosine[None, :], [item])[0]
        distance[item] = 0.0
        return distance

    def places(self, items: npt.ArrayLike) -> IntArray:
        """Where in `vectors` and `shrink` those of some items are."""
        places = np.asarray(items, dtype=np.int64)
        return places if self._rows is None else self._rows.take(places)

    def of(self, items: npt.ArrayLike) -> tuple[Float32, Float32]:
        """Return the vectors of some items, and what makes units of them.

        >>> Angular([[1, 0], [0, 2]]).of([1])
        (array([[0., 2.]], dtype=float32), array([0.5], dtype=float32))
        """
        places = self.places(items)
        return self.vectors.take(places, axis=0), self.shrink.take(places)

    def all(self) -> tuple[Float32, Float32]:
        """Return the same of all items, without a copy where they lie in order.

        >>> Angular([[1, 0], [0, 2]]).all()[1].tolist()
        [1.0, 0.5]
        """
        return (self.vectors, self.shrink) if self._rows is None else self.of(np.arange(self.n))

    def front(self, slots: int) -> AngularFront:
        """Return the means to measure some of the vectors only, for that many picks.

        >>> Angular([[1, 0], [0, 2]]).front(slots=1).at_most()
        0.0
        """
        return AngularFront(self, slots)

    def among(self, items: Sequence[int]) -> FloatArray:
        """dist(u, v) for the items u (rows) and v.

        >>> Angular([[1, 0], [0, 2], [-3, 0]]).among([2, 0]).round(6).tolist()
        [[0.0, 1.0], [1.0, 0.0]]
        """
        vectors, shrink = self.of(items)
        table = cosines(vectors, self.vectors, self.places(items))
        table *= shrink
        table *= shrink[:, None]
        np.fill_diagonal(table, 0.0)  # an item and itself are not to be measured
        between = self.apart(table, items, np.asarray(items)) if len(items) else np.empty((0, 0))
        np.fill_diagonal(between, 0.0)
        return between

    def apart(self, cosines: Float32, items: npt.ArrayLike, others: IntArray | None = None) -> FloatArray:
        """dist(item, v) for the items (rows) and the others (by default all), of which the cosines are given.

        >>> Angular([[1, 0], [0, 2]]).apart(np.float32([[0.5]]), [0], np.array([1])).round(3)
        array([[0.333]])
        """
        flat = cosines.reshape(-1)
        if flat[flat.argmax()] <= NEAR and flat[flat.argmin()] >= -NEAR:  # cheaper than to look at all of them
            return np.divide(np.arccos(cosines), np.pi, dtype=np.float64)  # arccos takes twice as long in float64
        row, column = np.nonzero(np.abs(cosines) > NEAR)
        angle: FloatArray = np.arccos(np.clip(cosines, -1.0, 1.0)).astype(np.float64)
        other = column if others is None else others[column]
        angle[row, column] = self._close(np.asarray(items)[row], other, cosines[row, column] > 0)
        return angle / np.pi

    def _close(self, left: IntArray, right: IntArray, same: npt.NDArray[np.bool_]) -> FloatArray:
        """Angles of nearly equal and nearly opposite vectors, by the chord between them."""
        sign = np.where(same, 1.0, -1.0)[:, None]
        chord = np.linalg.norm(exact_units(self.of(right)[0]) - sign * exact_units(self.of(left)[0]), axis=1)
        turn = 2.0 * np.arcsin(np.minimum(chord / 2.0, 1.0))
        angles: FloatArray = np.where(same, turn, np.pi - turn)
        return angles


def exact_units(vectors: Float32) -> FloatArray:
    """Make unit vectors in float64.

    >>> exact_units(np.float32([[3, 4]])).tolist()
    [[0.6, 0.8]]
    """
    exact = vectors.astype(np.float64)
    units: FloatArray = exact / np.linalg.norm(exact, axis=1, keepdims=True)
    return units


def _normalised(table: npt.NDArray[np.generic]) -> npt.NDArray[np.float32]:
    """Make unit vectors of anything that has a direction, however long; say what has none."""
    try:
        # float64 that exceeds float32 must not turn into infinity before it is normalised.
        vectors: npt.NDArray[np.floating] = table.astype(
            np.float32 if table.dtype in (np.float32, np.float16) else np.float64
        )
    except (TypeError, ValueError):
        raise InputError("angular: the vectors must hold numbers without NULL; something else was given.") from None
    largest = np.abs(vectors).max(axis=1, keepdims=True)
    if not np.isfinite(largest).all():
        item = int(np.argmin(np.isfinite(largest)))
        raise InputError(f"angular: the vector of item {item} (counted from 0) holds NaN, NULL or infinity.")
    if (largest == 0).any():
        item = int(np.argmin(largest))
        raise InputError(f"angular: the vector of item {item} (counted from 0) is zero, so it has no direction.")
    vectors /= largest  # squares neither overflow nor vanish
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.ascontiguousarray(vectors, dtype=np.float32)
