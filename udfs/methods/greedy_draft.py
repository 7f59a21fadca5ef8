"""Greedy by a public score and angles, in few passes: drafted among the most relevant, then checked against the rest.

The picks are those of Algorithm 1 (greedy.py) with `Argmax` and no limit but k. A round measures the drafted candidates
only. Afterwards all others are held against every round at once (`draft_check.py`): who might have been better joins,
and the rounds from there on are run again. Where a choice is close for float32, the few that it is between are measured
once more, in float64. Where that does not tell them apart either, or many might have been better, the draft is given up
for Algorithm 1 itself. Scores are in radians here: one's own, and the angles to the picks.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ..distances.angular import NEAR, Angular, exact_units
from ..distances.angular_front import Float32, dots
from ..objective.objective import Objective
from ..objective.public import PublicObjective
from ..privacy.mechanism import Argmax
from ..types import FloatArray, IntArray, Matroid, Mechanism, Source
from .draft_check import suspects
from .greedy import greedy

MOST = 1 << 26  # distances to all picks; with more, no round should have to wait for all others
_FEW = 1 << 14  # with no more, to measure everyone takes no longer than the check
_FIRST, _PER_PICK, _PART = 128, 2, 32  # who is drafted: so many, or so many a pick, or one in so many
_PATIENCE = 2  # so many times others may join
_ARC, _SUM = 1e-6, 1e-12  # more than arc cosines in float32 and sums in float64 differ by
_CLOSE = 16  # so many are measured once more
_EXACTLY = 0.125  # of the doubt stays then: Algorithm 1 errs still, but errors of float32 do not all go one way
_STEPS = 4.0  # what making scores whole numbers may move a difference by
_SOLE: IntArray = np.zeros(1, np.int64)


def drafted(
    objective: Objective, matroid: Matroid, mechanism: Mechanism, source: Source, *, k: int, gamma: float
) -> list[int]:
    """Pick what `greedy` picks; for a `PublicObjective` of angles, `Argmax` and a matroid that is uniform.

    >>> from msd_sql.udfs import Score, SeededSource, Uniform
    >>> objective = PublicObjective(
    ...     Score([1.0, 0.5, 0.5], 2), Angular([[1, 0], [1, 1], [0, 1]]), k=2, diversity=0.5, weight=0.5)
    >>> drafted(objective, Uniform(3, 2), Argmax(), SeededSource(0), k=2, gamma=0.1)
    [0, 2]
    """
    assert isinstance(objective, PublicObjective)
    assert isinstance(objective.distance, Angular)
    radian = math.pi / objective.steps
    own: FloatArray = np.multiply(objective.relevance.gains(), radian, dtype=np.float64)
    draft = Draft(own, objective.distance, k, _STEPS * radian)
    if not draft.run():
        return greedy(objective, matroid, mechanism, source, k=k, gamma=gamma)
    if not isinstance(mechanism, Argmax):  # somebody watches the rounds, and is told of each
        for _ in range(k):
            mechanism.choose(_SOLE)
    objective.settle(draft.picks, draft.spread())
    return objective.picks


class Draft:
    """The k best one by one, by what they score of their own and the sum of their angles to those before.

    >>> draft = Draft(np.array([1.0, 0.5, 0.5]), Angular([[1, 0], [1, 1], [0, 1]]), k=2)
    >>> draft.run(), draft.picks, round(draft.spread(), 6)
    (True, [0, 2], 0.5)
    """

    def __init__(self, own: FloatArray, angular: Angular, k: int, rounding: float = 0.0) -> None:
        self._own, self._angular, self._k = own, angular, k
        self._rounding = rounding  # what a difference of scores may be moved by when they are made whole numbers
        # Roundings of d products go either way; two candidates, each measured here and by the objective: four errors.
        self._dot, self._arc = 4.0 * (math.sqrt(angular.vectors.shape[1]) + 4.0) * 2.0**-24, _ARC
        self._products: Callable[[Float32, Float32], Float32] = dots
        self._items: IntArray = np.empty(0, np.int64)  # the drafted; in key order at first
        self._vectors, self._shrink = angular.vectors[:0], angular.shrink[:0]  # theirs
        self._scores: FloatArray = np.empty(0)  # theirs in this round; -inf once picked
        self._places: list[int] = []  # of the picks, among the drafted
        self._best: list[float] = []  # their scores when they were picked
        self._doubt = [0.0]  # in every round, what a difference of scores may err by: at first there are no angles

    @property
    def picks(self) -> list[int]:
        """The picks."""
        picks: list[int] = self._items.take(self._places).tolist()
        return picks

    def spread(self) -> float:
        """Sum of the distances among the picks."""
        return (sum(self._best) - float(self._own.take(self.picks).sum())) / math.pi

    def run(self) -> bool:
        """Find the picks; False where that is better left to Algorithm 1."""
        n = len(self._own)
        first = max(_FIRST, _PER_PICK * self._k, n // _PART)
        if n * self._k <= _FEW or 2 * first >= n:
            self._items, self._scores = np.arange(n), self._own.copy()
            self._vectors, self._shrink = self._angular.all()
            # Everyone is measured in the same steps as by the objective.
            self._dot, self._arc, self._products = 0.0, _SUM, np.matmul
            return self._play()
        self._draft(np.flatnonzero(self._own >= np.partition(self._own, n - first)[n - first]))
        for _ in range(_PATIENCE):
            if not self._play():
                return False
            found = self._suspects()
            if found is None:
                return True
            late, items = found
            if 2 * late < self._k:  # relevance does not count for much
                return False
            del self._places[late:], self._best[late:]
            self._draft(np.concatenate((self._items, items)))
        return self._play() and self._suspects() is None

    def _play(self) -> bool:
        """Pick until there are k; False if a choice is too close."""
        scores = self._scores
        for late in range(len(self._places), self._k):
            place = int(scores.argmax())
            best, scores[place] = float(scores[place]), -math.inf
            if late and scores[scores.argmax()] >= best - self._doubt[late]:
                scores[place] = best
                leader = self._leader(np.flatnonzero(scores >= best - self._doubt[late]), late)
                if leader is None:
                    return False
                place, best, scores[leader] = leader, float(scores[leader]), -math.inf
            self._places.append(place)
            self._best.append(best)
            if late + 1 < self._k:
                scores += self._angles(place)
        return True

    def _leader(self, close: IntArray, late: int) -> int | None:
        """Who of these is the best, measured exactly; None if they are too many or too close even so."""
        if len(close) > _CLOSE or not self._dot:
            return None
        picks = exact_units(self._vectors.take(self._places, axis=0))
        cosines = np.clip(exact_units(self._vectors.take(close, axis=0)) @ picks.T, -1.0, 1.0)
        scores = self._own.take(self._items.take(close)) + np.arccos(cosines).sum(axis=1)
        *_, second, first = np.argsort(scores)
        doubt = self._rounding + _EXACTLY * (self._doubt[late] - self._rounding)
        return int(close[first]) if scores[first] - scores[second] > doubt else None

    def _angles(self, place: int) -> Float32 | FloatArray:
        """Angles of one more pick to the drafted."""
        cosine = self._products(self._vectors, self._vectors[place])
        cosine *= self._shrink
        cosine *= float(self._shrink[place])
        cosine[place] = 0.0  # it is not measured, so it does not count as near
        far = max(float(cosine[cosine.argmax()]), -float(cosine[cosine.argmin()]))
        # A cosine's error counts for more towards 1, up to where chords are measured.
        error = self._dot / math.sqrt(1.0 - min(far, NEAR) ** 2) + self._arc
        self._doubt.append((self._doubt[-1] or self._rounding) + error)
        if far <= NEAR:
            return np.arccos(cosine, out=cosine)
        apart: FloatArray = self._angular.apart(cosine[None, :], self._items[place : place + 1], self._items)[0]
        apart *= math.pi
        return apart

    def _draft(self, items: IntArray) -> None:
        """Draft these, those drafted before first, and measure them up to the present round."""
        self._items, self._scores = items, self._own.take(items)
        self._vectors, self._shrink = self._angular.of(items)
        del self._doubt[1:]
        for place in self._places:
            self._scores += self._angles(place)
            self._scores[place] = -math.inf

    def _suspects(self) -> tuple[int, IntArray] | None:
        """Find who was not drafted and might have been picked, and the first round of that."""
        rest = self._own.copy()
        rest[self._items] = -math.inf
        units = self._vectors.take(self._places, axis=0)
        units *= self._shrink.take(self._places)[:, None]
        return suspects(self._angular, rest, units, np.subtract(self._best, self._doubt))
