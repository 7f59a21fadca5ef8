"""OSG and DP-OSG: oblivious sample greedy, Algorithm 2 of the paper with g(i) = min(k, n-i+1) (section 5.2)."""

from __future__ import annotations

import numpy as np

from ..objective.objective import Objective
from ..types import Matroid, Mechanism, Source
from .nosg import share


def osg(
    objective: Objective, matroid: Matroid, mechanism: Mechanism, source: Source, *, k: int, gamma: float
) -> list[int]:
    """Pick until there are k items, each chosen among a uniform sample of about ln(1/γ)·n/k.

    >>> from msd_sql.udfs import Argmax, Score, SeededSource, Uniform
    >>> objective = Objective(Score([0.1, 0.9, 0.5], k=2), None, k=2, diversity=0.0, weight=1.0)
    >>> len(osg(objective, Uniform(3, 2), Argmax(), SeededSource(0), k=2, gamma=0.1))
    2
    """
    free = k - len(objective.picks)
    while len(objective.picks) < k:
        left = np.flatnonzero(matroid.addable(objective.picks))
        if not len(left):
            break
        sample = share(left, min(free, len(left)), gamma, source)
        marginals = objective.marginals(sample)
        objective.add(int(sample[mechanism.choose(marginals)]))
    return objective.picks
