"""The page docs/benchmarks.md and its plots, from the figures of one run."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from datetime import date
from pathlib import Path

import duckdb
import numpy as np

from .measure import Figure

MARKS = {"goal": "goal reached", "now": "reached", "missed": "**missed**", "reported": "—", "not run": "not run"}


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


def write(figures: Sequence[Figure], folder: Path, *, quick: bool, notes: Sequence[str] = ()) -> Path:
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
        "another question about the same, unchanged relation.",
        "",
        table(figures),
        "",
        *[line for plot in plots for line in (f"![{plot.stem.replace('_', ' ')}](benchmarks/{plot.name})", "")],
        *notes,
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
