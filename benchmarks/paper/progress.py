"""Progress: a bar on a terminal that has rich, a line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence

from benchmarks.paper.cells import Cell

EVERY_SECONDS = 15.0


def watched(cells: Sequence[Cell]) -> Iterator[Cell]:
    """Yield the cells one by one and show how far the run is.

    >>> list(watched([]))
    []
    """
    if not cells:
        return
    if sys.stderr.isatty():
        try:
            from rich.console import Console
            from rich.progress import (
                BarColumn,
                MofNCompleteColumn,
                Progress,
                SpinnerColumn,
                TextColumn,
                TimeElapsedColumn,
                TimeRemainingColumn,
            )
        except ImportError:
            pass
        else:
            columns = (
                SpinnerColumn(),
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TimeElapsedColumn(),
                TimeRemainingColumn(),
            )
            with Progress(*columns, console=Console(stderr=True)) as progress:
                bar = progress.add_task("", total=len(cells))
                for cell in cells:
                    progress.update(bar, description=describe(cell))
                    yield cell
                    progress.advance(bar)
            return
    start = shown = time.monotonic()
    for number, cell in enumerate(cells, start=1):
        yield cell
        now = time.monotonic()
        if now - shown >= EVERY_SECONDS or number == len(cells):
            left = (now - start) / number * (len(cells) - number)
            print(
                f"{number}/{len(cells)} cells, {now - start:.0f} s, about {left:.0f} s left; {describe(cell)}",
                file=sys.stderr,
                flush=True,
            )
            shown = now


def describe(cell: Cell) -> str:
    """Name a cell for a person.

    >>> describe(Cell("uber", "nosg", "ours", 20))
    'uber nosg ours k=20 ε=0.1 λ=0.5'
    """
    eps = "" if cell.eps is None else f" ε={cell.eps:g}"
    return f"{cell.task} {cell.method} {cell.calibration} k={cell.k}{eps} λ={cell.diversity:g}"
