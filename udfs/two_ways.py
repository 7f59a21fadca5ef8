"""Rows that can also be read by columns: by a scan while few columns are asked for, turned round once it pays."""

from __future__ import annotations

import numpy as np

from .incidence import Codes, Rows

_SCANS = 4  # a scan finds the rows of a common code at a quarter of the price of turning all of them round


class TwoWays:
    """The items of every user, and on demand the users of an item.

    >>> TwoWays(Rows(np.array([0, 2, 3]), np.array([0, 1, 1])), 2).column(1)[0].tolist()
    [0, 1]
    """

    def __init__(self, rows: Rows, width: int) -> None:
        self.rows = rows
        self._width = width
        self._columns: Rows | None = None
        self._scans = 0

    def column(self, code: int) -> tuple[Codes, Codes]:
        """Find the rows that hold a code, in order, and their values for it; no row holds -1."""
        if code < 0:
            return self.rows.codes[:0].astype(np.int32), self.rows.values[:0]
        self._scans += 1
        if self._columns is None and self._scans > _SCANS:
            self.turn_round()
        if self._columns is not None:
            span = self._columns.span(code)
            return self._columns.codes[span], self._columns.values[span]
        # Of the bounds' own type: a search for int64 would copy all of them.
        at = np.flatnonzero(self.rows.codes == code).astype(self.rows.bounds.dtype)
        found = np.searchsorted(self.rows.bounds, at, side="right") - 1
        return found, self.rows.values[at] if len(self.rows.values) else self.rows.values

    def expect(self, columns: int) -> None:
        """Say how many columns will be asked for, so that no scan is made that a turn would save."""
        if columns > _SCANS:
            self.turn_round()

    def turn_round(self) -> None:
        """Prepare for many questions about columns: local search asks thousands."""
        if self._columns is None:
            self._columns = self.rows.transposed(self._width)

    @property
    def nbytes(self) -> int:
        """What the rows take, and may come to take once they are turned round."""
        rows = self.rows
        each = rows.codes.itemsize + 4 + (2 * rows.values.itemsize if len(rows.values) else 1)
        return int(rows.bounds.nbytes + each * len(rows.codes) + 8 * self._width)
