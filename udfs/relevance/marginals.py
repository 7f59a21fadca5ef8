"""What coverage and best_match keep up to date as picks come and go: marginals, and the table of swaps."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import InputError
from ..types import IntArray


class Marginals(ABC):
    """Gains of the index's items, and value(S - u + v) - value(S) = gain[v] - loss[u's slot] + back[u's slot, v].

    loss is what only u holds up; back is how much of that v would hold up in u's place. `asked` names the items of the
    index that are the candidates, in their order; -1 stands for an item that the index does not know: nobody has it.
    """

    private = True

    def __init__(self, first_gains: IntArray, asked: npt.ArrayLike | None, table: npt.DTypeLike) -> None:
        self._asked = None if asked is None else np.asarray(asked, dtype=np.int64)
        if (
            self._asked is not None
            and len(self._asked)
            and not -1 <= self._asked.min() <= self._asked.max() < len(first_gains)
        ):
            raise InputError(f"Candidates must be codes of the index, 0..{len(first_gains) - 1}, or -1.")
        self.n = len(first_gains) if self._asked is None else len(self._asked)
        self._first_gains = first_gains
        self._width = len(first_gains) + 1  # the last column is the item that nobody has
        self._gain: IntArray = np.append(first_gains, 0)
        self._slot_of = np.full(self._width, -1, np.int64)
        self._picks: list[int] = []
        self._due: int | None = None  # the last pick, while nobody has asked what it changes
        self._value = 0
        self._loss: IntArray | None = None  # None until a swap is asked for
        self._back: npt.NDArray[Any] = np.zeros((0, self._width), table)

    def add(self, item: int) -> None:
        """Append a pick. What it changes is counted when somebody asks for it: nobody does after the last round."""
        self._catch_up()
        self._due = self._code(item)
        self._slot_of[self._due] = len(self._picks)
        self._picks.append(self._due)
        self._loss = None

    def gains(self) -> IntArray:
        """Marginal of every candidate."""
        self._catch_up()
        return self._gain[:-1].copy() if self._asked is None else self._gain[self._asked]

    def value(self) -> int:
        """Return the value of the picks."""
        self._catch_up()
        return self._value

    def swap_gains(self, sample: IntArray) -> IntArray:
        """value(S - u + v) - value(S) by slot of u and candidate v."""
        loss = self._losses()
        if self._asked is None and len(sample) == self.n:  # all of them, in order
            back, gain = self._back[:, :-1], self._gain[:-1]
        else:
            codes = sample if self._asked is None else self._asked[sample]
            back, gain = self._back.take(codes, axis=1), self._gain.take(codes)
        table: IntArray = np.add(back, gain, dtype=np.int64)
        table -= loss[:, None]
        return table

    @abstractmethod
    def _enter(self, code: int) -> None:
        """Count what the last pick changes: the gains and the value."""

    @abstractmethod
    def _tabulate(self) -> IntArray:
        """Fill the zeros of `back` and return the losses, from scratch."""

    def _catch_up(self) -> None:
        if self._due is not None:
            code, self._due = self._due, None
            self._enter(code)

    def _losses(self) -> IntArray:
        self._catch_up()
        if self._loss is None:
            self._back = np.zeros((len(self._picks), self._width), self._back.dtype)
            self._loss = self._tabulate()
        return self._loss

    def _code(self, item: int) -> int:
        return int(item) if self._asked is None else int(self._asked[item])

    def _forget(self) -> None:
        self._slot_of[self._picks] = -1
        self._gain[:-1] = self._first_gains
        self._picks, self._value, self._loss, self._due = [], 0, None, None
