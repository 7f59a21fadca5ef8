"""The cases of the audit (`docs/privacy.md`, "The audit"): which claims are held against which instances."""

from __future__ import annotations

import numpy as np

from ..matroids import Partition, Uniform, narrowed
from .claims import Case
from .exact import Offsets
from .instances import Claims, audience, chain, coin, count, everyone, lure, matches, tails

_OLDER = (("advanced", 4.0, 1e-3), ("zcdp", 4.0, 1e-3), ("decomposable", 4.0, 1e-3))
_ANY = (("basic", 4.0, 0.0), ("renyi", 4.0, 1e-3))
_ADDED = (*_ANY, ("telescoping", 4.0, 1e-9))
_ONCE = (*_ADDED, ("clocks", 4.0, 1e-3))
_BINARY = (*_ONCE, ("covering", 4.0, 1e-3))
_LONG = (("coverage", 4.0, 1e-3), ("decomposable", 4.0, 1e-4), ("clocks", 4.0, 1e-3), ("covering", 4.0, 1e-3))


def cases(quick: bool = False) -> list[Case]:
    """List all cases; the quick ones are of the same kinds, with fewer units and shorter runs."""
    m = 3 if quick else 5
    drawn = np.random.default_rng(7).random((4, 4))
    random, corner = (drawn + drawn.T) / 2, np.array([[0, 1, 1, 1], [1, 0, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0]], float)
    small = random[:3, :3]
    quota = Partition(np.array([0, 0, 1, 1]), 1, 2)
    few = _BINARY[-1:] if quick else _BINARY
    etas, both = (0.6,), (0.6,) if quick else (0.3, 1.2)
    found = [
        everyone("random offsets", "greedy", 2 if quick else 3, m, (*_BINARY, *_OLDER), etas=both, offsets=random),
        everyone("adversarial offsets", "greedy", 2, m, _BINARY, etas=etas, offsets=corner),
        everyone("random offsets", "nosg", 2, m, few, etas=etas, offsets=random),
        everyone("random offsets", "osg", 2, m, few, etas=etas, offsets=random),
        everyone("quota", "rel", 2, m, few, etas=etas, matroid=quota),
        everyone("no offsets", "mix", 3, m, few, etas=etas),
        everyone("cap 2", "greedy", 3, 3 if quick else 4, (*_ADDED, *_OLDER), etas=etas, offsets=random, cap=2),
        everyone("clamped offsets", "greedy", 2, 3, _ADDED[::2], offsets=random, diversity=0.999999),
        everyone("quota, 1 round", "sls", 2, m, _ANY, etas=etas, offsets=random, matroid=quota, draws=1),
        everyone("cap 2, 1 round", "sls", 2, 3, _ANY, etas=etas, offsets=corner, cap=2, draws=1),
        everyone("quota, 1 swap", "local_search", 2, 3, _ADDED, etas=etas, offsets=random, matroid=quota, gamma=0.2),
        everyone("cap 2, 1 swap", "local_search", 2, 2, _ADDED, etas=etas, offsets=random, cap=2, gamma=0.2),
        everyone("quota, no swap", "local_search", 2, 3, few, etas=etas, offsets=random, matroid=quota, gamma=0.5),
        matches("random offsets", "greedy", 2, (*_ONCE, *_OLDER), etas=both, offsets=small),
        matches("item 1 pinned", "greedy", 2, _ONCE, etas=etas, offsets=small, pinned=[1]),
        matches("1 swap", "local_search", 2, _ADDED, etas=etas, offsets=small, gamma=0.2),
        audience("greedy", 2, 2 if quick else 3, _BINARY, etas=etas, offsets=small),
        audience("nosg", 2, 2, few, etas=etas, offsets=small),
        lure(1, [("basic", 1.0, 0.0)], etas=(0.2, 0.7)),
        lure(3, [("basic", 1.0, 0.0), ("telescoping", 1.0, 1e-15), ("covering", 1.0, 1e-15)], etas=(0.2, 0.7)),
        lure(4, [("basic", 1.0, 0.0), ("telescoping", 1.0, 1e-15)], etas=(0.2,), cap=2),
        lure(3, [("telescoping", 2.0, 1e-15)], others=400),
        lure(2, [("basic", 1.0, 0.0), ("telescoping", 1.0, 1e-15)], pinned=2),
        lure(3, [("basic", 1.0, 0.0), ("telescoping", 1.0, 1e-15)], twins=True),
        *_constrained(3 if quick else 4, few, etas),
        coin(
            "sls",
            [("basic", 4.0, 0.0), ("advanced", 4.0, 1e-2), ("zcdp", 2.0, 1e-2), ("renyi", 2.0, 1e-2)],
            etas=(0.1,),
            gamma=0.99,
            draws=6 if quick else None,
        ),
        coin("local_search", [("telescoping", 1.0, 1e-15), ("renyi", 2.0, 1e-2)], etas=(0.1, 0.5), gamma=1e-4),
        count((0.05, 1.0)),
    ]
    if quick:
        return [*found, chain(40, _LONG, etas=(0.3,), chance=0.25), tails(12, etas=(0.3,), chance=0.15)]
    return [
        *found,
        everyone("quota, 2 rounds", "sls", 2, 3, _ANY, offsets=random, matroid=quota, draws=2),
        chain(90, _LONG, etas=(0.3,), chance=0.12),
        tails(24, etas=(0.3,), chance=0.1),
    ]


def _constrained(m: int, few: Claims, etas: tuple[float, ...]) -> list[Case]:
    """Pinned items, candidates that drop out because they are too near a pick, minimums, and all of them at once."""
    line = np.abs(np.subtract.outer(np.arange(4), np.arange(4))) / 3
    public = Offsets(line)
    least = Partition(np.array([0, 0, 0, 1]), None, 3, minimums=1)
    pinned = narrowed(Uniform(4, 3), pinned=[2])
    spread = narrowed(Uniform(4, 3), distance=public, apart=0.5)
    two = narrowed(Uniform(4, 2), distance=public, apart=0.5)
    all_three = narrowed(least, pinned=[2], distance=public, apart=0.3)
    return [
        everyone("1 pinned", "greedy", 3, m, few, etas=etas, offsets=line, matroid=pinned),
        everyone("1 pinned", "nosg", 3, m, few[-1:], offsets=line, matroid=pinned),
        everyone("1 pinned", "osg", 3, m, few[-1:], offsets=line, matroid=pinned),
        everyone("1 pinned", "mix", 3, m, few[-1:], matroid=pinned),
        everyone("1 pinned, cap 2", "greedy", 3, 3, _ADDED, offsets=line, matroid=pinned, cap=2),
        everyone("apart", "greedy", 3, m, few, etas=etas, offsets=line, matroid=spread),
        everyone("apart", "nosg", 2, m, few[-1:], offsets=line, matroid=two),
        everyone("at least 1", "rel", 3, m, few, etas=etas, matroid=least),
        everyone("1 pinned, apart, at least 1", "rel", 3, m, few[-1:], matroid=all_three),
        everyone("1 pinned, 1 swap", "local_search", 3, 2, _ADDED, etas=etas, offsets=line, matroid=pinned, gamma=0.2),
        everyone("apart, 1 swap", "local_search", 2, 3, _ANY, etas=etas, offsets=line, matroid=two, gamma=0.2),
        everyone("1 pinned, apart, at least 1, 1 swap", "local_search", 3, 3, _ANY, matroid=all_three, gamma=0.2),
        everyone("1 pinned, 1 round", "sls", 3, m, _ANY, offsets=line, matroid=pinned, draws=1),
        everyone("apart, 1 round", "sls", 3, m, _ANY, offsets=line, matroid=spread, draws=1),
    ]
