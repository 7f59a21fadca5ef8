"""msd_reach_interval: the estimate of msd_reach and how far off it can be, in one release."""

import duckdb
import pytest

import msd_sql
from msd_sql.udfs.privacy.laplace import discrete_laplace, noise_within
from msd_sql.udfs.privacy.randomness import SeededSource


@pytest.fixture
def shop():
    with duckdb.connect() as con:
        msd_sql.register(con)
        con.execute(
            "CREATE TABLE purchases AS SELECT (hash(i) % 900)::INT AS user_id, i % 40 AS item_id FROM range(4000) t(i)"
        )
        con.execute("SELECT msd_protect('purchases', unit := 'user_id', item := 'item_id', budget := 100)").fetchall()
        yield con


def one(con, sql):
    return con.execute(sql).fetchall()[0][0]


def releases(con):
    return one(con, "SELECT coalesce(sum(releases), 0) FROM msd_ledger()")


def test_it_is_the_release_of_msd_reach(shop):
    about = one(shop, "SELECT msd_reach([1, 2, 3], 0.05)")
    found = one(shop, "SELECT msd_reach_interval([1, 2, 3], 0.05, 0.95)")
    assert found == {"low": max(about - 60, 0), "estimate": about, "high": about + 60}
    assert one(shop, "SELECT msd_reach_interval([3, 2, 1], 0.05)") == found
    assert one(shop, "SELECT msd_reach_interval([3, 2, 1], 0.05, 0.5)")["high"] < found["high"]
    assert releases(shop) == 1
    one(shop, "SELECT msd_reach_interval([1, 2, 3], 0.05, among := 'item_id > 1')")
    assert releases(shop) == 2
    assert one(shop, "SELECT msd_reach_interval([]::INTEGER[], 0.05)") == {"low": 0, "estimate": 0, "high": 0}


@pytest.mark.parametrize("eps", [0.05, 0.3, 2.0])
@pytest.mark.parametrize("confidence", [0.5, 0.95])
def test_the_noise_stays_within_it_as_often_as_it_says(eps, confidence):
    far, source = noise_within(eps, confidence), SeededSource(7)
    from fractions import Fraction

    draws = [abs(discrete_laplace(1 / Fraction(eps), source)) for _ in range(4000)]
    assert sum(one <= far for one in draws) / 4000 >= confidence - 0.03
    if far:
        assert sum(one < far for one in draws) / 4000 <= confidence + 0.03  # and it is no larger than it must be


@pytest.mark.parametrize("wrong", ["0", "1", "1.5", "'x'"])
def test_a_confidence_that_is_none_is_refused_and_costs_nothing(shop, wrong):
    with pytest.raises(duckdb.Error, match="confidence must be a number between 0 and 1"):
        shop.execute(f"SELECT msd_reach_interval([1], 0.05, {wrong})").fetchall()
    with pytest.raises(duckdb.Error, match="eps is NULL"):
        shop.execute("SELECT msd_reach_interval([1], NULL)").fetchall()
    assert releases(shop) == 0


def test_the_guard_comes_before_the_error_that_quotes(shop):
    with pytest.raises(duckdb.Error, match="reads the protected relation"):
        shop.execute("SELECT msd_reach_interval([1], 0.05, (SELECT max(user_id) FROM purchases))").fetchall()


def test_a_selection_tells_titles_and_distances(shop):
    shop.execute(
        "CREATE TABLE products AS SELECT i AS id, 'X' AS code, 'item ' || i AS Title, ['a' || i % 4] AS tags "
        "FROM range(20) t(i)"
    )
    found = msd_sql.select(
        shop.table("products"), key="id", k=4, eps=0.5, diversity=0.5, features="tags", reach="purchases"
    )
    assert found.title_column == "Title"
    assert found.titles == tuple(f"item {key}" for key in found.items)
    assert found.nearest[0] is None
    kinds = [key % 4 for key in found.items]
    assert found.nearest[1:] == tuple(float(kinds[at] not in kinds[:at]) for at in range(1, 4))
    assert "distance to the nearest before" in found._repr_html_()
    plain = msd_sql.select(shop.table("products"), key="id", k=4, eps=0.5, diversity=0, reach="purchases")
    assert plain.nearest is None


@pytest.mark.parametrize("eps", ["1e-19", "1e-320"])
def test_noise_beyond_what_sql_can_hold_is_cut_and_no_failure_after_the_charge(shop, eps):
    for _ in range(4):
        assert 0 <= one(shop, f"SELECT msd_reach([1, 2], {eps}, fresh := true)") <= 2**61
    found = one(shop, f"SELECT msd_reach_interval([1, 2], {eps}, fresh := true)")
    assert found["low"] <= found["estimate"] <= found["high"] <= 2**62
    assert "m = " in one(shop, f"SELECT msd_recount('purchases', {eps})")
