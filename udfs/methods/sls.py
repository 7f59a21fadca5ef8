"""DP-SLS: sample local search over the bases of a matroid, Algorithm 3 of the paper (section 6; rank 2: appendix E).

As printed, for comparisons; `local_search` needs far fewer rounds for the same guarantee.
"""

from __future__ import annotations

import math

import numpy as np

from ..objective.objective import Objective
from ..types import Matroid, Mechanism, Source


def swap_rounds(k: int, gamma: float) -> int:
    """T = ceil(2k·ln(8k) / (γ(1-1/e))) + 1: public and fixed, never cut short by what the data say.

    >>> swap_rounds(6, 0.1)
    736
    """
    return math.ceil(2 * k * math.log(8 * k) / (gamma * (1 - 1 / math.e))) + 1


def sls(
    objective: Objective, matroid: Matroid, mechanism: Mechanism, source: Source, *, k: int, gamma: float
) -> list[int]:
    """Swap T times from a public base, then choose among the T solutions; k is the rank.

    >>> from msd_sql.udfs import Argmax, Score, SeededSource, Uniform
    >>> objective = Objective(Score([0.1, 0.9, 0.5], k=2), None, k=2, diversity=0.0, weight=1.0)
    >>> sorted(sls(objective, Uniform(3, 2), Argmax(), SeededSource(0), k=2, gamma=0.5))
    [1, 2]
    """
    free = k - len(objective.picks)  # the slots that are drawn for
    for item in matroid.base():
        if item not in objective.picks:
            objective.add(item)
    objective.calls += 1  # φ(S_0), the value of the first dummy; later ones are known from the swap made
    solutions, standings = [], []
    for _ in range(swap_rounds(free, gamma)):
        sample = source.sample(matroid.n, math.ceil(matroid.n / free))
        feasible = matroid.swappable(objective.picks, sample)
        scores = objective.swaps(sample, feasible)
        choice = mechanism.choose(scores)
        if choice < len(scores) - 1:  # the last one is the dummy: the solution stays as it is
            slots, columns = np.nonzero(feasible)
            objective.swap(int(slots[choice]), int(sample[columns[choice]]))
        solutions.append(tuple(objective.picks))
        standings.append(objective.standing())
    return list(solutions[mechanism.choose(objective.compare(standings))])
