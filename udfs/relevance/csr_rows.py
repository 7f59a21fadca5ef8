"""Rows of codes in two flat arrays (CSR): the users of an item, or the items of a user, read without a Python loop."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from ..types import IntArray

Codes = npt.NDArray[np.integer[Any]]

_BLOCK = 1 << 20  # entries summed together: bounds the temporary arrays
_ROWS = 1 << 16  # rows taken together: a common item of 10^8 purchases has millions
_REGULAR = 8  # codes that a row may have to be one of few


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

    def by_length(self, least: int = 0) -> Rows:
        """Put rows of few codes, if they are many, first and by length: as the rows of a table they are taken faster.

        Rows of fewer than `least` codes, which is at most 2, are left out.

        >>> Rows(np.array([0, 3, 5, 6]), np.array([7, 8, 9, 1, 2, 4])).by_length(least=2).codes.tolist()
        [1, 2, 7, 8, 9]
        """
        lengths = np.diff(self.bounds)
        short = np.minimum(lengths, _REGULAR + 1).astype(np.uint8)
        of_length = [np.flatnonzero(short == length) for length in range(2, _REGULAR + 1)]
        sizes = tuple(map(len, of_length))
        left_out = np.flatnonzero(short < least)
        size = len(self.codes) - int(lengths.take(left_out).sum())
        if 2 * sum(length * rows for length, rows in enumerate(sizes, 2)) < size:
            sizes = ()
            if not len(left_out):
                return self
        codes = np.empty(size, self.codes.dtype)
        bounds = np.empty(len(self.bounds) - len(left_out), self.bounds.dtype)
        bounds[:1] = filled = at = 0
        for length, rows in enumerate(of_length[: len(sizes)], 2):
            stop, ended = filled + len(rows) * length, at + len(rows)
            bounds[at + 1 : ended + 1] = np.arange(filled + length, stop + 1, length)
            table = codes[filled:stop].reshape(len(rows), length)
            starts = self.bounds.take(rows)
            for place in range(length):  # column by column: rows are too short for numpy
                table[:, place] = self.codes.take(starts)
                starts += 1
            filled, at = stop, ended
        others = short >= least
        if sizes:
            others &= (short < 2) | (short > _REGULAR)
        rest = np.flatnonzero(others)
        bounds[at + 1 :] = np.cumsum(lengths.take(rest)) + filled
        for start in range(0, len(rest), _ROWS):
            where, _ = self.spans(rest[start : start + _ROWS])
            codes[filled : filled + len(where)] = self.codes.take(where)
            filled += len(where)
        return Rows(bounds, codes, sizes=sizes)

    def tally(self, rows: Codes, width: int) -> IntArray:
        """Per code of 0..width-1, how many of these rows, given in order, hold it.

        >>> Rows(np.array([0, 2, 3]), np.array([0, 1, 1])).tally(np.array([0, 1]), 2).tolist()
        [1, 2]
        """
        counts = np.zeros(width, np.int64)
        gathered: list[Codes] = []
        held = 0
        for codes in self._codes_of(rows):
            gathered.append(codes)
            held += len(codes)
            if held >= _ROWS:  # few at a time: bincount makes int64 of what it counts
                counts += np.bincount(np.concatenate(gathered), minlength=width)
                gathered, held = [], 0
        return counts + np.bincount(np.concatenate(gathered), minlength=width) if held else counts

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
