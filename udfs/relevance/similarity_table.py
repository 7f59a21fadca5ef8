"""A table of similarities, filled from (unit, item, similarity) as a database compares them: block by block.

Every similarity becomes a multiple of 2^-20 before it is written, rounded as SQL rounds: halves away from zero. What is
not a number counts 0, and what exceeds 1 counts 1.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np
import numpy.typing as npt

from ..types import ONE, FloatArray
from .csr_rows import Codes

Table = npt.NDArray[np.int32]  # one row an item, one column a unit
Compared = tuple[Codes, Codes, FloatArray]  # units, items, how similar each is to the other

_CELLS = 1 << 16  # similarities worked on at a time: their temporary arrays stay in the processor's cache
_RUN = 64  # places side by side that are worth a step of their own
_WAITING = 2  # blocks that may wait to be written while the next one is computed
_HALF = float(np.nextafter(0.5, 0.0))  # added, it rounds as C does: one half itself would raise what is just below it


def filled(blocks: Iterable[Compared], n: int, units: int) -> Table:
    """The similarities of n items and so many units; a pair comes once at most, and counts 0 if it does not come.

    A thread of its own writes a block while the database computes the next one.

    >>> filled([(np.array([0, 1]), np.array([1, 1]), np.array([0.5, 7.0]))], 2, 2).tolist() == [[0, 0], [ONE // 2, ONE]]
    True
    """
    table = np.zeros((n, units), np.int32)
    with ThreadPoolExecutor(1) as writer:
        waiting: deque[Future[None]] = deque()
        for block in blocks:
            waiting.append(writer.submit(_write, table, *block))
            if len(waiting) > _WAITING:
                waiting.popleft().result()
        for written in waiting:
            written.result()
    return table


def in_steps(similar: FloatArray) -> npt.NDArray[np.int32]:
    """Similarities in multiples of 2^-20.

    >>> in_steps(np.array([np.nan, -np.inf, 1e-6, 1.5 / ONE, 1e300])).tolist()
    [0, 0, 1, 2, 1048576]
    """
    with np.errstate(over="ignore"):
        steps = similar * float(ONE)
    np.fmax(steps, 0.0, out=steps)  # 0 for what is not a number, too
    np.minimum(steps, float(ONE), out=steps)
    steps += _HALF
    return steps.astype(np.int32)


def _write(table: Table, units: Codes, items: Codes, similar: FloatArray) -> None:
    """Write similarities to their places: run by run where units stand side by side, as DuckDB compares them."""
    numbers = np.ma.filled(similar, 0.0)
    for start in range(0, len(numbers), _CELLS):
        part = slice(start, start + _CELLS)
        values, unit, item = in_steps(numbers[part]), units[part], items[part]
        breaks = np.flatnonzero((unit[1:] - unit[:-1] != 1) | (item[1:] != item[:-1])) + 1
        if (len(breaks) + 1) * _RUN > len(values):
            table[item, unit] = values
            continue
        first = 0
        for end in [*breaks.tolist(), len(values)]:
            row, place = int(item[first]), int(unit[first])
            table[row, place : place + end - first] = values[first:end]
            first = end
