"""Relations: one name however it is written, and why a relation may be out of sight."""

from __future__ import annotations

import pytest

from msd_sql.catalog.catalog import Catalog
from msd_sql.database.sql_text import Name, search_path
from msd_sql.errors import CatalogError, EngineError, InputError
from tests.support.shop_file import PURCHASES


@pytest.mark.parametrize(
    "text", ["purchases", "PURCHASES", "main.purchases", "shop.purchases", "shop.main.purchases", '"purchases"']
)
def test_a_relation_has_one_name_however_it_is_written(catalog, text):
    catalog.protect("purchases", **PURCHASES)
    assert catalog.need(text).name == "shop.main.purchases"


def test_odd_names_are_quoted(con, catalog):
    con.execute('CREATE SCHEMA "My Schema"')
    con.execute("""CREATE TABLE "My Schema"."it's ""mine"" $key" AS SELECT 1 AS "a b", 2 AS "select" """)
    text = '"My Schema"."it\'s ""mine"" $key"'
    made = catalog.protect(text, unit="a b", item='"select"', budget=1, users=10)
    assert made.name == f"shop.{text}"
    assert catalog.need(text) == made
    assert catalog.relations.columns(made.relation) == {"a b": "INTEGER", "select": "INTEGER"}


def test_the_callers_search_path_decides(con, host):
    con.execute("CREATE SCHEMA eu")
    con.execute("CREATE TABLE eu.purchases AS SELECT 1 AS user_id, 1 AS item_id")
    eu = Catalog(host, path=search_path("shop", "main", "eu"))
    assert eu.relations.resolve("purchases") == Name("shop", "eu", "purchases")
    assert eu.relations.resolve("main.purchases") == Name("shop", "main", "purchases")
    assert Catalog(host).relations.resolve("purchases") == Name("shop", "main", "purchases")


def test_an_unknown_relation_names_the_nearest_and_says_what_may_hide_it(con, catalog):
    con.execute("CREATE TEMP TABLE secret_purchases AS FROM purchases")
    with pytest.raises(CatalogError, match=r"Did you mean 'purchases'\?.*TEMP table.*COMMIT"):
        catalog.protect("purchase", **PURCHASES)


def test_a_temp_relation_is_named_as_such(con, host):
    con.execute("CREATE TEMP VIEW purchases AS SELECT 1 AS user_id, 1 AS item_id")
    catalog = Catalog(host, temporary=["Purchases"])
    with pytest.raises(CatalogError, match=r"'purchases' is a TEMP relation.*permanent table"):
        catalog.protect("purchases", **PURCHASES)
    assert catalog.protect("main.purchases", **PURCHASES).m == 100


def test_uncommitted_relations_and_rows_are_out_of_sight(con, catalog):
    con.execute("CREATE TABLE empty(user_id INTEGER, item_id INTEGER)")
    con.execute("BEGIN")
    con.execute("CREATE TABLE fresh AS FROM purchases")
    con.execute("INSERT INTO empty VALUES (1, 1)")
    with pytest.raises(CatalogError, match=r"not yet committed.*COMMIT"):
        catalog.protect("fresh", **PURCHASES)
    with pytest.raises(CatalogError, match=r"has no units yet, as far as committed rows go.*COMMIT"):
        catalog.protect("empty", **PURCHASES)
    con.execute("COMMIT")
    assert catalog.protect("fresh", **PURCHASES).m == 100


@pytest.mark.parametrize("text", ["", "f(x)", "a.b.c.d"])
def test_what_is_no_name_is_refused(catalog, text):
    with pytest.raises(InputError, match="is not the name of a relation"):
        catalog.protect(text, **PURCHASES)


def test_the_msd_schema_cannot_be_protected(catalog):
    catalog.protect("purchases", **PURCHASES)
    with pytest.raises(CatalogError, match="Schema msd holds"):
        catalog.protect("msd.ledger", item="kind", budget=1)


def test_an_unprotected_relation_is_said_to_be_so(catalog):
    with pytest.raises(CatalogError, match=r"'products' is not protected\. Protected relations: none"):
        catalog.need("products")


def test_a_spark_relation_is_kept_as_it_is(catalog):
    with pytest.raises(InputError, match="give users"):
        catalog.protect("spark:lake.purchases", **PURCHASES)
    made = catalog.protect("spark:lake.purchases", **PURCHASES, users=10)
    assert (made.name, made.sql, made.relation) == ("spark:lake.purchases", "lake.purchases", None)
    assert catalog.need("spark:lake.purchases") == made


def test_a_view_over_files_can_be_protected(con, catalog, tmp_path):
    con.execute(f"COPY purchases TO '{tmp_path / 'p.parquet'}'")
    con.execute(f"CREATE VIEW lake AS FROM '{tmp_path / 'p.parquet'}'")
    assert catalog.protect("lake", **PURCHASES).m == 100


def test_a_broken_view_says_nothing_of_its_rows(con, catalog, tmp_path):
    (tmp_path / "p.csv").write_text("user_id,item_id\n1,2\nsecret,3\n")
    con.execute(
        f"CREATE VIEW lake AS FROM read_csv('{tmp_path / 'p.csv'}', columns = {{'user_id': 'INT', 'item_id': 'INT'}})"
    )
    with pytest.raises(EngineError) as caught:
        catalog.protect("lake", **PURCHASES)
    assert "secret" not in str(caught.value)


def test_two_budgets_over_the_same_rows_are_noted(con, catalog):
    con.execute("CREATE VIEW recent AS WITH p AS (FROM purchases) SELECT * FROM p WHERE user_id > 3")
    con.execute("CREATE VIEW latest AS FROM recent")
    assert catalog.protect("purchases", **PURCHASES).notes == ()
    (note,) = catalog.protect("latest", **PURCHASES).notes
    assert "shop.main.latest and shop.main.purchases read the same rows" in note
    assert catalog.need("latest").spent == 0
