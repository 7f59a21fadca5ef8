"""Features: what makes public items differ, from a query's arguments or a declared items relation, to a distance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from msd_sql.catalog.declarations import Items
from msd_sql.database.host import Column
from msd_sql.engines.candidates import Candidates
from msd_sql.errors import CatalogError, InputError
from msd_sql.question.item_columns import ItemColumn, item_columns
from msd_sql.question.options import record
from msd_sql.question.sets import Sets, cells, sets_of
from msd_sql.runtime.call import Call
from msd_sql.runtime.vectors import Vectors, vectors_of
from msd_sql.surface.column_types import is_numeric
from msd_sql.udfs.types import FloatArray, IntArray


@dataclass(frozen=True)
class Features:
    """The features of every candidate in one of three forms: sets, vectors, or ordinary columns."""

    sets: Sets | None = None
    vectors: Vectors | None = None
    columns: Sequence[Column] = field(default=())
    parts: Sequence[Features] = field(default=())  # several of different forms, each with a distance of its own

    @property
    def numeric(self) -> bool:
        """Are they columns of numbers?"""
        return bool(self.columns) and all(column.dtype.kind in "iuf" for column in self.columns)

    @property
    def facts(self) -> list[Any]:
        """The same for the same features, whatever order rows were read in: what tells one question from another."""
        if self.parts:
            return ["parts", *(fact for part in self.parts for fact in part.facts)]
        if self.sets is not None:
            return ["sets", self.sets.indptr, self.sets.facts]
        if self.vectors is not None:
            return ["vectors", self.vectors]
        return ["columns", *(coded(column) if column.dtype == object else column for column in self.columns)]


@dataclass(frozen=True)
class Given:
    """One column of the candidates (features, a quota, a score), in the one form that fits its type."""

    shape: str  # 'none', 'value', 'record', 'list' or 'vector'
    type: str
    texts: Sequence[str | None] = ()
    sets: Sets | None = None
    vectors: Vectors | None = None  # NaN where one or a value of it is NULL
    numbers: FloatArray | None = None  # NaN where NULL, or not a number

    @property
    def absent(self) -> bool:
        """Was nothing given?"""
        return self.shape == "none"


def given_features(given: Given, candidates: Candidates) -> Features:
    """The features that a call gave, for the candidates in their order."""
    found = given_values(given, candidates)
    texts = set(found.columns[0]) if found.columns and given.type == "VARCHAR" else set()
    if candidates.n > 1 and len(texts) == 1:
        text = texts.pop()
        raise InputError(
            f"features is the same text, '{text}', for every candidate. Name a column without quotes: "
            f"features := {text}."
        )
    return found


def given_values(given: Given, candidates: Candidates) -> Features:
    """The values of an argument of a call, features or quota, for the candidates in their order."""
    rows = candidates.rows
    if given.shape == "list" and given.sets is not None:
        return Features(sets=given.sets.of(rows))
    if given.shape == "vector" and given.vectors is not None:
        return Features(vectors=given.vectors.of(rows))
    texts = [given.texts[row] for row in rows]
    if given.shape == "record":
        return _record_features(texts)
    return Features(columns=[_numbers(texts) if is_numeric(given.type) else _objects(texts)])


def declared_values(
    call: Call, items: Items, groups: Sequence[Candidates], names: Sequence[str], *, mixed: bool = False
) -> list[Features]:
    """Columns of a declared items relation, features or quotas, for every group's candidates; `mixed`: each a part."""
    return [_declared(items, found, mixed) for found in item_columns(call, items, groups, names)]


def _declared(items: Items, found: Mapping[str, ItemColumn], mixed: bool) -> Features:
    nested = [name for name, column in found.items() if column.kind != "value"]
    if mixed:
        return Features(parts=[_column_features(column) for column in found.values()])
    if nested and len(found) > 1:
        raise CatalogError(
            f"Items {items.name}: the list column {nested[0]} must stand alone; declare it as the only one, such as "
            f"features := '{nested[0]}', or say distance := 'mixed'."
        )
    if nested:
        return _column_features(next(iter(found.values())))
    return Features(columns=[column.values for column in found.values() if not isinstance(column.values, Sets)])


def _column_features(column: ItemColumn) -> Features:
    if isinstance(column.values, Sets):
        return Features(sets=column.values)
    if column.kind == "list":
        return Features(sets=sets_of(cells(column.values)))
    if column.kind == "vector":
        return Features(vectors=vectors_of(cells(column.values)))
    return Features(columns=[column.values])


def coded(column: Column) -> IntArray:
    """Codes from 0 for the distinct values of a column; NULL is a value like any other.

    >>> coded(np.array(["b", "a", "b"], dtype=object)).tolist()
    [0, 1, 0]
    """
    import pandas as pd

    values = np.ma.filled(column.astype(object), None) if isinstance(column, np.ma.MaskedArray) else column
    codes, _ = pd.factorize(values, use_na_sentinel=False)
    return np.asarray(codes, dtype=np.int64)


def _record_features(texts: Sequence[str | None]) -> Features:
    """The members of a record as columns; as parts of their own where one of them is a list."""
    members = _record_members(texts)
    if not any(isinstance(value, list) for values in members for value in values):
        return Features(columns=[_record_column(values) for values in members])
    return Features(parts=[_record_part(values) for values in members])


def _record_part(values: Sequence[Any]) -> Features:
    lists = [value for value in values if isinstance(value, list)]
    if not lists:
        return Features(columns=[_record_column(values)])
    if any(isinstance(one, float) for value in lists for one in value):
        return Features(vectors=vectors_of([value if isinstance(value, list) else None for value in values]))
    return Features(
        sets=sets_of(
            [
                [None if one is None else str(one) for one in value] if isinstance(value, list) else None
                for value in values
            ]
        )
    )


def _record_members(texts: Sequence[str | None]) -> list[tuple[Any, ...]]:
    rows = [record(text) for text in texts]
    width = max((len(row) for row in rows), default=1)
    rows = [row if len(row) == width else [None] * width for row in rows]
    return list(zip(*rows, strict=True))


def _record_column(values: Sequence[Any]) -> Column:
    numeric = all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
    return np.array(values, dtype=np.float64) if numeric else _objects(list(values))


def _numbers(texts: Sequence[str | None]) -> FloatArray:
    return np.array([np.nan if text is None else float(text) for text in texts], dtype=np.float64)


def _objects(values: Sequence[Any]) -> Column:
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column
