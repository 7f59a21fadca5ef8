"""Quotas: how many items of each value there may and must be, from a call or a declaration, to a matroid."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from msd_sql.catalog.declarations import Items
from msd_sql.database.host import Column
from msd_sql.engines.candidates import Candidates
from msd_sql.errors import InputError, suggest
from msd_sql.question.features import Features, Given, coded, given_values
from msd_sql.question.options import Counts, Request
from msd_sql.udfs.matroids import Laminar, Partition, Transversal, Uniform
from msd_sql.udfs.types import IntArray, Matroid


def constraint(
    given: Given, declared: Features | None, items: Items | None, wanted: Request, candidates: Candidates
) -> tuple[Matroid, list[Any]]:
    """The quota of the call, or else the declared one, or else no more than k items; and its facts.

    One column is a partition (at most a cap per value); a record, or several columns, are nested quotas from the
    outermost to the innermost; a list column is one item per category, where an item may have several.
    """
    caps, minimums = wanted.quota_cap, wanted.quota_min
    if not given.absent:
        values = given_values(given, candidates)
    elif declared is not None and items is not None:
        values, caps = declared, caps or items.quota_cap
    elif caps or minimums:
        name, counts = ("quota_cap", caps) if caps else ("quota_min", minimums)
        raise InputError(
            f"{name} is {_said(counts)}, but there is no quota: say quota := the column whose values are limited."
        )
    else:
        return Uniform(candidates.n, wanted.k), []
    made = quota(values, caps, candidates.n, wanted.k, minimums)
    return made, [*values.facts, *(made.numbers if isinstance(made, Laminar) else [])]


def quota(values: Features, caps: Counts, n: int, k: int, minimums: Counts = ()) -> Matroid:
    """The matroid of a quota's values; NULL is a value like any other.

    Numbers are one for every quota, or one for all, or by value for a single one: a value without a cap is not limited,
    and one without a minimum needs none. With minimums and no caps nothing but k limits a value.

    >>> quota(Features(columns=[np.array(["a", "a", "b"], dtype=object)]), [1], 3, 2).base()
    [0, 2]
    >>> quota(Features(columns=[np.array(["a", "a", "b"], dtype=object)]), (), 3, 2, {"b": 1}).described
    'partition (at least 0 to 1, at most 2 of each)'
    """
    if values.sets is not None:
        if caps or minimums:
            raise InputError(
                f"A list column as quota means one item per category, so that it has no "
                f"{'quota_cap' if caps else 'quota_min'}. For a number of items of each value give a column with one "
                "value an item."
            )
        return Transversal(n, values.sets.indptr, values.sets.codes, k)
    levels = [coded(column) for column in values.columns]
    labels = [_labels(column, codes) for column, codes in zip(values.columns, levels, strict=True)]
    most = _by_level("quota_cap", caps, labels, k)
    least = _by_level("quota_min", minimums, labels, 0)
    if len(levels) == 1:
        return Partition(levels[0], most[0] if most else None, k, least[0] if least else None, labels[0])
    if not most:
        most = [k if least else math.ceil(k / max(len(np.unique(groups)), 1)) for groups in levels]
    return Laminar(list(zip(levels, most, strict=True)), k, least or None, labels)


def _by_level(name: str, counts: Counts, labels: Sequence[Sequence[str]], otherwise: int) -> list[int | IntArray]:
    """The numbers of every level, from the outermost to the innermost; empty where none were given."""
    if isinstance(counts, Mapping):
        if len(labels) > 1:
            raise InputError(
                f"{name} gives a number for each value, which is for one quota column; there are {len(labels)}. Give "
                "one number for each column."
            )
        return [_by_value(name, counts, labels[0], otherwise)]
    if len(counts) not in (0, 1, len(labels)):
        raise InputError(
            f"{name} has {len(counts)} numbers for {len(labels)} quotas; give one number for each, from the outermost "
            "to the innermost."
        )
    return [*counts] * (len(labels) if len(counts) == 1 else 1)


def _by_value(name: str, counts: Mapping[str, int], labels: Sequence[str], otherwise: int) -> IntArray:
    found: IntArray = np.full(len(labels), otherwise, dtype=np.int64)
    codes = {label: code for code, label in enumerate(labels)}
    for value, count in counts.items():
        if value in codes:
            found[codes[value]] = count
        elif name == "quota_min" and count:  # at most so many of none is no question
            raise InputError(f"quota_min asks for {count} of '{value}': {suggest('value', value, labels[:50])}")
    return found


def _labels(column: Column, codes: IntArray) -> list[str]:
    """What each code stands for, as text."""
    _, first = np.unique(codes, return_index=True)
    masked = np.ma.getmaskarray(column)
    return ["NULL" if masked[row] else _text(column[row]) for row in first]


def _text(value: Any) -> str:
    if value is None or value != value:
        return "NULL"
    if isinstance(value, bool | np.bool_):
        return str(bool(value)).lower()
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    return str(value)


def _said(counts: Counts) -> str:
    if isinstance(counts, Mapping):
        return ", ".join(f"{count} of '{value}'" for value, count in counts.items())
    return ", ".join(map(str, counts))
