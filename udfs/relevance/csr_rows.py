"""Rows of codes in two flat arrays (CSR): the users of an item, or the items of a user, read without a Python loop."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from ..types import IntArray

Codes = npt.NDArray[np.integer[Any]]

_BLOCK = 1 << 20  # entries summed together: bounds the temporary arrays
_ROWS = 1 << 16  # rows taken together: a common item of 10^8 purchases has millions
REGULAR = 8  # codes that a row may have to be one of few


def _nothing() -> Codes:
    return np.empty(0, np.int32)


@dataclass(frozen=True)
class Rows:
    """Row i holds codes[bounds[i]:bounds[i + 1]], each with its value where values matter.

    `sizes` says how many rows of 2, 3, … codes come first; the others follow.
    """

    bounds: Codes
    codes: Codes
    values: Codes = field(default_factory=_nothing)
    sizes: tuple[int, ...] = ()

    def tally(self, rows: Codes, width: int) -> IntArray:
        """Per code of 0..width-1, how many of these rows, given in order, hold it.

        >>> Rows(np.array([0, 2, 3]), np.array([0, 1, 1])).tally(np.array([0, 1]), 2).tolist()
        [1, 2]
        """
        return count_codes(self._codes_of(rows), width)

    def _codes_of(self, rows: Codes) -> Iterator[Codes]:
        """The codes of these rows, some at a time."""
        first = entry = start = 0
        for length, size in enumerate(self.sizes, 2):
            stop = int(np.searchsorted(rows, rows.dtype.type(first + size)))
            table = self.codes[entry : entry + length * size].reshape(size, length)
            for begin in range(start, stop, _ROWS):
                yield table.take(rows[begin : min(begin + _ROWS, stop)] - first, axis=0).ravel()
            first, entry, start = first + size, entry + length * size, stop
        for begin in range(start, len(rows), _ROWS):
            yield self.codes.take(self.spans(rows[begin : begin + _ROWS])[0])

    def transposed(self, width: int) -> Rows:
        """Turn the rows into columns, for codes of 0..width-1.

        >>> Rows(np.array([0, 2, 3]), np.array([0, 1, 1])).transposed(2).codes.tolist()
        [0, 0, 1]
        """
        from scipy import sparse  # a fifth of what starting up would take

        values = self.values if len(self.values) else np.empty(len(self.codes), np.int8)
        matrix = sparse.csr_array((values, self.codes, self.bounds), shape=(len(self.bounds) - 1, width)).tocsc()
        return Rows(matrix.indptr, matrix.indices, matrix.data if len(self.values) else self.values)

    def column_sums(self, weights: IntArray, width: int) -> IntArray:
        """Per code the sum of its values, each times the weight of its row: in integers, so exact.

        >>> Rows(np.array([0, 2, 3]), np.array([0, 1, 1]), np.array([5, 6, 7])).column_sums(np.array([1, 10]), 2)
        array([ 5, 76])
        """
        from scipy import sparse

        total = np.zeros(width, np.int64)
        start = 0
        while start < len(self.bounds) - 1:
            low = int(self.bounds[start])
            stop = max(start + 1, int(np.searchsorted(self.bounds, low + _BLOCK, side="right")) - 1)
            span = slice(low, int(self.bounds[stop]))
            parts = self.values[span].astype(np.int64), self.codes[span], self.bounds[start : stop + 1] - low
            total += np.asarray(sparse.csr_array(parts, shape=(stop - start, width)).T @ weights[start:stop], np.int64)
            start = stop
        return total

    def column_counts(self, width: int) -> IntArray:
        """Per code the number of rows that hold it.

        >>> Rows(np.array([0, 2, 3]), np.array([0, 1, 1])).column_counts(3).tolist()
        [1, 2, 0]
        """
        total = np.zeros(width, np.int64)
        for start in range(0, len(self.codes), _BLOCK):  # bincount makes int64 of what it counts
            total += np.bincount(self.codes[start : start + _BLOCK], minlength=width)
        return total

    def span(self, row: int) -> slice:
        """Where one row lies in `codes` and `values`."""
        return slice(int(self.bounds[row]), int(self.bounds[row + 1]))

    def spans(self, rows: Codes) -> tuple[Codes, Codes]:
        """Where many rows lie, one after the other, and how long each is.

        >>> where, lengths = Rows(np.array([0, 2, 3]), np.array([0, 2, 1])).spans(np.array([1, 0]))
        >>> where.tolist(), lengths.tolist()
        ([2, 0, 1], [1, 2])
        """
        starts = self.bounds.take(rows)  # faster than an index in brackets
        lengths = self.bounds.take(rows + 1)
        lengths -= starts
        starts += lengths
        starts -= np.cumsum(lengths, dtype=lengths.dtype)
        where = np.repeat(starts, lengths)
        where += np.arange(len(where), dtype=where.dtype)
        return where, lengths


def count_codes(parts: Iterable[Codes], width: int) -> IntArray:
    """Per code of 0..width-1, how often it comes in the parts.

    >>> count_codes([np.array([0, 2]), np.array([2])], 3).tolist()
    [1, 0, 2]
    """
    counts = np.zeros(width, np.int64)
    gathered: list[Codes] = []
    held = 0
    for codes in parts:
        gathered.append(codes)
        held += len(codes)
        if held >= _ROWS:  # few at a time: bincount makes int64 of what it counts
            counts += np.bincount(np.concatenate(gathered), minlength=width)
            gathered, held = [], 0
    return counts + np.bincount(np.concatenate(gathered), minlength=width) if held else counts
