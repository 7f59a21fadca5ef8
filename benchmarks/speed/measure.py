"""How things are measured: contestants take turns, the best of several counts, and the spread tells the noise."""

from __future__ import annotations

import gc
import json
import math
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Timing:
    """The seconds of every turn of one contestant, by the clock and of the processors."""

    seconds: tuple[float, ...]
    cpu: tuple[float, ...] = ()  # less disturbed by a busy machine, but blind to waiting

    @property
    def best(self) -> float:
        """The least disturbed turn."""
        return min(self.seconds)

    @property
    def noise(self) -> float:
        """How much longer the median turn took than the best, as a fraction."""
        return sorted(self.seconds)[len(self.seconds) // 2] / self.best - 1.0


def race(
    contestants: Mapping[str, Callable[[], Any]], turns: int, between: Callable[[], Any] | None = None
) -> dict[str, Timing]:
    """Let the contestants take turns, so that a busy moment of the machine hits all of them alike.

    `between` is run before every turn and not measured.

    >>> sorted(race({"a": lambda: None, "b": lambda: None}, turns=2))
    ['a', 'b']
    """
    seconds: dict[str, list[float]] = {name: [] for name in contestants}
    cpu: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(turns):
        for name, run in contestants.items():
            if between is not None:
                between()
            gc.collect()
            start, used = time.perf_counter(), time.process_time()
            run()
            seconds[name].append(time.perf_counter() - start)
            cpu[name].append(time.process_time() - used)
    return {name: Timing(tuple(found), tuple(cpu[name])) for name, found in seconds.items()}


def against(name: str, ours: Timing, other: Timing, now: float, goal: float, what: str = "") -> Figure:
    """The ratio of two contestants, with the seconds of both and of the processors.

    >>> against("a", Timing((1.0,), (1.5,)), Timing((2.0,), (2.0,)), 1.0, 0.5).detail
    '1.000 s against 2.000 s, noise 0%; of the processors 1.500 s against 2.000 s'
    """
    noise = max(ours.noise, other.noise)
    seconds = f"{ours.best:.3f} s against {other.best:.3f} s, noise {noise:.0%}"
    if ours.cpu and other.cpu:
        seconds += f"; of the processors {min(ours.cpu):.3f} s against {min(other.cpu):.3f} s"
    return Figure(name, ours.best / other.best, now, goal, detail=f"{what}; {seconds}" if what else seconds)


@dataclass(frozen=True)
class Figure:
    """One line of the table: what was measured, what is asked for now and what the goal is."""

    name: str
    value: float | None
    now: float | None = None
    goal: float | None = None
    larger: bool = False  # is more better?
    unit: str = "×"
    detail: str = ""
    points: Sequence[tuple[float, float]] = field(default_factory=tuple)  # for a plot, where there is a curve

    @property
    def verdict(self) -> str:
        """Say which of the two bounds is met."""
        if self.value is None or self.now is None:
            return "reported" if self.value is not None else "not run"
        if self.goal is not None and self._meets(self.goal):
            return "goal"
        return "now" if self._meets(self.now) else "missed"

    def _meets(self, bound: float) -> bool:
        return self.value is not None and (self.value >= bound if self.larger else self.value <= bound)


def slope(points: Sequence[tuple[float, float]]) -> float:
    """Compute the log-log slope from the first point to the last.

    >>> round(slope([(1, 2), (100, 200)]), 6)
    1.0
    """
    (x0, y0), (x1, y1) = points[0], points[-1]
    return math.log(y1 / y0) / math.log(x1 / x0)


class Peak:
    """The highest resident memory of this process while it is open, in bytes above the start.

    >>> with Peak() as peak:
    ...     block = bytearray(50_000_000)
    >>> peak.above > 40_000_000
    True
    """

    def __enter__(self) -> Peak:
        import psutil

        self._process = psutil.Process()
        self._start = self.highest = self._process.memory_info().rss
        self._open = True
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._open = False
        self._thread.join()
        self._look()  # however little of the time the thread had

    @property
    def above(self) -> int:
        """Bytes above the start."""
        return self.highest - self._start

    def _watch(self) -> None:
        while self._open:
            self._look()
            time.sleep(0.004)

    def _look(self) -> None:
        self.highest = max(self.highest, self._process.memory_info().rss)


def apart(module: str, *arguments: str) -> dict[str, Any]:
    """Run a module of this package in a process of its own and take the JSON that it prints last."""
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise RuntimeError(f"{module} {' '.join(arguments)} failed:\n{done.stderr[-2000:]}")
    found: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


@contextmanager
def said(text: str):
    """Say what is being measured: on a terminal in place, elsewhere a line each."""
    start = time.monotonic()
    live = sys.stderr.isatty()
    print(f"\r\033[K{text} …" if live else f"{text} …", end="" if live else "\n", file=sys.stderr, flush=True)
    yield
    if live:
        print(f"\r\033[K{text}: {time.monotonic() - start:.1f} s", file=sys.stderr, flush=True)


def load() -> float:
    """Tell how busy the machine is: the average number of runnable processes of the last minute."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else math.nan
