"""A soak: a curator under a steady load for as long as is said, a line an interval, and a verdict at the end.

python -m benchmarks.curator_soak --minutes 60 --rate highest --log soak.log
python -m benchmarks.curator_soak --minutes 5 --rate 10

Eight clients on this machine (curator_load.py) ask for other candidates each time. A question is due at its time if
the ones before it are answered or not, and its time counts from then: a curator that cannot keep up shows it. Questions
that are two seconds late are left out, and so missed. `highest` is four fifths of what clients get that never wait, and
a tenth less until that is held in two tries, one after the other.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from benchmarks.curator_load import HELD, Interval, Load

FIRST = 0.8  # of what clients get that never wait is tried: nearer to it a queue waits long for the least disturbance
FEWER = 0.9  # of a rate that is not held is tried next
TRIES = 2  # that hold a rate, one after the other: a queue may take longer than one to grow
Write = Callable[[str], None]


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
    def new_an_hour(self) -> float:
        """New answers an hour, in the last half."""
        half = self.intervals[len(self.intervals) // 2 :]
        return (half[-1].told - half[0].told) / max(sum(one.seconds for one in half[1:]) / 3600, 1e-9)

    @property
    def flat(self) -> bool:
        """Does memory grow by no more than the file, of which DuckDB keeps much, and a fiftieth of itself an hour?"""
        allowed = max(self.slope(lambda one: one.file_megabytes), 0.0) + self.intervals[-1].megabytes / 50
        return self.slope(lambda one: one.megabytes) <= allowed


def highest(load: Load, seconds: float, write: Write) -> float:
    """The highest rate that is held, found in tries of so many seconds."""
    load.pace.begin(None)
    load.interval(seconds / 2)  # until what is loaded with the first questions is there
    rate = load.interval(seconds).a_second
    write(f"clients that never wait get {rate:.1f} answers a second")
    rate *= FIRST
    held = 0
    while held < TRIES and rate >= 1:
        load.pace.begin(rate)
        load.interval(seconds / 4)  # what was under way
        tried = load.interval(seconds)
        write(f"{rate:.1f} a second: {'held' if tried.held else 'not held'}, p99 {tried.p99_ms:.0f} ms")
        held, rate = (held + 1, rate) if tried.held else (0, rate * FEWER)
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
            intervals[-1] = replace(intervals[-1], journal=last.journal)
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
    each = [f"{1e3 * one / max(found.new_an_hour, 1):.2f} KB" for one in (grows, file)]
    return "\n".join([
        f"load: {found.answered:,} answers in {seconds:,.0f} s, {found.answered / seconds:.1f} a second of "
        f"{found.intervals[-1].due or 0:.1f} due: {'held' if found.held else 'NOT HELD'}",
        f"time: p50 {p50:.0f} ms, p99 {p99:.0f} ms (of the median interval), worst p99 "
        f"{max(one.p99_ms for one in found.intervals):.0f} ms",
        f"memory: {found.intervals[0].megabytes:.0f} to {found.intervals[-1].megabytes:.0f} MB, in the last half "
        f"{grows:+.1f} MB an hour ({each[0]} a new answer); the file {file:+.1f} MB an hour ({each[1]}): "
        f"{'flat' if found.flat else 'NOT FLAT'}",
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
        tries = min(max(seconds / 30, 20.0), 60.0)
        found = soak(seconds, rate, every, write=lambda line: print(line, file=out, flush=True), tries=tries)
        print(report(found), file=out, flush=True)
    sys.exit(0 if found.books_agree and not found.failed and found.held and found.flat else 1)


if __name__ == "__main__":
    main()
