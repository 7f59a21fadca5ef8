"""msd_reach: a private estimate of the users that some items reach, a release of its own."""

from __future__ import annotations

import re

import duckdb
import pytest

import msd_sql
from tests.support.shop import kinds, one, spent


def test_an_estimate_is_charged_and_told_again(shop):
    relation = shop.sql("SELECT msd_reach([12, 40, 7], 0.05)")
    assert str(relation.types[0]) == "BIGINT"
    first = relation.fetchall()
    assert relation.fetchall() == first
    assert one(shop, "SELECT msd_reach([40, 12, 7, 7], 0.05)") == first[0][0]
    assert spent(shop) == 0.05
    one(shop, "SELECT msd_reach([12, 40, 7], 0.05, fresh := true)")
    assert spent(shop) == 0.1
    assert kinds(shop) == ["protect", "items", "reach", "replay", "replay", "reach"]


def test_it_is_near_the_truth_when_much_is_spent(shop):
    one(shop, "SELECT msd_budget('purchases', 1000000)")
    truth = one(shop, "SELECT count(DISTINCT user_id) FROM purchases WHERE item_id IN (1, 2, 3)")
    assert one(shop, "SELECT msd_reach([1, 2, 3], 100)") == truth
    assert one(shop, "SELECT msd_reach(range(60), 100)") == one(shop, "SELECT count(DISTINCT user_id) FROM purchases")


def test_rows_are_units_where_there_is_no_unit_column(shop):
    one(shop, "SELECT msd_protect('purchases', item := 'item_id', budget := 1000, delta := 1e-9, replace := true)")
    assert one(shop, "SELECT msd_reach([1, 2], 100)") == one(
        shop, "SELECT count(*) FROM purchases WHERE item_id IN (1, 2)"
    )


def test_it_is_cut_at_zero_and_not_at_m(shop):
    """A table grows, and the m of its declaration does not: an estimate above it says so."""
    one(shop, "SELECT msd_budget('purchases', 10)")
    m = one(shop, "SELECT count(DISTINCT user_id) FROM purchases")
    estimates = [one(shop, "SELECT msd_reach([1000], 0.001, fresh := true)") for _ in range(40)]
    assert min(estimates) == 0  # half of the noise is below
    assert max(estimates) > m  # the chance that none of 40 is: (1 - exp(-0.4) / 2)^40, below 1e-7


def test_keys_of_the_relations_own_type_and_of_others(shop):
    one(shop, "SELECT msd_budget('purchases', 1000)")
    assert one(shop, "SELECT msd_reach(['1', '2'], 100)") == one(shop, "SELECT msd_reach([1, 2], 100)")
    assert one(shop, "SELECT msd_reach(['9999'], 100)") == 0


def test_an_empty_list_reaches_nobody_and_costs_nothing(shop):
    assert one(shop, "SELECT msd_reach([]::INTEGER[], 0.05)") == 0
    assert spent(shop) == 0


def test_of_a_selection(shop):
    one(shop, "SELECT msd_reach(msd_select(item_id, 6, 0.1, 0.5), 0.05) FROM products")
    assert spent(shop) == 0.15
    assert kinds(shop)[2:] == ["select", "reach"]


@pytest.mark.parametrize(
    ("call", "text"),
    [
        ("msd_reach([1], NULL)", "PrivacyError: eps is NULL"),
        ("msd_reach([1], 0)", "eps must be above 0"),
        ("msd_reach([1], 'x')", "eps must be a finite number above 0; got 'x'"),
        ("msd_reach(NULL::INTEGER[], 0.1)", "needs a list of items"),
        ("msd_reach([1, NULL], 0.1)", r"1 of 2 keys are NULL\. Leave them out of the list"),
        ("msd_reach([1], 0.1, relation := 'purchase')", "Did you mean 'purchases'"),
        ("msd_reach([1], 3)", "BudgetError"),
        ("msd_reach((SELECT list(item_id) FROM purchases), 0.1)", "LeakError"),
    ],
)
def test_errors_charge_nothing(never_charged, call, text):
    with pytest.raises(duckdb.InvalidInputException, match=f"(?s){text}.*"):
        one(never_charged, f"SELECT {call}")
    assert kinds(never_charged) == ["protect", "items"]


def test_which_relation_must_be_clear(shop):
    shop.execute("CREATE TABLE clicks AS FROM purchases")
    one(shop, "SELECT msd_protect('clicks', unit := 'user_id', item := 'item_id', budget := 1)")
    with pytest.raises(duckdb.InvalidInputException, match=r"Which protected relation.*purchases") as error:
        one(shop, "SELECT msd_reach([1], 0.1)")
    said = re.search(r"Say relation := '(.*?)'\. With .* are protected: (.*)\.", str(error.value))
    assert said[1] in said[2].split(", ")
    one(shop, "SELECT msd_reach([1], 0.1, relation := 'clicks')")
    assert one(shop, "SELECT msd_remaining('clicks')") == pytest.approx(0.9)
    assert one(shop, "SELECT msd_remaining('purchases')") == 1.0


def test_nothing_protected():
    with duckdb.connect() as con:
        msd_sql.register(con)
        with pytest.raises(duckdb.InvalidInputException, match=r"Which protected relation\? Let an owner declare one"):
            one(con, "SELECT msd_reach([1], 0.1)")


@pytest.mark.parametrize("items", ["['a']", "[1.5]", "[DATE '2020-01-01']"])
def test_keys_of_which_none_can_be_an_item_are_refused_and_not_charged(shop, items):
    with pytest.raises(duckdb.Error, match=r"None of the 1 keys can name an item of .*purchases.*othing was charged"):
        one(shop, f"SELECT msd_reach({items}, 0.05)")
    assert spent(shop) == 0
    assert one(shop, "SELECT msd_reach(['a', '1'], 0.05)") >= 0
