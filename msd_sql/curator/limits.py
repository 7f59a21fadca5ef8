"""Limits: how much an account may ask at once, how often, and how large a question may be."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from msd_sql.errors import MsdError


class LimitError(MsdError, RuntimeError):
    """A limit of the curator was met: nothing was run and nothing was charged."""


@dataclass(frozen=True)
class Limits:
    """What a curator allows; every number is for one account but `all_at_once`."""

    at_once: int = 8  # questions and statements under way
    all_at_once: int = 32  # of all accounts together
    rate: float = 100.0  # a second, after a burst of as many
    statement: int = 100_000  # characters
    candidates: int = 200_000  # of all groups of a question
    groups: int = 10_000
    question_bytes: int = 64 << 20
    answer_bytes: int = 64 << 20
    k: int = 1_000
    rounds: int = 100_000  # of all groups of a question
    seconds: float = 60.0  # for a statement or a question
    memory: str = "512MB"  # of an account's database in front
    threads: int = 2
    fronts: int = 16  # such databases that are kept open
    prepared: int = 64  # statements that an account has prepared


class Gate:
    """Lets an account in while it has room; several threads use it.

    >>> gate = Gate(Limits(at_once=1))
    >>> with gate.entered("ana"):
    ...     with gate.entered("ana"):
    ...         pass
    Traceback (most recent call last):
    msd_sql.curator.limits.LimitError: Account ana has 1 questions under way, which is the limit. ...
    """

    def __init__(self, limits: Limits, clock: Callable[[], float] = time.monotonic) -> None:
        self._limits, self._clock = limits, clock
        self._inside: dict[str, int] = {}
        self._tokens: dict[str, tuple[float, float]] = {}  # what is left of the burst, and when that was
        self._lock = threading.Lock()

    @contextmanager
    def entered(self, account: str) -> Iterator[None]:
        """Be inside for a question or a statement; a LimitError where there is no room."""
        self._enter(account)
        try:
            yield
        finally:
            with self._lock:
                self._inside[account] -= 1
                if not self._inside[account]:
                    del self._inside[account]

    @property
    def busy(self) -> int:
        """How many questions and statements are under way."""
        with self._lock:
            return sum(self._inside.values())

    def _enter(self, account: str) -> None:
        limits = self._limits
        with self._lock:
            if self._inside.get(account, 0) >= limits.at_once:
                raise LimitError(
                    f"Account {account} has {limits.at_once} questions under way, which is the limit. Wait for one of "
                    "them; nothing was charged."
                )
            if sum(self._inside.values()) >= limits.all_at_once:
                raise LimitError("The curator is busy. Ask again later; nothing was charged.")
            now = self._clock()
            left, then = self._tokens.get(account, (max(limits.rate, 1.0), now))
            left = min(max(limits.rate, 1.0), left + (now - then) * limits.rate)
            if left < 1:
                raise LimitError(
                    f"Account {account} asks more than {limits.rate:g} times a second, which is the limit. Ask again "
                    "later; nothing was charged."
                )
            self._tokens[account] = (left - 1, now)
            self._inside[account] = self._inside.get(account, 0) + 1


class Watch:
    """Stops what takes too long or has nobody left to answer; one thread watches everything."""

    def __init__(self, seconds: float, every: float = 0.2) -> None:
        self._seconds, self._every = seconds, every
        self._watched: dict[int, tuple[float, Callable[[], bool], Callable[[], None]]] = {}
        self._number = 0
        self._lock = threading.Lock()
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._look, name="curator watch", daemon=True)
        self._thread.start()

    @contextmanager
    def over(self, stop: Callable[[], None], gone: Callable[[], bool] = lambda: False) -> Iterator[None]:
        """Call `stop` if this lasts too long, or once `gone` says that nobody waits for it."""
        with self._lock:
            self._number += 1
            number = self._number
            self._watched[number] = (time.monotonic() + self._seconds, gone, stop)
        try:
            yield
        finally:
            with self._lock:
                self._watched.pop(number, None)

    def close(self) -> None:
        """Watch no more."""
        self._end.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._end.wait(self._every):
            # Under the lock, so that none of them ends meanwhile: what `gone` asks is freed with its call, and what
            # `stop` stops may already run for somebody else.
            with self._lock:
                for deadline, gone, stop in self._watched.values():
                    if time.monotonic() > deadline or gone():
                        stop()
