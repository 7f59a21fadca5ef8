"""The selection rule for the best choice by a public score: only those who can be the best are measured.

Nobody exceeds its public score plus the most that distances to the picks can sum to. Candidates for whom that stays
below the best one measured are left alone: a threshold algorithm (Fagin, Lotem, Naor 2003) with the bound of
`angular_front.py`. The best candidate and its score are those of `Objective`; the others may get 0. For `Argmax` only.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np

from ..distances.among import sum_among
from ..types import Distance, FloatArray, IntArray, Relevance
from .objective import Standing
from .public import PublicObjective

MANY = 1 << 18  # distances to all picks; for fewer it costs more to find out whom to leave alone than to measure all
_FIRST = 16  # one candidate in so many is measured in any case
_MARGIN = 0.2  # the front grows by this part of the bound's uncertainty more than it must, so that it does so seldom
_NOBODY = -1.0


class Front(Protocol):
    """Some candidates whose distances to the picks are summed, and a bound for all others."""

    items: IntArray
    near: FloatArray  # of each item, the sum of its distances to the picks

    def extend(self, items: IntArray) -> None:
        """Measure more candidates."""
        ...

    def add(self, item: int) -> None:
        """Append a pick."""
        ...

    def at_most(self) -> float:
        """What no candidate's sum of distances to the picks exceeds, quickly."""
        ...

    def at_most_closely(self) -> float:
        """The same with more effort, and closer."""
        ...


@runtime_checkable
class Fronted(Distance, Protocol):
    """A distance that has a front."""

    def front(self, slots: int) -> Front:
        """Return one without picks and items, for that many picks."""
        ...


class FrontObjective(PublicObjective):
    """PublicObjective that measures a growing front of candidates, the distance of which must be `Fronted`.

    >>> from msd_sql.udfs import Angular, Score
    >>> objective = FrontObjective(Score([0.5, 1.0], 2), Angular([[1, 0], [0, 1]]), k=2, diversity=0.5, weight=1.0)
    >>> int(objective.marginals(np.array([0, 1])).argmax())
    1
    """

    def __init__(
        self,
        relevance: Relevance,
        distance: Distance | None,
        k: int,
        diversity: float,
        weight: float,
        start: Sequence[int] = (),
    ) -> None:
        super().__init__(relevance, distance, k, diversity, weight)
        assert isinstance(distance, Fronted)
        assert not start  # the front's sums give every pick the same weight
        self._fronted: Fronted = distance
        self._slots: int = k
        self._open()

    def marginals(self, candidates: IntArray) -> IntArray:
        """Score adding each of the candidates that may be the best; the others get 0."""
        self._begin()
        if not self.picks or not len(candidates):
            return super().marginals(candidates)
        self._catch_up()
        while not self._everyone:
            self._scored[self._front.items] = self._front.near * self.steps + self._front_own
            scores = self._scored.take(candidates)
            best = float(scores[scores.argmax()])
            if self._decided(best, self._front.at_most()) or self._decided(best, self._front.at_most_closely()):
                self.calls += len(candidates)
                return scores.view(np.int64)
            self._grow(candidates, best)
        return super().marginals(candidates)

    def add(self, item: int) -> None:
        """Append an item to the picks."""
        if self._everyone:
            super().add(item)
            return
        self._begin()
        self.relevance.add(item)
        self._catch_up()
        self._due = int(item)
        self._outside[item] = _NOBODY
        self._rows = None
        self.picks.append(int(item))

    def swap(self, slot: int, item: int) -> None:
        """Put an item in the place of a pick."""
        self._measure_everyone()
        super().swap(slot, item)

    def standing(self) -> Standing:
        """Return what `compare` needs to remember of the present picks."""
        self._measure_picks()
        return super().standing()

    def mean_distance(self) -> float | None:
        """Mean distance of the picks' pairs, a public fact; None where it was not kept track of."""
        self._measure_picks()
        return super().mean_distance()

    def clear(self) -> None:
        """Forget the picks (and keep counting the calls)."""
        super().clear()
        self._open()

    def _open(self) -> None:
        self._everyone = self._begun = False  # are all measured, as in any objective? is anyone?

    def _begin(self) -> None:
        """Make room for the front, unless all are measured: not before somebody asks (a draft does not)."""
        if self._everyone or self._begun:
            return
        self._begun = True
        self._front = self._fronted.front(self._slots)
        self._front_own: FloatArray = np.empty(0)
        self._scored: FloatArray = np.zeros(self.n)  # scores of the front, 0 for others
        self._outside: FloatArray = self._own.copy()  # of those neither in the front nor picked
        self._cut = np.inf  # those outside score less than this without their distances

    def _catch_up(self) -> None:
        if self._everyone:
            super()._catch_up()
        elif self._due is not None:
            self._front.add(self._due)
            self._due = None

    def _all_near(self) -> FloatArray:
        self._measure_everyone()
        return super()._all_near()

    def _decided(self, best: float, most: float) -> bool:
        """Tell whether everybody outside scores less than the best one, with distances that sum to this at most."""
        return self._cut + self.steps * most < best

    def _grow(self, candidates: IntArray, best: float) -> None:
        """Take in all that may be the best, and some more."""
        if self._cut == np.inf:
            first = max(1, self.n // _FIRST)
            self._cut = float(np.partition(self._outside, -first)[-first])
        else:
            picks, most = len(self.picks), self._front.at_most_closely()
            sure = max(best, float(self._own.take(candidates).max()))  # no distance is below 0
            margin = min(_MARGIN, math.sqrt(max(1.0, (self._slots - 1) / picks)) - 1.0)  # what the picks to come need
            self._cut = sure - self.steps * (most + margin * (most - picks / 2.0)) - 2.0  # more than rounding here
        new = np.flatnonzero(self._outside >= self._cut)
        if 2 * (len(self._front.items) + len(new)) > self.n:
            self._measure_everyone()
        elif len(new):
            self._outside[new] = _NOBODY
            self._front.extend(new)
            self._front_own = np.concatenate((self._front_own, self._own.take(new)))

    def _measure_everyone(self) -> None:
        if not self._everyone:
            self._measure_picks()
            self._everyone = True
            self._near = np.zeros(self.n)
            for pick in self.picks:
                self._near += self._row(pick)
            self._due = None

    def _measure_picks(self) -> None:
        if not self._everyone and self.picks:
            self._spread = sum_among(self._fronted, self.picks)
