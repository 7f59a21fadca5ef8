"""Taken: vectors as DuckDB hands them over, chunk by chunk, until the selection that they belong to reads them.

DuckDB makes a list of vectors number by number, and makes it again for Arrow: 0.2 s for 100,000 × 128. So every row
hands over its vector as it is read, gets a number for it, and only these numbers are gathered.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from msd_sql.errors import EngineError
from msd_sql.udfs.types import IntArray
from msd_sql.vectors import one_length, vectors_of

if TYPE_CHECKING:
    import pyarrow as pa

Matrix = npt.NDArray[np.floating[Any]]


class Taken:
    """The vectors of one statement; several threads may hand them over.

    >>> taken = Taken()
    >>> taken.take([[1.0, 2.0], None]).tolist(), taken.take([[3.0, 4.0]]).tolist()
    ([0, 1], [2])
    >>> taken.matrix(np.array([2, 0]))
    array([[3., 4.],
           [1., 2.]])
    """

    def __init__(self) -> None:
        self._chunks: list[pa.Array | Sequence[Any]] = []
        self._starts: list[int] = []
        self._size = self._read = 0
        self._lock = threading.Lock()

    def take(self, vectors: pa.Array | Sequence[Any]) -> IntArray:
        """Keep some vectors, Arrow's or Python's lists; their numbers."""
        with self._lock:
            start = self._size
            self._chunks.append(vectors)
            self._starts.append(start)
            self._size += len(vectors)
        return np.arange(start, start + len(vectors))

    def matrix(self, numbers: IntArray) -> Matrix:
        """The vectors of these numbers, one a row; NaN where a vector or a value of it is NULL.

        What all groups of a statement have read is let go of.
        """
        order = np.argsort(numbers, kind="stable")
        sorted_numbers = numbers[order]
        with self._lock:  # copies: another selection of the statement may still be handing over
            chunks, starts = self._chunks[:], self._starts[:]
        begins = [*np.searchsorted(sorted_numbers, starts).tolist(), len(numbers)]
        parts: list[tuple[IntArray, Any]] = []
        for chunk, first, begin, end in zip(chunks, starts, begins[:-1], begins[1:], strict=True):
            if end > begin:
                parts.append((order[begin:end], _some(chunk, sorted_numbers[begin:end] - first)))
        if sum(len(places) for places, _ in parts) < len(numbers):
            raise EngineError("The vectors of this selection were let go of, because another group of it failed.")
        with self._lock:
            self._read += len(numbers)
            if self._read >= self._size:
                self._chunks, self._starts = [], []
        return _filled(parts, len(numbers))

    def forget(self) -> None:
        """Let go of everything."""
        with self._lock:
            self._chunks, self._starts = [], []


def _some(chunk: Any, places: IntArray) -> Any:
    if len(places) == len(chunk):
        return chunk
    return [chunk[place] for place in places] if isinstance(chunk, list) else chunk.take(places)


def _filled(parts: list[tuple[IntArray, Any]], size: int) -> Matrix:
    if not parts or isinstance(parts[0][1], list):
        rows: list[Any] = [None] * size
        for places, vectors in parts:
            for place, vector in zip(places.tolist(), vectors, strict=True):
                rows[place] = vector
        return vectors_of(rows)
    read = [(places, *_values(vectors)) for places, vectors in parts]
    width = one_length({length for _, lengths, _, _ in read for length in lengths})
    matrix: Matrix = np.empty((size, width), read[0][3].dtype)
    for places, _, known, values in read:
        if not known.all():
            matrix[places[~known]] = np.nan
        matrix[places[known]] = values.reshape(-1, width)
    return matrix


def _values(vectors: pa.Array) -> tuple[list[int], npt.NDArray[np.bool_], Matrix]:
    """The lengths that occur, which rows are known, and the values of those in one array."""
    import pyarrow.compute as pc

    known = np.asarray(vectors.is_valid())
    lengths = pc.list_value_length(vectors).fill_null(0).to_numpy(zero_copy_only=False)
    return np.unique(lengths[known]).tolist(), known, vectors.flatten().to_numpy(zero_copy_only=False)
