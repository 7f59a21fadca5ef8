"""Random: a random feasible base, the paper's floor for every private method (section 7.1). Reads nothing private."""

from __future__ import annotations

import numpy as np

from ..objective.objective import Objective
from ..types import Matroid, Mechanism, Source


def random_pick(
    objective: Objective, matroid: Matroid, mechanism: Mechanism, source: Source, *, k: int, gamma: float
) -> list[int]:
    """Add one of the candidates that still fit until there are k: a uniform subset when only their number is limited.

    >>> from msd_sql.udfs import Argmax, Score, SeededSource, Uniform
    >>> objective = Objective(Score([0.1, 0.9, 0.5], k=2), None, k=2, diversity=0.0, weight=1.0)
    >>> len(random_pick(objective, Uniform(3, 2), Argmax(), SeededSource(0), k=2, gamma=0.1))
    2
    """
    picks = list(matroid.start)
    while len(picks) < k:
        left = np.flatnonzero(matroid.addable(picks))
        if not len(left):
            break
        picks.append(int(left[source.randbelow(len(left))]))
    return picks
