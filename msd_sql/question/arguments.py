"""The arguments: one selection as DuckDB hands it to a function, in Arrow arrays, made one record.

Arrow carries texts and numbers without a Python object for each. Vectors have come before (`VectorStore`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from msd_sql.database.host import Column
from msd_sql.question.features import Given
from msd_sql.question.sets import Sets, csr
from msd_sql.runtime.vector_store import VectorStore
from msd_sql.udfs.types import FloatArray, IntArray

Texts: TypeAlias = dict[str, str | None]
_NULL = '"NULL"[]'
_VECTOR = re.compile(r"^(angular|l1|l2|haversine) (?s:.*)\]\[\]\Z|^ (FLOAT|DOUBLE|DECIMAL[^\[]*)\[\d*\]\[\]\Z")


@dataclass(frozen=True)
class Arguments:
    """The arguments of `_msd_pick` and `_msd_explain` for one group."""

    keys: Sequence[str | None]
    numbers: Column | None  # the keys, if they are whole numbers: then there are no texts; NaN where NULL
    order: Sequence[int] | IntArray | None  # None: not known, because the macro does not know the type of the keys
    key_type: str
    options: Mapping[str, str | None]
    features: Given
    quota: Given
    scores: FloatArray | None  # NaN where NULL, or not a number

    @property
    def empty(self) -> bool:
        """Is there no candidate at all?"""
        return not len(self.keys) and (self.numbers is None or not len(self.numbers))


def from_arrow(columns: Sequence[pa.ChunkedArray]) -> Iterator[tuple[Texts, Texts, Callable[[VectorStore], Arguments]]]:
    """Every group of a chunk of Arrow arrays: its options and context, and what reads the rest of it."""
    (
        keys, numbers, order, key_type, options, types, texts, lists, vectors, quota_texts, quota_lists, scores,
        context,
    ) = map(whole, columns)  # fmt: skip

    def read(row: int, wanted: Texts, store: VectorStore) -> Arguments:
        told = types[row].as_py()
        shape = shape_of(told["features"], wanted["distance"])
        quota_shape = shape_of(told["quota"], "hamming")
        if not (keys[row].is_valid or numbers[row].is_valid):  # no row, and so no column either
            shape = quota_shape = "none"
        return Arguments(
            _arrow_texts(keys[row]),
            _arrow_numbers(numbers[row]),
            _arrow_numbers(order[row]),
            _element(key_type[row].as_py()),
            wanted,
            Given(
                shape,
                _element(told["features"] or ""),
                _arrow_texts(texts[row]) if shape in ("value", "record") else [],
                _arrow_sets(lists[row].values) if shape == "list" else None,
                store.matrix(vectors[row].values.to_numpy()) if shape == "vector" else None,
            ),
            Given(
                quota_shape,
                _element(told["quota"] or ""),
                _arrow_texts(quota_texts[row]) if quota_shape in ("value", "record") else [],
                _arrow_sets(quota_lists[row].values) if quota_shape == "list" else None,
            ),
            _scores(told, _arrow_numbers(scores[row])),
        )

    for row in range(len(keys)):
        wanted = options[row].as_py()
        yield wanted, context[row].as_py(), partial(read, row, wanted)


def whole(column: pa.ChunkedArray) -> pa.Array:
    """One array of a column; the column's own where it is one, which `combine_chunks` would copy."""
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def shape_of(list_type: str | None, distance: str | None) -> str:
    """Whether a column is a vector, a list, a record or one value, by the type of a list of it: as macros.sql tells.

    >>> [shape_of(kind, None) for kind in ("FLOAT[3][]", "INTEGER[][]", "STRUCT(a INTEGER)[]", "DATE[]", None)]
    ['vector', 'list', 'record', 'value', 'none']
    """
    kind = list_type or _NULL
    if kind == _NULL:
        return "none"
    if _VECTOR.search(f"{(distance or '').lower()} {kind}"):
        return "vector"
    return "list" if kind.endswith("][]") else "record" if kind[:5] in ("STRUC", "TUPLE") else "value"


def _element(list_type: str) -> str:
    return list_type.removesuffix("[]")


def _scores(types: Mapping[str, str | None], scores: npt.NDArray[Any] | None) -> FloatArray | None:
    return None if types["score"] in (None, _NULL) or scores is None else scores.astype(np.float64)


def _arrow_texts(texts: Any) -> list[str | None]:
    """The texts of one list; ten times as fast as `as_py`."""
    found: list[str | None] = texts.values.to_numpy(zero_copy_only=False).tolist() if texts.is_valid else []
    return found


def _arrow_numbers(numbers: Any) -> npt.NDArray[Any] | None:
    """The numbers of one list without making Python objects of them; NaN for NULL."""
    return numbers.values.to_numpy(zero_copy_only=False) if numbers.is_valid else None


def _arrow_sets(lists: Any) -> Sets:
    owners, tokens = _arrow_pairs(lists)
    known = np.asarray(tokens.is_valid())
    coded = tokens.dictionary_encode()
    codes = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False)[known]
    return csr(owners[known], codes, len(lists))


def _arrow_pairs(lists: Any) -> tuple[IntArray, Any]:
    lengths = pc.list_value_length(lists).fill_null(0).to_numpy(zero_copy_only=False)
    return np.repeat(np.arange(len(lists)), lengths).astype(np.int64), lists.flatten()
