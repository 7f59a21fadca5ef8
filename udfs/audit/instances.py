"""Instances that the audit looks at: all small data sets, and some built to make a bound nearly tight.

Lure: everything draws the picks to one item that only x' has, and they miss it every time (`telescoping`, `basic`).
Chain: round after round x' is covered with a small probability and is not (`covering`, `coverage`, `decomposable`).
Tails: the same for x and x' alike, the two clocks (`clocks`, the greedy family's divergence).
Coin: every round of a local search is a fresh coin whose bias depends on the unit (bounded range).
Count: a noisy count of one unit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import Decimal, localcontext
from functools import cache

import numpy as np

from ..matroids import Uniform, narrowed
from ..methods import METHODS
from ..privacy.renyi import Divergence
from ..relevance.best_match import BestMatch, BestMatchIndex
from ..relevance.coverage import Coverage, CoverageIndex
from ..types import ONE, FloatArray, Matroid, Relevance
from .claims import Case, Facts, Leaves
from .exact import DIGITS, Leaf, Offsets, Prefix, Question, transcripts
from .neighbours import Build, Dataset, Family, Wanted, family

Claims = Sequence[tuple[str, float, float]]
HALF = ONE // 2


def everyone(
    name: str,
    method: str,
    k: int,
    m: int,
    claims: Claims = (),
    *,
    etas: Sequence[float] = (),
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

    facts = _facts(question, n, cap, cap == 1, draws)
    return Case(f"all n={n} k={k} m={m}, {name}", method, facts, claims, _worst(question, build, 2**n, m, draws), etas)


def matches(
    name: str,
    method: str,
    k: int,
    claims: Claims = (),
    *,
    etas: Sequence[float] = (),
    offsets: FloatArray,
    gamma: float = 0.5,
    pinned: Sequence[int] = (),
) -> Case:
    """All data sets of two units over three items, where a unit matches each item by 0, one half or 1."""
    n, m = 3, 2
    question = Question(method, k, narrowed(Uniform(n, k), pinned=pinned), Offsets(offsets), 0.5, gamma)

    def build(dataset: Dataset) -> Relevance:
        entries = [(unit, item, kind // 3**item % 3 * HALF) for unit, kind in enumerate(dataset) for item in range(n)]
        units, items, similarities = np.array(entries, dtype=np.int64).T
        return BestMatch(BestMatchIndex.from_triples(units, items, similarities, n), m=m)

    leaves = _worst(question, build, 3**n, m, None)
    facts = _facts(question, n, 1, False, None)
    return Case(f"all n={n} k={k} m={m}, best_match, {name}", method, facts, claims, leaves, etas)


def audience(
    method: str, k: int, m: int, claims: Claims = (), *, etas: Sequence[float] = (), offsets: FloatArray
) -> Case:
    """All data sets of m units over three items, where a unit's row of an item is in the audience, outside, or missing.

    Only rows of the audience count, so that a neighbour may enter it, leave it or stay in it with other items; the
    number of units that the answer is a share of is not that of the audience.
    """
    n = 3
    question = Question(method, k, Uniform(n, k), Offsets(offsets), 0.5)

    def build(dataset: Dataset) -> Relevance:
        rows = [(item, unit, kind // 3**item % 3) for unit, kind in enumerate(dataset) for item in range(n)]
        return _coverage([(item, unit) for item, unit, state in rows if state == 2], n, 10 * m, k, 1)

    facts = _facts(question, n, 1, True, None)
    return Case(
        f"all n={n} k={k} m={m}, an audience", method, facts, claims, _worst(question, build, 3**n, m, None), etas
    )


def lure(
    k: int,
    claims: Claims = (),
    *,
    etas: Sequence[float] = (),
    cap: int = 1,
    others: int | None = None,
    pinned: int = 0,
    twins: bool = False,
) -> Case:
    """Unit x has the first `cap` items; x' has the last one, which draws all but a thousandth of every round.

    With enough `others` who have the last item, the first ones are so far behind that the clamp decides. Beside the k
    slots there are pinned items, which no unit has. With `twins` each of the first k items has a twin that is too near
    it, and no unit has a twin: a pick takes its twin out of the later rounds.
    """
    n = k + 1 + pinned + (k if twins else 0)
    distances = np.ones((n, n))
    if twins:
        distances[range(k), range(k, 2 * k)] = distances[range(k, 2 * k), range(k)] = 0.0
    public, slots = Offsets(distances), k + pinned
    matroid = narrowed(
        Uniform(n, slots), pinned=range(n - 1 - pinned, n - 1), distance=public, apart=0.5 if twins else 0.0
    )
    question = Question("greedy", slots, matroid, public, 0.0)

    @cache
    def pair(eta: float) -> list[Leaf]:
        crowd = math.ceil(math.log(1000 * n) / eta) if others is None else others
        common = [(n - 1, unit) for unit in range(1, crowd + 1)]
        left = _coverage([(item, 0) for item in range(min(cap, k))] + common, n, crowd + 1, slots, cap)
        right = _coverage([(n - 1, 0), *common], n, crowd + 1, slots, cap)
        return transcripts(question, left, right, eta)

    told = f"{f', {pinned} pinned' if pinned else ''}{', twins apart' if twins else ''}"
    crowd = "" if others is None else f", {others} others"
    facts = _facts(question, n, cap, cap == 1, None)
    return Case(f"lure k={k} cap={cap}{told}{crowd}", "greedy", facts, claims, lambda eta, _: [pair(eta)], etas)


def coin(
    method: str, claims: Claims = (), *, etas: Sequence[float] = (), gamma: float, draws: int | None = None
) -> Case:
    """Two items, one slot: x has the one, x' the other, and nobody else has either."""
    question = Question(method, 1, Uniform(2, 1), Offsets(np.zeros((2, 2))), 0.0, gamma)

    @cache
    def pair(eta: float) -> list[Leaf]:
        left, right = (_coverage([(item, 0)], 2, 1, 1, 1) for item in (0, 1))
        return transcripts(question, left, right, eta, draws=draws)

    facts = _facts(question, 2, 1, True, draws)
    name = f"coin n=2 k=1, {facts['rounds']} rounds"
    return Case(name, method, facts, claims, lambda eta, _: [pair(eta)], etas)


def chain(length: int, claims: Claims = (), *, etas: Sequence[float] = (), chance: float) -> Case:
    """`length` items that are picked one after the other, and one, the tail, that only x' has to itself.

    Item i has its own block of users, each block smaller than the one before by so many users that the order of the
    picks is certain. The tail shares just so many users with every block that in each round it is picked with
    probability `chance`. x has the first item of the chain.
    """
    n, k, tail = length + 1, length, length
    question = Question("greedy", k, Uniform(n, k), Offsets(np.zeros((n, n))), 0.0)

    @cache
    def pair(eta: float) -> list[Leaf]:
        step = math.ceil(32 / eta)
        behind = round(math.log(1 / chance - 1) / eta)
        owners = np.repeat(np.arange(length), [behind + step * (length - i) for i in range(length)])
        users = np.arange(1, len(owners) + 1)
        first = np.concatenate([[0], np.cumsum(np.bincount(owners))[:-1]])
        shared = np.concatenate([users[start : start + step] for start in first])
        items = np.concatenate([owners, np.full(len(shared), tail)])
        everyone = np.concatenate([users, shared])
        sides = []
        for own in (0, tail):
            index = CoverageIndex.from_pairs(np.append(items, own), np.append(everyone, 0), n)
            sides.append(Coverage(index, m=len(users) + 1, k=k))
        return transcripts(question, sides[0], sides[1], eta, floor=1e-10, settled=_both_picked(question, n, (0, tail)))

    facts = _facts(question, n, 1, True, None)
    return Case(f"chain of {length}", "greedy", facts, claims, lambda eta, _: [pair(eta)], etas)


def tails(length: int, claims: Claims = (), *, etas: Sequence[float] = (), chance: float) -> Case:
    """A chain that public distances put in order, and two tails: one is all that x has, the other all that x' has.

    After item i the next one is far ahead by its distance to it, and each tail is so far behind that it is picked with
    probability `chance`, round after round: two clocks that ring once. The first item of the chain is pinned.
    """
    n, k = length + 3, length + 1
    own = (n - 2, n - 1)
    lead = 0.9999  # λ: what a distance counts for, in units, is far more than the one unit that there is

    @cache
    def question(eta: float) -> Question:
        count = 0.5 * (1 - lead)  # what one count is worth to greedy, and what a distance is
        far = 40 / eta * count / (lead * 2 / (k * (k - 1)))
        near = far * (1 - math.log(1 / chance - 2) / 40)
        distances = np.zeros((n, n))
        distances[np.arange(length), np.arange(1, length + 1)] = far
        distances[0, own] = near
        distances[0] /= METHODS["greedy"].weight(0.5)  # which distances to a pinned item are taken by
        return Question("greedy", k, narrowed(Uniform(n, k), pinned=[0]), Offsets(distances), lead)

    @cache
    def pair(eta: float) -> list[Leaf]:
        asked = question(eta)
        left, right = (_coverage([(item, 0)], n, 1, k, 1) for item in own)
        return transcripts(asked, left, right, eta, floor=1e-10, settled=_both_picked(asked, n, own))

    facts = _facts(question(1.0), n, 1, True, None)
    return Case(f"two tails, chain of {length}", "greedy", facts, claims, lambda eta, _: [pair(eta)], etas)


def _both_picked(question: Question, n: int, own: tuple[int, int]) -> Callable[[Prefix], bool]:
    """Tell of a prefix whether both units are covered, and so without influence on what follows."""

    def settled(prefix: Prefix) -> bool:
        left = [item for item in range(n) if item not in question.matroid.start]
        picked = {left.pop(branch) for branch in prefix}  # a branch is a position among the items left, in key order
        return picked.issuperset(own)

    return settled


def count(etas: Sequence[float]) -> Case:
    """A count that one unit raises by 1, with discrete Laplace noise of scale 1/ε."""

    @cache
    def pair(eps: float) -> list[Leaf]:
        with localcontext() as context:
            context.prec = DIGITS
            ratio = (-Decimal(eps)).exp()
            share = (1 - ratio) / (1 + ratio)
            reach = math.ceil(90 / eps)  # beyond it every answer has the same two ratios, so they are one
            inside = [Leaf(share * ratio ** abs(x), share * ratio ** abs(x - 1)) for x in range(-reach, reach + 1)]
            tail = share * ratio ** (reach + 1) / (1 - ratio)
            return [*inside, Leaf(tail, tail / ratio), Leaf(tail, tail * ratio)]

    facts: Facts = {"rounds": 1, "n": 1, "k": 1, "cap": 1, "binary": True, "swaps": 0}
    return Case("a noisy count", "reach", facts, (), lambda eps, _: [pair(eps)], etas, Divergence.of_count)


def _facts(question: Question, n: int, cap: int, binary: bool, draws: int | None) -> Facts:
    known, free = METHODS[question.method], question.k - len(question.matroid.start)
    adds, swaps = known.adds(free, question.gamma), known.swaps(free, question.gamma)
    if draws is not None:
        adds = min(adds, draws)
        swaps = min(swaps, draws - adds)
    return {"rounds": adds + swaps, "n": n, "k": free, "cap": cap, "binary": binary, "swaps": swaps}


def _worst(question: Question, build: Build, kinds: int, m: int, draws: int | None) -> Leaves:
    """The transcripts of the worst pairs of all neighbours; the runs are made once, for the first claim that asks."""

    @cache
    def runs() -> Family:
        return family(question, build, kinds, m, draws=draws)

    @cache
    def leaves(eta: float, wanted: Wanted) -> list[list[Leaf]]:
        return [
            transcripts(question, build(left), build(right), eta, draws=draws)
            for left, right in runs().worst(eta, wanted)
        ]

    return leaves


def _coverage(pairs: Sequence[tuple[int, int]], n: int, m: int, k: int, cap: int) -> Coverage:
    items, units = np.array([*pairs, (0, 0)], dtype=np.int64)[:-1].T
    return Coverage(CoverageIndex.from_pairs(items, units, n), m=m, k=k, cap=cap)
