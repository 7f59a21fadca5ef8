"""The selection rule where the relevance is a public score: the scores of `Objective`, in fewer passes.

What a candidate adds to the relevance is the same in every round, so scoring all is one product and one sum.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from ..relevance.score import Score
from ..types import FRACTION_BITS, Distance, FloatArray, IntArray, Relevance
from .objective import PUBLIC_STEPS, Objective

# A float64 from 2^52 to 2^53 is a whole number, and its bits are those of an integer: adding 2^52 rounds, and the
# same bytes seen as int64 are the score, but for a shift that all candidates share.
_WHOLE = float(1 << 52)


class PublicObjective(Objective):
    """Objective for a relevance that is a public score, with λ neither 0 nor next to 1: see `scores_fit`.

    >>> from msd_sql.udfs.distances.angular import Angular
    >>> objective = PublicObjective(Score([0.5, 1.0], 2), Angular([[1, 0], [0, 1]]), k=2, diversity=0.5, weight=1.0)
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
        super().__init__(relevance, distance, k, diversity, weight, start)
        self.steps = self._pair * (1 << FRACTION_BITS) / self._unit  # what a distance of 1 scores

    @cached_property
    def _own(self) -> FloatArray:
        """What a candidate scores without its distances."""
        return np.add(self.relevance.gains(), _WHOLE, dtype=np.float64)

    def settle(self, picks: list[int], spread: float) -> None:
        """Take the picks of a greedy run elsewhere, with the sum of distances among them; nothing can be added then.

        >>> from msd_sql.udfs.distances.angular import Angular
        >>> objective = PublicObjective(Score([0.5, 1.0], 2), Angular([[1, 0], [0, 1]]), k=2, diversity=0.5, weight=1.0)
        >>> objective.settle([1, 0], 0.5)
        >>> objective.mean_distance(), objective.calls
        (0.5, 3)
        """
        self.relevance.clear()
        for item in picks:
            self.relevance.add(item)
        self.picks, self._spread, self._due = picks, spread, None
        self.calls = sum(range(self.n - len(picks) + 1, self.n + 1))

    def marginals(self, candidates: IntArray) -> IntArray:
        """Score adding each of the candidates."""
        self.calls += len(candidates)
        if not self.picks:
            return self._own.take(candidates).view(np.int64)
        self._catch_up()
        scores = self._near * self.steps
        scores += self._own
        return scores.take(candidates).view(np.int64)


def scores_fit(relevance: Relevance, diversity: float, k: int, weight: float) -> bool:
    """Tell whether `PublicObjective` can be used: scores must be public and stay below 2^53.

    >>> scores_fit(Score([0.5, 0.5], k=2), 0.5, 2, 1.0), scores_fit(Score([0.5, 0.5], k=2), 1 - 2**-30, 2, 1.0)
    (True, False)
    """
    if not (isinstance(relevance, Score) and 0.0 < diversity < 1.0 and k > 1):
        return False
    return 2.0 * diversity * PUBLIC_STEPS / (weight * (1.0 - diversity)) < _WHOLE / 2.0
