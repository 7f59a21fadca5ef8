"""Measured: features as a distance, and those of the groups of a statement: what is declared is read once for all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from msd_sql.catalog.declarations import Items
from msd_sql.engines.candidates import Candidates
from msd_sql.errors import InputError
from msd_sql.question.features import Features, Given, coded, declared_values, given_features
from msd_sql.question.item_columns import items_fingerprint
from msd_sql.question.options import Request
from msd_sql.question.pair_distances import pairs
from msd_sql.runtime.call import Call
from msd_sql.runtime.distance_cache import Measured
from msd_sql.runtime.release_memory import encoded
from msd_sql.udfs.distances import DISTANCES, Mixed
from msd_sql.udfs.types import Distance, FloatArray, IntArray

Scale: TypeAlias = float | tuple[float, ...] | None
SCALED = ("l1", "l2", "haversine")  # the distances that a public bound scales


class Unmeasured(NamedTuple):
    """Candidates whose distance is asked for."""

    wanted: Request
    items: Items | None
    features: Given  # what the call says of them
    candidates: Candidates

    @property
    def declared(self) -> bool:
        """Is what makes them differ declared, and not given?"""
        return self.features.absent and self.items is not None

    @property
    def name(self) -> str | None:
        """The distance that is named, by the call or by the declaration; None: the natural one."""
        return self.wanted.distance or (self.items.distance if self.items and self.declared else None)


def measured(call: Call, groups: Sequence[Unmeasured | None]) -> list[Measured]:
    """For every group the distance of its candidates, and the facts that decide it; None and none where there is None.

    >>> measured(call, [None])
    [(None, [])]
    """
    found: list[Measured] = [(None, [])] * len(groups)
    together: dict[tuple[object, ...], list[tuple[int, Unmeasured]]] = {}
    for place, group in enumerate(groups):
        if group is None:
            continue
        name, wanted = group.name, group.wanted
        if name == "precomputed":
            check_scale(name, wanted.scale)
            found[place] = pairs(call, group.items if group.declared else group.features, group.candidates)
        elif not group.declared:
            given = given_features(group.features, group.candidates)
            found[place] = measure(given, name, wanted.scale, wanted.weights), [*_named(given, group), *given.facts]
        else:
            about = (id(group.items), name, wanted.scale, wanted.weights, group.candidates.type)
            together.setdefault(about, []).append((place, group))
    for some in together.values():
        # DuckDB hands groups over in any order, and what is kept is found by the keys of all.
        some.sort(key=lambda one: one[1].candidates.column[0])
        for (place, _), one in zip(some, _of_declared(call, [group for _, group in some]), strict=True):
            found[place] = one
    return found


def _of_declared(call: Call, groups: Sequence[Unmeasured]) -> list[Measured]:
    """The distances of groups that differ in their candidates only."""
    name, wanted, items = groups[0].name, groups[0].wanted, groups[0].items
    assert items is not None
    listed = [group.candidates for group in groups]

    def made() -> list[Measured]:
        features = declared_values(call, items, listed, items.features, mixed=name == "mixed")
        named = encoded(_named(features[0], groups[0]))
        return [
            (measure(one, name, wanted.scale, wanted.weights), [*named, *encoded(one.facts)])  # kept, and told again
            for one in features
        ]

    stored_as = items_fingerprint(call, items)
    if stored_as is None:
        return made()
    place = (name, wanted.scale, wanted.weights, listed[0].type, stored_as)
    return call.instance.caches.distances.of(place, [one.column for one in listed], made)


def _named(features: Features, group: Unmeasured) -> list[Any]:
    """The same whether the natural distance is named or not."""
    wanted = group.wanted
    return [distance_name(features, group.name, wanted.weights), wanted.scale, wanted.weights]


def distance_name(features: Features, name: str | None, weights: Scale = None) -> str:
    """The distance that is meant: the named one, or the natural one for the features' form.

    >>> distance_name(Features(columns=[np.array(["red", "blue"], dtype=object)]), None)
    'hamming'
    """
    return name or ("mixed" if features.parts or weights is not None else _natural(features))


def check_scale(name: str, scale: Scale) -> None:
    """Refuse a scale for a distance that has none.

    >>> check_scale("l1", 2.0)
    """
    if scale is not None and name not in SCALED:
        raise InputError(
            f"scale is for distances between numbers ({', '.join(SCALED)}), and {name} has none. Leave it out."
        )


def measure(features: Features, name: str | None, scale: Scale = None, weights: Scale = None) -> Distance:
    """The distance of that name over the features, or the natural one for their form.

    >>> measure(Features(columns=[np.array(["red", "blue"], dtype=object)]), None).row(0)
    array([0., 1.])
    """
    chosen = distance_name(features, name, weights)
    if chosen == "mixed":
        return _mixed(features, scale, weights)
    check_scale(chosen, scale)
    if weights is not None or features.parts:
        raise InputError(
            f"{chosen} is one distance; features of several kinds, and weights, are for distance := 'mixed', which "
            "takes each feature by its own."
        )
    if chosen == "jaccard":
        if features.sets is None:
            raise InputError(f"jaccard compares sets: give a list column as features. {_other(features)}")
        return DISTANCES["jaccard"].make(features.sets.indptr, features.sets.codes)
    if chosen == "hamming":
        return DISTANCES["hamming"].make(_codes(features))
    if chosen == "precomputed":
        raise InputError(
            "precomputed distances come from a declared table of pairs: "
            "msd_items(…, features := 'pairs_table', distance := 'precomputed')."
        )
    if chosen == "angular" and features.vectors is not None:
        return DISTANCES["angular"].make(features.vectors.matrix, features.vectors.rows)
    matrix = _matrix(features, chosen)
    if chosen == "haversine":
        if matrix.shape[1] != 2:
            raise InputError(
                f"haversine needs two features, latitude and longitude in degrees; {matrix.shape[1]} were given."
            )
        return DISTANCES["haversine"].make(matrix[:, 0], matrix[:, 1], *_single(scale))
    return DISTANCES[chosen].make(matrix, *([] if chosen == "angular" else [scale]))


def _mixed(features: Features, scale: Scale, weights: Scale) -> Distance:
    """Each feature by its natural distance; of `scale`, a list has one for each, which only numbers take."""
    parts = features.parts or [Features(columns=[column]) for column in features.columns]
    if not parts:
        raise InputError(
            "mixed needs several features, such as features := {'tags': categories, 'price': price}; one alone has a "
            "distance of its own."
        )
    scales = scale if isinstance(scale, tuple) else (scale,) * len(parts)
    if len(scales) != len(parts):
        raise InputError(f"scale has {len(scales)} numbers for {len(parts)} features; give one for each.")
    made = [measure(one, None, own if one.numeric else None) for one, own in zip(parts, scales, strict=True)]
    return Mixed(made, None if weights is None else weights if isinstance(weights, tuple) else (weights,))


def _natural(features: Features) -> str:
    if features.sets is not None:
        return "jaccard"
    if features.vectors is not None:
        return "angular"
    return "l1" if features.numeric else "hamming"


def _codes(features: Features) -> IntArray:
    if features.columns:
        return np.stack([coded(column) for column in features.columns], axis=1)
    if features.vectors is not None:
        return np.stack([coded(column) for column in features.vectors.plain.T], axis=1)
    sets = features.sets
    lengths = set(np.diff(sets.indptr).tolist()) if sets else {0}
    if sets is None or len(lengths) != 1 or 0 in lengths:
        raise InputError(
            "hamming compares lists place by place, so that all of them need the same length; "
            "for sets of any size use jaccard."
        )
    return sets.codes.reshape(-1, lengths.pop())


def _matrix(features: Features, name: str) -> FloatArray | npt.NDArray[np.floating[Any]]:
    if features.vectors is not None:
        return features.vectors.plain
    if not features.numeric:
        raise InputError(f"{name} needs numbers. {_other(features)}")
    stacked = [
        np.ma.filled(column.astype(np.float64), np.nan)
        if isinstance(column, np.ma.MaskedArray)
        else column.astype(np.float64)
        for column in features.columns
    ]
    return np.stack(stacked, axis=1)


def _other(features: Features) -> str:
    held = "sets" if features.sets is not None else "vectors" if features.vectors is not None else "ordinary columns"
    return f"These features are {held}, whose natural distance is {_natural(features)}."


def _single(scale: Scale) -> list[float]:
    if isinstance(scale, tuple):
        raise InputError("haversine takes one scale, in kilometres; a list was given.")
    return [] if scale is None else [scale]
