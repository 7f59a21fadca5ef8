"""Local search from a greedy start: (k/2)·ln(1/(2γ)) swaps under any matroid (docs/algorithms.md, "Local search").

A swap closes a fixed part of the gap to half of the optimum, so a few of them are enough from any start, and the last
solution is the answer. Everything that is drawn is paid for jointly (docs/privacy.md).
"""

from __future__ import annotations

import math

import numpy as np

from ..objective.objective import Objective
from ..types import Matroid, Mechanism, Source
from .greedy import greedy


def swap_rounds(k: int, gamma: float) -> int:
    """T = ceil((k/2)·ln(1/(2γ))) for k free slots: public and fixed, never cut short by what the data say.

    >>> swap_rounds(6, 0.1), swap_rounds(6, 0.5)
    (5, 0)
    """
    return max(0, math.ceil(k / 2 * math.log(1 / (2 * gamma)))) if k else 0


def local_search(
    objective: Objective, matroid: Matroid, mechanism: Mechanism, source: Source, *, k: int, gamma: float
) -> list[int]:
    """Fill the slots greedily among what fits, then swap T times, each among all feasible swaps and none.

    >>> from msd_sql.udfs import Argmax, Score, SeededSource, Uniform
    >>> objective = Objective(Score([0.1, 0.9, 0.5], k=2), None, k=2, diversity=0.0, weight=1.0)
    >>> local_search(objective, Uniform(3, 2), Argmax(), SeededSource(0), k=2, gamma=0.1)
    [1, 2]
    """
    rounds = swap_rounds(k - len(objective.picks), gamma)
    greedy(objective, matroid, mechanism, source, k=k, gamma=gamma)
    everything = np.arange(matroid.n)
    for _ in range(rounds):
        feasible = matroid.swappable(objective.picks, everything)
        choice = mechanism.choose(objective.swaps(everything, feasible))
        place = np.flatnonzero(feasible)
        if choice < len(place):  # the last one is the dummy: the solution stays as it is
            slot, item = divmod(int(place[choice]), matroid.n)
            objective.swap(slot, item)
    return objective.picks
