"""LS: the non-private local search of Borodin et al. (paper, section 6) with swaps that gain a factor of 1+γ/k."""

from __future__ import annotations

import numpy as np

from ..objective.objective import Objective
from ..types import Matroid, Mechanism, Source
from .greedy import greedy


def ls(
    objective: Objective, matroid: Matroid, mechanism: Mechanism, source: Source, *, k: int, gamma: float
) -> list[int]:
    """Start from a base around the best feasible pair and take the best swap for as long as it is worth it.

    It stops on what the data say, so it has no private form.

    >>> from msd_sql.udfs import Argmax, Score, SeededSource, Uniform
    >>> objective = Objective(Score([0.1, 0.9, 0.5], k=2), None, k=2, diversity=0.0, weight=1.0)
    >>> ls(objective, Uniform(3, 2), Argmax(), SeededSource(0), k=2, gamma=0.1)
    [1, 2]
    """
    for item in best_pair(objective, matroid, mechanism):
        objective.add(item)
    while len(objective.picks) < k and matroid.addable(objective.picks).any():
        objective.add(int(np.argmax(matroid.addable(objective.picks))))
    return improved(objective, matroid, mechanism, k=k, gamma=gamma)


def ls_greedy(
    objective: Objective, matroid: Matroid, mechanism: Mechanism, source: Source, *, k: int, gamma: float
) -> list[int]:
    """Do the same from a base that is filled greedily: n·k oracle calls instead of n²/2 before the first swap.

    >>> from msd_sql.udfs import Argmax, Score, SeededSource, Uniform
    >>> objective = Objective(Score([0.1, 0.9, 0.5], k=2), None, k=2, diversity=0.0, weight=1.0)
    >>> ls_greedy(objective, Uniform(3, 2), Argmax(), SeededSource(0), k=2, gamma=0.1)
    [1, 2]
    """
    greedy(objective, matroid, mechanism, source, k=k, gamma=gamma)
    return improved(objective, matroid, mechanism, k=k, gamma=gamma)


def improved(objective: Objective, matroid: Matroid, mechanism: Mechanism, *, k: int, gamma: float) -> list[int]:
    """Take the best swap for as long as it gains a factor of 1 + γ/k."""
    everything = np.arange(matroid.n)
    while True:
        feasible = matroid.swappable(objective.picks, everything)
        scores = objective.swaps(everything, feasible)
        choice = mechanism.choose(scores)
        if choice == len(scores) - 1:
            return objective.picks
        slots, columns = np.nonzero(feasible)
        slot, before, held = int(slots[choice]), objective.value(), objective.picks[slots[choice]]
        objective.swap(slot, int(columns[choice]))
        if objective.value() <= before * (1 + gamma / k):
            objective.swap(slot, held)
            return objective.picks


def best_pair(objective: Objective, matroid: Matroid, mechanism: Mechanism) -> list[int]:
    """Find the feasible pair of the highest value beside what is pinned; n² / 2 oracle calls. Empty if none."""
    best: list[int] = []
    highest = -np.inf
    there = list(matroid.start)
    for first in np.flatnonzero(matroid.addable(there)):
        objective.add(int(first))
        partners = np.flatnonzero(matroid.addable(objective.picks))
        partners = partners[partners > first]
        if len(partners):
            objective.add(int(partners[mechanism.choose(objective.marginals(partners))]))
            if objective.value() > highest:
                best, highest = objective.picks[len(there) :], objective.value()
        objective.clear()
    return best
