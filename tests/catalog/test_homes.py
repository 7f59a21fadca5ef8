"""Homes: declarations outlive connections, renamed files and dropped relations, or live in a ledger elsewhere."""

from __future__ import annotations

import os
from decimal import Decimal

import duckdb
import pytest

import msd_sql
from msd_sql.catalog.catalog import Catalog
from msd_sql.catalog.homes import VERSION
from msd_sql.catalog.ledger import Ledger
from msd_sql.catalog.places.moving import move
from msd_sql.database.duckdb_host import DuckDBHost
from msd_sql.database.sql_text import search_path
from msd_sql.errors import CatalogError
from tests.catalog.conftest import load, spend
from tests.support.shop_file import PURCHASES


def test_declarations_are_there_after_reopening(new_file):
    with duckdb.connect(new_file) as con:
        load(con)
        host = DuckDBHost(con.cursor())
        made = Catalog(host).protect("purchases", **PURCHASES)
        items = Catalog(host).declare_items("products", key="item_id", features=["categories"], reach="purchases")
        spend(host, made)
        host.close()
    with duckdb.connect(new_file) as con:
        catalog = Catalog(DuckDBHost(con.cursor()))
        assert catalog.all_protected() == [made]
        assert catalog.all_items() == [items]
        assert catalog.need("purchases").spent == Decimal("0.4")


def test_a_renamed_or_attached_file_stays_protected(new_file, tmp_path):
    with duckdb.connect(new_file) as con:
        load(con)
        host = DuckDBHost(con.cursor())
        Catalog(host).protect("purchases", **PURCHASES)
        Catalog(host).declare_items("products", key="item_id", reach="purchases")
        host.close()
    os.rename(new_file, tmp_path / "renamed.duckdb")
    with duckdb.connect() as con:
        con.execute(f"ATTACH '{tmp_path / 'renamed.duckdb'}' AS theirs")
        host = DuckDBHost(con.cursor())
        purchases = Catalog(host).need("theirs.purchases")
        assert (purchases.name, purchases.home) == ("theirs.main.purchases", "theirs")
        assert Catalog(host).items("theirs.products").reach == "theirs.main.purchases"
        with pytest.raises(CatalogError, match="msd_move"):  # its journal was left behind
            spend(host, purchases)
        move(Catalog(host), str(new_file), str(tmp_path / "renamed.duckdb"))
        spend(host, purchases)
        assert Catalog(host).need("theirs.main.purchases").spent == Decimal("0.4")


def test_the_schema_is_made_at_the_first_declaration_only(con, catalog):
    assert catalog.all_protected() == []
    assert catalog.all_items() == []
    assert con.execute("SELECT count(*) FROM duckdb_schemas() WHERE schema_name = 'msd'").fetchone() == (0,)
    catalog.protect("purchases", **PURCHASES)
    assert con.execute("SELECT version FROM msd.version").fetchall() == [(VERSION,)]


def test_a_schema_msd_of_somebody_else_is_left_alone(con, catalog):
    con.execute("CREATE SCHEMA msd")
    con.execute("CREATE TABLE msd.items AS SELECT 1 AS mine")
    with pytest.raises(CatalogError, match=r"Schema msd could not be created.*register\(con, ledger"):
        catalog.protect("purchases", **PURCHASES)
    assert con.execute("FROM msd.items").fetchall() == [(1,)]
    con.execute("DROP TABLE msd.items")
    assert catalog.protect("purchases", **PURCHASES).m == 100


def test_a_schema_of_a_newer_version_is_refused(con, host, catalog):
    purchases = catalog.protect("purchases", **PURCHASES)
    con.execute("UPDATE msd.version SET version = version + 1")
    with pytest.raises(CatalogError, match="written by a newer msd_sql"):
        spend(host, purchases)


def test_a_dropped_relation_keeps_its_budget(con, host, catalog):
    spend(host, catalog.protect("purchases", **PURCHASES))
    con.execute("DROP TABLE purchases")
    assert catalog.need("purchases").spent == Decimal("0.4")
    load_again = "CREATE TABLE purchases AS SELECT 1 AS user_id, 1 AS item_id"
    con.execute(load_again)
    assert catalog.protect("purchases", **PURCHASES).spent == Decimal("0.4")


def test_a_read_only_database_points_to_a_ledger_elsewhere(new_file):
    with duckdb.connect(new_file) as con:
        load(con)
    with duckdb.connect(new_file, read_only=True) as con:
        catalog = Catalog(DuckDBHost(con.cursor()))
        with pytest.raises(CatalogError, match=r"register\(con, ledger='ledger.duckdb'\)"):
            catalog.protect("purchases", **PURCHASES)
        with pytest.raises(CatalogError, match=r"register\(con, ledger='ledger.duckdb'\)"):
            catalog.declare_items("products", key="item_id")


def test_a_charge_in_a_read_only_database_is_refused(new_file):
    with duckdb.connect(new_file) as con:
        load(con)
        host = DuckDBHost(con.cursor())
        Catalog(host).protect("purchases", **PURCHASES)
        host.close()
    with duckdb.connect(new_file, read_only=True) as con:
        host = DuckDBHost(con.cursor())
        with pytest.raises(CatalogError, match=r"open for reading only.*register\(con, ledger"):
            spend(host, Catalog(host).need("purchases"))


def test_a_ledger_elsewhere_serves_read_only_data_and_remembers_its_file(new_file, tmp_path):
    with duckdb.connect(new_file) as con:
        load(con)
    ledger = tmp_path / "ledger.duckdb"
    for alias, sum_spent in (("shop", "0.4"), ("other", "0.8")):
        with duckdb.connect() as con:
            con.execute(f"ATTACH '{new_file}' AS {alias} (READ_ONLY)")
            con.execute(f"ATTACH '{ledger}' AS ledger")
            host = DuckDBHost(con.cursor())
            catalog = Catalog(host, "ledger", path=search_path(alias))
            purchases = catalog.protect("purchases", **PURCHASES)
            assert (purchases.home, purchases.name) == ("ledger", f"{alias}.main.purchases")
            spend(host, purchases)
            assert catalog.need("purchases").spent == Decimal(sum_spent)
            host.close()


def test_a_ledger_elsewhere_goes_on_from_what_the_database_itself_has_recorded(new_file, tmp_path):
    with duckdb.connect(new_file) as con:
        load(con)
        host = DuckDBHost(con.cursor())
        spend(host, Catalog(host).protect("purchases", **PURCHASES))
        host.close()
    with duckdb.connect(new_file, read_only=True) as con:
        con.execute(f"ATTACH '{tmp_path / 'ledger.duckdb'}' AS ledger (READ_WRITE)")
        host = DuckDBHost(con.cursor())
        made = Catalog(host, "ledger").protect("purchases", **PURCHASES)
        assert (made.home, made.spent) == ("ledger", Decimal("0.4"))
        spend(host, made, "0.1")
        assert Catalog(host, "ledger").need("purchases").spent == Decimal("0.5")
        host.close()


def test_every_database_keeps_its_own_declarations(con, host, tmp_path):
    con.execute(f"ATTACH '{tmp_path / 'second.duckdb'}' AS second")
    con.execute("CREATE TABLE second.pickups AS SELECT i AS rider, i % 3 AS zone FROM range(9) t(i)")
    catalog = Catalog(host)
    catalog.protect("purchases", **PURCHASES)
    pickups = catalog.protect("second.pickups", unit="rider", item="zone", budget=1)
    assert pickups.home == "second"
    spend(host, pickups)
    assert {known.name: known.spent for known in catalog.all_protected()} == {
        "shop.main.purchases": 0,
        "second.main.pickups": Decimal("0.4"),
    }
    assert con.execute("SELECT count(*) FROM second.msd.ledger").fetchone() == (2,)
    assert len(Ledger(host).entries()) == 3


def test_databases_in_memory_do_not_share_declarations():
    with duckdb.connect() as one, duckdb.connect() as two:
        for con in (one, two):
            load(con)
        Catalog(DuckDBHost(one.cursor())).protect("purchases", **PURCHASES)
        assert Catalog(DuckDBHost(two.cursor())).all_protected() == []


def test_a_view_of_somebody_else_by_the_name_of_our_table_makes_no_home():
    with duckdb.connect() as con:
        msd_sql.register(con)
        con.execute("CREATE TABLE products AS SELECT range AS item_id FROM range(9)")
        con.execute("CREATE SCHEMA msd")
        con.execute("CREATE VIEW msd.protected AS SELECT 1 AS mine")
        sql = "SELECT msd_select(item_id, 3, NULL, 1, features := item_id) FROM products"
        assert con.execute(sql).fetchall()[0][0] == [0, 8, 1]
