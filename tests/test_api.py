"""The Python face: declare and select without writing SQL, frames in and out, errors that are ours."""

from __future__ import annotations

import dataclasses

import duckdb
import pandas as pd
import pytest

import msd_sql
from msd_sql.database.sql_text import literal
from msd_sql.errors import BudgetError, CatalogError, InputError, LeakError, PrivacyError
from tests.support.shop import fill, one, spent


@pytest.fixture
def con():
    with duckdb.connect() as con:
        fill(con)
        msd_sql.protect(con, "purchases", unit="user_id", item="item_id", budget=1.0, delta=1e-9)
        msd_sql.items(con, "products", key="item_id", features="categories", reach="purchases")
        yield con


def test_declaring_registers_and_is_idempotent(con):
    again = msd_sql.protect(con, "purchases", unit="user_id", item="item_id", budget=1.0, delta=1e-9)
    assert again.m == one(con, "SELECT count(DISTINCT user_id) FROM purchases")
    declared = msd_sql.items(con, "products", key="item_id", features=["categories"], reach="purchases")
    assert declared.features == ("categories",)
    assert one(con, "SELECT count(*) FROM msd_ledger()") == 2


def test_a_selection_of_a_relation(con):
    chosen = msd_sql.select(con.table("products").filter("category = 'Toys'"), k=5, eps=0.1, diversity=0.5)
    assert len(chosen) == len(set(chosen.items)) == 5
    assert list(chosen.rows["item_id"]) == list(chosen.items)
    assert list(chosen.rows["msd_rank"]) == [1, 2, 3, 4, 5]
    assert set(chosen.rows["category"]) == {"Toys"}
    assert 0 < chosen.diversity <= 1
    assert (chosen.receipt.eps, chosen.receipt.method, chosen.receipt.private) == (0.1, "greedy", True)
    assert one(con, "SELECT count(*) FROM msd_ledger() WHERE id = $1", [chosen.entry]) == 1
    assert spent(con) == 0.1
    with pytest.raises(dataclasses.FrozenInstanceError):
        chosen.items = ()


def test_it_is_the_same_question_as_in_sql(con):
    items = one(con, "SELECT msd_select(item_id, 5, 0.1, 0.5) FROM products")
    assert msd_sql.select("SELECT * FROM products", con=con, k=5, eps=0.1, diversity=0.5).items == tuple(items)
    assert spent(con) == 0.1


def test_it_shows_itself(con):
    page = msd_sql.select(con.table("products"), k=3, eps=0.1, diversity=0.5)._repr_html_()
    assert page.count("<tr") == 4
    assert "private: eps = 0.1" in page


def test_public_scores_and_options(con):
    chosen = msd_sql.select(con.table("products"), k=3, eps=None, diversity=0, score="price", key="name")
    assert chosen.items == ("item 059", "item 058", "item 057")
    assert chosen.entry is None
    chosen = msd_sql.select(con.table("products"), k=3, eps=None, diversity=1, features=["price", "score"],
                            distance="l2", quota="category", quota_cap=1)  # fmt: skip
    assert sorted(chosen.rows["category"]) == ["Beauty", "Health Care", "Toys"]
    nested = msd_sql.select(con.table("products"), k=6, eps=None, diversity=1, quota=["category", "name"],
                            quota_cap=(2, 1))  # fmt: skip
    assert len(nested) == 6


def test_frames_in_and_out(con):
    frame = con.table("products").df()[["item_id", "price"]]
    options = {"k": 3, "eps": 0.1, "diversity": 0.5, "features": "price", "reach": "purchases"}
    with pytest.raises(LeakError, match="public := true"):
        msd_sql.select(frame, con=con, **options)
    assert spent(con) == 0
    chosen = msd_sql.select(frame, con=con, public=True, **options)
    assert isinstance(chosen.rows, pd.DataFrame)
    for module, convert in (("polars", "from_pandas"), ("pyarrow", "table")):
        other = pytest.importorskip(module)
        made = getattr(other, convert)(frame)
        again = msd_sql.select(made, con=con, public=True, **options)
        assert again.items == chosen.items
        assert type(again.rows) is type(made)
        assert list(again.rows["item_id"].to_numpy()) == list(chosen.items)
    assert spent(con) == 0.1


def test_nothing_to_select_from(con):
    chosen = msd_sql.select(con.table("products").filter("false"), k=3, eps=0.1, diversity=0.5)
    assert (chosen.items, chosen.receipt, len(chosen.rows)) == ((), None, 0)
    assert "no candidates" in chosen._repr_html_()


@pytest.mark.parametrize(
    ("options", "kind", "text"),
    [
        ({"k": 0}, InputError, "k must be a whole number"),
        ({"eps": 7}, BudgetError, "Remaining: ε 1"),
        ({"eps": None}, PrivacyError, "exact := true"),
        ({"metod": "greedy"}, InputError, "Unknown option 'metod'. Did you mean 'method'"),
        ({"method": "gredy"}, InputError, "Did you mean 'greedy'"),
        ({"key": "itemid"}, InputError, "Did you mean 'item_id'"),
        ({"reach": "products"}, CatalogError, "not protected"),
    ],
)
def test_errors_are_ours(con, options, kind, text):
    with pytest.raises(kind, match=text):
        msd_sql.select(con.table("products"), **{"k": 3, "eps": 0.1, "diversity": 0.5, **options})
    assert spent(con) == 0


def test_a_leak_is_a_permission_error(con):
    with pytest.raises(PermissionError, match="protected relation purchases"):
        msd_sql.select(con.table("purchases"), k=3, eps=0.1, diversity=0.5)


def test_a_connection_that_was_not_registered():
    with duckdb.connect() as con:
        with pytest.raises(CatalogError, match=r"msd_sql\.register\(con\)"):
            msd_sql.select(con.sql("SELECT 1 AS a"), k=1, eps=None, diversity=1)
        with pytest.raises(InputError, match="Cannot select from a int"):
            msd_sql.select(3, con=con, k=1, eps=None, diversity=1)
        msd_sql.register(con)
        with pytest.raises(InputError, match="Which column names an item"):
            msd_sql.select(con.sql("SELECT 1 AS a, 2 AS b"), k=1, eps=None, diversity=1)


@pytest.mark.parametrize(
    "protected", ["SELECT * FROM visits", "SELECT user_id, item_id FROM visits JOIN products USING (item_id)"]
)
def test_rows_of_a_protected_view_are_not_public_items_by_either_door(con, protected):
    con.execute("CREATE TABLE visits AS FROM purchases")
    con.execute(f"CREATE VIEW seen AS {protected}")
    msd_sql.protect(con, "seen", unit="user_id", item="item_id", budget=1.0, delta=1e-9)
    lines = one(con, "SELECT count(*) FROM msd_ledger()")
    with pytest.raises(duckdb.InvalidInputException, match=r"LeakError: .*visits cannot be an items relation"):
        one(con, "SELECT msd_items('visits', key := 'item_id')")
    with pytest.raises(LeakError, match="visits cannot be an items relation"):
        msd_sql.items(con, "visits", key="item_id")
    assert one(con, "SELECT count(*) FROM msd_ledger()") == lines


DECLARATIONS = [
    ({"relation": None}, "relation is NULL"),
    ({"users": 3.7}, "users must be a whole number from 1"),
    ({"cap": 0}, "cap must be a whole number from 1"),
    ({"cap": True}, "cap must be a whole number from 1"),
    ({"budget": "lots"}, "budget must be a number; got 'lots'"),
    ({"budget": None}, "Give either budget := .* or shares := "),
    ({"relevance": "cover"}, "Did you mean 'coverage'"),
    ({"replace": "perhaps"}, "replace must be true or false; got 'perhaps'"),
]


@pytest.mark.parametrize(("given", "text"), DECLARATIONS, ids=lambda value: str(value))
def test_a_declaration_is_checked_by_the_rules_of_sql(con, given, text):
    facts = {"relation": "purchases", "unit": "user_id", "item": "item_id", "budget": 1.0, "replace": True, **given}
    with pytest.raises(InputError, match=text):
        msd_sql.protect(con, **facts)
    if facts["relation"] is not None:
        named = [f"{name} := {literal(value)}" for name, value in facts.items() if name != "relation"]
        with pytest.raises(duckdb.InvalidInputException, match=text):
            one(con, f"SELECT msd_protect('purchases', {', '.join(named)})")


def test_columns_with_any_name_are_declared(con):
    con.execute("""CREATE TABLE odd ("key, or" INTEGER, "a, b" INTEGER, "c" INTEGER)""")
    made = msd_sql.items(con, "odd", key="key, or", features=["a, b", "c"], quota=("c",), quota_cap=2, distance="L1")
    assert (made.key_column, made.features, made.quota, made.quota_cap) == ("key, or", ("a, b", "c"), ("c",), (2,))
    assert made.distance == "l1"


def test_candidates_can_be_named(con):
    assert len(msd_sql.select("products", con=con, k=3, eps=0.1, diversity=0)) == 3
    assert len(msd_sql.select("main.products", con=con, k=3, eps=None, diversity=0, score="price")) == 3


@pytest.mark.parametrize("items", ["12", 5, None])
def test_reach_takes_a_list_of_keys(con, items):
    with pytest.raises(InputError, match=r"items is a list of keys"):
        msd_sql.reach(con, items, 0.05)
    assert spent(con) == 0


def test_what_is_no_connection_is_told(con):
    with pytest.raises(InputError, match=r"a str was given.*msd_sql.connect"):
        msd_sql.register("my.duckdb")
    with pytest.raises(InputError, match="relation is the name of a protected relation; got a DuckDBPyConnection"):
        msd_sql.remaining("purchases", con)
    with pytest.raises(InputError, match="a str was given"):
        msd_sql.ledger("my.duckdb")


def test_declared_items_cannot_be_protected(con):
    with pytest.raises(CatalogError, match=r"products is declared as items, which are public"):
        msd_sql.protect(con, "products", unit="item_id", item="item_id", budget=1.0)
    assert len(msd_sql.select(con.table("products"), k=3, eps=0.1, diversity=0)) == 3


def test_an_eps_beyond_the_budget_is_told_as_such(con):
    with pytest.raises(BudgetError, match="ε 300000"):
        msd_sql.select("products", con=con, k=3, eps=300_000, diversity=0)
