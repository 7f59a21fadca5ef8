"""The candidates of all groups of a statement as one list: what is read for them is read once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from msd_sql.engines.candidates import Candidates, Whole
from msd_sql.udfs.types import IntArray


@dataclass(frozen=True)
class Union:
    """Distinct candidates in the order in which the groups name them, and where those of the groups are among them."""

    candidates: Candidates
    places: IntArray  # of the groups' candidates, one group after the other


def side_by_side(groups: Sequence[Candidates]) -> tuple[Candidates, IntArray]:
    """The candidates of groups whose keys have one type, one group after the other, and the group of each.

    >>> side_by_side([Candidates(["a", "b"], "VARCHAR"), Candidates(["b"], "VARCHAR")])
    (Candidates(keys=['a', 'b', 'b'], type='VARCHAR'), array([0, 0, 1]))
    """
    numbers = [group.keys.numbers for group in groups if isinstance(group.keys, Whole)]
    whole = len(numbers) == len(groups)
    keys: Sequence[str] = Whole(np.concatenate(numbers)) if whole else [key for group in groups for key in group.keys]
    return Candidates(keys, groups[0].type), np.repeat(np.arange(len(groups)), [group.n for group in groups])


def union(groups: Sequence[Candidates]) -> Union | None:
    """The distinct candidates of groups whose keys have one type; None where they have several, or there is no group.

    >>> union([Candidates(["a", "b"], "VARCHAR"), Candidates(["b", "c"], "VARCHAR")])
    Union(candidates=Candidates(keys=['a', 'b', 'c'], type='VARCHAR'), places=array([0, 1, 1, 2]))
    """
    if len({group.type for group in groups}) != 1:
        return None
    if len(groups) == 1:  # which are distinct
        return Union(groups[0], np.arange(groups[0].n))
    kind = groups[0].type
    numbers = [group.keys.numbers for group in groups if isinstance(group.keys, Whole)]
    if len(numbers) == len(groups):
        listed = np.concatenate(numbers)
        found, first, place = np.unique(listed, return_index=True, return_inverse=True)
        if len(found) == len(listed):
            return Union(Candidates(Whole(listed), kind), np.arange(len(listed)))
        order = np.argsort(first, kind="stable")
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        return Union(Candidates(Whole(found[order]), kind), rank[place])
    places: dict[str, int] = {}
    for group in groups:
        for key in group.keys:
            places.setdefault(key, len(places))
    asked = [places[key] for group in groups for key in group.keys]
    return Union(Candidates(list(places), kind), np.array(asked, dtype=np.int64))
