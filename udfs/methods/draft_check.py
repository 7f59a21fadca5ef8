"""Who might have been picked: candidates that were not measured, held against the best of every round at once.

Σ arccos(c) = tπ/2 - Σ c - Σ (arcsin(c) - c) for the cosines c of a vector with t picks. Without a look at a vector the
bound of `angular_front.py` holds. Whom it leaves is looked at: then Σ c is known, and the last sum is no less than if
the vector were as far behind each pick as any of them is. Sums here are of angles, π times those of distances.
"""

from __future__ import annotations

import math

import numpy as np

from ..distances.angular import Angular
from ..distances.angular_front import ROUNDING, Float32, cosines, largest_eigenvalue, most_angles
from ..types import FloatArray, IntArray

_BLOCK = 1 << 21  # cosines kept at once


def suspects(angular: Angular, rest: FloatArray, units: Float32, sure: FloatArray) -> tuple[int, IntArray] | None:
    """Find who of the rest might have been the best in a round, and the first such round; None if nobody.

    `rest` holds what a candidate scores without its angles, -inf for those who need no check; `units` the vectors of
    the picks, `sure` the scores that they had at least.

    >>> angular = Angular([[1, 0], [1, 1], [0, 1]])
    >>> suspects(angular, np.array([-np.inf, -np.inf, 1.0]), angular.vectors[:2], np.array([3.0, 3.0])) is None
    True
    >>> suspects(angular, np.array([-np.inf, -np.inf, 2.0]), angular.vectors[:2], np.array([3.0, 3.0]))
    (1, array([2]))
    """
    least = float((sure - _most(units)).min())
    seen = np.flatnonzero(rest >= least)
    size = max(1, _BLOCK // len(sure))
    found = [_look(angular, seen[start : start + size], rest, units, sure) for start in range(0, len(seen), size)]
    if not any(len(items) for _, items in found):
        return None
    return min(late for late, _ in found), np.concatenate([items for _, items in found])


def _most(units: Float32) -> FloatArray:
    """For every round, the sum of angles to the picks before it that no vector exceeds."""
    picks = len(units) - 1
    gram = cosines(units, units, np.arange(picks))[:picks]
    lengths = np.sqrt(np.maximum(0.0, np.cumsum(np.diag(gram) + 2.0 * np.tril(gram, -1).sum(axis=1))))
    eigenvalues: list[float] = []
    while len(eigenvalues) < picks:  # that of more picks is no less: a few of them do for all rounds
        more = min(2 * len(eigenvalues) + 1, picks)
        eigenvalues += [largest_eigenvalue(gram[:more, :more])] * (more - len(eigenvalues))
    return np.append(0.0, most_angles(np.arange(1.0, picks + 1.0), lengths, eigenvalues))


def _look(
    angular: Angular, items: IntArray, rest: FloatArray, units: Float32, sure: FloatArray
) -> tuple[int, IntArray]:
    """Do the same for some of the rest by their cosines."""
    places = angular.places(items)
    table = cosines(units[:-1], angular.vectors, places)
    table *= angular.shrink.take(places)
    behind = np.clip(-table.min(axis=1), 0.0, 1.0, dtype=np.float64)
    for row in range(1, len(table)):
        np.add(table[row - 1], table[row], out=table[row])  # np.cumsum takes several times as long
    before = np.arange(1.0, len(sure))
    bend = np.cumsum(np.arcsin(behind) - behind)
    needed = sure[1:] - sure[0] - before * (math.pi * (0.5 + ROUNDING)) - bend
    table += needed.astype(np.float32)[:, None]
    own = rest.take(items) - sure[0]  # from there, so that float32 has digits enough where it matters
    might = own >= np.minimum(table.min(axis=0), 0.0)
    if not might.any():
        return len(sure), items[:0]
    late = 0 if (own >= 0.0).any() else 1 + int((own[might] >= table[:, might]).any(axis=1).argmax())
    return late, items[might]
