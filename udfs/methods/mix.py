"""Mix and DP-Mix: half of the picks at random, the rest by relevance given those (paper, section 7.1)."""

from __future__ import annotations

from ..objective.objective import Objective
from ..types import Matroid, Mechanism, Source
from .random_pick import random_pick
from .rel import rel


def mix(
    objective: Objective, matroid: Matroid, mechanism: Mechanism, source: Source, *, k: int, gamma: float
) -> list[int]:
    """Fill half of the free slots, rounded down, at random (public), then the others as `rel` does.

    Only the latter read private data.

    >>> from msd_sql.udfs import Argmax, Score, SeededSource, Uniform
    >>> objective = Objective(Score([0.1, 0.9, 0.5], k=2), None, k=2, diversity=0.0, weight=1.0)
    >>> len(mix(objective, Uniform(3, 2), Argmax(), SeededSource(0), k=2, gamma=0.1))
    2
    """
    there = len(objective.picks)
    half = there + (k - there) // 2
    for item in random_pick(objective, matroid, mechanism, source, k=half, gamma=gamma)[there:]:
        objective.add(item)
    return rel(objective, matroid, mechanism, source, k=k, gamma=gamma)
