"""NOSG and DP-NOSG: non-oblivious sample greedy, Algorithm 2 of the paper with g(i) = k-i+1 (section 5.1)."""

from __future__ import annotations

import math

import numpy as np

from ..objective.objective import Objective
from ..types import IntArray, Matroid, Mechanism, Source


def nosg(
    objective: Objective, matroid: Matroid, mechanism: Mechanism, source: Source, *, k: int, gamma: float
) -> list[int]:
    """Pick until there are k items, each chosen among a uniform sample that grows as fewer picks remain.

    >>> from msd_sql.udfs import Argmax, Score, SeededSource, Uniform
    >>> objective = Objective(Score([0.1, 0.9, 0.5], k=2), None, k=2, diversity=0.0, weight=1 / 1.9)
    >>> len(nosg(objective, Uniform(3, 2), Argmax(), SeededSource(0), k=2, gamma=0.1))
    2
    """
    while len(objective.picks) < k:
        left = np.flatnonzero(matroid.addable(objective.picks))
        if not len(left):
            break
        sample = share(left, k - len(objective.picks), gamma, source)
        marginals = objective.marginals(sample)
        objective.add(int(sample[mechanism.choose(marginals)]))
    return objective.picks


def share(left: IntArray, g: int, gamma: float, source: Source) -> IntArray:
    """Draw the uniform sample V_i of N_i: ceil(|N_i|·min(ln(1/γ)/g(i), 1)) of them, in key order."""
    size = math.ceil(len(left) * min(math.log(1.0 / gamma) / g, 1.0))
    return left[source.sample(len(left), size)]
