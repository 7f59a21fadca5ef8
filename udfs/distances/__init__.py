"""The distances: pseudometrics in [0, 1] over public features, one class each, loaded with its first use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ..errors import InputError, suggest

if TYPE_CHECKING:
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
    home: str  # module and class
    shapes: tuple[str, ...]
    doc: str

    @property
    def make(self) -> Callable[..., Distance]:
        """The class that builds it."""
        module, _, name = self.home.partition(".")
        found: Callable[..., Distance] = getattr(import_module(f"{__package__}.{module}"), name)
        return found

    @property
    def shape(self) -> str:
        """The shape of features it is made for."""
        return self.shapes[0]


_KINDS = (
    DistanceKind(
        "jaccard", "jaccard.Jaccard", ("set",), "1 - |A ∩ B| / |A ∪ B| of two sets; two empty sets are at distance 0."
    ),
    DistanceKind(
        "hamming", "columns.Hamming", ("codes",), "The share of categorical columns in which two items differ."
    ),
    DistanceKind(
        "l1", "columns.L1", ("numbers", "vector", "latlon"), "Sum of absolute differences over a public scale."
    ),
    DistanceKind("l2", "columns.L2", ("numbers", "vector", "latlon"), "Straight-line distance over a public scale."),
    DistanceKind(
        "angular", "angular.Angular", ("vector",), "The angle between two vectors over π; unlike cosine, a metric."
    ),
    DistanceKind(
        "haversine", "haversine.Haversine", ("latlon",), "Great-circle distance of latitude and longitude over a scale."
    ),
    DistanceKind(
        "precomputed", "precomputed.Precomputed", ("pairs",), "Looked up in a table that holds every pair of items."
    ),
    DistanceKind("mixed", "mixed.Mixed", ("mix",), "The weighted mean of the own distances of several features."),
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


def __getattr__(name: str) -> Any:
    for kind in _KINDS:
        if kind.home.endswith(f".{name}"):
            return kind.make
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
