from __future__ import annotations

import sys

import duckdb
import pytest

import msd_sql
from msd_sql.demo import shop as synthetic
from msd_sql.errors import InputError, MsdError
from msd_sql.studies import frontier
from msd_sql.studies.forecast import forecast


@pytest.fixture
def plots():
    pytest.importorskip("matplotlib", reason="pictures need matplotlib (extra: plots)")
    from msd_sql import plots

    return plots


@pytest.fixture(scope="module")
def con():
    con = msd_sql.register(duckdb.connect())
    synthetic.write(con, synthetic.shop(300, 3_000))
    msd_sql.protect(con, "purchases", unit="user_id", item="item_id", budget=10.0, delta=1e-9)
    msd_sql.items(con, "products", key="item_id", features="categories", reach="purchases")
    yield con
    con.close()


def left(con: duckdb.DuckDBPyConnection) -> float:
    return float(con.execute("SELECT msd_remaining('purchases')").fetchall()[0][0])


def test_the_synthetic_frontier_trades_reach_for_distance() -> None:
    points = frontier.synthetic(k=8, steps=5, users=3_000).points
    assert [point.diversity for point in points] == [0.0, 0.25, 0.5, 0.75, 1.0]
    assert points[-1].distance >= points[0].distance
    assert points[0].relevance >= points[-1].relevance


def test_a_private_frontier_costs_what_it_says(con: duckdb.DuckDBPyConnection) -> None:
    before = left(con)
    made = frontier.private(con, "products", eps=0.1, reach_eps=0.05, k=4, steps=3)
    assert before - left(con) == pytest.approx(float(frontier.cost(0.1, 0.05, 3)))
    assert "private estimates, ε 0.35 spent" in made.label
    assert all(point.distance > 0 for point in made.points)


def test_a_public_frontier_costs_nothing(con: duckdb.DuckDBPyConnection) -> None:
    before = left(con)
    made = frontier.public(con, "SELECT * FROM products WHERE price < 20", "price", k=4, steps=3)
    assert left(con) == before
    assert "public scores" in made.label
    assert made.points[0].relevance >= made.points[-1].relevance


def test_a_forecast_loses_less_with_more_epsilon_and_more_users() -> None:
    cells = {(cell.eps, cell.k): cell.loss for cell in forecast(300, 5_000, ks=[4], epsilons=[0.01, 5.0]).cells}
    assert cells[5.0, 4] < cells[0.01, 4]
    many = forecast(300, 5_000_000, ks=[4], epsilons=[0.01]).cells[0]
    assert many.loss < cells[0.01, 4]


def test_a_forecast_that_makes_no_sense_is_refused() -> None:
    with pytest.raises(InputError, match="every k below n"):
        forecast(100, 1_000, ks=[100])
    with pytest.raises(InputError, match="at least 2 steps"):
        frontier.synthetic(steps=1)


def test_pictures_are_written_as_png_and_svg(plots, tmp_path) -> None:
    made = frontier.synthetic(k=4, steps=3, users=1_000)
    assert plots.save(plots.plot_frontier(made), tmp_path / "f.png").read_bytes().startswith(b"\x89PNG")
    drawn = plots.plot_forecast(forecast(100, 1_000, ks=[2], epsilons=[0.1, 1.0], runs=1))
    assert "<svg" in plots.save(drawn, tmp_path / "f.svg").read_text()[:2_000]
    with pytest.raises(InputError, match=r"\.png or a \.svg"):
        plots.save(drawn, tmp_path / "f.pdf")


def test_a_selection_draws_its_distances(plots, con: duckdb.DuckDBPyConnection) -> None:
    chosen = msd_sql.select(con.table("products"), k=4, eps=0.1, diversity=0.5)
    axes = chosen.plot().axes[0]
    labels = [label.get_text().rpartition("  ")[0] for label in axes.get_yticklabels()]
    for label, title in zip(labels, chosen.rows["title"], strict=True):  # a long one is cut
        assert title.startswith(label.rstrip("…"))
    assert chosen.plot(label="subcategory", features="categories")._repr_png_().startswith(b"\x89PNG")


def test_a_selection_of_places_is_a_map(plots) -> None:
    con = msd_sql.register(duckdb.connect())
    con.execute("CREATE TABLE spots AS SELECT i AS spot, 40 + i / 100 AS lat, -74 AS lon, 1.0 AS s FROM range(9) t(i)")
    spots = con.table("spots")
    chosen = msd_sql.select(
        spots, k=3, eps=None, diversity=0.5, key="spot", features=["lat", "lon"], score="s", distance="haversine"
    )
    assert chosen.plot().axes[0].get_ylabel() == "latitude"
    con.close()


def test_without_matplotlib_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from msd_sql import plots

    plots._kind.cache_clear()
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MsdError, match=r"msd-sql\[plots\]"):
        plots.new_figure()
