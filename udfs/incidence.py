"""Rows of codes in two flat arrays (CSR): the users of an item, or the items of a user, read without a Python loop."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

Codes = npt.NDArray[np.signedinteger[Any]]


@dataclass(frozen=True)
class Rows:
    """Row i holds codes[bounds[i]:bounds[i + 1]], each with its value where values matter."""

    bounds: Codes
    codes: Codes
    values: Codes

    @classmethod
    def of(cls, matrix: sparse.csr_array | sparse.csc_array) -> Rows:
        """Take over the arrays of a compressed matrix (its columns, when it is a csc)."""
        return cls(matrix.indptr, matrix.indices, matrix.data)

    def span(self, row: int) -> slice:
        """Where one row lies in `codes` and `values`."""
        return slice(int(self.bounds[row]), int(self.bounds[row + 1]))

    def spans(self, rows: Codes) -> tuple[Codes, Codes]:
        """Where many rows lie, one after the other, and how long each is.

        >>> matrix = sparse.csr_array([[1, 0, 1], [0, 1, 0]])
        >>> where, lengths = Rows.of(matrix).spans(np.array([1, 0]))
        >>> where.tolist(), lengths.tolist()
        ([2, 0, 1], [1, 2])
        """
        starts = self.bounds[rows]
        lengths = self.bounds[rows + 1] - starts
        ends = np.cumsum(lengths)
        total = int(ends[-1]) if len(ends) else 0
        where = np.repeat(starts - (ends - lengths), lengths)
        where += np.arange(total, dtype=where.dtype)
        return where, lengths
