"""Rel and DP-RelG: greedy on the relevance alone, λ = 0 in the rule (Mitrovic et al.; paper, section 7.1)."""

from __future__ import annotations

from ..objective.objective import Objective
from ..types import Matroid, Mechanism, Source
from .greedy import greedy


def rel(
    objective: Objective, matroid: Matroid, mechanism: Mechanism, source: Source, *, k: int, gamma: float
) -> list[int]:
    """Pick until there are k items, greedily among those that fit, with an objective made without diversity.

    >>> from msd_sql.udfs import Argmax, Score, SeededSource, Uniform
    >>> objective = Objective(Score([0.1, 0.9, 0.5], k=2), None, k=2, diversity=0.0, weight=1.0)
    >>> rel(objective, Uniform(3, 2), Argmax(), SeededSource(0), k=2, gamma=0.1)
    [1, 2]
    """
    return greedy(objective, matroid, mechanism, source, k=k, gamma=gamma)
