"""The Python API: what a person who knows pandas and duckdb expects of it."""

import inspect
import typing

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import msd_sql
from msd_sql.surface.functions import FUNCTIONS
from tests.support.shop import declare, fill


@pytest.fixture
def shop():
    with msd_sql.connect() as con:
        fill(con)
        declare(con)
        yield con


def chosen(con, **options):
    return msd_sql.select("SELECT * FROM products", con=con, k=4, eps=0.1, diversity=0.5, **options)


def test_every_option_of_sql_is_typed_and_no_other():
    columns = {"features", "quota", "score"}
    in_sql = {argument.name for argument in FUNCTIONS["msd_select"].arguments if not argument.required}
    assert set(typing.get_type_hints(msd_sql.Options)) == in_sql - columns
    for function in (msd_sql.select, msd_sql.topk, msd_sql.explain):
        assert columns <= set(inspect.signature(function).parameters)
    with pytest.raises(msd_sql.InputError, match="Did you mean 'method'"):
        msd_sql.select("SELECT 1", k=1, eps=None, diversity=0, methd="greedy")


def test_every_public_name_is_there_and_documented():
    for name in msd_sql.__all__:
        assert inspect.getdoc(getattr(msd_sql, name)), name
    for function in (msd_sql.select, msd_sql.topk, msd_sql.explain, msd_sql.protect, msd_sql.items, msd_sql.reach):
        text = inspect.getdoc(function)
        for parameter in inspect.signature(function).parameters:
            assert f"{parameter}: " in text, (function, parameter)


def test_a_selection_is_a_sequence(shop):
    found = chosen(shop)
    assert list(found) == list(found.items) == list(found.keys)
    assert (len(found), found[0], found[-1], found[:2]) == (4, found.items[0], found.items[3], found.items[:2])
    assert found[2] in found
    assert found.index(found[1]) == 1
    assert found == chosen(shop)
    assert found == list(found.items)
    assert found == found.items
    assert found != found.items[::-1]
    assert len({found, chosen(shop)}) == 1


def test_a_selection_becomes_any_frame(shop):
    found = chosen(shop)
    assert isinstance(found.to_pandas(), pd.DataFrame)
    assert isinstance(found.pl(), pl.DataFrame)
    assert isinstance(found.arrow(), pa.Table)
    assert pl.from_arrow(pa.table(found)).shape == found.pl().shape
    assert list(found.pl()["msd_rank"]) == [1, 2, 3, 4]
    from_polars = msd_sql.select(
        pl.from_pandas(shop.execute("FROM products").df()),
        con=shop,
        k=2,
        eps=0.1,
        diversity=0.5,
        public=True,
        key="item_id",
        reach="purchases",
        features="categories",
    )
    assert isinstance(from_polars.rows, pl.DataFrame)
    assert isinstance(from_polars.to_pandas(), pd.DataFrame)
    assert from_polars.pl().shape == from_polars.rows.shape
    assert from_polars._repr_html_().count("<tr") == 3


def test_it_shows_itself_in_a_terminal(shop):
    text = repr(chosen(shop))
    assert text.count("\n") == 5
    assert "private: eps = 0.1" in text


def test_rows_of_every_group(shop):
    rows = msd_sql.topk("SELECT * FROM products", con=shop, k=2, eps=0.1, diversity=0.5, by="category")
    assert list(rows["msd_rank"]) == [1, 2] * 3
    assert rows["category"].nunique() == 3
    ledger = msd_sql.ledger(shop)
    assert ledger.releases.iloc[-1] == 3
    assert msd_sql.remaining(shop, "purchases") < 1


@pytest.mark.parametrize("source", ["products", "SELECT * FROM products WHERE category = 'Toys';", "relation"])
def test_what_would_be_done(shop, source):
    given = shop.table("products") if source == "relation" else source
    told = msd_sql.explain(given, con=shop, k=3, eps=0.1, diversity=0.5, groups=2, method="greedy")
    assert dict(zip(told.property, told.value, strict=True))["method"].startswith("greedy")
    assert msd_sql.remaining(shop, "purchases") == 1


def test_figures(shop):
    assert msd_sql.reach(shop, chosen(shop), 0.1, relation="purchases") >= 0
    assert list(msd_sql.ledger(shop).kind) == ["protect", "items", "select", "reach"]


@pytest.mark.parametrize(
    ("sql", "error"),
    [
        ("SELECT msd_select(item_id, 0, 0.1, 0.5) FROM products", "InputError"),
        ("SELECT msd_select(item_id, 3, 5, 0.5) FROM products", "BudgetError"),
        ("SELECT msd_select(item_id, 3, 0.1, 0.5) FROM purchases", "LeakError"),
        ("SELECT msd_remaining('nothing')", "CatalogError"),
    ],
)
def test_errors_are_ours_from_plain_sql_too(shop, sql, error):
    kind = getattr(msd_sql, error)
    with pytest.raises(kind) as ours:
        shop.execute(sql).fetchall()
    assert "\n" not in str(ours.value)
    raw = shop._msd_inner
    with pytest.raises(kind), msd_sql.typed_errors():
        raw.execute(sql).fetchall()
    with pytest.raises(duckdb.CatalogException), msd_sql.typed_errors():
        raw.execute("FROM no_such_table")


def test_a_declaration_through_a_lazy_relation_is_made_at_once():
    with msd_sql.connect() as con:
        fill(con)
        con.sql("SELECT msd_protect('purchases', unit := 'user_id', item := 'item_id', budget := 1, delta := 1e-6)")
        con.query("SELECT msd_items('products', key := 'item_id', features := 'categories', reach := 'purchases')")
        assert list(msd_sql.ledger(con).kind) == ["protect", "items"]
        assert con.sql("FROM products").aggregate("count(*)").fetchall() == [(60,)]
        with pytest.raises(msd_sql.CatalogError):
            con.sql("SELECT msd_budget('nothing', 1)")


def test_relations_of_a_cursor_that_was_never_registered(shop):
    raw = shop._msd_inner.cursor()
    assert len(msd_sql.select(raw.table("products"), k=2, eps=0.1, diversity=0.5)) == 2
    with duckdb.connect() as other:
        fill(other)
        with pytest.raises(msd_sql.CatalogError, match="not registered"):
            msd_sql.select(other.table("products"), k=2, eps=None, diversity=0.5, score="score", key="item_id")
