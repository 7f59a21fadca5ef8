"""Who might have been picked: candidates that were not measured, held against the best of every round at once.

Σ arccos(c) = tπ/2 - Σ c - Σ (arcsin(c) - c) for the cosines c of a vector with t picks. Without a look at a vector the
bound of `angular_front.py` holds. Whom it leaves is looked at: then Σ c is known, and the last sum is no less than if
the vector were as far behind each pick as any of them is. Sums here are of angles, π times those of distances.
"""

from __future__ import annotations

import math

import numpy as np

from ..distances.angular import Angular
from ..distances.angular_front import BEND, ROUNDING, Float32
from ..types import FloatArray, IntArray

_BLOCK = 1 << 21  # cosines kept at once
# OpenBLAS wakes other threads from here on. They gain little, and keep the cores from whoever comes next (DuckDB's
# scan of the next statement, say) for another 0.03 s, waiting for more.
_ALONE = 1 << 19


def suspects(angular: Angular, rest: FloatArray, units: Float32, sure: list[float]) -> tuple[int, IntArray] | None:
    """Find who of the rest might have been the best in a round, and the first such round; None if nobody.

    `rest` holds what a candidate scores without its angles, -inf for those who need no check; `units` the vectors of
    the picks, `sure` the scores that they had at least.

    >>> angular = Angular([[1, 0], [1, 1], [0, 1]])
    >>> suspects(angular, np.array([-np.inf, -np.inf, 1.0]), angular.vectors[:2], [3.0, 3.0]) is None
    True
    >>> suspects(angular, np.array([-np.inf, -np.inf, 2.0]), angular.vectors[:2], [3.0, 3.0])
    (1, array([2]))
    """
    least = min(score - most for score, most in zip(sure, _most(units), strict=True))
    seen = np.flatnonzero(rest >= least)
    size = max(1, _BLOCK // len(sure))
    found = [_look(angular, seen[start : start + size], rest, units, sure) for start in range(0, len(seen), size)]
    if not any(len(items) for _, items in found):
        return None
    return min(late for late, _ in found), np.concatenate([items for _, items in found])


def cosines(units: Float32, vectors: Float32, items: IntArray) -> Float32:
    """Cosines of units (rows) and some of the vectors, which are brought together by as many as a cache holds.

    >>> found = cosines(np.eye(2, dtype=np.float32), np.float32([[0, 1], [0.6, 0.8]]), np.array([1]))
    >>> found.tolist() == np.float32([[0.6], [0.8]]).tolist()
    True
    """
    found = np.empty((len(units), len(items)), np.float32)
    size = max(1, (_ALONE - 1) // max(1, units.size))
    for start in range(0, len(items), size):
        some = vectors.take(items[start : start + size], axis=0)
        np.matmul(units, some.T, out=found[:, start : start + size])
    return found


def _most(units: Float32) -> list[float]:
    """For every round, the sum of angles to the picks before it that no vector exceeds."""
    gram = cosines(units, units, np.arange(len(units)))
    gram *= np.tri(len(units), k=-1, dtype=np.float32)
    sums = gram.sum(axis=1).tolist()
    gram *= gram
    most, length, squares = [0.0], 0.0, 0.0
    for before, (each, square) in enumerate(zip(sums[:-1], gram.sum(axis=1).tolist()[:-1], strict=True), 1):
        length += 1.0 + 2.0 * each
        squares += 1.0 + 2.0 * square
        room = math.sqrt(max(0.0, length)) + BEND * math.sqrt(squares)
        most.append(min(before * math.pi, before * math.pi / 2.0 + room) + before * math.pi * ROUNDING)
    return most


def _look(
    angular: Angular, items: IntArray, rest: FloatArray, units: Float32, sure: list[float]
) -> tuple[int, IntArray]:
    """Do the same for some of the rest by their cosines."""
    places = angular.places(items)
    table = cosines(units[:-1], angular.vectors, places)
    table *= angular.shrink.take(places)
    lowest = table.min(axis=1).tolist()
    for row in range(1, len(table)):
        np.add(table[row - 1], table[row], out=table[row])  # np.cumsum takes several times as long
    needed, bend = [], 0.0
    for before, (score, low) in enumerate(zip(sure[1:], lowest, strict=True), 1):
        behind = min(max(0.0, -low), 1.0)
        bend += math.asin(behind) - behind
        needed.append(score - sure[0] - before * math.pi * (0.5 + ROUNDING) - bend)
    table += np.array(needed, np.float32)[:, None]
    own = rest.take(items) - sure[0]  # from there, so that float32 has digits enough where it matters
    might = own >= np.minimum(table.min(axis=0), 0.0)
    if not might.any():
        return len(sure), items[:0]
    late = 0 if (own >= 0.0).any() else 1 + int((own[might] >= table[:, might]).any(axis=1).argmax())
    return late, items[might]
