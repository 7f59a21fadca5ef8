"""The constraints: public matroids, each with an oracle, a base and its feasible swaps; and what narrows them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from ..errors import InputError, suggest
from ..types import Distance, Matroid
from .apart import Apart
from .laminar import Laminar, Partition
from .pinned import Pinned
from .transversal import Transversal
from .uniform import Uniform

__all__ = [
    "MATROIDS",
    "Apart",
    "Laminar",
    "MatroidKind",
    "Partition",
    "Pinned",
    "Transversal",
    "Uniform",
    "matroid_kind",
    "narrowed",
]


@dataclass(frozen=True)
class MatroidKind:
    """A constraint by name: what builds it and what it allows."""

    name: str
    make: Callable[..., Matroid]
    doc: str


_KINDS = (
    MatroidKind("uniform", Uniform, "At most k items."),
    MatroidKind(
        "partition", Partition, "At least and at most so many items per value of one column, at most k in all."
    ),
    MatroidKind("laminar", Laminar, "Nested quotas (department > category), at most k in all."),
    MatroidKind("transversal", Transversal, "One item per category, categories may overlap, at most k in all."),
)
MATROIDS: Mapping[str, MatroidKind] = MappingProxyType({kind.name: kind for kind in _KINDS})


def matroid_kind(name: str) -> MatroidKind:
    """Find the constraint of that name, or raise an error that suggests the nearest one.

    >>> matroid_kind("laminar").doc
    'Nested quotas (department > category), at most k in all.'
    """
    if name not in MATROIDS:
        raise InputError(suggest("constraint", name, MATROIDS))
    return MATROIDS[name]


def narrowed(
    constraint: Matroid,
    *,
    pinned: Sequence[int] = (),
    distance: Distance | None = None,
    apart: float = 0.0,
    names: Sequence[str] | None = None,
) -> Matroid:
    """The constraint with pinned items and with items that are apart; itself where there is neither.

    >>> from msd_sql.udfs import L1
    >>> narrowed(Uniform(4, 3), pinned=[1], distance=L1([0, 1, 5, 10]), apart=0.2).described
    'uniform, 0.2 apart, 1 pinned'
    """
    if apart:
        if distance is None:
            raise InputError(f"apart = {apart:g} was given, but nothing says how the items differ: give features.")
        constraint = Apart(constraint, distance, apart)
    return Pinned(constraint, pinned, names) if len(pinned) else constraint
