"""A soak: a curator under a steady load for as long as is said, one line a minute, and its books compared at the end.

python -m benchmarks.curator --soak 3600 --rate 4 --log soak.log

Eight clients, four with a DuckDB of their own and four over Flight SQL, ask for other candidates each time; one in ten
asks what was asked before, one in ten for a price, one in ten for published rows.
"""

from __future__ import annotations

import json
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from benchmarks.curator import ASKED, Served, adbc, make_shop, own_databases

CLIENTS = 8
_OTHERS = {
    7: "FROM msd_explain({name}, 10, 0.0001, 0.5)",
    8: "SELECT count(*), max(item_id) FROM products",
    9: ASKED.format(1),  # asked before, but for the first time
}


@dataclass
class Heard:
    """What the clients were told, and how long each answer took."""

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
class Minute:
    """One line of the log."""

    answered: int
    a_second: float
    p50_ms: float
    p99_ms: float
    megabytes: float
    failed: int


@dataclass(frozen=True)
class Soaked:
    """What a soak has shown."""

    minutes: list[Minute]
    failed: dict[str, int]
    new: int  # answers to new questions that clients were told
    charged: int  # answers that the curator has charged
    row: tuple[int, Any]  # answers and ε of the budget's row, and the same of the ledger's lines
    lines: tuple[int, Any]

    @property
    def books_agree(self) -> bool:
        """Was every new answer charged once, and do row and lines say the same?"""
        return self.new == self.charged == self.row[0] and self.row == self.lines

    def growth(self) -> float:
        """How much more memory there was in the last third than in the middle one, as a part of it."""
        third = max(len(self.minutes) // 3, 1)
        held = [one.megabytes for one in self.minutes]
        return float(np.mean(held[-third:]) / np.mean(held[-2 * third : -third] or held[-third:]) - 1)


def soak(seconds: float, rate: float | None, every: float = 60.0, log: Callable[[str], None] = print) -> Soaked:
    """Hold `rate` questions a second of all clients together; None: one after the other, the highest that it holds."""
    from msd_sql.remote.flight_door import open_door
    from msd_sql.remote.wire import Asked

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "shop.duckdb"
        held = make_shop(path)
        served = Served(path)
        try:
            heard, minutes = Heard(), []
            own, _ = own_databases(served.address, held["ana"], CLIENTS // 2)
            over, close = adbc(served.address, held["ana"], CLIENTS // 2)
            own[0](ASKED.format(-1))  # reads the relation once, for every later question
            own[0](_OTHERS[9])
            end = time.monotonic() + seconds
            threads = [
                threading.Thread(target=_client, args=(ask, place, place < len(own), rate, end, heard))
                for place, ask in enumerate([*own, *over])
            ]
            for thread in threads:
                thread.start()
            while time.monotonic() < end:
                begun = time.monotonic()
                time.sleep(max(min(every, end - begun), 0.0))
                minute = _minute(heard, time.monotonic() - begun, served.memory())
                minutes.append(minute)
                log(json.dumps({"time": datetime.now(UTC).isoformat(timespec="seconds"), **vars(minute)}))
            for thread in threads:
                thread.join()
            close()
            told = open_door(served.address, held["olga"]).ask(Asked("status")).values
        finally:
            served.stop()
        with duckdb.connect(str(path)) as con:
            row = con.execute("SELECT answers, spent FROM msd.protected").fetchall()[0]
            lines = con.execute("SELECT sum(releases)::BIGINT, sum(charged_eps) FROM msd.ledger").fetchall()[0]
    return Soaked(minutes, heard.failed, heard.new + 2, told["budgets"][0]["answers"], row, lines)


def report(found: Soaked) -> str:
    """What a soak has shown, in lines."""
    last, held = found.minutes[-1], " ".join(f"{one.megabytes:.0f}" for one in found.minutes)
    answered = sum(one.answered for one in found.minutes)
    (answers, eps), (told, sums) = found.row, found.lines
    return "\n".join([
        f"{answered:,} answers; last minute {last.a_second:.1f} a second, p50 {last.p50_ms:.0f} ms, "
        f"p99 {last.p99_ms:.0f} ms",
        f"memory, MB: {held}; {found.growth():+.1%} in the last third",
        f"failed: {found.failed or 'none'}",
        f"new answers told {found.new:,}, charged {found.charged:,}; budget's row {answers:,}, ε {float(eps):g}; "
        f"ledger's lines {told:,}, ε {float(sums):g}: {'equal' if found.books_agree else 'NOT EQUAL'}",
    ])  # fmt: skip


def _client(ask: Any, place: int, own: bool, rate: float | None, end: float, heard: Heard) -> None:
    """Ask in turns with the others, at its own times; a question that is late is asked at once."""
    next_at = time.monotonic() + (place / rate if rate else 0.0)
    number = 0
    while (now := time.monotonic()) < end:
        if rate and next_at > now:
            time.sleep(min(next_at, end) - now)
            continue
        next_at += CLIENTS / rate if rate else 0.0
        other = _OTHERS.get(number % 10)
        # Every question leaves out another pair of items, one from 300 on and one below: no two are the same.
        left_out = f"{(place + 1) * 300 + number % 300} AND item_id <> {number // 300 + 2}"
        sql = ASKED.format(left_out) if other is None else other.format(name="products" if own else "'products'")
        number += 1
        begun = time.perf_counter()
        try:
            ask(sql)
        except Exception as error:
            with heard.lock:
                heard.failed[type(error).__name__] = heard.failed.get(type(error).__name__, 0) + 1
        else:
            with heard.lock:
                heard.took.append(time.perf_counter() - begun)
                heard.new += other is None


def _minute(heard: Heard, seconds: float, megabytes: float) -> Minute:
    took = heard.taken() or [0.0]
    p50, p99 = (round(float(one) * 1e3, 1) for one in np.percentile(took, [50, 99]))
    return Minute(len(took), round(len(took) / seconds, 2), p50, p99, round(megabytes, 1), sum(heard.failed.values()))
