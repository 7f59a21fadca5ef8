"""Rows that can also be read by columns: by a scan while few columns are asked for, turned round once it pays."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from .csr_rows import Codes, Rows
from .sorted_parts import in_threads, threads

# What a scan costs, in entries that could be turned round instead: one in so many for every entry that it passes, and
# so many for every row that it finds.
_PASSED, _FOUND = 12, 4
_PART = 1 << 23  # entries that are turned round together


class TwoWays:
    """The items of every user, and on demand the users of an item.

    >>> TwoWays(Rows(np.array([0, 2, 3]), np.array([0, 1, 1])), 2).column(1)[0].tolist()
    [0, 1]
    """

    def __init__(self, rows: Rows, width: int) -> None:
        self.rows = rows
        self._width = width
        self._columns: list[Rows] = []  # of a part of the rows each
        self._spent = 0  # on scans

    def column(self, code: int) -> tuple[Codes, Codes]:
        """Find the rows that hold a code, in order, and their values for it; no row holds -1."""
        if code < 0:
            return self.rows.codes[:0].astype(np.int32), self.rows.values[:0]
        if self._spent > len(self.rows.codes):
            self.turn_round()
        columns = self._columns
        if columns:
            found = [(part.codes[part.span(code)], part.values[part.span(code)]) for part in columns]
            if len(found) == 1:
                return found[0]
            return np.concatenate([codes for codes, _ in found]), np.concatenate([values for _, values in found])
        # Of the bounds' own type: a search for int64 would copy all of them.
        at = np.flatnonzero(self.rows.codes == code).astype(self.rows.bounds.dtype)
        rows = np.searchsorted(self.rows.bounds, at, side="right") - 1
        self._spent += self._price(1, len(rows))
        return rows, self.rows.values[at] if len(self.rows.values) else self.rows.values

    def expect(self, columns: int, rows: int) -> None:
        """Say how many columns will be asked for, and how many rows they hold: no scan is made that a turn would save.

        >>> both = TwoWays(Rows(np.array([0, 2, 3]), np.array([0, 1, 1])), 2)
        >>> both.expect(2, rows=3)
        """
        if self._spent + self._price(columns, rows) > len(self.rows.codes):
            self.turn_round()

    def _price(self, columns: int, rows: int) -> int:
        return columns * len(self.rows.codes) // _PASSED + rows * _FOUND

    def turn_round(self) -> None:
        """Prepare for many questions about columns: local search asks thousands.

        Part by part, because turning takes twice the memory of what is turned.
        """
        if self._columns:
            return
        bounds, entries = self.rows.bounds, len(self.rows.codes)
        several = threads(entries)
        most = min(_PART, -(-entries // several))
        starts = [0]
        while starts[-1] < len(bounds) - 1:
            wanted = bounds.dtype.type(min(int(bounds[starts[-1]]) + most, entries))
            starts.append(max(starts[-1] + 1, int(np.searchsorted(bounds, wanted, side="right")) - 1))
        # All at once: other threads may ask meanwhile.
        self._columns = in_threads(self._turned, list(pairwise(starts)), several)

    def _turned(self, part: tuple[int, int]) -> Rows:
        start, stop = part
        bounds = self.rows.bounds[start : stop + 1]
        span = slice(int(bounds[0]), int(bounds[-1]))
        turned = Rows(bounds - bounds[0], self.rows.codes[span], self.rows.values[span]).transposed(self._width)
        if start:
            np.add(turned.codes, start, out=turned.codes)
        return turned

    @property
    def nbytes(self) -> int:
        """What the rows take, and may come to take once they are turned round."""
        rows = self.rows
        each = rows.codes.itemsize + 4 + (2 * rows.values.itemsize if len(rows.values) else 1)
        return int(rows.bounds.nbytes + each * len(rows.codes) + 8 * self._width)
