"""Relations about the same people share one budget, and what any of them has spent stays spent."""

from __future__ import annotations

from decimal import Decimal

import duckdb
import pytest

from msd_sql.catalog.catalog import Catalog
from msd_sql.catalog.ledger import Ledger
from msd_sql.catalog.records.lines import Answer, Entry
from msd_sql.database.duckdb_host import DuckDBHost
from msd_sql.errors import BudgetError, CatalogError, InputError
from msd_sql.udfs.privacy.renyi import Divergence
from tests.support.shop import one, spent

SHARES = "SELECT msd_protect('clicks', unit := 'user_id', item := 'item_id', shares := 'purchases')"
COLUMNS = {"unit": "user_id", "item": "item_id"}


@pytest.fixture
def both(shop):
    shop.execute("CREATE TABLE clicks AS SELECT user_id, item_id FROM purchases USING SAMPLE 500 ROWS (reservoir, 7)")
    return shop


@pytest.fixture
def host():
    with duckdb.connect() as con:
        for name in ("purchases", "clicks", "returns"):
            con.execute(f"CREATE TABLE {name} AS SELECT i % 100 AS user_id, i % 7 AS item_id FROM range(1000) t(i)")
        yield DuckDBHost(con.cursor())


def spend(host, protected, eps="0.1", delta="1e-11"):
    answer = Answer(Decimal(eps), Decimal(delta), Divergence.of_selection(0.01, adds=6, n=60), receipt=RECEIPT)
    return Ledger(host).charge(protected, Entry("select"), [answer])


RECEIPT = {"eps": 0.1, "loss": Divergence.of_selection(0.01, adds=6, n=60).as_dict()}


def test_both_draw_on_one_budget(both):
    said = one(both, SHARES)
    assert "the budget of main.purchases, ε 1, δ 1e-9" in said
    one(both, "SELECT msd_select(item_id, 4, 0.1, 0.5) FROM products")
    one(both, "SELECT msd_select(item_id, 4, 0.1, 0.5, reach := 'clicks') FROM products")
    one(both, "SELECT msd_reach([1, 2], 0.2, relation := 'clicks')")
    assert one(both, "SELECT msd_remaining('purchases')") == one(both, "SELECT msd_remaining('clicks')") == 0.6
    lines = both.execute("SELECT relation, charged_to, charged_eps FROM msd_ledger() WHERE releases > 0").fetchall()
    assert lines == [
        ("main.purchases", "main.purchases", 0.1),
        ("main.clicks", "main.purchases", 0.1),
        ("main.clicks", "main.purchases", 0.2),
    ]
    assert both.execute("SELECT sum(spent) FROM msd.protected WHERE key = 'main.purchases'").fetchall() == [
        (Decimal("0.4"),)
    ]
    with pytest.raises(duckdb.InvalidInputException, match=r"The budget of memory\.main\.clicks does not allow"):
        one(both, "SELECT msd_select(item_id, 4, 0.7, 0.5, reach := 'clicks') FROM products")
    assert spent(both) == 0.4


def test_a_statement_over_both_is_refused_before_either_is_charged(both):
    one(both, "SELECT msd_protect('clicks', unit := 'user_id', item := 'item_id', budget := 0.1, delta := 1e-9)")
    sql = """SELECT msd_select(item_id, 4, 0.1, 0.5, reach := 'purchases'),
             msd_select(item_id, 4, 0.2, 0.5, reach := 'clicks') FROM products"""
    with pytest.raises(duckdb.InvalidInputException, match=r"The budget of memory\.main\.clicks does not allow"):
        both.execute(sql).fetchall()
    assert spent(both) == 0


def test_it_is_said_again_without_a_change(host):
    catalog = Catalog(host)
    catalog.protect("purchases", **COLUMNS, budget=1, delta=1e-9)
    first = catalog.protect("clicks", **COLUMNS, shares="purchases")
    again = catalog.protect("clicks", **COLUMNS, shares="purchases")
    assert first == again
    assert first.declared_at == again.declared_at
    assert (first.shares, first.budget, first.charged_to) == ("main.purchases", 1, "main.purchases")
    with pytest.raises(CatalogError, match=r"shares was main\.purchases, now not given"):
        catalog.protect("clicks", **COLUMNS, budget=1, delta=1e-9)


def test_what_it_had_spent_of_its_own_comes_along(host):
    catalog = Catalog(host)
    spend(host, catalog.protect("purchases", **COLUMNS, budget=1, delta=1e-9), "0.2")
    own = catalog.protect("clicks", **COLUMNS, budget="0.5", delta=1e-9)  # a higher order than that of purchases
    spend(host, own, "0.1")
    spend(host, catalog.need("clicks"), "0.1")
    joined = catalog.protect("clicks", **COLUMNS, shares="purchases", replace=True)
    purchases = catalog.need("purchases")
    assert own.alpha > purchases.alpha
    assert joined.spent == purchases.spent == Decimal("0.4")
    assert purchases.answers == 3
    each = Decimal(Divergence.of_selection(0.01, adds=6, n=60).at(float(own.alpha)))
    assert purchases.spent_renyi <= 3 * each + Decimal("1e-15")  # at a higher order: an upper bound
    charged = host.rows(
        "SELECT sum(charged_eps), sum(charged_renyi) FROM msd.ledger WHERE charged_to = 'main.purchases'"
    )
    assert charged == [(purchases.spent, purchases.spent_renyi)]


def test_at_a_higher_order_the_receipts_decide(host):
    catalog = Catalog(host)
    catalog.protect("purchases", **COLUMNS, budget="0.5", delta=1e-9)
    spend(host, catalog.protect("clicks", **COLUMNS, budget=1, delta=1e-9), "0.1")
    catalog.protect("clicks", **COLUMNS, shares="purchases", replace=True)
    found = catalog.need("purchases")
    exact = Decimal(Divergence.of_selection(0.01, adds=6, n=60).at(float(found.alpha)))
    assert exact <= found.spent_renyi < exact + Decimal("1e-15")


def test_whoever_leaves_a_shared_budget_takes_all_of_it_along(host):
    catalog = Catalog(host)
    spend(host, catalog.protect("purchases", **COLUMNS, budget=1, delta=1e-9), "0.3")
    spend(host, catalog.protect("clicks", **COLUMNS, shares="purchases"), "0.2")
    alone = catalog.protect("clicks", **COLUMNS, budget=2, delta=1e-9, replace=True)
    assert (alone.shares, alone.spent, catalog.need("purchases").spent) == (None, Decimal("0.5"), Decimal("0.5"))
    spend(host, alone, "0.1")
    assert catalog.need("purchases").spent == Decimal("0.5")
    assert catalog.need("clicks").spent == Decimal("0.6")


def test_sharing_goes_to_the_budget_itself_and_never_in_a_circle(host):
    catalog = Catalog(host)
    catalog.protect("purchases", **COLUMNS, budget=1, delta=1e-9)
    catalog.protect("clicks", **COLUMNS, shares="purchases")
    assert catalog.protect("returns", **COLUMNS, shares="clicks").charged_to == "main.purchases"
    with pytest.raises(CatalogError, match=r"clicks, memory\.main\.returns draws on the budget of"):
        catalog.protect("purchases", **COLUMNS, shares="clicks", replace=True)
    with pytest.raises(InputError, match="cannot share its own budget"):
        catalog.protect("purchases", **COLUMNS, shares="purchases", replace=True)
    with pytest.raises(InputError, match=r"draws on the budget of main\.purchases: change that one"):
        catalog.change_budget("clicks", 5)
    raised = catalog.change_budget("purchases", 5)
    assert (catalog.need("clicks").budget, catalog.need("clicks").delta) == (raised.budget, raised.delta)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"shares": "purchases", "budget": 1}, "either budget"),
        ({}, "either budget"),
        ({"shares": "purchases", "delta": 1e-9}, "leave delta out"),
        ({"shares": "nothing"}, "nothing"),
    ],
)
def test_what_makes_no_sense_is_refused(host, given, message):
    catalog = Catalog(host)
    catalog.protect("purchases", **COLUMNS, budget=1, delta=1e-9)
    with pytest.raises((InputError, CatalogError), match=message):
        catalog.protect("clicks", **COLUMNS, **given)


def test_rows_are_not_people(host):
    catalog = Catalog(host)
    catalog.protect("purchases", item="item_id", budget=1, delta=1e-9)
    with pytest.raises(CatalogError, match="both need a unit"):
        catalog.protect("clicks", **COLUMNS, shares="purchases")


def test_an_unprotected_holder_still_pays(host):
    catalog = Catalog(host)
    catalog.protect("purchases", **COLUMNS, budget="0.3", delta=1e-9)
    clicks = catalog.protect("clicks", **COLUMNS, shares="purchases")
    catalog.unprotect("purchases")
    spend(host, clicks, "0.2")
    with pytest.raises(BudgetError):
        Ledger(host).charge(clicks, Entry("select"), [Answer(Decimal("0.2"), Decimal(0), Divergence(unbounded=True))])
    assert catalog.protect("purchases", **COLUMNS, budget="0.3", delta=1e-9).spent == Decimal("0.2")


TWO = (
    "SELECT msd_select(item_id, 3, {}, 0.5, reach := 'purchases'), msd_select(item_id, 3, {}, 0.5, reach := 'clicks') "
    "FROM products"
)


def test_a_statement_about_two_relations_of_one_budget_is_charged_whole_or_not_at_all(both):
    both.execute(SHARES)
    with pytest.raises(duckdb.Error, match=r"does not allow these 2 answers.*nothing was charged"):
        both.execute(TWO.format(0.7, 0.71)).fetchall()  # each of them alone would fit
    assert spent(both) == 0
    both.execute(TWO.format(0.4, 0.41)).fetchall()
    assert spent(both) == 0.81


def test_what_was_told_before_is_told_again_whatever_it_would_cost(both):
    both.execute(SHARES)
    first = both.execute(TWO.format(0.4, 0.41)).fetchall()
    assert both.execute(TWO.format(0.4, 0.41)).fetchall() == first
    assert spent(both) == 0.81
