"""Vectors: one an item, as the rows of a matrix."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from msd_sql.errors import InputError


def vectors_of(vectors: Sequence[Any]) -> npt.NDArray[np.floating[Any]]:
    """A matrix from one vector an item; a row of NaN where it is NULL.

    >>> vectors_of([[1.0, 2.0], None])
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
    return rows


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
