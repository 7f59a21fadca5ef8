"""What is declared is looked up beside DuckDB's plan of a statement, once; what is wrong there is said as before."""

from __future__ import annotations

import threading

import duckdb
import pytest

from msd_sql.catalog import catalog, declaration_rows
from tests.support.shop import kinds


@pytest.fixture
def readers(monkeypatch):
    """The threads that have read what is protected."""
    found: list[str] = []
    read = declaration_rows.load_protected

    def told(*given):
        found.append(threading.current_thread().name)
        return read(*given)

    monkeypatch.setattr(declaration_rows, "load_protected", told)
    return found


def test_declarations_are_read_once_a_statement_and_beside_its_plan(shop, readers):
    shop.execute("SELECT category, msd_select(item_id, 2, 0.01, 0.5) FROM products GROUP BY 1").fetchall()
    assert readers == ["msd look ahead"]


def test_what_was_declared_meanwhile_is_seen_by_the_next_statement(shop, readers):
    asked = "SELECT msd_select(item_id, 2, 0.01, 0.5) FROM products"
    shop.execute(asked).fetchall()
    shop.execute("SELECT msd_unprotect('purchases')").fetchall()
    readers.clear()
    with pytest.raises(Exception, match="purchases' is not protected"):
        shop.execute(asked).fetchall()
    assert readers[0] == "msd look ahead"


def test_no_thread_is_left_when_a_statement_fails(shop):
    with pytest.raises(Exception, match="protected"):
        shop.execute("SELECT msd_select(item_id, 2, 0.01, 0.5) FROM purchases").fetchall()
    assert not [one for one in threading.enumerate() if one.name == "msd look ahead"]
    assert kinds(shop) == ["protect", "items"]


def test_a_statement_that_fails_meanwhile_leaves_its_connection_free(shop):
    for _ in range(20):
        with pytest.raises(duckdb.Error):
            shop.execute(
                "SELECT msd_select(item_id, 2, 0.01, 0.5) FROM products WHERE concat('x', price)::INTEGER > 1"
            ).fetchall()
        shop.execute("SELECT 1").fetchall()
    shop.execute("SELECT msd_remaining('purchases')").fetchall()
    assert not [one for one in threading.enumerate() if one.name == "msd look ahead"]
    assert kinds(shop) == ["protect", "items"]


def test_two_selections_of_one_statement_are_looked_up_together(shop):
    asked = "SELECT msd_select(item_id, 2, 0.01, 0.5), msd_select(item_id, 3, 0.01, 0.5) FROM products"
    assert [len(chosen) for chosen in shop.execute(asked).fetchall()[0]] == [2, 3]
    assert not [one for one in threading.enumerate() if one.name == "msd look ahead"]


def test_what_a_statement_has_told_outlives_the_look_of_one_that_failed_before(shop, monkeypatch):
    go_on = threading.Event()
    known = catalog.Catalog.all_items

    def late(*given):
        go_on.wait(1)
        return known(*given)

    monkeypatch.setattr(catalog.Catalog, "all_items", late)
    with pytest.raises(duckdb.Error):
        shop.execute("SELECT msd_select(item_id, 2, 0.01, 0.5) FROM products WHERE concat('x', price)::INTEGER > 1")
    threading.Timer(0.05, go_on.set).start()
    vectors = "SELECT msd_select(item_id, 2, NULL, 0.5, features := [price, 1.0]::FLOAT[], score := 1) FROM products"
    assert len(shop.execute(vectors).fetchall()[0][0]) == 2
