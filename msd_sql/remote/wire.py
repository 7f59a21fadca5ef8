"""What travels between a database that asks and a curator: questions as Arrow tables, everything else as JSON."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.compute as pc

from msd_sql.errors import InputError
from msd_sql.question.arguments import whole
from msd_sql.runtime.vector_store import VectorStore
from msd_sql.surface.forms import FORMS
from msd_sql.surface.functions import SELECTION_COLUMNS, SELECTION_OPTIONS

VECTORS = "vectors"
_ARROW = {
    "VARCHAR": pa.string(),
    "VARCHAR[]": pa.list_(pa.string()),
    "DOUBLE": pa.float64(),
    "BIGINT": pa.list_(pa.float64()),  # the number of a vector becomes the vector itself
}
_KEY_TYPES = re.compile(
    r"U?(TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)|VARCHAR|UUID|BOOLEAN|FLOAT|DOUBLE|DATE|TIME|"
    r"TIMESTAMP(_S|_MS|_NS| WITH TIME ZONE)?|DECIMAL\([0-9]{1,2}, ?[0-9]{1,2}\)"
)


@dataclass(frozen=True)
class Asked:
    """One question to a curator: what to do, plain values, and the candidates of every group where there are some."""

    act: str
    given: Mapping[str, Any] = field(default_factory=dict)
    groups: pa.Table | None = None


@dataclass(frozen=True)
class Told:
    """An answer: plain values, or a table."""

    values: Mapping[str, Any] = field(default_factory=dict)
    table: pa.Table | None = None


class Door(Protocol):
    """Where a question is answered: in this process, or at a server."""

    def ask(self, asked: Asked) -> Told:
        """Ask; an MsdError where it is refused."""
        ...

    def close(self) -> None:
        """Let go of the connection."""
        ...


def _columns_type() -> pa.DataType:
    forms = {kind: [(form.name, pa.list_(_ARROW[form.type])) for form in found] for kind, found in FORMS.items()}
    return pa.struct(
        [(column.name, pa.struct([("type", pa.string()), *forms[column.kind]])) for column in SELECTION_COLUMNS]
    )


# A group as it travels. The order of the candidates does not: the curator sorts them itself.
GROUP = pa.schema([
    ("keys", pa.list_(pa.string())),
    ("numbers", pa.list_(pa.int64())),
    ("key_type", pa.string()),
    ("options", pa.struct([(option.name, pa.string()) for option in SELECTION_OPTIONS])),
    ("columns", _columns_type()),
])  # fmt: skip


def outgoing(questions: pa.ChunkedArray, key_types: list[str], store: VectorStore) -> pa.Table:
    """The groups of a chunk as they travel, vectors from the store."""
    question = whole(questions)
    columns = pa.StructArray.from_arrays(
        [_with_vectors(question.field("columns").field(column.name), store) for column in SELECTION_COLUMNS],
        names=[column.name for column in SELECTION_COLUMNS],
    )
    arrays = [
        question.field("keys"),
        question.field("numbers"),
        pa.array(key_types, pa.string()),
        question.field("options"),
        columns,
    ]
    cast = [array.cast(kind.type) for array, kind in zip(arrays, GROUP, strict=True)]
    return pa.Table.from_arrays(cast, schema=GROUP)


def incoming(table: pa.Table, store: VectorStore) -> pa.ChunkedArray:
    """The groups of a table as `_msd_pick` is given them, vectors put into the store."""
    found = table.combine_chunks()
    columns = {
        name: whole(found.column(name)) if found.num_rows else pa.array([], GROUP.field(name).type)
        for name in GROUP.names
    }
    inside = pa.StructArray.from_arrays(
        [_without_vectors(columns["columns"].field(column.name), store) for column in SELECTION_COLUMNS],
        names=[column.name for column in SELECTION_COLUMNS],
    )
    order = pa.nulls(found.num_rows, pa.list_(pa.int64()))
    arrays = [columns["keys"], columns["numbers"], order, columns["key_type"], columns["options"], inside]
    names = ["keys", "numbers", "order", "key_type", "options", "columns"]
    return pa.chunked_array([pa.StructArray.from_arrays(arrays, names=names)])


def checked_key_type(kind: str | None) -> str:
    """The type of keys that travel; an InputError for one that cannot be a key of a curator's relation.

    >>> checked_key_type("DECIMAL(9,2)")
    'DECIMAL(9,2)'
    """
    if kind is None or not _KEY_TYPES.fullmatch(kind):
        raise InputError(
            f"Keys of type {str(kind)[:60]} cannot be sent to a curator: cast them to numbers, texts, dates or UUIDs."
        )
    return kind


def plain_key_type(kind: str) -> str:
    """A type of keys as it travels: an ENUM as the text that it is.

    >>> plain_key_type("ENUM('a', 'b')")
    'VARCHAR'
    """
    return "VARCHAR" if kind.startswith("ENUM(") else checked_key_type(kind)


def _with_vectors(forms: pa.StructArray, store: VectorStore) -> pa.StructArray:
    names = [kind.name for kind in forms.type]
    arrays = {name: forms.field(name) for name in names}
    if VECTORS in arrays:
        rows = []
        for numbers in arrays[VECTORS]:
            # A table without vectors hands over NULL for each of its rows.
            known = numbers.is_valid and len(numbers.values) and not numbers.values.null_count
            rows.append(store.vectors(numbers.values.to_numpy()).plain if known else None)
        arrays[VECTORS] = _matrices(rows)
    return pa.StructArray.from_arrays(list(arrays.values()), names=names)


def _matrices(rows: list[Any]) -> pa.Array:
    """One list of vectors a group; NULL where a group has none."""
    kind = pa.list_(pa.list_(pa.float64()))
    made = []
    for matrix in rows:
        if matrix is None:
            made.append(pa.nulls(1, kind))
            continue
        count, width = matrix.shape
        flat = pa.array(matrix.astype("float64", copy=False).reshape(-1))
        vectors = pa.ListArray.from_arrays(pa.array(range(0, count * width + 1, width), pa.int32()), flat)
        made.append(pa.ListArray.from_arrays(pa.array([0, count], pa.int32()), vectors))
    return pa.concat_arrays([one.cast(kind) for one in made]) if made else pa.array([], kind)


def _without_vectors(forms: pa.StructArray, store: VectorStore) -> pa.StructArray:
    names = [kind.name for kind in forms.type]
    arrays = {name: forms.field(name) for name in names}
    if VECTORS in arrays:
        given = arrays[VECTORS]
        numbers = pa.array(store.put(given.flatten()), pa.int64())
        lengths = pc.list_value_length(given)
        offsets = [0]
        for length in lengths.to_pylist():
            offsets.append(offsets[-1] + (length or 0))
        made = pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), numbers)
        arrays[VECTORS] = pa.array(
            [one if valid.as_py() else None for one, valid in zip(made, given.is_valid(), strict=True)],
            pa.list_(pa.int64()),
        ) if given.null_count else made  # fmt: skip
    return pa.StructArray.from_arrays(list(arrays.values()), names=names)
