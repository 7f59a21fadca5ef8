"""Angular distance of embeddings, arccos(cosine)/π: a metric in [0, 1], which 1 - cosine is not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np
import numpy.typing as npt

from .distance_checks import rectangle
from .errors import InputError
from .types import FloatArray

# Where |cosine| exceeds this, arccos magnifies a float32 rounding error; the chord does not.
_NEAR = 0.999
# Squared lengths that float32 holds with all its digits.
_TINY, _HUGE = 1e-20, 1e30


class Angular:
    """Vectors with their lengths, measured once; a row is one matrix-vector product in float32.

    An array of float32 is used as it is, not copied: at 10^5 vectors a copy costs as much as ten rows.

    >>> Angular([[1, 0], [0, 2], [-3, 0]]).row(0)
    array([0. , 0.5, 1. ])
    """

    def __init__(self, matrix: npt.ArrayLike | Sequence[Sequence[object]]) -> None:
        table = rectangle("angular", matrix)
        self.n = len(table)
        if table.dtype == np.float32 and table.flags.c_contiguous:
            vectors = cast("npt.NDArray[np.float32]", table)
            squares = np.einsum("ij,ij->i", vectors, vectors)
            if ((squares > _TINY) & (squares < _HUGE)).all():  # so nothing is zero, NaN or about to overflow
                self._vectors: npt.NDArray[np.float32] = vectors
                self._shrink: npt.NDArray[np.float32] = 1 / np.sqrt(squares)
                return
        self._vectors = _normalised(table)
        self._shrink = np.ones(self.n, np.float32)

    def row(self, item: int) -> FloatArray:
        """dist(item, v) for every candidate v.

        >>> Angular([[1.0, 1.0], [2.0, 2.0]]).row(0)
        array([0., 0.])
        """
        own = self._vectors[item] * self._shrink[item]
        cosine = self._vectors @ own
        cosine *= self._shrink
        near = np.flatnonzero(np.abs(cosine) > _NEAR)
        np.clip(cosine, -1.0, 1.0, out=cosine)
        distance: FloatArray = np.arccos(cosine).astype(np.float64)
        if len(near) > 1:
            distance[near] = self._close(near, item, cosine[near] > 0)
        distance[item] = 0.0
        distance /= np.pi
        return distance

    def _close(self, near: npt.NDArray[np.intp], item: int, same: npt.NDArray[np.bool_]) -> FloatArray:
        """Angles of nearly equal and nearly opposite vectors, by the chord between them."""
        others = _units(self._vectors[near])
        unit = _units(self._vectors[item : item + 1])
        chord = np.linalg.norm(others - np.where(same, 1.0, -1.0)[:, None] * unit, axis=1)
        turn = 2.0 * np.arcsin(np.minimum(chord / 2.0, 1.0))
        angles: FloatArray = np.where(same, turn, np.pi - turn)
        return angles


def _units(vectors: npt.NDArray[np.float32]) -> FloatArray:
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
