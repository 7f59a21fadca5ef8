"""The load of a soak: eight clients of a curator on this machine, when they ask, and what is seen of it in an interval.

Four have a DuckDB of their own and four ask over Flight SQL, for other candidates each time; one in ten asks what was
asked before, one in ten for a price, one in ten for published rows.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.curator import ASKED, Served, adbc, make_shop, own_databases

CLIENTS = 8
P99 = 1.0  # seconds that one question in a hundred may take, at a rate that is held
HELD = 0.97  # of the questions that were due are answered in their interval
LATE = 2.0  # seconds after which a question that is due is left out
_OTHERS = {
    7: "FROM msd_explain({name}, 10, 0.0001, 0.5)",
    8: "SELECT count(*), max(item_id) FROM products",
    9: ASKED.format(1),  # asked before, but for the first time
}


class Pace:
    """When questions are due, for all clients together; none waits where there is no rate."""

    def __init__(self) -> None:
        self.rate: float | None = None
        self._next = 0.0
        self._lock = threading.Lock()

    def begin(self, rate: float | None) -> None:
        """From now on so many a second, whatever was due before."""
        with self._lock:
            self.rate, self._next = rate, time.monotonic()

    def take(self) -> float:
        """The time of the next question, which may be past a little; now where clients do not wait."""
        with self._lock:
            now = time.monotonic()
            if self.rate is None:
                return now
            if self._next < now - LATE:  # so that an hour does not limp behind one bad minute
                self._next = now
            self._next += 1 / self.rate
            return self._next


@dataclass
class Heard:
    """What the clients were told, and how long each answer took since it was due."""

    new: int = 0
    failed: dict[str, int] = field(default_factory=dict)
    took: list[float] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def taken(self) -> list[float]:
        """The times since the last look."""
        with self.lock:
            found, self.took = self.took, []
        return found


@dataclass(frozen=True)
class Interval:
    """One line of the log."""

    seconds: float
    due: float | None  # questions a second; None: as many as were answered
    answered: int
    failed: int  # since the beginning
    p50_ms: float
    p99_ms: float
    cpu_ms: float  # of the server, for one answer
    megabytes: float
    file_megabytes: float  # the database, without its log
    told: int  # new answers since the beginning: as clients were told them,
    charged: int  # as the budget's row counts them,
    journal: int  # and as the journal does

    @property
    def a_second(self) -> float:
        """Answers a second."""
        return self.answered / self.seconds

    @property
    def held(self) -> bool:
        """Was all answered that was due, and soon?"""
        return self.p99_ms <= P99 * 1e3 and (self.due is None or self.a_second >= HELD * self.due)


class Load:
    """Eight clients of a curator that is served by a process of its own, at 127.0.0.1."""

    def __init__(self, folder: Path) -> None:
        from msd_sql.remote.flight_door import open_door

        self.path = folder / "shop.duckdb"
        tokens = make_shop(self.path)
        self.served = Served(self.path)
        self.pace, self.heard = Pace(), Heard(new=2)
        self._journal, self._charges = 0, 0
        self._end = threading.Event()
        self._owner = open_door(self.served.address, tokens["olga"])
        own, _ = own_databases(self.served.address, tokens["ana"], CLIENTS // 2)
        over, self._close = adbc(self.served.address, tokens["ana"], CLIENTS // 2)
        own[0](ASKED.format(-1))  # reads the relation once, for every later question
        own[0](_OTHERS[9])
        self._clients = [
            threading.Thread(target=self._client, args=(ask, place, place < len(own)))
            for place, ask in enumerate([*own, *over])
        ]

    @contextmanager
    def under_way(self) -> Iterator[Load]:
        """Let the clients ask."""
        for one in self._clients:
            one.start()
        try:
            yield self
        finally:
            self.stop()

    def stop(self) -> None:
        """Let every client end with the question that it asks."""
        self._end.set()
        for one in self._clients:
            if one.is_alive():
                one.join()

    def interval(self, seconds: float) -> Interval:
        """Let so much time pass, and look; with 0 at what was answered since the last look."""
        begun, used = time.monotonic(), self.served.processor_seconds()
        time.sleep(seconds)
        took = self.heard.taken()
        passed = max(time.monotonic() - begun, 1e-9)
        p50, p99 = (round(float(one) * 1e3, 1) for one in np.percentile(took or [0.0], [50, 99]))
        cpu = round((self.served.processor_seconds() - used) * 1e3 / max(len(took), 1), 1)
        return Interval(
            round(passed, 1), self.pace.rate, len(took), sum(self.heard.failed.values()), p50, p99, cpu,
            round(self.served.memory(), 1), round(self.path.stat().st_size / 1e6, 1),
            self.heard.new, self.charged(), self._journaled(),
        )  # fmt: skip

    def charged(self) -> int:
        """How many answers the curator has charged."""
        from msd_sql.remote.wire import Asked

        return int(self._owner.ask(Asked("status")).values["budgets"][0]["answers"])

    def close(self) -> None:
        """Stop clients and server."""
        self.stop()
        self._close()
        self._owner.close()
        self.served.stop()

    def _journaled(self) -> int:
        """Charges in the journal beside the file, of which only what is new is read."""
        with Path(f"{self.path}.msd-journal").open("rb") as file:
            file.seek(self._journal)
            whole = file.read().rpartition(b"\n")
        self._journal += len(whole[0]) + len(whole[1])
        self._charges += whole[0].count(b'"kind":"charge"')
        return self._charges

    def _client(self, ask: Any, place: int, own: bool) -> None:
        number = 0
        while not self._end.is_set():
            due = self.pace.take()
            if self._end.wait(max(due - time.monotonic(), 0.0)):
                return
            other = _OTHERS.get(number % 10)
            # Every question leaves out another pair of items, one from 300 on and one below: no two are the same.
            left_out = f"{(place + 1) * 300 + number % 300} AND item_id <> {number // 300 + 2}"
            sql = ASKED.format(left_out) if other is None else other.format(name="products" if own else "'products'")
            number += 1
            try:
                ask(sql)
            except Exception as error:
                with self.heard.lock:
                    self.heard.failed[type(error).__name__] = self.heard.failed.get(type(error).__name__, 0) + 1
            else:
                with self.heard.lock:
                    self.heard.took.append(time.monotonic() - due)
                    self.heard.new += other is None
