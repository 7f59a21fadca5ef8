"""Angular distances of some vectors to the picks, and what those of all others cannot exceed.

For the cosines c_i of any vector with t picks of Gram matrix G, Σ arccos(c_i) = tπ/2 - Σ arcsin(c_i). Two bounds hold
of -Σ arcsin(c_i), because Σ c_i² is at most λ, the largest eigenvalue of G:
- arcsin √s lies below a concave function of s, so that t of them sum to no more than t times its value at λ/t.
- -Σ c_i is at most the length of the sum of the picks' units (Cauchy-Schwarz), and arcsin √s - √s is convex in s, so
  that its sum is largest where whole ones make up λ.
For picks that differ this is tπ/2 + O(√t), not tπ.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from ..types import FloatArray, IntArray

if TYPE_CHECKING:
    from .angular import Angular

Float32: TypeAlias = npt.NDArray[np.float32]

ROUNDING = 1e-5  # of one distance: far more than float32 errs by
_SAFE = 1.0001  # times an eigenvalue: what is made of it is steep below whole numbers
_RIGHT = math.pi / 2.0
_TANGENT = 1.165561185207211  # tan x = 2x: at s = cos² x begins the line through (1, π/2) that touches arcsin √s
_BLOCK = 1 << 16  # distances measured at once
_VECDOT = hasattr(np, "vecdot")  # numpy 2
# OpenBLAS wakes other threads from here on. They gain little, and keep the cores from whoever comes next (DuckDB's
# scan of the next statement, say) for another 0.03 s, waiting for more.
_ALONE = 1 << 19


def dots(left: Float32, right: Float32) -> Float32:
    """Products of vectors, each with its own or all with one, on this thread alone: a matrix would wake others.

    >>> dots(np.float32([[1, 2], [3, 4]]), np.float32([3, 4])).tolist()
    [11.0, 25.0]
    """
    found = np.vecdot(left, right) if _VECDOT else np.matmul(left[:, None, :], right[..., None]).reshape(len(left))
    return cast("Float32", found)


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


def most_angles(picks: npt.ArrayLike, length: npt.ArrayLike, eigenvalue: npt.ArrayLike) -> FloatArray:
    """What no vector's sum of angles to so many picks exceeds; of their units, the length of the sum and λ at most.

    >>> most_angles([1, 2], [1.0, math.sqrt(2.0)], [1.0, 1.0]).round(3)
    array([3.142, 4.903])
    """
    largest = np.minimum(picks, np.multiply(eigenvalue, _SAFE))
    share = largest / picks
    line = _RIGHT - _TANGENT / math.sin(_TANGENT) ** 2 * (1.0 - share)
    each = np.where(share > math.cos(_TANGENT) ** 2, line, np.arcsin(np.sqrt(share)))
    rest, whole = np.modf(largest)
    bend = whole * (_RIGHT - 1.0) + np.arcsin(np.sqrt(rest)) - np.sqrt(rest)
    most: FloatArray = np.multiply(picks, _RIGHT + math.pi * ROUNDING) + np.minimum(picks * each, np.add(length, bend))
    return most


def largest_eigenvalue(gram: Float32) -> float:
    """What the largest eigenvalue of a Gram matrix is at most, and nearly: (Σ λ^16)^(1/16).

    >>> largest_eigenvalue(np.eye(1, dtype=np.float32)), round(largest_eigenvalue(np.ones((3, 3), np.float32)), 5)
    (1.0, 3.0)
    """
    everyone, power = np.arange(len(gram)), gram
    for _ in range(3):
        power = cosines(power, power, everyone)  # it is symmetric
    return math.pow(np.linalg.norm(power.astype(np.float64)), 0.125)


class AngularFront:
    """Some of the vectors side by side, with the sums of their distances to the picks.

    >>> from msd_sql.udfs.distances.angular import Angular
    >>> front = Angular([[1, 0], [0, 2], [-3, 0]]).front(slots=1)
    >>> front.add(0)
    >>> front.extend(np.array([1, 2]))
    >>> front.near.round(6).tolist(), round(front.at_most(), 3)
    ([0.5, 1.0], 1.0)
    """

    def __init__(self, angular: Angular, slots: int) -> None:
        self._angular = angular
        self.items: IntArray = np.empty(0, np.int64)
        self.near: FloatArray = np.empty(0)
        self._picks: list[int] = []
        self._vectors, self._shrink = angular.vectors[:0], angular.shrink[:0]
        self._units: Float32 = np.empty((slots, angular.vectors.shape[1]), np.float32)  # of the picks
        self._gram: FloatArray = np.eye(slots)
        self._sum = self._squares = 0.0  # of the entries of the Gram matrix

    def extend(self, items: IntArray) -> None:
        """Measure more items, none of which is picked."""
        vectors, shrink = self._angular.of(items)
        near = np.zeros(len(items))
        size = max(1, _BLOCK // max(1, len(items)))
        for start in range(0, len(self._picks), size):
            near += self._distances(self._picks[start : start + size], vectors, shrink, items).sum(axis=0)
        self.items = np.concatenate((self.items, items))
        self.near = np.concatenate((self.near, near))
        self._vectors = np.concatenate((self._vectors, vectors))
        self._shrink = np.concatenate((self._shrink, shrink))

    def add(self, item: int) -> None:
        """Append a pick. From now on its own sum of distances, if it is in the front, means nothing."""
        (vector,), (shrink,) = self._angular.of([item])
        picks = len(self._picks)
        if len(self.items):
            cosine = self._vectors @ vector
            cosine *= self._shrink
            cosine *= shrink
            cosine[self.items == item] = 0.0
            self.near += self._angular.apart(cosine[None, :], [item], self.items)[0]
        unit = np.multiply(vector, shrink, out=self._units[picks])
        with_others = self._units[:picks] @ unit
        self._gram[picks, :picks] = self._gram[:picks, picks] = with_others
        self._sum += 1.0 + 2.0 * float(with_others.sum())
        self._squares += 1.0 + 2.0 * float(with_others @ with_others)
        self._picks.append(item)

    def at_most(self) -> float:
        """What no vector's sum of distances to the picks exceeds, quickly."""
        return self._bound(math.sqrt(self._squares))  # (Σ λ²)^(1/2) over G's eigenvalues is no less than the largest

    def at_most_closely(self) -> float:
        """The same with more effort, and closer."""
        picks = len(self._picks)
        closely = largest_eigenvalue(self._gram[:picks, :picks].astype(np.float32))
        return self._bound(min(closely, math.sqrt(self._squares)))

    def _bound(self, eigenvalue: float) -> float:
        picks = len(self._picks)
        return float(most_angles(picks, math.sqrt(max(0.0, self._sum)), eigenvalue)) / math.pi if picks else 0.0

    def _distances(self, picks: list[int], vectors: Float32, shrink: Float32, items: IntArray) -> FloatArray:
        picked, shrink_picked = self._angular.of(picks)
        cosines = picked @ vectors.T
        cosines *= shrink
        cosines *= shrink_picked[:, None]
        return self._angular.apart(cosines, picks, items)
