"""The methods by name, with what a plan has to know of each (docs/algorithms.md)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol

from ..errors import InputError, suggest
from ..objective.objective import Objective
from ..types import Matroid, Mechanism, Source
from .greedy import greedy
from .local_search import local_search, swap_rounds
from .ls import ls
from .mix import mix
from .nosg import nosg
from .osg import osg
from .random_pick import random_pick
from .rel import rel


class Run(Protocol):
    """What every method looks like: it fills the objective's picks and returns the chosen ones in order."""

    def __call__(
        self, objective: Objective, matroid: Matroid, mechanism: Mechanism, source: Source, *, k: int, gamma: float
    ) -> list[int]:
        """Choose k items; k is the rank of the matroid."""
        ...


def _one(gamma: float) -> float:
    return 1.0


def _picks(k: int, gamma: float) -> int:
    return k


def _none(k: int, gamma: float) -> int:
    return 0


@dataclass(frozen=True)
class Method:
    """A method by name: how to run it, its weight c on relevance, its draws, and where it makes sense."""

    name: str
    run: Run
    guarantee: str
    doc: str
    weight: Callable[[float], float] = _one  # c, of γ
    rounds: Callable[[int, float], int] = _picks  # draws from the mechanism, of k and γ; 0 when not fixed in advance
    monotone: bool = True  # picks are only ever added, which `telescoping` and its like need
    any_matroid: bool = False
    reads_relevance: bool = True
    weighs_diversity: bool = True
    can_be_private: bool = True


_ALL = (
    Method(
        "greedy",
        greedy,
        "1/2",
        "The best marginal of f/2 + diversity among all that are left (DP-Greedy with eps).",
        weight=lambda gamma: 0.5,
    ),
    Method(
        "nosg",
        nosg,
        "1/2 - γ",
        "Greedy on a sample that grows as picks run out (DP-NOSG with eps).",
        weight=lambda gamma: 1.0 / (2.0 - gamma),
    ),
    Method("osg", osg, "1 - 2/e - γ - 1/k", "Greedy on a sample of about ln(1/γ)·n/k (DP-OSG with eps)."),
    Method(
        "local_search",
        local_search,
        "1/2 - γ",
        "Swaps on samples under any constraint, then the best solution met (DP-SLS with eps).",
        rounds=lambda k, gamma: swap_rounds(k, gamma) + 1,
        monotone=False,
        any_matroid=True,
    ),
    Method(
        "ls",
        ls,
        "1/2 - γ",
        "Best swap from the best pair while it gains enough (Borodin et al.); not private.",
        rounds=_none,
        monotone=False,
        any_matroid=True,
        can_be_private=False,
    ),
    Method(
        "random",
        random_pick,
        "none",
        "A random feasible selection: a baseline that reads nothing private.",
        rounds=_none,
        any_matroid=True,
        reads_relevance=False,
        weighs_diversity=False,
    ),
    Method(
        "rel",
        rel,
        "1 - 1/e of relevance alone",
        "Greedy on relevance alone: a baseline (DP-RelG with eps).",
        any_matroid=True,
        weighs_diversity=False,
    ),
    Method(
        "mix",
        mix,
        "none",
        "Half of the picks at random, the rest as rel: a baseline (DP-Mix with eps).",
        rounds=lambda k, gamma: k - k // 2,
        weighs_diversity=False,
    ),
)
METHODS: Mapping[str, Method] = MappingProxyType({method.name: method for method in _ALL})


def method_named(name: str) -> Method:
    """Find the method of that name, or raise an error that suggests the nearest one.

    >>> method_named("nosg").guarantee
    '1/2 - γ'
    """
    if name not in METHODS:
        raise InputError(suggest("method", name, ["auto", *METHODS]))
    return METHODS[name]
