"""Among: the distances of a few items to each other, without those to all others where the distance can do that."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np

from ..types import Distance, FloatArray


@runtime_checkable
class Selective(Protocol):
    """A distance that measures some items without a look at the others."""

    def among(self, items: Sequence[int]) -> FloatArray:
        """dist(u, v) for the items u (rows) and v."""
        ...


def among(distance: Distance, items: Sequence[int]) -> FloatArray:
    """dist(u, v) for the items u (rows) and v.

    >>> from .columns import L1
    >>> among(L1([0.0, 1.0, 2.0]), [2, 0]).tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    if isinstance(distance, Selective):
        return distance.among(items)
    columns = np.asarray(items, dtype=np.int64)
    found = np.empty((len(items), len(items)))
    for place, item in enumerate(columns.tolist()):
        found[place] = distance.row(item)[columns]
    return found


def sum_among(distance: Distance, items: Sequence[int]) -> float:
    """Sum the distances of all pairs of the items.

    >>> from .columns import L1
    >>> sum_among(L1([0.0, 1.0, 2.0]), [0, 1, 2])
    2.0
    """
    return float(among(distance, items).sum()) / 2.0
