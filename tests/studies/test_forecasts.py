"""What an answer will be worth: the lead needed, the public forecast, the owner's on real rows."""

import math

import duckdb
import numpy as np
import pytest

import msd_sql
from msd_sql.actions.explaining.lead import lead_needed
from msd_sql.errors import CatalogError, InputError
from msd_sql.studies.forecast import forecast
from msd_sql.studies.owner_forecast import owner_forecast
from msd_sql.studies.popularity import Popularity


@pytest.mark.parametrize("n", [2, 100, 30_000])
def test_an_item_with_the_lead_is_drawn_with_95_percent(n):
    eta = 0.01
    ahead = math.exp(eta * lead_needed(n, eta))
    assert ahead / (ahead + n - 1) >= 0.95
    assert ahead / (ahead + n - 1) < 0.98 or n == 2


def test_a_catalogue_has_its_head_and_its_items_a_user():
    shop = Popularity.of(5_000, 0.12, 9.0)
    assert shop.shares[0] == 0.12
    assert shop.shares.sum() == pytest.approx(9.0, rel=1e-6)
    assert (np.diff(shop.shares) <= 0).all()
    for head, items in ((0.0, 3), (1.5, 3), (0.1, 0.05), (0.1, 600)):
        with pytest.raises(InputError):
            Popularity.of(5_000, head, items)


def test_noise_takes_a_forecast_from_the_exact_answer_to_random_picks():
    cells = forecast(2_000, 100_000, head=0.05, ks=[6], epsilons=[0.0005, 0.01, 0.1, 3.0]).cells
    reached = [cell.reached for cell in cells]
    assert reached == sorted(reached)
    assert cells[0].verdict == "noise"
    assert cells[-1].verdict == "as good as exact"
    assert reached[0] < 2 * cells[0].random
    assert reached[-1] == pytest.approx(cells[-1].best, rel=0.01)
    assert all(cell.low <= cell.reached <= cell.high <= 100_000 for cell in cells)
    assert cells[0].lead > 0.05 * 100_000 > cells[-1].lead


@pytest.fixture
def shop():
    with duckdb.connect() as con:
        con.execute("CREATE TABLE products AS SELECT i::INTEGER AS item_id, ['a' || i % 5] AS tags FROM range(80) t(i)")
        con.execute(
            "CREATE TABLE purchases AS SELECT (hash(i) % 900)::INTEGER AS user_id, "
            "((hash(i * 7) % 80) * (hash(i * 13) % 80) // 80)::INTEGER AS item_id, i % 2 AS side FROM range(4000) t(i)"
        )
        msd_sql.register(con)
        con.execute("SELECT msd_protect('purchases', unit := 'user_id', item := 'item_id', budget := 1)").fetchall()
        con.execute(
            "SELECT msd_items('products', key := 'item_id', features := 'tags', reach := 'purchases')"
        ).fetchall()
        yield con


def test_the_owner_sees_real_figures_and_the_ledger_says_so(shop):
    made = owner_forecast(shop, "products", ks=[3], epsilons=[0.001, 50.0], runs=4)
    picks = shop.execute("SELECT msd_select(item_id, 3, NULL, 0, exact := true) FROM products").fetchall()[0][0]
    truth = shop.execute(
        f"SELECT count(DISTINCT user_id) FROM purchases WHERE list_contains({picks}, item_id)"
    ).fetchall()[0][0]
    assert made.cells[1].best == pytest.approx(truth)
    assert made.cells[1].reached == pytest.approx(truth, rel=0.05)
    assert made.cells[0].reached < 0.8 * truth
    line = shop.execute("SELECT kind, exact, eps, charged_eps, what FROM msd_ledger()").fetchall()[2]
    assert line[:4] == ("exact", True, math.inf, 0)
    assert line[4].startswith("forecast for the owner: 80 items, k [3]")
    assert shop.execute("SELECT msd_remaining('purchases')").fetchall() == [(1.0,)]


def test_of_an_audience_and_with_diversity(shop):
    part = owner_forecast(shop, "products", ks=[3], epsilons=[50.0], runs=2, among="side = 1", diversity=0.3)
    assert part.cells[0].best < owner_forecast(shop, "products", ks=[3], epsilons=[50.0], runs=2).cells[0].best
    assert "among side = 1" in part.label


def test_what_makes_no_sense_is_refused_and_recorded_nowhere(shop):
    with pytest.raises(CatalogError, match="not a declared items relation"):
        owner_forecast(shop, "purchases")
    with pytest.raises(InputError, match="below the number of items"):
        owner_forecast(shop, "products", ks=[80])
    with pytest.raises(InputError, match="Did you mean 'side'"):
        owner_forecast(shop, "products", among="sid = 1")
    assert len(shop.execute("FROM msd_ledger()").fetchall()) == 2


def test_explain_says_what_it_is_worth(shop):
    def told(options=""):
        return dict(shop.execute(f"FROM msd_explain(products, 3, 0.1, 0.5{options})").fetchall())

    lead = told()["lead needed"]
    assert lead.startswith("an item that is ")
    assert "worth" not in told()
    assert "mostly noise" in told(", head := 0.02")["worth"]
    assert "times the lead needed" in told(", head := 0.9")["worth"]
    for wrong in ("2", "-1", "'x'"):
        with pytest.raises(duckdb.Error, match="head must be a number above 0 and at most 1"):
            told(f", head := {wrong}")
    public = shop.execute("FROM msd_explain(products, 3, NULL, 1)").fetchall()
    assert "lead needed" not in dict(public)
