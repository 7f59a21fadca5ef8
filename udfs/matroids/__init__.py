"""The constraints: public matroids, each with an oracle, a base, and its feasible swaps."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from ..errors import InputError, suggest
from ..types import Matroid
from .laminar import Laminar, Partition
from .transversal import Transversal
from .uniform import Uniform

__all__ = ["MATROIDS", "Laminar", "MatroidKind", "Partition", "Transversal", "Uniform", "matroid_kind"]


@dataclass(frozen=True)
class MatroidKind:
    """A constraint by name: what builds it and what it allows."""

    name: str
    make: Callable[..., Matroid]
    doc: str


_KINDS = (
    MatroidKind("uniform", Uniform, "At most k items."),
    MatroidKind("partition", Partition, "At most a quota of items per value of one column, at most k in all."),
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
