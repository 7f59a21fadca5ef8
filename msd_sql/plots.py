"""Pictures: a selection, a frontier, a forecast, a map. matplotlib comes with the extra `plots`; PNG or SVG."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from msd_sql.errors import InputError, MsdError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from msd_sql.api import Selection
    from msd_sql.studies.forecast import Forecast
    from msd_sql.studies.frontier import Frontier
    from msd_sql.udfs.types import Distance

BLUE, ORANGE, GREY = "#2f6f9f", "#d9822b", "#8a949e"


def new_figure(width: float = 8.0, height: float = 5.0) -> tuple[Figure, Axes]:
    """Make a figure of our style; it belongs to nobody's window, so it works without a display.

    >>> figure, axes = new_figure()
    """
    figure = _kind()(figsize=(width, height), dpi=150, layout="constrained")
    axes = figure.add_subplot()
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color="#e4e8ec", linewidth=0.8)
    axes.set_axisbelow(True)
    return figure, axes


@cache
def _kind() -> type[Figure]:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MsdError("Pictures need matplotlib: pip install 'msd-sql[plots]'.") from None

    class Picture(Figure):
        """A figure that a notebook shows although no window manages it."""

        def _repr_png_(self) -> bytes:
            out = io.BytesIO()
            self.savefig(out, format="png")
            return out.getvalue()

    return Picture


def save(figure: Figure, path: str | Path) -> Path:
    """Write a figure as PNG or SVG, told by the suffix.

    >>> save(figure, folder / "frontier.png").stat().st_size > 1000
    True
    """
    path = Path(path)
    if path.suffix.lower() not in (".png", ".svg"):
        raise InputError(f"A picture is a .png or a .svg file; got {path.name}.")
    figure.savefig(path)
    return path


def plot_frontier(frontier: Frontier) -> Figure:
    """Draw diversity against reach, with λ at the points.

    >>> from msd_sql.studies.frontier import Frontier, Point
    >>> len(plot_frontier(Frontier("two points", "reach", (Point(0.0, 0.1, 0.9), Point(1.0, 0.9, 0.1)))).axes)
    1
    """
    figure, axes = new_figure()
    across = [point.distance for point in frontier.points]
    up = [point.relevance for point in frontier.points]
    axes.plot(across, up, color=BLUE, linewidth=1.6, marker="o", markersize=6)
    for place, label in _labels(across, up, [f"{point.diversity:g}" for point in frontier.points]).items():
        axes.annotate(f"λ = {label}", place, textcoords="offset points", xytext=(8, 6), fontsize=9, color="#33404d")
    axes.set_xlabel("diversity: mean distance of two chosen items")
    axes.set_ylabel(frontier.relevance)
    axes.set_ylim(bottom=0)
    axes.margins(x=0.12)
    axes.set_title(frontier.label, fontsize=11, loc="left")
    return figure


def _labels(across: Sequence[float], up: Sequence[float], names: Sequence[str]) -> dict[tuple[float, float], str]:
    """One label for points that fall on each other: the first and the last of their names."""
    found: dict[tuple[float, float], list[str]] = {}
    width, height = (max(max(axis) - min(axis), 1e-9) for axis in (across, up))
    for x, y, name in zip(across, up, names, strict=True):
        near = next((p for p in found if abs(p[0] - x) < width / 9 and abs(p[1] - y) < height / 9), (x, y))
        found.setdefault(near, []).append(name)
    return {place: held[0] if len(held) == 1 else f"{held[0]} to {held[-1]}" for place, held in found.items()}


def plot_forecast(forecast: Forecast) -> Figure:
    """Draw the expected loss against ε, a line for every k.

    >>> from msd_sql.studies.forecast import forecast
    >>> len(plot_forecast(forecast(200, 5_000, ks=[3], epsilons=[10.0], runs=1)).axes)
    1
    """
    figure, axes = new_figure()
    for number, k in enumerate(dict.fromkeys(cell.k for cell in forecast.cells)):
        cells = [cell for cell in forecast.cells if cell.k == k]
        colour = (BLUE, ORANGE, "#4f9d69", "#a0528c", GREY)[number % 5]
        losses = [100 * max(cell.loss, 0) for cell in cells]
        across = [cell.eps for cell in cells]
        axes.plot(across, losses, color=colour, marker="o", linewidth=1.6, label=f"k = {k}", clip_on=False, zorder=3)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter("{x:g}")
    axes.set_ylim(bottom=0)
    axes.set_xlabel("ε of the release (more is less private)")
    axes.set_ylabel("expected loss of the objective, in percent")
    axes.legend(frameon=False)
    title = f"n = {forecast.n:,} items, m = {forecast.m:,} users, diversity {forecast.diversity:g}"
    axes.set_title(f"{title}: simulated, no private data", fontsize=11, loc="left")
    return figure


def plot_map(
    latitude: npt.ArrayLike, longitude: npt.ArrayLike, *, candidates: tuple[npt.ArrayLike, npt.ArrayLike], title: str
) -> Figure:
    """Draw chosen places among the public candidates, numbered in the order of picking.

    >>> plot_map([40.7], [-74.0], candidates=([40.7, 40.8], [-74.0, -73.9]), title="Pickups").axes[0].get_xlabel()
    'longitude'
    """
    figure, axes = new_figure(6.0, 7.5)
    lat, lon = np.asarray(latitude, dtype=np.float64), np.asarray(longitude, dtype=np.float64)
    axes.scatter(np.asarray(candidates[1]), np.asarray(candidates[0]), s=7, color="#c3ccd4", label="candidates")
    axes.scatter(lon, lat, s=170, color=ORANGE, edgecolor="white", linewidth=1.2, zorder=3, label="chosen")
    for rank, (y, x) in enumerate(zip(lat, lon, strict=True), start=1):
        axes.annotate(str(rank), (x, y), ha="center", va="center", fontsize=8, color="white", zorder=4, weight="bold")
    axes.set_aspect(1 / np.cos(np.radians(lat.mean())) if len(lat) else 1.0)
    axes.locator_params(axis="x", nbins=4)
    axes.set_xlabel("longitude")
    axes.set_ylabel("latitude")
    axes.legend(frameon=False, loc="lower right")
    axes.set_title(title, fontsize=11, loc="left")
    return figure


def plot_selection(selection: Selection, *, label: str | None = None, features: str | None = None) -> Figure:
    """Draw how far the chosen items are apart: on a map where they have lat and lon, else as a table of distances.

    `label` names the column to write beside an item (by default the first text), `features` the list or vector that
    makes them differ (by default the first list). Public columns only.

    >>> len(plot_selection(msd_sql.select(con.table("products"), k=6, eps=0.1, diversity=0.5)).axes) > 0
    True
    """
    rows = selection.rows if hasattr(selection.rows, "iloc") else selection.rows.to_pandas()
    if len(rows) == 0:
        raise InputError("There is nothing to draw: the selection is empty.")
    names = {str(name).lower(): str(name) for name in rows.columns}
    if features is None and {"lat", "lon"} <= set(names):
        lat, lon = rows[names["lat"]], rows[names["lon"]]
        return plot_map(lat, lon, candidates=(lat, lon), title=_told(selection))
    column = features if features is not None else _first(rows, lambda value: isinstance(value, (list, np.ndarray)))
    text = label if label is not None else _first(rows, lambda value: isinstance(value, str))
    if column is None:
        raise InputError("Nothing says how the items differ: name the column, plot(features='categories').")
    return _matrix(_distance(rows[column].tolist()), [str(v) for v in rows[text or rows.columns[0]]], _told(selection))


def _first(rows: Any, fits: Callable[[Any], bool]) -> str | None:
    return next((str(name) for name in rows.columns if fits(rows[name].iloc[0])), None)


def _distance(values: list[Any]) -> Distance:
    from msd_sql.udfs import Angular, Jaccard

    if all(isinstance(value, (float, np.floating)) for value in values[0]):
        return Angular(np.asarray(values, dtype=np.float32))
    return Jaccard.from_sets([list(value) for value in values])


def _matrix(distance: Distance, names: list[str], title: str) -> Figure:
    size = max(5.0, 0.55 * distance.n + 3.5)
    figure, axes = new_figure(size + 1.5, size)
    table = np.stack([distance.row(item) for item in range(distance.n)])
    drawn = axes.imshow(table, cmap="Blues", vmin=0.0, vmax=1.0)
    short = [name if len(name) <= 34 else f"{name[:33]}…" for name in names]
    axes.set_yticks(range(distance.n), [f"{name}  {rank}" for rank, name in enumerate(short, start=1)])
    axes.set_xticks(range(distance.n), [str(rank) for rank in range(1, distance.n + 1)])
    axes.grid(visible=False)
    for row, column in np.ndindex(*table.shape):
        far = float(table[row, column])
        colour = "white" if far > 0.6 else "#33404d"
        axes.annotate(f"{far:.2f}", (column, row), ha="center", va="center", fontsize=8, color=colour)
    figure.colorbar(drawn, ax=axes, label="distance", shrink=0.75)
    axes.set_title(title, fontsize=10, loc="left", wrap=True)
    return figure


def _told(selection: Selection) -> str:
    receipt = selection.receipt
    private = f"ε = {receipt.eps:g}, " if receipt is not None and receipt.eps is not None else ""
    spread = "" if selection.diversity is None else f"mean distance {selection.diversity:.2f}, "
    return f"{private}{spread}{len(selection.items)} chosen, in the order of picking"
