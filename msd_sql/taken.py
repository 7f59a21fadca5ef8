"""Taken: vectors as DuckDB hands them over, chunk by chunk, until the selection that they belong to reads them.

DuckDB makes a list of vectors number by number, and makes it again for Arrow: 0.2 s for 100,000 × 128. So every row
hands over its vector as it is read, gets a number for it, and only these numbers are gathered. Vectors of one length
follow each other in one matrix, so that a selection of all of them reads it as it is.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from msd_sql.errors import EngineError
from msd_sql.udfs.types import FloatArray, IntArray
from msd_sql.vectors import one_length

if TYPE_CHECKING:
    import pyarrow as pa

Matrix = npt.NDArray[np.floating[Any]]
NULL = -1  # the number of no vector
_ROWS = 40  # bits of a number that say which vector of its length it is
_ROOM = 1 << 26  # bytes to begin with: the system gives memory when it is written to


class Taken:
    """The vectors of one statement; several threads may hand them over.

    >>> taken = Taken()
    >>> taken.take([[1.0, 2.0], None]).tolist(), taken.take([[3.0, 4.0]]).tolist()
    ([0, -1], [1])
    >>> taken.matrix(np.array([1, 0]))
    array([[3., 4.],
           [1., 2.]])
    """

    def __init__(self) -> None:
        self._all: list[_OneLength | None] = []  # None: let go of
        self._lock = threading.Lock()

    def take(self, vectors: pa.Array | Sequence[Any]) -> IntArray:
        """Keep some vectors, Arrow's or Python's lists; their numbers."""
        numbers = np.full(len(vectors), NULL, np.int64)
        try:
            with self._lock:
                for places, values in _by_length(vectors):
                    which, kept = self._like(values)
                    start = kept.add(values)
                    numbers[places] = np.arange(start, start + len(values)) + (which << _ROWS)
        except MemoryError:  # numpy's says how many rows there were, and nothing has been guarded yet
            raise EngineError("There is not enough memory for the vectors of this selection.") from None
        return numbers

    def matrix(self, numbers: IntArray) -> Matrix:
        """The vectors of these numbers, one a row; NaN where a vector or a value of it is NULL.

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
                return np.full((len(numbers), width), np.nan)
            ((which, kept),) = found.items()
            rows = (numbers if whole else numbers[known]) - (which << _ROWS)
            matrix = kept.read(rows)
            if kept.done:
                self._all[which] = None
        if whole:
            return matrix
        spread: Matrix = np.full((len(numbers), width), np.nan, matrix.dtype)
        spread[known] = matrix
        return spread

    def forget(self) -> None:
        """Let go of everything."""
        with self._lock:
            self._all = [None] * len(self._all)

    @property
    def empty(self) -> bool:
        """Is nothing kept?"""
        return not any(self._all)

    def _like(self, values: Matrix) -> tuple[int, _OneLength]:
        for which, kept in enumerate(self._all):
            if kept is not None and kept.like(values):
                return which, kept
        made = _OneLength(values, len(values) if self._all else _ROOM // max(1, values[:1].nbytes))
        self._all.append(made)
        return len(self._all) - 1, made


class _OneLength:
    """Vectors of one length and one type of number, row by row."""

    def __init__(self, first: Matrix, room: int) -> None:
        self.width = first.shape[1]
        self._size = self._read = 0
        self._matrix: Matrix = np.empty((room, self.width), first.dtype)

    def like(self, values: Matrix) -> bool:
        """Do these belong here?"""
        return values.shape[1] == self.width and values.dtype == self._matrix.dtype

    def add(self, values: Matrix) -> int:
        """Keep some more; where they begin."""
        start = self._size
        self._size += len(values)
        if self._size > len(self._matrix):
            larger: Matrix = np.empty((2 * self._size, self.width), self._matrix.dtype)
            larger[:start] = self._matrix[:start]
            self._matrix = larger  # whoever has read the smaller one keeps it
        self._matrix[start : self._size] = values
        return start

    def read(self, rows: IntArray) -> Matrix:
        """These rows; without a copy if they follow each other."""
        self._read += len(rows)
        first, last = int(rows[0]), int(rows[-1])
        if last - first == len(rows) - 1 and np.array_equal(rows, np.arange(first, last + 1)):
            return self._matrix[first : last + 1]
        return self._matrix.take(rows, axis=0)

    @property
    def done(self) -> bool:
        """Has everything been read?"""
        return self._read >= self._size


def _by_length(vectors: pa.Array | Sequence[Any]) -> Iterator[tuple[IntArray, Matrix]]:
    """The places and the values of the vectors of each length that occurs; what is no vector counts as NULL.

    DuckDB hands over other things as well where it cannot tell beforehand that nobody will ask for them. An error here
    would come before the guard, and could quote private values.
    """
    if isinstance(vectors, Sequence):
        rows = [_numbers(vector) for vector in vectors]
        lengths = np.array([NULL if row is None else len(row) for row in rows])
        for length in _different(lengths):
            places = np.flatnonzero(lengths == length)
            yield places, np.array([rows[place] for place in places.tolist()]).reshape(len(places), length)
        return
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = vectors.type
    if not ((pa.types.is_list(kind) or pa.types.is_fixed_size_list(kind)) and pa.types.is_floating(kind.value_type)):
        return
    lengths = pc.list_value_length(vectors).fill_null(NULL).to_numpy(zero_copy_only=False)
    for length in _different(lengths):
        places = np.flatnonzero(lengths == length)
        some = vectors if len(places) == len(lengths) else vectors.take(places)
        yield places, some.flatten().to_numpy(zero_copy_only=False).reshape(len(places), length)


def _numbers(vector: Any) -> FloatArray | None:
    try:
        numbers = np.array(vector, np.float64)
    except (TypeError, ValueError):
        return None
    return numbers if numbers.ndim == 1 else None


def _different(lengths: IntArray) -> list[int]:
    if len(lengths) and lengths[0] != NULL and (lengths == lengths[0]).all():
        return [int(lengths[0])]
    found: list[int] = np.unique(lengths[lengths != NULL]).tolist()
    return found
