"""A soak: a curator under a steady load for as long as is said, a line an interval, and a verdict at the end.

python -m benchmarks.curator_soak --minutes 60 --rate highest --log soak.log
python -m benchmarks.curator_soak --minutes 5 --rate 10

Eight clients on this machine, four with a DuckDB of their own and four over Flight SQL, ask for other candidates each
time; one in ten asks what was asked before, one in ten for a price, one in ten for published rows. A question is due at
its time whether or not the ones before it are answered, and its time counts from then: a curator that cannot keep up
shows it. Questions that are two seconds late are left out, and so missed. `highest` is what clients get that never
wait, a tenth less, and less again until that is held.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from benchmarks.curator import ASKED, Served, adbc, make_shop, own_databases

CLIENTS = 8
P99 = 1.0  # seconds that one question in a hundred may take, at a rate that is held
HELD = 0.97  # of the questions that were due are answered in their interval
FEWER = 0.9  # of a rate that is not held is tried next
LATE = 2.0  # seconds after which a question that is due is left out
_OTHERS = {
    7: "FROM msd_explain({name}, 10, 0.0001, 0.5)",
    8: "SELECT count(*), max(item_id) FROM products",
    9: ASKED.format(1),  # asked before, but for the first time
}
Write = Callable[[str], None]


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


@dataclass(frozen=True)
class Soaked:
    """What a soak has shown."""

    intervals: list[Interval]
    failed: dict[str, int]
    new: int  # answers to new questions that clients were told
    charged: int  # answers that the curator has charged
    row: tuple[int, Any]  # answers and ε of the budget's row, and the same of the ledger's lines
    lines: tuple[int, Any]

    @property
    def books_agree(self) -> bool:
        """Was every new answer charged once, and do row, lines and journal say the same?"""
        return self.new == self.charged == self.row[0] == self.intervals[-1].journal and self.row == self.lines

    @property
    def held(self) -> bool:
        """Was the load held: all but one interval in twenty, and all questions together?"""
        late = sum(not one.held for one in self.intervals)
        due = sum(one.seconds * (one.due or one.a_second) for one in self.intervals)
        return late <= len(self.intervals) / 20 and self.answered >= HELD * due

    @property
    def answered(self) -> int:
        """All answers."""
        return sum(one.answered for one in self.intervals)

    def slope(self, of: Callable[[Interval], float]) -> float:
        """By how many megabytes an hour something grows in the last half, on the straight line that fits best."""
        half = self.intervals[len(self.intervals) // 2 :]
        if len(half) < 2:
            return 0.0
        hours = np.cumsum([one.seconds for one in half]) / 3600
        return float(np.polyfit(hours, [of(one) for one in half], 1)[0])

    @property
    def flat(self) -> bool:
        """Does memory grow by no more than the file, whose pages DuckDB keeps, and a fiftieth of itself an hour?"""
        allowed = max(self.slope(lambda one: one.file_megabytes), 0.0) + self.intervals[-1].megabytes / 50
        return self.slope(lambda one: one.megabytes) <= allowed


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


def highest(load: Load, seconds: float, write: Write) -> float:
    """The highest rate that is held, found in tries of so many seconds."""
    load.pace.begin(None)
    load.interval(seconds / 2)  # until what is loaded with the first questions is there
    rate = load.interval(seconds).a_second
    write(f"clients that never wait get {rate:.1f} answers a second")
    while True:
        rate *= FEWER
        load.pace.begin(rate)
        load.interval(seconds / 4)  # what was under way
        tried = load.interval(seconds)
        write(f"{rate:.1f} a second: {'held' if tried.held else 'not held'}, p99 {tried.p99_ms:.0f} ms")
        if tried.held or rate < 1:
            return rate


def soak(seconds: float, rate: float | None, every: float = 60.0, write: Write = print, tries: float = 20.0) -> Soaked:
    """Hold `rate` questions a second of all clients together; None: the highest that is held, which is found first."""
    intervals = []
    with tempfile.TemporaryDirectory() as folder:
        load = Load(Path(folder))
        try:
            with load.under_way():
                load.pace.begin(rate if rate else highest(load, tries, write))
                load.heard.taken()
                end = time.monotonic() + seconds
                while (left := end - time.monotonic()) > 0:
                    intervals.append(load.interval(min(every, left)))
                    write(_line(intervals[-1]))
            charged = load.charged()
            last = load.interval(0)  # what was under way at the end
            intervals[-1] = Interval(**{**vars(intervals[-1]), "journal": last.journal})
        finally:
            load.close()
        with duckdb.connect(str(load.path)) as con:
            row = con.execute("SELECT answers, spent FROM msd.protected").fetchall()[0]
            lines = con.execute("SELECT sum(releases)::BIGINT, sum(charged_eps) FROM msd.ledger").fetchall()[0]
    return Soaked(intervals, load.heard.failed, load.heard.new, charged, row, lines)


def _line(one: Interval) -> str:
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return json.dumps({"time": now, "a_second": round(one.a_second, 2), "held": one.held, **vars(one)})


def report(found: Soaked) -> str:
    """What a soak has shown, in lines."""
    p50, p99 = (float(np.median([getattr(one, name) for one in found.intervals])) for name in ("p50_ms", "p99_ms"))
    seconds = sum(one.seconds for one in found.intervals)
    (answers, eps), (told, sums) = found.row, found.lines
    grows, file = found.slope(lambda one: one.megabytes), found.slope(lambda one: one.file_megabytes)
    return "\n".join([
        f"load: {found.answered:,} answers in {seconds:,.0f} s, {found.answered / seconds:.1f} a second of "
        f"{found.intervals[-1].due or 0:.1f} due: {'held' if found.held else 'NOT HELD'}",
        f"time: p50 {p50:.0f} ms, p99 {p99:.0f} ms (of the median interval), worst p99 "
        f"{max(one.p99_ms for one in found.intervals):.0f} ms",
        f"memory: {found.intervals[0].megabytes:.0f} to {found.intervals[-1].megabytes:.0f} MB, in the last half "
        f"{grows:+.1f} MB an hour; the file {file:+.1f} MB an hour: {'flat' if found.flat else 'NOT FLAT'}",
        f"failed: {found.failed or 'none'}",
        f"new answers told {found.new:,}, charged {found.charged:,}, in the journal {found.intervals[-1].journal:,}; "
        f"budget's row {answers:,}, ε {float(eps):g}; ledger's lines {told:,}, ε {float(sums):g}: "
        f"{'equal' if found.books_agree else 'NOT EQUAL'}",
    ])  # fmt: skip


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=1.0, help="after the rate is found (default: 1)")
    parser.add_argument("--rate", default="highest", help="questions a second, or highest (default)")
    parser.add_argument("--every", type=float, help="seconds of an interval (default: a thirtieth, 5 to 60)")
    parser.add_argument("--log", type=Path, help="a file to append to, instead of standard output")
    args = parser.parse_args()
    seconds = args.minutes * 60
    every = args.every or min(max(seconds / 30, 5.0), 60.0)
    with args.log.open("a") if args.log else nullcontext(sys.stdout) as out:
        rate = None if args.rate == "highest" else float(args.rate)
        found = soak(seconds, rate, every, write=lambda line: print(line, file=out, flush=True))
        print(report(found), file=out, flush=True)
    sys.exit(0 if found.books_agree and not found.failed and found.held and found.flat else 1)


if __name__ == "__main__":
    main()
