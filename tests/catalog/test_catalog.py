"""The catalog: what is declared, and budgets that change only explicitly and never start again."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from msd_sql.catalog.ledger import Ledger
from msd_sql.errors import BudgetError, CatalogError, InputError
from tests.catalog.conftest import spend
from tests.support.shop_file import PURCHASES


def kinds(host):
    return [line.kind for line in Ledger(host).entries()]


def test_a_declaration_is_complete(catalog):
    before = datetime.now(UTC)
    purchases = catalog.protect("purchases", **PURCHASES)
    assert purchases.name == "shop.main.purchases"
    assert (purchases.unit, purchases.item, purchases.relevance, purchases.cap) == ("user_id", "item_id", "coverage", 1)
    assert purchases.m == 100
    assert (purchases.budget, purchases.delta) == (1, Decimal("1e-9"))
    assert (purchases.spent, purchases.remaining) == (0, 1)
    assert before <= purchases.declared_at <= datetime.now(UTC)
    assert catalog.protected("purchases") == purchases
    assert catalog.protected("products") is None


def test_delta_defaults_to_m_to_the_minus_three_halves(catalog):
    assert catalog.protect("purchases", unit="user_id", item="item_id", budget=1).delta == Decimal("0.001")


def test_without_a_unit_every_row_is_one(catalog):
    assert catalog.protect("purchases", item="item_id", budget=1).m == 1000


def test_a_row_without_a_unit_belongs_to_nobody(con, catalog):
    con.execute("INSERT INTO purchases VALUES (NULL, 1)")
    assert catalog.protect("purchases", **PURCHASES).m == 100


def test_the_owner_may_say_how_many_users_there_are(catalog):
    assert catalog.protect("purchases", **PURCHASES, users=5000).m == 5000


def test_m_is_counted_once_and_then_fixed(con, catalog):
    catalog.protect("purchases", **PURCHASES)
    con.execute("INSERT INTO purchases VALUES (1000, 1)")
    again = catalog.protect("purchases", **{**PURCHASES, "budget": 2}, replace=True)
    assert again.m == 100
    by_item = catalog.protect("purchases", **{**PURCHASES, "unit": "item_id"}, replace=True)
    assert by_item.m == 7


def test_a_best_match_declaration_keeps_its_similarity(con, catalog):
    con.execute("CREATE TABLE pickups AS SELECT i AS lat, {'x': i} AS place FROM range(50) t(i)")
    similarity = " greatest(0, 1 - abs(r.Lat - v.lat) / 90 - r.place.x) "
    pickups = catalog.protect("pickups", budget=1, relevance="best_match", similarity=similarity)
    assert (pickups.m, pickups.item, pickups.similarity) == (50, None, similarity.strip())
    assert catalog.protected("pickups") == pickups


@pytest.mark.parametrize(
    ("similarity", "message"),
    [
        ("1 - abs(lat - v.lat)", "similarity uses lat; write r.column"),
        ("1 - abs(r.latt - v.lat)", "Did you mean 'lat'"),
        ("(SELECT max(lat) FROM pickups)", "one SQL expression"),
        ("1 - (SELECT max(lat) FROM pickups)", "without subqueries"),
        ("r.lat IN (SELECT 1)", "without subqueries"),
        ("exists(SELECT 1)", "without subqueries"),
        ("max(r.lat)", "aggregates"),
        ("mad(r.lat)", "aggregates"),
        ("rank() OVER (ORDER BY r.lat)", "without subqueries"),
        ("random()", "chance"),
        ("nextval('s')", "chance"),
        ("peek(r.lat)", "user macros"),
        ("r.lat, v.lat", "one SQL expression"),
        ("r.lat; DROP TABLE pickups", "one SQL expression"),
        ("SELECT 1", "one SQL expression"),
        ("", "one SQL expression"),
        ("r.lat +", "one SQL expression"),
        ("purchases.user_id * 1", "similarity uses purchases.user_id"),
        ("r", "similarity uses r;"),
        ("$1", "parameters"),
    ],
)
def test_a_similarity_is_one_expression_over_r_and_v(con, catalog, similarity, message):
    con.execute("CREATE TABLE pickups AS SELECT i AS lat FROM range(50) t(i)")
    con.execute("CREATE MACRO peek(x) AS (SELECT max(user_id) FROM purchases)")
    with pytest.raises(InputError, match=message):
        catalog.protect("pickups", budget=1, relevance="best_match", similarity=similarity)
    assert catalog.protected("pickups") is None


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"unit": "user"}, InputError, "unit of shop.main.purchases: Unknown column 'user'. Did you mean 'user_id'"),
        ({"item": "item"}, InputError, "Did you mean 'item_id'"),
        ({"item": None}, InputError, "'coverage' needs item"),
        ({"relevance": "best-match"}, InputError, "Did you mean 'best_match'"),
        ({"relevance": "best_match"}, InputError, "needs similarity"),
        ({"similarity": "r.user_id"}, InputError, "no similarity"),
        ({"budget": 0}, InputError, "budget .* must be above 0"),
        ({"budget": float("nan")}, InputError, "finite"),
        ({"budget": "1e-21"}, InputError, "budget .* must be above 0"),
        ({"delta": 1}, InputError, "below 1"),
        ({"delta": -1e-9}, InputError, "at least 0"),
        ({"cap": 0}, InputError, "cap must be a whole number"),
        ({"users": 0}, InputError, "users must be a whole number"),
        ({"users": 1.5}, InputError, "users must be a whole number"),
    ],
)
def test_a_senseless_declaration_is_refused_and_leaves_nothing(con, catalog, given, error, message):
    with pytest.raises(error, match=message):
        catalog.protect("purchases", **{**PURCHASES, **given})
    assert con.execute("SELECT count(*) FROM duckdb_schemas() WHERE schema_name = 'msd'").fetchone() == (0,)


def test_a_single_unit_needs_a_delta(con, catalog):
    with pytest.raises(InputError, match="delta has no default for m = 1"):
        catalog.protect("purchases", unit="user_id", item="item_id", budget=1, users=1)


def test_the_same_declaration_again_changes_nothing(host, catalog):
    first = catalog.protect("purchases", **PURCHASES)
    spend(host, first)
    again = catalog.protect("main.purchases", **{**PURCHASES, "unit": "USER_ID"})
    assert again == first
    assert (again.declared_at, again.spent) == (first.declared_at, Decimal("0.4"))
    assert kinds(host) == ["protect", "select"]


def test_another_declaration_needs_replace_and_keeps_what_was_spent(host, catalog):
    spend(host, catalog.protect("purchases", **PURCHASES))
    with pytest.raises(CatalogError, match=r"already declared, differently: budget was 1, now 2. Add replace := true"):
        catalog.protect("purchases", **{**PURCHASES, "budget": 2})
    assert catalog.need("purchases").budget == 1
    made = catalog.protect("purchases", **{**PURCHASES, "budget": 2}, replace=True, statement="SELECT msd_protect(…)")
    assert (made.budget, made.spent, made.remaining) == (2, Decimal("0.4"), Decimal("1.6"))
    line = Ledger(host).entries()[-1]
    assert (line.kind, line.statement) == ("protect", "SELECT msd_protect(…)")
    assert (line.parameters["before"]["budget"], line.parameters["declared"]["budget"]) == ("1", "2")


def test_unprotecting_and_protecting_again_resets_nothing(host, catalog):
    spend(host, catalog.protect("purchases", **PURCHASES), "0.9")
    catalog.unprotect("purchases", statement="SELECT msd_unprotect('purchases')")
    assert catalog.protected("purchases") is None
    again = catalog.protect("purchases", **PURCHASES)
    assert again.spent == Decimal("0.9")
    assert again.notes == ("shop.main.purchases: ε 0.9 and δ 0 were spent before and stay spent.",)
    with pytest.raises(BudgetError):
        spend(host, again, "0.2")
    assert kinds(host) == ["protect", "select", "unprotect", "protect"]


def test_changing_a_budget_is_recorded_with_both_values(host, catalog):
    spend(host, catalog.protect("purchases", **PURCHASES))
    raised = catalog.change_budget("purchases", 3, statement="SELECT msd_budget('purchases', 3)")
    assert (raised.budget, raised.delta, raised.spent) == (3, Decimal("3e-9"), Decimal("0.4"))  # δ in proportion
    lowered = catalog.change_budget("purchases", "0.2", "1e-12")
    assert (lowered.remaining, lowered.delta) == (0, Decimal("1e-12"))
    first, second = (line.parameters for line in Ledger(host).entries()[-2:])
    assert first == {"budget": {"eps": "3", "delta": "3e-9"}, "before": {"eps": "1", "delta": "1e-9"}}
    assert second == {"budget": {"eps": "0.2", "delta": "1e-12"}, "before": {"eps": "3", "delta": "3e-9"}}
    with pytest.raises(BudgetError):
        spend(host, lowered, "0.1")


def test_items_keep_what_was_declared(host, catalog):
    catalog.protect("purchases", **PURCHASES)
    made = catalog.declare_items(
        "products",
        key="ITEM_ID",
        features=["categories"],
        distance="jaccard",
        quota=["bin"],
        quota_cap=[2],
        reach="purchases",
    )
    assert (made.key_column, made.features, made.distance) == ("item_id", ("categories",), "jaccard")
    assert (made.quota, made.quota_cap, made.reach) == (("bin",), (2,), "shop.main.purchases")
    assert catalog.items("main.products") == made
    assert catalog.declare_items("products", **_given(made)) == made
    assert kinds(host) == ["protect", "items"]


def _given(made):
    names = ("features", "distance", "quota", "quota_cap", "reach")
    return {"key": made.key_column} | {name: getattr(made, name) for name in names}


def test_other_items_need_replace(host, catalog):
    catalog.declare_items("products", key="item_id")
    with pytest.raises(CatalogError, match=r"features was .*Add replace := true"):
        catalog.declare_items("products", key="item_id", features=["categories"])
    made = catalog.declare_items("products", key="item_id", features=["categories"], replace=True)
    assert catalog.items("products") == made
    assert kinds(host) == ["items", "items"]


def test_items_can_be_dropped(host, catalog):
    catalog.declare_items("products", key="item_id")
    catalog.drop_items("products")
    assert catalog.items("products") is None
    with pytest.raises(CatalogError, match="nothing to drop"):
        catalog.drop_items("products")
    assert kinds(host) == ["items", "drop_items"]


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"key": "item"}, InputError, "key of shop.main.products: Unknown column 'item'"),
        ({"features": ["category"]}, InputError, "Did you mean 'categories'"),
        ({"distance": "jacard"}, InputError, "Did you mean 'jaccard'"),
        ({"quota": ["bins"]}, InputError, "Did you mean 'bin'"),
        ({"quota": ["bin"], "quota_cap": [0]}, InputError, "quota_cap must be a whole number"),
        ({"quota": ["bin"], "quota_cap": [1, 2]}, InputError, "2 numbers for 1 quota"),
        ({"reach": "purchases"}, CatalogError, "'purchases' is not protected"),
    ],
)
def test_senseless_items_are_refused(catalog, given, error, message):
    with pytest.raises(error, match=message):
        catalog.declare_items("products", **{"key": "item_id", **given})
    assert catalog.items("products") is None


def test_a_protected_relation_is_no_items_relation(catalog):
    catalog.protect("purchases", **PURCHASES)
    with pytest.raises(CatalogError, match="is protected, so it cannot be"):
        catalog.declare_items("purchases", key="item_id")


def test_a_contradiction_counts_nothing_so_that_it_can_tell_nothing(catalog):
    catalog.protect("purchases", unit="user_id", item="item_id", budget=1)
    with pytest.raises(CatalogError, match="already declared, differently") as refused:
        catalog.protect("purchases", unit="item_id", item="item_id", budget=1)
    assert "m was" not in str(refused.value)
