"""The results: one CSV row per run, appended cell by cell, so that an interrupted run goes on where it stopped."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Protocol

import pandas as pd

from benchmarks.paper.cells import Cell


@dataclass(frozen=True)
class Row:
    """One run: what was asked, what came out, what it took."""

    cell: str
    task: str
    method: str
    calibration: str
    n: int
    m: int
    k: int
    eps: float | None
    delta: float
    gamma: float
    diversity: float
    timed: bool
    run: int
    objective: float
    relevance: float
    spread: float
    calls: int
    seconds: float
    rounds: int
    bound: str
    eps0: float | None
    eta: float | None


class Cells(Protocol):
    """Rows that say to which cell they belong."""

    @property
    def cell(self) -> str:
        """The key of the cell."""
        ...


class Results:
    """A CSV file of dataclass rows that knows which cells it holds.

    >>> Results(Path("/nowhere/results.csv"), Row).has(Cell("uber", "greedy", "exact", 20, None))
    False
    """

    def __init__(self, path: Path, row: type[Any]) -> None:
        self.path = path
        self._fields = [field.name for field in fields(row)]
        self._held: set[str] = set()
        if path.is_file():
            with path.open(newline="") as lines:
                self._held = {line["cell"] for line in csv.DictReader(lines)}

    def has(self, cell: Cell) -> bool:
        """Tell whether the cell was run before."""
        return cell.key in self._held

    def add(self, rows: Iterable[Cells]) -> None:
        """Append the rows of one whole cell."""
        new = not self.path.is_file()
        self.path.parent.mkdir(parents=True, exist_ok=True)
        text = io.StringIO()
        writer = csv.DictWriter(text, self._fields)
        if new:
            writer.writeheader()
        for row in rows:
            writer.writerow(vars(row))
            self._held.add(row.cell)
        with self.path.open("a", newline="") as file:
            file.write(text.getvalue())  # at once: a cell is there as a whole or not at all

    def frame(self) -> pd.DataFrame:
        """Read everything there is; an empty frame when there is nothing."""
        if not self.path.is_file():
            return pd.DataFrame(columns=self._fields)
        return pd.read_csv(self.path, keep_default_na=False, na_values={"eps": "", "eps0": "", "eta": ""})
