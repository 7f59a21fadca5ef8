"""The vector store: vectors as DuckDB hands them over, chunk by chunk, until the selection they belong to reads them.

DuckDB makes a list of vectors number by number, and makes it again for Arrow: 0.2 s for 100,000 × 128. So every row
hands over its vector as it is read, gets a number for it, and only these numbers are gathered. Vectors of one length
follow each other in one matrix, so that a selection of all of them reads it as it is, whatever order its threads came
in. Its memory is that of the statement before (`room`), if that is done with it.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from msd_sql.errors import EngineError
from msd_sql.runtime.buffer import Bytes, ReusableBuffer
from msd_sql.runtime.vectors import Matrix, Vectors, one_length
from msd_sql.udfs.types import IntArray

NULL = -1  # the number of no vector
_ROWS = 40  # bits of a number that say which vector of its length it is
_ROOM = 1 << 26  # bytes to begin with
_GROWTH = 8  # times as much is next, from there on: addresses, of which the system makes memory as they are written to


class VectorStore:
    """The vectors of one statement; several threads may hand them over.

    >>> import pyarrow as pa
    >>> store = VectorStore()
    >>> store.put(pa.array([[1.0, 2.0], None, [3.0, 4.0]])).tolist()
    [0, -1, 1]
    >>> store.vectors(np.array([1, 0])).plain
    array([[3., 4.],
           [1., 2.]])
    """

    def __init__(self, room: ReusableBuffer | None = None) -> None:
        self._room = room or ReusableBuffer()
        self._all: list[_OneLength | None] = []  # None: let go of
        self._lock = threading.Lock()

    def put(self, vectors: pa.Array) -> IntArray:
        """Keep some vectors; their numbers, `NULL` for a vector that is NULL."""
        numbers = np.full(len(vectors), NULL, np.int64)
        with self._lock, _enough():
            for places, values in _by_length(vectors):
                which, kept = self._like(values.shape[1], values.dtype)
                start = kept.add(values)
                start += which << _ROWS
                numbers[places] = np.arange(start, start + len(values))
        return numbers

    def vectors(self, numbers: IntArray) -> Vectors:
        """The vectors of these numbers; NaN where one or a value of it is NULL.

        What all groups of a statement have read is let go of.
        """
        known = numbers != NULL
        whole = bool(known.all())
        with self._lock:
            found: dict[int, _OneLength] = {}
            for which in _different(numbers[known] >> _ROWS):
                kept = self._all[which]
                if kept is None:
                    raise EngineError("The vectors of this selection were let go of: another group of it failed.")
                found[which] = kept
            width = one_length(kept.width for kept in found.values())
            if not found:
                return Vectors(np.full((len(numbers), width), np.nan))
            ((which, kept),) = found.items()
            rows = (numbers if whole else numbers[known]) - (which << _ROWS)
            vectors = kept.read(rows)
            if kept.done:
                self._all[which] = None
        if whole:
            return vectors
        spread: Matrix = np.full((len(numbers), width), np.nan, vectors.matrix.dtype)
        spread[known] = vectors.plain
        return Vectors(spread)

    def forget(self) -> None:
        """Let go of everything."""
        with self._lock:
            self._all = [None] * len(self._all)

    @property
    def empty(self) -> bool:
        """Is nothing kept?"""
        return not any(self._all)

    def _like(self, width: int, kind: np.dtype[Any]) -> tuple[int, _OneLength]:
        for which, kept in enumerate(self._all):
            if kept is not None and (kept.width, kept.kind) == (width, kind):
                return which, kept
        made = _OneLength(width, kind, np.empty(0, np.uint8) if self._all else self._room.borrow(_ROOM))
        self._all.append(made)
        return len(self._all) - 1, made


class _OneLength:
    """Vectors of one length and one type of number, row by row."""

    def __init__(self, width: int, kind: np.dtype[Any], room: Bytes) -> None:
        self.width, self.kind = width, kind
        self._size = self._read = 0
        rows = len(room) // max(1, width * kind.itemsize)
        self._matrix: Matrix = room[: rows * width * kind.itemsize].view(kind).reshape(rows, width)

    def add(self, values: Matrix) -> int:
        """Keep some more; where they begin."""
        start = self._size
        self._size += len(values)
        self._write(values)
        return start

    def read(self, rows: IntArray) -> Vectors:
        """These rows; without a copy if no other lies between them."""
        self._read += len(rows)
        first, last = int(rows.min()), int(rows.max())
        if last - first == len(rows) - 1:
            return Vectors(self._matrix[first : last + 1]).of(rows - first)
        return Vectors(self._matrix.take(rows, axis=0))

    @property
    def done(self) -> bool:
        """Has everything been read?"""
        return self._read >= self._size

    def _write(self, values: Matrix) -> None:
        """Write the last ones."""
        start = self._size - len(values)
        if self._size > len(self._matrix):
            larger = self._larger()
            larger[:start] = self._matrix[:start]
            self._matrix = larger  # whoever has read the smaller one keeps it
        self._matrix[start : self._size] = values

    def _larger(self) -> Matrix:
        if self._size * self.width * self.kind.itemsize > _ROOM:
            with suppress(MemoryError):  # where even addresses are counted
                return np.empty((_GROWTH * self._size, self.width), self.kind)
        return np.empty((2 * self._size, self.width), self.kind)


@contextmanager
def _enough() -> Iterator[None]:
    try:
        yield
    except MemoryError:  # numpy's says how many rows there were, and nothing has been guarded yet
        raise EngineError("There is not enough memory for the vectors of this selection.") from None


def _by_length(vectors: pa.Array) -> Iterator[tuple[IntArray | slice, Matrix]]:
    """The places and the values of the vectors of each length that occurs; what is no vector counts as NULL.

    DuckDB hands over other things as well where it cannot tell beforehand that nobody will ask for them. An error here
    would come before the guard, and could quote private values.
    """
    kind = vectors.type
    fixed = pa.types.is_fixed_size_list(kind)
    if not ((fixed or pa.types.is_list(kind)) and pa.types.is_floating(kind.value_type)):
        return
    if fixed and not vectors.null_count:  # as embeddings are: no need to look at every one
        yield slice(None), _flat(vectors).reshape(len(vectors), kind.list_size)
        return
    lengths = pc.list_value_length(vectors).fill_null(NULL).to_numpy(zero_copy_only=False)
    for length in _different(lengths):
        places = np.flatnonzero(lengths == length)
        some = vectors if len(places) == len(lengths) else vectors.take(places)
        yield places, _flat(some).reshape(len(places), length)


def _flat(vectors: pa.Array) -> Matrix:
    numbers: Matrix = vectors.flatten().to_numpy(zero_copy_only=False)
    return numbers


def _different(lengths: IntArray) -> list[int]:
    if len(lengths) and lengths[0] != NULL and (lengths == lengths[0]).all():
        return [int(lengths[0])]
    found: list[int] = np.unique(lengths[lengths != NULL]).tolist()
    return found
