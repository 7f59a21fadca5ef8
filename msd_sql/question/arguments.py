"""The arguments: one selection as DuckDB hands it to a function, in Arrow arrays, made one record.

Arrow carries texts and numbers without a Python object for each. Vectors have come before (`VectorStore`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from msd_sql.database.host import Column
from msd_sql.question.features import Given
from msd_sql.question.sets import Sets, csr
from msd_sql.runtime.vector_store import VectorStore
from msd_sql.surface.column_types import NOT_GIVEN, shape_of
from msd_sql.surface.description import Argument, Kind
from msd_sql.surface.functions import SELECTION_COLUMNS
from msd_sql.udfs.types import FloatArray, IntArray

Texts: TypeAlias = Mapping[str, str | None]


@dataclass(frozen=True)
class Arguments:
    """The question of one group, as `_msd_pick` and `_msd_explain` are given it (surface/macros.py)."""

    keys: Sequence[str | None]
    numbers: Column | None  # the keys, if they are whole numbers: then there are no texts; NaN where NULL
    order: Sequence[int] | IntArray | None  # None: not known, because the macro does not know the type of the keys
    key_type: str
    options: Texts
    columns: Mapping[str, Given]

    @property
    def empty(self) -> bool:
        """Is there no candidate at all?"""
        return not len(self.keys) and (self.numbers is None or not len(self.numbers))

    @property
    def features(self) -> Given:
        """What makes the candidates differ."""
        return self.columns["features"]

    @property
    def quota(self) -> Given:
        """The categories of which each may be chosen a few times."""
        return self.columns["quota"]

    @property
    def scores(self) -> FloatArray | None:
        """The public score of each candidate, NaN where NULL or not a number; None if there is none."""
        return self.columns["score"].numbers


class Chunk:
    """The questions of a chunk, of which only the options are read at first: the guard comes before the rest.

    Groups differ in their candidates and hardly in anything else: what several have alike is one object.

    >>> Chunk(pa.chunked_array([[{"options": {"k": "6"}}, {"options": {"k": "6"}}]])).options
    [{'k': '6'}]
    """

    def __init__(self, questions: pa.ChunkedArray) -> None:
        self._question = whole(questions)
        self.options, self._options_of = _distinct(self._question.field("options"))

    def read(self, store: VectorStore) -> list[Arguments]:
        """Everything that the groups were given, one after the other, vectors from the store."""
        keys, order = self._question.field("keys"), self._question.field("order")
        numbers = _lists(self._question.field("numbers"))
        types = self._question.field("key_type").to_pylist()
        given_columns = self._question.field("columns")
        columns = [_Column(column, given_columns.field(column.name)) for column in SELECTION_COLUMNS]
        given_keys = keys.is_valid().to_pylist()
        found = []
        for row, number in enumerate(self._options_of):
            options, listed = self.options[number], given_keys[row]
            rows = listed or numbers[row] is not None  # without a row there is no column either
            given = {one.name: one.given(row, options, store) if rows else _ABSENT for one in columns}
            texts = _texts(keys[row]) if listed else ()
            ranks = _numbers(order[row]) if listed else None
            found.append(Arguments(texts, numbers[row], ranks, _element(types[row]), options, given))
        return found


class _Column:
    """One column of the candidates of all groups, each in the one form that fits its type."""

    def __init__(self, column: Argument, forms: pa.StructArray) -> None:
        self.name, self._kind, self._forms = column.name, column.kind, forms
        self._types = pc.struct_field(forms, "type").to_pylist()  # NULL where the column itself is

    def given(self, row: int, options: Texts, store: VectorStore) -> Given:
        kind, forms = self._types[row], self._forms
        if kind in (None, NOT_GIVEN):
            return _ABSENT
        if self._kind is Kind.SCORE:
            numbers = _numbers(forms.field("numbers")[row])
            return Given("none" if numbers is None else "value", _element(kind), numbers=numbers)
        shape = shape_of(kind, options["distance"] if self._kind is Kind.FEATURES else "hamming")
        return Given(
            shape,
            _element(kind),
            _texts(forms.field("texts")[row]) if shape in ("value", "record") else [],
            _sets(forms.field("lists")[row].values) if shape == "list" else None,
            store.vectors(forms.field("vectors")[row].values.to_numpy()) if shape == "vector" else None,
        )


_ABSENT = Given("none", "")


def _distinct(records: pa.StructArray) -> tuple[list[Texts], list[int]]:
    """The different records of texts in the order in which they come up, and which of them each one is."""
    names = [field.name for field in records.type]
    rows = list(zip(*(records.field(name).to_pylist() for name in names), strict=True))
    number = {row: place for place, row in enumerate(dict.fromkeys(rows))}
    return [dict(zip(names, row, strict=True)) for row in number], [number[row] for row in rows]


def whole(column: pa.ChunkedArray) -> pa.Array:
    """One array of a column; the column's own where it is one, which `combine_chunks` would copy."""
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def _element(list_type: str) -> str:
    return list_type.removesuffix("[]")


def _texts(texts: Any) -> list[str | None]:
    """The texts of one list; ten times as fast as `as_py`."""
    found: list[str | None] = texts.values.to_numpy(zero_copy_only=False).tolist() if texts.is_valid else []
    return found


def _lists(lists: pa.ListArray) -> list[npt.NDArray[Any] | None]:
    """The numbers of every list; None for a list that is NULL."""
    if lists.values.null_count:  # an integer beside a NULL would be a float
        return [_numbers(one) for one in lists]
    flat, bounds = lists.values.to_numpy(), lists.offsets.to_pylist()
    pairs = zip(lists.is_valid().to_pylist(), bounds[:-1], bounds[1:], strict=True)
    return [flat[start:stop] if valid else None for valid, start, stop in pairs]


def _numbers(numbers: Any) -> npt.NDArray[Any] | None:
    """The numbers of one list without making Python objects of them; NaN for NULL."""
    return numbers.values.to_numpy(zero_copy_only=False) if numbers.is_valid else None


def _sets(lists: Any) -> Sets:
    owners, tokens = _pairs(lists)
    known = np.asarray(tokens.is_valid())
    coded = tokens.dictionary_encode()
    codes = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False)[known]
    return csr(owners[known], codes, len(lists))


def _pairs(lists: Any) -> tuple[IntArray, Any]:
    lengths = pc.list_value_length(lists).fill_null(0).to_numpy(zero_copy_only=False)
    return np.repeat(np.arange(len(lists)), lengths).astype(np.int64), lists.flatten()
