"""Offers: the groups of a statement before the first of them is answered, so that all can be charged in one step.

DuckDB hands groups to a function in chunks, and a function must answer a chunk before it sees the next one. So every
group is offered first, for a number. A window function, which has to see all rows before it tells any, hands the
numbers on (surface/macros.py), and when the first number comes back all groups are known.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from copy import copy
from typing import Generic, TypeVar

from msd_sql.errors import EngineError

G = TypeVar("G")
A = TypeVar("A")


class Offers(Generic[G, A]):
    """The groups of one statement, by number, and then their answers; several threads may use it.

    >>> offers = Offers()
    >>> numbers = offers.put(["a", "b", "c"])
    >>> offers.answer(numbers[:1], lambda waiting: True, lambda groups: [group.upper() for group in groups])
    ['A']
    >>> offers.answer(numbers[1:], lambda waiting: True, lambda groups: [])  # they were answered with the first
    ['B', 'C']
    """

    def __init__(self) -> None:
        self._waiting: dict[int, G] = {}
        self._answers: dict[int, A] = {}
        self._given = 0
        self._failure: Exception | None = None
        self._lock = threading.Lock()  # of what is here
        self._turn = threading.Lock()  # of who answers

    def put(self, groups: Sequence[G]) -> list[int]:
        """Offer some groups; their numbers."""
        with self._lock:
            numbers = list(range(self._given, self._given + len(groups)))
            self._given += len(groups)
            self._waiting.update(zip(numbers, groups, strict=True))
        return numbers

    def answer(
        self, numbers: Sequence[int], whole: Callable[[int], bool], act: Callable[[Sequence[G]], Sequence[A]]
    ) -> list[A]:
        """The answers to these numbers, each told once.

        Where some have none yet, `act` answers them, together with all others that wait if `whole` says so of
        their number. What fails has failed for all: it must not be charged again by those who come later.
        """
        with self._turn:
            if self._failure is not None:
                raise copy(self._failure)
            with self._lock:
                wanted = [number for number in dict.fromkeys(numbers) if number in self._waiting]
                asked = set(wanted)
                others = [number for number in self._waiting if number not in asked]
                if wanted and others and whole(len(wanted) + len(others)):
                    wanted += others
                groups = [self._waiting.pop(number) for number in wanted]
            if groups:
                try:
                    self._answers.update(zip(wanted, act(groups), strict=True))
                except Exception as error:
                    self._failure = copy(error)  # what is raised holds its callers, and they the connection
                    raise
            try:
                return [self._answers.pop(number) for number in numbers]
            except KeyError:
                raise EngineError(
                    "DuckDB asked twice for the answer of one group, which msd_sql cannot tell apart. Ask again with "
                    "the selection in a CTE of its own."
                ) from None
