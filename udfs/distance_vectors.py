"""Angular distance of embeddings, arccos(cosine)/π: a metric in [0, 1], which 1 - cosine is not."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from .distance_checks import rectangle
from .errors import InputError
from .types import FloatArray

# Where |cosine| exceeds this, arccos magnifies a float32 rounding error; the chord does not.
_NEAR = 0.999


class Angular:
    """Vectors normalised once in float32; a row is one matrix-vector product.

    >>> Angular([[1, 0], [0, 2], [-3, 0]]).row(0)
    array([0. , 0.5, 1. ])
    """

    def __init__(self, matrix: npt.ArrayLike | Sequence[Sequence[object]]) -> None:
        table = rectangle("angular", matrix)
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
        self._vectors = np.ascontiguousarray(vectors, dtype=np.float32)
        self.n = len(vectors)

    def row(self, item: int) -> FloatArray:
        """dist(item, v) for every candidate v.

        >>> Angular([[1.0, 1.0], [2.0, 2.0]]).row(0)
        array([0., 0.])
        """
        own = self._vectors[item]
        cosine = (self._vectors @ own).astype(np.float64)
        angle = np.arccos(np.clip(cosine, -1.0, 1.0))
        for sign in (1.0, -1.0):
            near = np.flatnonzero(sign * cosine > _NEAR)
            chord = np.linalg.norm(self._vectors[near].astype(np.float64) - sign * own, axis=1)
            turn = 2.0 * np.arcsin(np.minimum(chord / 2.0, 1.0))
            angle[near] = turn if sign > 0 else np.pi - turn
        distance: FloatArray = np.clip(angle / np.pi, 0.0, 1.0)
        return distance
