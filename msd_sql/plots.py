"""Pictures: a selection, a frontier, a forecast, a map. matplotlib comes with the extra `plots`; PNG or SVG."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from msd_sql.errors import InputError, MsdError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from msd_sql.actions.selection import Selection
    from msd_sql.studies.forecast import Forecast
    from msd_sql.studies.frontier import Frontier
    from msd_sql.udfs.types import Distance

BLUE, ORANGE, GREY = "#2f6f9f", "#d9822b", "#8a949e"


@dataclass(frozen=True)
class History:
    """What a budget came to: after every statement that was charged, all answers together."""

    relation: str
    budget: float
    times: Sequence[Any]  # of datetime
    composed: Sequence[float]


def new_figure(width: float = 8.0, height: float = 5.0) -> tuple[Figure, Axes]:
    """Make a figure of our style; it belongs to nobody's window, so it works without a display.

    >>> figure, axes = new_figure()
    """
    figure = _kind()(figsize=(width, height), dpi=150, layout="constrained")
    axes = figure.add_subplot()
    _style(axes)
    return figure, axes


def _style(axes: Axes) -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color="#e4e8ec", linewidth=0.8)
    axes.set_axisbelow(True)


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
    """Draw over λ what is reached, and how far the chosen items are apart: both from 0, so that little looks little.

    >>> from msd_sql.studies.frontier import Frontier, Point
    >>> len(plot_frontier(Frontier("two points", "reach", (Point(0.0, 0.1, 0.9), Point(1.0, 0.9, 0.1)))).axes)
    2
    """
    figure = _kind()(figsize=(8.0, 6.0), dpi=150, layout="constrained")
    across = [point.diversity for point in frontier.points]
    panels = [
        (frontier.relevance, [point.relevance for point in frontier.points], BLUE, None),
        ("mean distance of two\nchosen items", [point.distance for point in frontier.points], ORANGE, 1.0),
    ]
    for place, (name, values, colour, most) in enumerate(panels, start=1):
        axes = figure.add_subplot(2, 1, place)
        _style(axes)
        axes.plot(across, values, color=colour, linewidth=1.8, marker="o", markersize=5, clip_on=False, zorder=3)
        axes.fill_between(across, values, color=colour, alpha=0.12, linewidth=0)
        axes.set_ylim(0, (most if most is not None else max([*values, 1e-9])) * 1.12)
        axes.set_xlim(0, 1)
        axes.yaxis.set_major_formatter("{x:,.10g}")
        axes.set_ylabel(name)
        for at in {0, len(values) - 1}:
            kept = f"{values[at]:,.3g}" if values[at] < 1000 else f"{values[at]:,.0f}"
            side, aside = ("left", 0) if at == 0 else ("right", -8)
            axes.annotate(kept, (across[at], values[at]), textcoords="offset points", xytext=(aside, 7), ha=side,
                          fontsize=9, color="#33404d")  # fmt: skip
    axes.set_xlabel("λ: 0 is reach alone, 1 is diversity alone")
    figure.suptitle(frontier.label, fontsize=11, x=0.01, ha="left")
    return figure


def plot_budgets(histories: Sequence[History]) -> Figure:
    """Draw what all answers came to over time, with the limit, a panel for every budget.

    >>> from datetime import datetime
    >>> days = [datetime(2026, 1, 1), datetime(2026, 1, 2)]
    >>> len(plot_budgets([History("purchases", 1.0, days, [0.1, 0.15])]).axes)
    1
    """
    figure = _kind()(figsize=(8.0, 1.0 + 3.2 * len(histories)), dpi=150, layout="constrained")
    for place, one in enumerate(histories, start=1):
        axes = figure.add_subplot(len(histories), 1, place)
        _style(axes)
        spent = one.composed[-1] if one.composed else 0.0
        # A step for every answer, from nothing: two answers of one second are two steps all the same.
        axes.step([*one.times[:1], *one.times], [0.0, *one.composed], where="post", color=BLUE, linewidth=1.8)
        axes.plot(one.times, one.composed, color=BLUE, marker="o", markersize=4, linestyle="none")
        axes.axhline(one.budget, color=ORANGE, linewidth=1.4, linestyle="--")
        axes.annotate(f"budget ε {one.budget:g}", (0.0, one.budget), xycoords=("axes fraction", "data"), fontsize=9,
                      textcoords="offset points", xytext=(4, 4), color=ORANGE)  # fmt: skip
        axes.set_ylim(0, max(one.budget, spent) * 1.15)
        axes.set_ylabel("ε of all answers together")
        axes.set_title(f"{one.relation}: ε {spent:.4g} after {len(one.times):,} statements", fontsize=11, loc="left")
        axes.tick_params(axis="x", labelrotation=20, labelsize=8)
    return figure


def plot_forecast(forecast: Forecast) -> Figure:
    """Draw the users reached against ε, with its band, between random picks and the exact answer; a panel for every k.

    >>> from msd_sql.studies.forecast import forecast
    >>> len(plot_forecast(forecast(200, 5_000, ks=[3], epsilons=[10.0], runs=1)).axes)
    1
    """
    ks = list(dict.fromkeys(cell.k for cell in forecast.cells))
    figure = _kind()(figsize=(1.5 + 4.5 * len(ks), 4.8), dpi=150, layout="constrained")
    for place, k in enumerate(ks, start=1):
        axes = figure.add_subplot(1, len(ks), place)
        _style(axes)
        cells = [cell for cell in forecast.cells if cell.k == k]
        across = [cell.eps for cell in cells]
        axes.fill_between(across, [c.low for c in cells], [c.high for c in cells], color=BLUE, alpha=0.15, linewidth=0,
                          label="band of nine answers in ten")  # fmt: skip
        axes.plot(across, [c.reached for c in cells], color=BLUE, marker="o", linewidth=1.8, label="with noise")
        axes.plot(across, [c.best for c in cells], color=GREY, linewidth=1.2, linestyle="--", label="exact answer")
        axes.plot(across, [c.random for c in cells], color=ORANGE, linewidth=1.2, linestyle=":", label="random picks")
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter("{x:g}")
        axes.yaxis.set_major_formatter("{x:,.0f}")
        axes.set_ylim(bottom=0)
        axes.set_xlabel("ε of the answer (more is less private)")
        axes.set_title(f"k = {k}", fontsize=11, loc="left")
        if place == 1:
            axes.set_ylabel("users reached")
            shown = axes.get_legend_handles_labels()
    figure.legend(*shown, frameon=False, fontsize=8, loc="outside lower center", ncols=4)
    figure.suptitle(textwrap.fill(forecast.label, 46 * len(ks) + 20), fontsize=9, x=0.01, ha="left")
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
    text = label if label is not None else selection.title_column
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
    short = [name if len(name) <= 48 else f"{name[:47]}…" for name in names]
    axes.set_yticks(range(distance.n), [f"{name}  {rank}" for rank, name in enumerate(short, start=1)])
    axes.set_xticks(range(distance.n), [str(rank) for rank in range(1, distance.n + 1)])
    axes.grid(visible=False)
    for row, column in np.ndindex(*table.shape):
        far = float(table[row, column])
        colour = "white" if far > 0.6 else "#33404d"
        axes.annotate(f"{far:.2f}", (column, row), ha="center", va="center", fontsize=8, color=colour)
    beside = axes.inset_axes((1.03, 0.0, 0.04, 1.0))  # as high as the map, whatever the titles need
    figure.colorbar(drawn, cax=beside, label="distance (0: alike, 1: nothing in common)")
    axes.set_title(title, fontsize=10, loc="left", wrap=True)
    return figure


def _told(selection: Selection) -> str:
    receipt = selection.receipt
    private = f"ε = {receipt.eps:g}, " if receipt is not None and receipt.eps is not None else ""
    spread = "" if selection.diversity is None else f"mean distance {selection.diversity:.2f}, "
    return f"{private}{spread}{len(selection.items)} chosen, in the order of picking"
