"""The paper's figures, redrawn from the results: objective against ε, k and λ; calls and time against k, n and m."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import pandas as pd

from benchmarks.paper.claims.claims import LABEL
from benchmarks.paper.measure import Readings

COLOUR = {
    "greedy": "#1f77b4",
    "nosg": "#2ca02c",
    "osg": "#17becf",
    "sls": "#1f77b4",
    "rel": "#d62728",
    "mix": "#ff7f0e",
    "random": "#7f7f7f",
    "ls": "#000000",
}
AXES = (("eps", "ε"), ("k", "k"), ("diversity", "λ"))
DPI = 110


def draw(frame: pd.DataFrame, folder: Path) -> dict[str, Path]:
    """Draw every figure that the results allow; returns the files by name."""
    folder.mkdir(parents=True, exist_ok=True)
    files = {}
    for task in dict.fromkeys(frame.task):
        files[task] = _objective(Readings(frame, task), folder / f"{task}.png")
    if "uber" in files:
        files["uber_effort"] = _effort(Readings(frame, "uber"), folder / "uber_effort.png", ("k", "n", "m"))
    if "amazon_partition" in files:
        readings = Readings(frame, "amazon_partition")
        files["amazon_partition_effort"] = _effort(readings, folder / "amazon_partition_effort.png", ("k", "n"))
    return files


def _objective(readings: Readings, path: Path) -> Path:
    """Draw the objective against ε, k and λ: black is not private, solid is our calibration, dashed the authors'."""
    figure, panels = plt.subplots(1, 3, figsize=(13, 3.6))
    for panel, (column, name) in zip(panels, AXES, strict=True):
        points = readings.over(column)
        place = ("k", "eps", "diversity").index(column)
        xs = [point[place] for point in points]
        reference = [readings.mean(readings.reference, "exact", point) for point in points]
        panel.plot(xs, reference, color="black", marker="o", markersize=3, label=readings.reference_label)
        floor = [readings.mean("random", "exact", point) for point in points]
        panel.plot(xs, floor, color=COLOUR["random"], linestyle=":", label="Random")
        for method in readings.private:
            for calibration, style in (("ours", "-"), ("older", ":"), ("authors", "--")):
                means = [readings.mean(method, calibration, point) for point in points]
                spread = [readings.spread(method, calibration, point) for point in points]
                label = LABEL[method] if calibration == "ours" else None
                panel.errorbar(
                    xs, means, yerr=spread, color=COLOUR[method], linestyle=style, label=label, linewidth=1, capsize=2
                )
        if column == "eps":
            panel.set_xscale("log")
        panel.set_xlabel(name)
        panel.set_ylabel("objective")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="upper center", ncols=8, fontsize=8, frameon=False)
    return _save(figure, path)


def _effort(readings: Readings, path: Path, against: tuple[str, ...]) -> Path:
    """Draw oracle calls (above) and seconds (below) on logarithmic axes."""
    figure, panels = plt.subplots(2, len(against), figsize=(4.3 * len(against), 6.4), squeeze=False)
    if readings.reference == "ls":
        curves = [
            ("ls", "exact", "LS"),
            ("sls", "older", "DP-SLS"),
            ("sls", "ours", "local search"),
            ("rel", "ours", "DP-RelG"),
        ]
    else:
        curves = [("greedy", "exact", "Greedy"), *((method, "ours", LABEL[method]) for method in readings.private)]
    for row, column in enumerate(("calls", "seconds")):
        for panel, axis in zip(panels[row], against, strict=True):
            for method, calibration, label in curves:
                curve = readings.growth(method, calibration, column, axis)
                colour = "black" if calibration == "exact" else COLOUR[method]
                dashes = ":" if calibration == "older" else "-"
                panel.plot(
                    list(curve), list(curve.values()), dashes, marker="o", markersize=3, color=colour, label=label
                )
            panel.set_xscale("log")
            panel.set_yscale("log")
            panel.set_xticks(list(curve), [f"{value:,.0f}" for value in curve], fontsize=7)
            panel.minorticks_off()
            panel.set_xlabel(axis)
            panel.set_ylabel("oracle calls" if column == "calls" else "seconds")
    figure.legend(*panels[0][0].get_legend_handles_labels(), loc="upper center", ncols=8, fontsize=8, frameon=False)
    return _save(figure, path)


def _save(figure: Any, path: Path) -> Path:
    figure.tight_layout(rect=(0.0, 0.0, 1.0, 0.94))  # room for the legend
    # Without the version and date in it, an unchanged figure is an unchanged file.
    figure.savefig(path, dpi=DPI, metadata={"Software": None})
    plt.close(figure)
    return path
