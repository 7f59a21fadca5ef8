"""Greedy and DP-Greedy: Algorithm 1 of the paper (section 4), with φ' = f/2 + λd as the objective it is given."""

from __future__ import annotations

import numpy as np

from ..objective.objective import Objective
from ..types import Matroid, Mechanism, Source


def greedy(
    objective: Objective, matroid: Matroid, mechanism: Mechanism, source: Source, *, k: int, gamma: float
) -> list[int]:
    """Pick until there are k items, each chosen among all that still fit by its marginal; fewer if nothing fits.

    >>> import numpy as np
    >>> from msd_sql.udfs import Argmax, Score, SeededSource, Uniform
    >>> objective = Objective(Score([0.1, 0.9, 0.5], k=2), None, k=2, diversity=0.0, weight=0.5)
    >>> greedy(objective, Uniform(3, 2), Argmax(), SeededSource(0), k=2, gamma=0.1)
    [1, 2]
    """
    while len(objective.picks) < k:
        left = np.flatnonzero(matroid.addable(objective.picks))
        if not len(left):
            break
        marginals = objective.marginals(left)
        objective.add(int(left[mechanism.choose(marginals)]))
    return objective.picks
