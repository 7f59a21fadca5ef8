"""What the audit looks at: all small data sets, and three instances built to make a bound nearly tight.

Lure: everything draws the picks to one item that only x' has, and they miss it every time (`telescoping`, `basic`).
Chain: round after round x' is covered with a small probability and is not (`coverage`, `decomposable`).
Coin: every round of a local search is a fresh coin whose bias depends on the unit (`zcdp`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypedDict

import numpy as np

from ..matroids import Partition, Uniform
from ..methods import METHODS
from ..methods.sls import swap_rounds
from ..privacy.accounting import candidates
from ..relevance.best_match import BestMatch, BestMatchIndex
from ..relevance.coverage import Coverage, CoverageIndex
from ..types import ONE, FloatArray, Matroid, Relevance
from .exact import Divergence, Offsets, Prefix, Question, divergence, transcripts
from .neighbours import Build, Dataset, Family, family

HALF = ONE // 2

Measure = Callable[[float, float, float], Divergence]  # of eta, ε and δ


class Facts(TypedDict):
    """What `accounting.candidates` has to be told."""

    rounds: int
    n: int
    k: int
    cap: int
    binary: bool
    swaps: int


@dataclass(frozen=True)
class Case:
    """An instance (or a family of them), the bounds that claim something about it, and how to measure it."""

    name: str
    method: str
    facts: Facts
    claims: Sequence[tuple[str, float, float]]  # bound, ε, δ
    measure: Measure


@dataclass(frozen=True)
class Finding:
    """A claim and the truth about it."""

    case: Case
    bound: str
    eps: float
    delta: float
    found: Divergence

    @property
    def verdict(self) -> str:
        """Say whether the claim holds; what was lumped together counts against it."""
        if self.found.delta_low > self.delta:
            return "VIOLATED"
        return "holds" if self.found.delta_high <= self.delta else "UNDECIDED"


def audit(cases: Sequence[Case], factor: float = 1.0) -> Iterator[Finding]:
    """Measure every claim of every case, with the noise that the accounting gives (eta times `factor`).

    A factor of 2 is what a sensitivity of half the true one does: the audit has to notice.
    """
    for case in cases:
        for bound, eps, delta in case.claims:
            calibration = candidates(eps, delta, **case.facts)[bound]
            claimed = calibration.delta_used
            yield Finding(case, bound, eps, claimed, case.measure(calibration.eta * factor, eps, claimed))


def cases(quick: bool = False) -> list[Case]:
    """List all cases; the quick ones are of the same kinds, with fewer units and shorter runs."""
    m = 3 if quick else 5
    every = [*_ONCE, ("coverage", 4.0, 1e-3), ("covering", 4.0, 1e-3)]
    drawn = np.random.default_rng(7).random((4, 4))
    random, corner = (drawn + drawn.T) / 2, np.array([[0, 1, 1, 1], [1, 0, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0]], float)
    apart = Partition(np.array([0, 0, 1, 1]), 1, 2)
    both = ("basic", 4.0, 0.0), ("renyi", 4.0, 1e-3)
    found = [
        _everyone("random offsets", "greedy", 2 if quick else 3, m, every, offsets=random),
        _everyone("adversarial offsets", "greedy", 2, m, every, offsets=corner),
        _everyone("random offsets", "nosg", 2, m, every[-2:] if quick else every, offsets=random),
        _everyone("random offsets", "osg", 2, m, every[-2:] if quick else every, offsets=random),
        _everyone("quota", "rel", 2, m, every[-2:] if quick else every, matroid=apart),
        _everyone("no offsets", "mix", 3, m, every[-2:] if quick else every),
        _everyone("cap 2", "greedy", 3, 3 if quick else 4, _MONOTONE, offsets=random, cap=2),
        _everyone("quota, 1 round", "sls", 2, m, both, offsets=random, matroid=apart, draws=1),
        _everyone("quota, 1 swap", "local_search", 2, 3, both, offsets=random, matroid=apart, gamma=0.2),
        _everyone("cap 2, 1 round", "sls", 2, 3, both, offsets=corner, cap=2, draws=1),
        _everyone("clamped offsets", "greedy", 2, 3, _MONOTONE[::4], offsets=random, diversity=0.999999),
        _matches("random offsets", "greedy", _ONCE, random[:3, :3]),
        _lure(1, [("basic", 1.0, 0.0)]),
        _lure(3, [("basic", 1.0, 0.0), ("telescoping", 1.0, 1e-15), ("covering", 1.0, 1e-15)]),
        _lure(4, [("basic", 1.0, 0.0), ("telescoping", 1.0, 1e-15)], cap=2),
        _coin(
            [("basic", 4.0, 0.0), ("advanced", 4.0, 1e-2), ("zcdp", 2.0, 1e-2), ("renyi", 2.0, 1e-2)],
            draws=6 if quick else None,
        ),
    ]
    if quick:
        return [
            *found,
            _chain(
                40,
                [("coverage", 4.0, 1e-3), ("decomposable", 4.0, 1e-4), ("clocks", 4.0, 1e-3), ("covering", 4.0, 1e-3)],
                chance=0.25,
            ),
        ]
    return [
        *found,
        _everyone("quota, 2 rounds", "sls", 2, 3, both, offsets=random, matroid=apart, draws=2),
        _chain(
            90,
            [("coverage", 4.0, 1e-3), ("decomposable", 4.0, 1e-4), ("clocks", 4.0, 1e-3), ("covering", 4.0, 1e-3)],
            chance=0.12,
        ),
    ]


_MONOTONE = (
    ("basic", 4.0, 0.0),
    ("advanced", 4.0, 1e-3),
    ("zcdp", 4.0, 1e-3),
    ("decomposable", 4.0, 1e-3),
    ("telescoping", 4.0, 1e-9),
    ("renyi", 4.0, 1e-3),
)
_ONCE = (*_MONOTONE, ("clocks", 4.0, 1e-3))


def _facts(method: str, n: int, k: int, gamma: float, cap: int, binary: bool, draws: int | None) -> Facts:
    known = METHODS[method]
    adds, swaps = known.adds(k, gamma), known.swaps(k, gamma)
    if draws is not None:
        adds = min(adds, draws)
        swaps = min(swaps, draws - adds)
    return {"rounds": adds + swaps, "n": n, "k": k, "cap": cap, "binary": binary, "swaps": swaps}


def _everyone(
    name: str,
    method: str,
    k: int,
    m: int,
    claims: Sequence[tuple[str, float, float]],
    *,
    offsets: FloatArray | None = None,
    matroid: Matroid | None = None,
    cap: int = 1,
    diversity: float = 0.5,
    draws: int | None = None,
    gamma: float = 0.5,
) -> Case:
    """All data sets of m units over four items, where a unit has any set of them."""
    n = 4
    public = Offsets(np.zeros((n, n)) if offsets is None else offsets)
    question = Question(method, k, matroid or Uniform(n, k), public, diversity, gamma)

    def build(dataset: Dataset) -> Relevance:
        pairs = [(item, unit) for unit, kind in enumerate(dataset) for item in range(n) if kind >> item & 1]
        return _coverage(pairs, n, m, k, cap)

    facts = _facts(method, n, k, question.gamma, cap, cap == 1, draws)
    return Case(f"all n={n} k={k} m={m}, {name}", method, facts, claims, _worst(question, build, 2**n, m, draws))


def _matches(name: str, method: str, claims: Sequence[tuple[str, float, float]], offsets: FloatArray) -> Case:
    """All data sets of two units over three items, where a unit matches each item by 0, one half or 1."""
    n, k, m = 3, 2, 2
    question = Question(method, k, Uniform(n, k), Offsets(offsets), 0.5)

    def build(dataset: Dataset) -> Relevance:
        entries = [(unit, item, kind // 3**item % 3 * HALF) for unit, kind in enumerate(dataset) for item in range(n)]
        units, items, similarities = np.array(entries, dtype=np.int64).T
        return BestMatch(BestMatchIndex.from_triples(units, items, similarities, n), m=m)

    facts = _facts(method, n, k, question.gamma, 1, False, None)
    measure = _worst(question, build, 3**n, m, None)
    return Case(f"all n={n} k={k} m={m}, best_match, {name}", method, facts, claims, measure)


def _worst(question: Question, build: Build, kinds: int, m: int, draws: int | None) -> Measure:
    """Measure the worst pair of all neighbours; the runs are made once, for the first claim that asks."""

    @cache
    def everyone() -> Family:
        return family(question, build, kinds, m, draws=draws)

    def measure(eta: float, eps: float, delta: float) -> Divergence:
        found = [
            divergence(transcripts(question, build(left), build(right), eta, draws=draws), eps, delta)
            for left, right in everyone().worst(eta, eps, delta)
        ]
        return Divergence(
            max(one.eps for one in found), max(one.delta_low for one in found), max(one.delta_high for one in found)
        )

    return measure


def _lure(k: int, claims: Sequence[tuple[str, float, float]], cap: int = 1) -> Case:
    """Unit x has the first `cap` items; x' has the last one, which draws all but a thousandth of every round."""
    n = k + 1
    question = Question("greedy", k, Uniform(n, k), Offsets(np.zeros((n, n))), 0.0)

    def measure(eta: float, eps: float, delta: float) -> Divergence:
        others = math.ceil(math.log(1000 * n) / eta)
        common = [(n - 1, unit) for unit in range(1, others + 1)]
        left = _coverage([(item, 0) for item in range(min(cap, k))] + common, n, others + 1, k, cap)
        right = _coverage([(n - 1, 0), *common], n, others + 1, k, cap)
        return divergence(transcripts(question, left, right, eta), eps, delta)

    return Case(f"lure k={k} cap={cap}", "greedy", _facts("greedy", n, k, 0.5, cap, cap == 1, None), claims, measure)


def _coin(claims: Sequence[tuple[str, float, float]], draws: int | None) -> Case:
    """Two items, one slot: x has the one, x' the other, and nobody else has either."""
    gamma = 0.99
    question = Question("sls", 1, Uniform(2, 1), Offsets(np.zeros((2, 2))), 0.0, gamma)

    def measure(eta: float, eps: float, delta: float) -> Divergence:
        left, right = (_coverage([(item, 0)], 2, 1, 1, 1) for item in (0, 1))
        return divergence(transcripts(question, left, right, eta, draws=draws), eps, delta)

    facts = _facts("sls", 2, 1, gamma, 1, True, draws)
    rounds = swap_rounds(1, gamma) + 1 if draws is None else draws
    return Case(f"coin n=2 k=1, {rounds} rounds", "sls", facts, claims, measure)


def _chain(length: int, claims: Sequence[tuple[str, float, float]], chance: float) -> Case:
    """`length` items that are picked one after the other, and one, the tail, that only x' has to itself.

    Item i has its own block of users, each block smaller than the one before by so many users that the order of the
    picks is certain. The tail shares just so many users with every block that in each round it is picked with
    probability `chance`. x has the first item of the chain.
    """
    n, k, tail = length + 1, length, length
    question = Question("greedy", k, Uniform(n, k), Offsets(np.zeros((n, n))), 0.0)

    def settled(prefix: Prefix) -> bool:
        # A branch is a position among the items left, in key order. Both units are covered, and so without influence,
        # once the first item and the tail are picked.
        left = list(range(n))
        picked = [left.pop(branch) for branch in prefix]
        return 0 in picked and tail in picked

    def measure(eta: float, eps: float, delta: float) -> Divergence:
        step = math.ceil(32 / eta)
        behind = round(math.log(1 / chance - 1) / eta)
        owners = np.concatenate([np.repeat(np.arange(length), [behind + step * (length - i) for i in range(length)])])
        users = np.arange(1, len(owners) + 1)
        first = np.concatenate([[0], np.cumsum(np.bincount(owners))[:-1]])
        shared = np.concatenate([users[start : start + step] for start in first])
        items = np.concatenate([owners, np.full(len(shared), tail)])
        everyone = np.concatenate([users, shared])
        sides = []
        for own in (0, tail):
            index = CoverageIndex.from_pairs(np.append(items, own), np.append(everyone, 0), n)
            sides.append(Coverage(index, m=len(users) + 1, k=k))
        leaves = transcripts(question, sides[0], sides[1], eta, floor=1e-10, settled=settled)
        return divergence(leaves, eps, delta)

    return Case(f"chain of {length}", "greedy", _facts("greedy", n, k, 0.5, 1, True, None), claims, measure)


def _coverage(pairs: Sequence[tuple[int, int]], n: int, m: int, k: int, cap: int) -> Coverage:
    items, units = np.array([*pairs, (0, 0)], dtype=np.int64)[:-1].T
    return Coverage(CoverageIndex.from_pairs(items, units, n), m=m, k=k, cap=cap)
