"""Measured: the distances of the groups of a statement; what their candidates are declared to be like is read once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from msd_sql.catalog.declarations import Items
from msd_sql.engines.candidates import Candidates
from msd_sql.question.features import (
    Features,
    Given,
    check_scale,
    declared_values,
    distance_name,
    given_features,
    measure,
)
from msd_sql.question.item_columns import items_fingerprint
from msd_sql.question.options import Request
from msd_sql.question.pair_distances import pairs
from msd_sql.runtime.call import Call
from msd_sql.runtime.distance_cache import Measured
from msd_sql.runtime.release_memory import encoded


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
