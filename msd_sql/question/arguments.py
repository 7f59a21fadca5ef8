"""The arguments: one selection as DuckDB hands it to a function, in Arrow arrays, made one record.

Arrow carries texts and numbers without a Python object for each. Vectors have come before (`VectorStore`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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


@dataclass(frozen=True)
class Group:
    """One group's question, of which only the texts are read at first: the guard comes before the rest."""

    options: Texts
    _question: pa.StructArray
    _row: int

    def read(self, store: VectorStore) -> Arguments:
        """Everything that was given, vectors from the store."""
        keys, numbers, order, key_type = (
            self._question.field(name)[self._row] for name in ("keys", "numbers", "order", "key_type")
        )
        rows = keys.is_valid or numbers.is_valid  # without a row there is no column either
        columns = self._question.field("columns")
        return Arguments(
            _texts(keys),
            _numbers(numbers),
            _numbers(order),
            _element(key_type.as_py()),
            self.options,
            {
                column.name: _given(column, columns.field(column.name), self._row, self.options, store)
                if rows
                else Given("none", "")
                for column in SELECTION_COLUMNS
            },
        )


def groups(questions: pa.ChunkedArray) -> Iterator[Group]:
    """Every group of a chunk.

    >>> [group.options for group in groups(pa.chunked_array([[{"options": {"k": "6"}}]]))]
    [{'k': '6'}]
    """
    question = whole(questions)
    options = question.field("options")
    for row in range(len(question)):
        yield Group(options[row].as_py(), question, row)


def _given(column: Argument, forms: pa.StructArray, row: int, options: Texts, store: VectorStore) -> Given:
    """One column of the candidates, from the one form that fits its type."""
    kind = forms.field("type")[row].as_py()
    if column.kind is Kind.SCORE:
        numbers = None if kind in (None, NOT_GIVEN) else _numbers(forms.field("numbers")[row])
        return Given("none" if numbers is None else "value", _element(kind or ""), numbers=numbers)
    shape = shape_of(kind, options["distance"] if column.kind is Kind.FEATURES else "hamming")
    return Given(
        shape,
        _element(kind or ""),
        _texts(forms.field("texts")[row]) if shape in ("value", "record") else [],
        _sets(forms.field("lists")[row].values) if shape == "list" else None,
        store.vectors(forms.field("vectors")[row].values.to_numpy()) if shape == "vector" else None,
    )


def whole(column: pa.ChunkedArray) -> pa.Array:
    """One array of a column; the column's own where it is one, which `combine_chunks` would copy."""
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def _element(list_type: str) -> str:
    return list_type.removesuffix("[]")


def _texts(texts: Any) -> list[str | None]:
    """The texts of one list; ten times as fast as `as_py`."""
    found: list[str | None] = texts.values.to_numpy(zero_copy_only=False).tolist() if texts.is_valid else []
    return found


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
