"""The page docs/benchmarks.md and its plots, from the figures of one run."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from datetime import date
from pathlib import Path

import duckdb
import numpy as np

from benchmarks.speed.measure import Figure

MARKS = {"goal": "goal reached", "now": "reached", "missed": "**missed**", "reported": "—", "not run": "not run"}


NOTES = """
## Where a bound is missed, or close, and what it would take

- **What the ratios move with.** A machine, and its neighbours. On one whose two cores answered the plain query in
  0.235 s, a second question took 0.067 s (0.285×), a first one 0.195 s (0.84×); on faster ones the plain query takes
  0.08 s to 0.11 s, and a second question less than half of the time at a larger ratio: what a question costs whatever
  the size shrank less than a scan that DuckDB spreads over its cores. The bounds were set on the former. In the
  processors' time that each line tells last the second question is within its bound.
- **A thousand groups.** They are drawn together: one index in which a unit counts in every group as a unit of its
  own, and in every round one draw for each of them from one pass. They are prepared together as well: groups of as
  many candidates have one plan, one price and one receipt, and their items are read in one statement. What is left
  for each is its slice of the arguments, the hash of its question and its answer, about 0.02 ms when it is replayed.
  Of the processors' time of a first statement a quarter is DuckDB's and that of the purchases' fingerprint, a fifth
  is their index; the draws and the distances take a tenth each, and so does the charge with a thousand receipts and
  answers.
- **The second question.** It would have to take two thirds of its time to be within the bound. A quarter is DuckDB's:
  it binds the macros' text twice, for the statement and for the guard's plan of it (1.3 ms and 1.9 ms), optimises it
  (0.8 ms), and tells what the connection sees. Half are two dozen small statements, 0.2 ms to 1.2 ms each, 15 ms in
  all: what is declared, whether anything has changed, the durable charge (with two writes to disk) and the kept answer
  (with another). Twenty draws are a fifth, the guard's reading of the plan a twentieth. The fingerprint of
  the relation is worked out beside them. With more purchases it weighs less: see the line of ten million. Looking up
  what is declared while DuckDB plans the statement was tried: it gained next to nothing, because both sides wait for
  Python's lock, and what it found was older than the scan. What is left would take a function that is compiled into
  DuckDB, which binds and plans once.
- **The first question.** The index is made in as many threads as there are cores, from the sort to the rows and the
  columns; what DuckDB reads, a durable charge and twenty draws are not spread.
- **Threads.** The lock of the ledger is held for the durable charge, a sixth of a question, and the rest is half
  Python, which runs in one thread at a time: who holds the lock also has to wait for Python's own after each of the
  charge's statements. So two cores cannot halve the time.
- **best_match, first.** DuckDB compares every distinct row with every point, which takes two thirds of the plain
  query's time for a third of its pairs: each similarity is also checked, rounded and handed over. Then 4 bytes a pair
  are written for the first time.
- **Cold starts.** To register costs a little more than DuckDB itself: numpy, which DuckDB loads to register a
  function, is a third of that; another third are thirty-five macros, and those of the SQL functions once more for the
  connection, which DuckDB parses and binds one by one, on two connections at once. Algorithms, Arrow and parsers are
  loaded with the first question. `msd shell` registers nothing while a script in memory is plain SQL, and `msd
  --help` loads no database at all.
- **Instacart.** Fifty thousand candidates and only 1.4 million purchases: what is done for every candidate (its set,
  twenty times its score and its weight, of which the exponential alone is a fifth) takes as long as the purchases.
  One exponential for all candidates that are far behind would halve a draw, and a draw would no longer do the same
  work whatever the data are.
- **1,000 vectors, k = 10 (even) and k = 50.** Less than a millisecond on both sides. Most of ours are the products
  that both have to make, and the arc cosines that only a metric needs.
- **Vectors from SQL.** Of 100,000 × 128, k = 50, half is DuckDB's scan, its way to Arrow and the gathering of keys and
  scores; a quarter is what a question costs whatever the size (7 ms, of which DuckDB's binding and optimiser are 3);
  a tenth the copy into one matrix; the selection is a fifth: two passes over all vectors, at the speed of memory, and
  fifty rounds among those that could be next. With k = 10 pyversity has a fifth of the rounds, we save next to none.
- **On two cores** DuckDB 2 runs a Python function on its one worker thread, so that the statements which the function
  asks for have one thread instead of two. The plain query has both. A machine with more cores loses less.
""".strip()


def table(figures: Sequence[Figure]) -> str:
    """Format the figures as a Markdown table."""
    lines = ["| what | measured | now | goal | | how |", "|---|---|---|---|---|---|"]
    for figure in figures:
        sign = "≥" if figure.larger else "≤"
        bounds = [f"{sign} {bound:g}" if bound is not None else "" for bound in (figure.now, figure.goal)]
        cells = (figure.name, shown(figure), *bounds, MARKS[figure.verdict], figure.detail)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def shown(figure: Figure) -> str:
    """Format a figure's value with its unit.

    >>> shown(Figure("a", 1234.5)), shown(Figure("b", 0.1234, unit=" s"))
    ('1,234×', '0.123 s')
    """
    if figure.value is None:
        return "—"
    number = f"{figure.value:,.0f}" if figure.value >= 100 else f"{figure.value:.3g}"
    return f"{number}{figure.unit}"


def write(figures: Sequence[Figure], folder: Path, *, quick: bool) -> Path:
    """Write the page and its plots."""
    plots = _plots(figures, folder / "benchmarks")
    page = [
        "# Benchmarks",
        "",
        f"Made by `python -m benchmarks{' --quick' if quick else ''}` on {date.today().isoformat()}: "
        f"{machine()}. Every ratio was measured in one run: the contestants take turns, the best turn of each counts, "
        "and *noise* is how much longer the median turn took than the best.",
        "",
        "The plain query is `SELECT item_id, count(DISTINCT user_id) c FROM purchases GROUP BY 1 ORDER BY c DESC "
        "LIMIT k`, in the same DuckDB. *First* means that nothing is prepared: our side parses and guards the "
        "statement, fingerprints and reads the purchases, charges the ledger durably, and draws k times. *Second* is "
        "another question about the same, unchanged relation: it picks much the same items, as questions about the "
        "most popular ones do, and the index remembers who shares them.",
        "",
        table(figures),
        "",
        *[line for plot in plots for line in (f"![{plot.stem.replace('_', ' ')}](benchmarks/{plot.name})", "")],
        NOTES,
    ]
    path = folder / "benchmarks.md"
    path.write_text("\n".join(page).rstrip() + "\n", encoding="utf-8")
    return path


def machine() -> str:
    """Name the machine and the versions."""
    import os

    return (
        f"{os.cpu_count()} cores ({platform.machine()}), Python {platform.python_version()}, "
        f"DuckDB {duckdb.__version__}, numpy {np.__version__}"
    )


def _plots(figures: Sequence[Figure], folder: Path) -> list[Path]:
    curves = [figure for figure in figures if len(figure.points) > 2]
    if not curves:
        return []
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    folder.mkdir(parents=True, exist_ok=True)
    made = []
    for figure in curves:
        x, y = zip(*figure.points, strict=True)
        chart, axes = plt.subplots(figsize=(5, 3.2), layout="constrained")
        axes.plot(x, y, marker="o", color="#1f5fa8")
        in_k = "k =" in figure.name
        axes.set(xscale="linear" if in_k else "log", yscale="linear" if in_k else "log")
        axes.set_ylim(bottom=0) if in_k else None
        axes.set(xlabel="k" if in_k else "purchases", ylabel="seconds")
        axes.set_title("first selection", fontsize=10)
        axes.grid(alpha=0.3)
        path = folder / ("growth_in_k.svg" if in_k else "growth_in_purchases.svg")
        chart.savefig(path, metadata={"Date": None})
        plt.close(chart)
        made.append(path)
    return made
