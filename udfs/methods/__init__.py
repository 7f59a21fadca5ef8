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
from .ls import ls, ls_greedy
from .mix import mix
from .nosg import nosg
from .osg import osg
from .random_pick import random_pick
from .rel import rel
from .sls import sls
from .sls import swap_rounds as sls_rounds


class Run(Protocol):
    """What every method looks like: it fills the objective's picks and returns the chosen ones in order."""

    def __call__(
        self, objective: Objective, matroid: Matroid, mechanism: Mechanism, source: Source, *, k: int, gamma: float
    ) -> list[int]:
        """Choose until there are k items, the rank of the matroid; picks that are there already stay."""
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
    # Draws from the mechanism that add a pick and draws among swaps, of the free slots and γ; 0 when not fixed.
    adds: Callable[[int, float], int] = _picks
    swaps: Callable[[int, float], int] = _none
    gamma: float = 0.1  # unless another γ is asked for
    takes_gamma: bool = True  # does γ change what it does?
    any_matroid: bool = False
    reads_relevance: bool = True
    weighs_diversity: bool = True
    can_be_private: bool = True

    @property
    def monotone(self) -> bool:
        """True when picks are only ever added, which `telescoping` and its like need."""
        return self.swaps is _none

    def rounds(self, k: int, gamma: float) -> int:
        """Draws from the mechanism for k free slots; 0 when their number is not fixed in advance.

        >>> METHODS["local_search"].rounds(6, 0.1)
        11
        """
        return self.adds(k, gamma) + self.swaps(k, gamma)


_ALL = (
    Method(
        "greedy",
        greedy,
        "1/2",
        "The best marginal of f/2 + diversity among all that are left (DP-Greedy with eps).",
        weight=lambda gamma: 0.5,
        takes_gamma=False,
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
        "Greedy under any constraint, then (k/2)·ln(1/(2γ)) swaps among all candidates.",
        swaps=swap_rounds,
        gamma=0.4,  # measured on four data sets: docs/algorithms.md
        any_matroid=True,
    ),
    Method(
        "sls",
        sls,
        "1/2 - γ",
        "Many swaps on samples, then the best solution met: the paper's DP-SLS, for comparisons.",
        adds=_none,
        swaps=lambda k, gamma: sls_rounds(k, gamma) + 1,
        any_matroid=True,
    ),
    Method(
        "ls",
        ls,
        "1/2 - γ",
        "Best swap from the best pair while it gains enough (Borodin et al.); not private.",
        adds=_none,
        any_matroid=True,
        can_be_private=False,
    ),
    Method(
        "ls_greedy",
        ls_greedy,
        "1/2 - γ",
        "As ls, from a greedy start: far faster, and as good in nearly all that was measured; not private.",
        adds=_none,
        any_matroid=True,
        can_be_private=False,
    ),
    Method(
        "random",
        random_pick,
        "none",
        "A random feasible selection: a baseline that reads nothing private.",
        adds=_none,
        any_matroid=True,
        takes_gamma=False,
        reads_relevance=False,
        weighs_diversity=False,
    ),
    Method(
        "rel",
        rel,
        "1 - 1/e of relevance alone",
        "Greedy on relevance alone: a baseline (DP-RelG with eps).",
        takes_gamma=False,
        any_matroid=True,
        weighs_diversity=False,
    ),
    Method(
        "mix",
        mix,
        "none",
        "Half of the picks at random, the rest as rel: a baseline (DP-Mix with eps).",
        adds=lambda k, gamma: k - k // 2,
        takes_gamma=False,
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
