"""Quotas: quotas from a call or a declaration, to a matroid (docs/algorithms.md)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from msd_sql.catalog.declarations import Items
from msd_sql.engines.candidates import Candidates
from msd_sql.errors import InputError
from msd_sql.question.features import Features, Given, coded, declared_values, given_values
from msd_sql.runtime.call import Call
from msd_sql.udfs.matroids import Laminar, Partition, Transversal, Uniform
from msd_sql.udfs.types import Matroid


def constraint(
    call: Call, given: Given, caps: Sequence[int], items: Items | None, candidates: Candidates, k: int
) -> tuple[Matroid, list[Any]]:
    """The quota of the call, or else the declared one, or else no more than k items; and its facts.

    One column is a partition (at most a cap per value); a record, or several columns, are nested quotas from the
    outermost to the innermost; a list column is one item per category, where an item may have several.
    """
    if not given.absent:
        values = given_values(given, candidates)
        return quota(values, caps, candidates.n, k), [*values.facts, *caps]
    if items is not None and items.quota:
        values, limits = declared_values(call, items, candidates, items.quota), tuple(caps) or items.quota_cap
        return quota(values, limits, candidates.n, k), [*values.facts, *limits]
    if caps:
        raise InputError(
            f"quota_cap is {', '.join(map(str, caps))}, but there is no quota: say quota := the column whose values "
            "are limited."
        )
    return Uniform(candidates.n, k), []


def quota(values: Features, caps: Sequence[int], n: int, k: int) -> Matroid:
    """The matroid of a quota's values; NULL is a value like any other.

    >>> quota(Features(columns=[np.array(["a", "a", "b"], dtype=object)]), [1], 3, 2).base()
    [0, 2]
    """
    if values.sets is not None:
        if caps:
            raise InputError(
                "A list column as quota means one item per category, so that it has no quota_cap. For at most so many "
                "items of each value give a column with one value an item."
            )
        return Transversal(n, values.sets.indptr, values.sets.codes, k)
    levels = [coded(column) for column in values.columns]
    if len(caps) not in (0, 1, len(levels)):
        raise InputError(
            f"quota_cap has {len(caps)} numbers for {len(levels)} quotas; give one number for each, from the outermost "
            "to the innermost."
        )
    if len(levels) == 1:
        return Partition(levels[0], caps[0] if caps else None, k)
    limits = list(caps) * len(levels) if len(caps) == 1 else list(caps)
    if not limits:
        limits = [math.ceil(k / max(len(np.unique(groups)), 1)) for groups in levels]
    return Laminar(list(zip(levels, limits, strict=True)), k)
