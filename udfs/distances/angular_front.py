"""Angular distances of some vectors to the picks, and what those of all others cannot exceed.

For the cosines c_i of any vector with t picks of Gram matrix G: Σ arccos(c_i) = tπ/2 - Σ c_i - Σ (arcsin(c_i) - c_i).
Here -Σ c_i is at most the length of the sum of the picks' units (Cauchy-Schwarz). And |arcsin(c) - c| ≤ (π/2 - 1)·c²,
whose sum is at most (π/2 - 1) times G's largest eigenvalue. For picks that differ this is tπ/2 + O(√t), not tπ.
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

BEND = math.pi / 2.0 - 1.0
ROUNDING = 1e-5  # of one distance: far more than float32 errs by
_BLOCK = 1 << 16  # distances measured at once
_VECDOT = hasattr(np, "vecdot")  # numpy 2


def dots(left: Float32, right: Float32) -> Float32:
    """Products of vectors, each with its own or all with one, on this thread alone: a matrix would wake others.

    >>> dots(np.float32([[1, 2], [3, 4]]), np.float32([3, 4])).tolist()
    [11.0, 25.0]
    """
    found = np.vecdot(left, right) if _VECDOT else np.matmul(left[:, None, :], right[..., None]).reshape(len(left))
    return cast("Float32", found)


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
        gram = self._gram[: len(self._picks), : len(self._picks)]
        square = gram @ gram
        return self._bound(float(np.vdot(square, square)) ** 0.25)  # (Σ λ^4)^(1/4)

    def _bound(self, eigenvalue: float) -> float:
        picks = len(self._picks)
        length = math.sqrt(max(0.0, self._sum))
        return min(float(picks), picks / 2.0 + (length + BEND * eigenvalue) / math.pi) + ROUNDING * picks

    def _distances(self, picks: list[int], vectors: Float32, shrink: Float32, items: IntArray) -> FloatArray:
        picked, shrink_picked = self._angular.of(picks)
        cosines = picked @ vectors.T
        cosines *= shrink
        cosines *= shrink_picked[:, None]
        return self._angular.apart(cosines, picks, items)
