"""What the constraints share: checks of public input, sets as masks (the constraints are listed in matroids.py)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ..errors import InputError
from ..types import BoolArray, IntArray


def size_limit(k: int) -> int:
    """Return k if a set of at most k items makes sense.

    >>> size_limit(3)
    3
    """
    if k < 1:
        raise InputError(f"k must be at least 1; {k} was given.")
    return int(k)


def codes(name: str, values: npt.ArrayLike) -> IntArray:
    """Return group codes as int64: one per item, 0 upwards.

    >>> codes("partition", [0, 2, 1]).tolist()
    [0, 2, 1]
    """
    given = np.asarray(values)
    if given.size == 0:
        given = given.astype(np.int64)
    if given.ndim != 1 or given.dtype.kind not in "iu" or (given.size and given.min() < 0):
        raise InputError(f"{name}: one group code per item is needed, a whole number from 0 upwards.")
    return given.astype(np.int64)


def quotas(name: str, caps: int | npt.ArrayLike, groups: int) -> IntArray:
    """Return one cap per group; one number serves all groups.

    >>> quotas("partition", 2, 3).tolist()
    [2, 2, 2]
    """
    given = np.asarray(caps)
    if given.dtype.kind not in "iu" or (given.size and given.min() < 0):
        raise InputError(f"{name}: a quota must be a whole number, 0 or more.")
    if given.ndim > 1 or (given.ndim == 1 and len(given) < groups):
        raise InputError(f"{name}: one quota per group is needed: {given.size} given for {groups} groups.")
    return np.broadcast_to(given, groups).astype(np.int64) if given.ndim == 0 else given.astype(np.int64)


def members(n: int, items: Sequence[int]) -> BoolArray:
    """Mark which of the n candidates are in `items`.

    >>> members(3, [1]).tolist()
    [False, True, False]
    """
    inside = np.zeros(n, dtype=np.bool_)
    inside[np.asarray(items, dtype=np.int64)] = True
    return inside


def distinct(n: int, items: Sequence[int], k: int) -> bool:
    """Tell whether `items` are at most k different candidates.

    >>> distinct(5, [1, 1], 3)
    False
    """
    return len(items) <= k and len(set(items)) == len(items) and all(0 <= item < n for item in items)
