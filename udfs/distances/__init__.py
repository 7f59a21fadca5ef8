"""The distances: pseudometrics in [0, 1] over public features, one class each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from ..errors import InputError, suggest
from ..types import Distance
from .angular import Angular
from .columns import L1, L2, Hamming
from .haversine import Haversine
from .jaccard import Jaccard
from .mixed import Mixed
from .precomputed import Precomputed

__all__ = [
    "DISTANCES",
    "L1",
    "L2",
    "OTHER_NAMES",
    "SHAPES",
    "Angular",
    "DistanceKind",
    "Hamming",
    "Haversine",
    "Jaccard",
    "Mixed",
    "Precomputed",
    "default_distance",
    "distance_kind",
]

# What the public features of an item can look like, and the distance taken when none is named.
SHAPES: Mapping[str, str] = MappingProxyType(
    {
        "set": "jaccard",
        "codes": "hamming",
        "numbers": "l1",
        "vector": "angular",
        "latlon": "haversine",
        "pairs": "precomputed",
        "mix": "mixed",
    }
)


@dataclass(frozen=True)
class DistanceKind:
    """A distance by name: what builds it, the shapes of features it takes (its natural one first), what it measures."""

    name: str
    make: Callable[..., Distance]
    shapes: tuple[str, ...]
    doc: str

    @property
    def shape(self) -> str:
        """The shape of features it is made for."""
        return self.shapes[0]


_KINDS = (
    DistanceKind("jaccard", Jaccard, ("set",), "1 - |A ∩ B| / |A ∪ B| of two sets; two empty sets are at distance 0."),
    DistanceKind("hamming", Hamming, ("codes",), "The share of categorical columns in which two items differ."),
    DistanceKind("l1", L1, ("numbers", "vector", "latlon"), "Sum of absolute differences over a public scale."),
    DistanceKind("l2", L2, ("numbers", "vector", "latlon"), "Straight-line distance over a public scale."),
    DistanceKind("angular", Angular, ("vector",), "The angle between two vectors over π; unlike cosine, a metric."),
    DistanceKind("haversine", Haversine, ("latlon",), "Great-circle distance of latitude and longitude over a scale."),
    DistanceKind("precomputed", Precomputed, ("pairs",), "Looked up in a table that holds every pair of items."),
    DistanceKind("mixed", Mixed, ("mix",), "The weighted mean of the own distances of several features."),
)
# What people ask for by another name. The angle orders pairs of vectors as their cosine does, and is a metric.
OTHER_NAMES: Mapping[str, str] = MappingProxyType({"cosine": "angular"})
DISTANCES: Mapping[str, DistanceKind] = MappingProxyType({kind.name: kind for kind in _KINDS})


def distance_kind(name: str) -> DistanceKind:
    """Find the distance of that name, or an error that suggests the nearest one.

    >>> distance_kind("jaccard").shape
    'set'
    """
    meant = OTHER_NAMES.get(name, name)
    if meant not in DISTANCES:
        raise InputError(suggest("distance", name, DISTANCES))
    return DISTANCES[meant]


def default_distance(shape: str) -> str:
    """Name the distance taken for features of that shape when none is named.

    >>> default_distance("vector")
    'angular'
    """
    if shape not in SHAPES:
        raise InputError(suggest("shape of features", shape, SHAPES))
    return SHAPES[shape]
