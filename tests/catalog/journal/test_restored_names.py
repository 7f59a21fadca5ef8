"""A backup that is older than a change of names, of orders or of shared budgets: nothing is refunded."""

from __future__ import annotations

import shutil
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest

from msd_sql.catalog.catalog import Catalog
from msd_sql.catalog.journal.file import journal_path
from msd_sql.catalog.places.moving import move
from msd_sql.cli import main
from msd_sql.database.duckdb_host import DuckDBHost
from msd_sql.errors import BudgetError, CatalogError
from tests.support.shop_file import LOAD, PURCHASES, charge, open_shop, spend, spent

CLICKS = "CREATE TABLE clicks AS SELECT user_id, item_id, 'click' AS kind FROM purchases"
COLUMNS = {"unit": "user_id", "item": "item_id"}


def rename(file, old="purchases", new="orders"):
    with duckdb.connect(file) as con:
        con.execute(f"ALTER TABLE {old} RENAME TO {new}")
    with open_shop(file) as host:
        move(Catalog(host), old, new)


def spend_of(file, relation, eps):
    with open_shop(file) as host:
        charge(host, Catalog(host).need(relation), eps)


def spent_of(file, relation) -> Decimal:
    with open_shop(file) as host:
        return Catalog(host).need(relation).spent


def holds(file) -> bool:
    return main(["ledger", str(file), "--check"]) == 0


def test_a_backup_from_before_a_move_does_not_refund(shop, tmp_path):
    spend(shop, "0.1")
    shutil.copy(shop, tmp_path / "backup")
    spend(shop, "0.3")
    rename(shop)
    spend_of(shop, "orders", "0.4")
    shutil.copy(tmp_path / "backup", shop)
    assert spent(shop) == Decimal("0.8")
    with pytest.raises(BudgetError):
        spend(shop, "0.4")
    assert holds(shop)
    rename(shop)  # once more: nothing is counted twice
    assert spent_of(shop, "orders") == Decimal("0.8")
    assert holds(shop)


def test_a_backup_from_before_two_moves_and_a_new_table_by_the_old_name_does_not_refund(shop, tmp_path):
    shutil.copy(shop, tmp_path / "backup")
    spend(shop, "0.3")
    rename(shop)
    rename(shop, "orders", "sales")
    with duckdb.connect(shop) as con:
        con.execute("CREATE TABLE purchases AS FROM sales")
    with open_shop(shop) as host:
        Catalog(host).protect("purchases", **PURCHASES, replace=True)
    spend(shop, "0.2")
    spend_of(shop, "sales", "0.1")
    assert spent(shop) == Decimal("0.2")
    shutil.copy(tmp_path / "backup", shop)
    assert spent(shop) == Decimal("0.6")  # both were about the people that this one table is about
    assert holds(shop)


@pytest.mark.parametrize("error", [KeyboardInterrupt, "crash"])
def test_a_move_that_was_never_committed_leaves_the_account_where_it_was(shop, tmp_path, monkeypatch, error):
    shutil.copy(shop, tmp_path / "backup")
    spend(shop, "0.5")
    with duckdb.connect(shop) as con:
        con.execute("ALTER TABLE purchases RENAME TO orders")
    run = DuckDBHost.run

    def stopped(self, sql):
        if sql == "COMMIT" and b'"move"' in Path(journal_path(str(shop))).read_bytes():
            raise KeyboardInterrupt
        run(self, sql)

    with open_shop(shop) as host, monkeypatch.context() as patched:
        patched.setattr(DuckDBHost, "run", stopped)
        if error == "crash":  # nobody is left to take anything back
            patched.setattr("msd_sql.catalog.journal.steps._take_back", lambda *_: None)
        with pytest.raises(KeyboardInterrupt):
            move(Catalog(host), "purchases", "orders")
    if error == "crash":
        with duckdb.connect(shop) as con:
            con.execute("ALTER TABLE orders RENAME TO purchases")
        spend(shop, "0.1")
    shutil.copy(tmp_path / "backup", shop)
    assert spent(shop) == (Decimal("0.6") if error == "crash" else Decimal("0.5"))
    assert holds(shop)


def test_a_backup_with_a_higher_order_takes_the_one_that_divergences_were_counted_at(shop, tmp_path):
    with open_shop(shop) as host:
        high = Catalog(host).change_budget("purchases", "0.2", "1e-9").alpha
    shutil.copy(shop, tmp_path / "backup")
    with open_shop(shop) as host:
        low = Catalog(host).change_budget("purchases", "2").alpha
    assert low < high
    spend(shop, "0.1")
    shutil.copy(tmp_path / "backup", shop)
    with open_shop(shop) as host:
        now = Catalog(host).need("purchases")
    assert (now.alpha, now.budget, now.spent) == (low, Decimal("0.2"), Decimal("0.1"))
    assert holds(shop)


def test_a_backup_from_before_a_budget_was_shared_does_not_refund(shop, tmp_path):
    with duckdb.connect(shop) as con:
        con.execute(CLICKS)
    with open_shop(shop) as host:
        Catalog(host).protect("clicks", **COLUMNS, budget=1.0, delta=1e-9)
    spend_of(shop, "clicks", "0.1")
    shutil.copy(shop, tmp_path / "backup")
    with open_shop(shop) as host:
        Catalog(host).protect("clicks", **COLUMNS, shares="purchases", replace=True)
    spend_of(shop, "clicks", "0.6")
    shutil.copy(tmp_path / "backup", shop)
    assert spent(shop) == Decimal("0.7")
    assert spent_of(shop, "clicks") >= Decimal("0.7")  # its own budget again, and its own answers
    with pytest.raises(BudgetError):
        spend_of(shop, "clicks", "0.5")
    assert holds(shop)


def load_anew(file):
    """Delete the database, and load it again as it was before the first move; its journal stays."""
    for there in (file, Path(f"{file}.wal")):
        there.unlink(missing_ok=True)
    with duckdb.connect(file) as con:
        con.execute(LOAD)


def protect(file, relation="purchases", **more):
    with open_shop(file) as host:
        return Catalog(host).protect(relation, **PURCHASES, **more)


def test_a_database_loaded_again_under_the_name_before_a_move_waits_for_the_owners_word(shop):
    spend(shop, "0.3")
    rename(shop)
    rename(shop, "orders", "sales")
    spend_of(shop, "sales", "0.1")
    load_anew(shop)
    for _ in range(2):
        with pytest.raises(CatalogError, match=r"moved to main\.sales .*ε 0\.4 .*replace := true"):
            protect(shop)
    with duckdb.connect(shop) as con:
        con.execute("ALTER TABLE purchases RENAME TO sales")
    assert protect(shop, "sales").spent == Decimal("0.4")
    rename(shop, "sales", "purchases")
    assert spent(shop) == Decimal("0.4")
    assert holds(shop)


def test_other_rows_by_the_name_before_a_move_begin_anew_once_the_owner_has_said_so(shop):
    spend(shop, "0.3")
    rename(shop)
    load_anew(shop)
    assert protect(shop, replace=True).spent == 0
    assert protect(shop).spent == 0  # said once, it holds
    spend(shop, "0.2")
    load_anew(shop)
    assert protect(shop).spent == Decimal("0.2")  # by this name, and not what was spent of the others


def test_a_new_table_by_the_name_before_a_move_needs_no_word_where_the_moved_one_is_known(shop):
    spend(shop, "0.3")
    rename(shop)
    with duckdb.connect(shop) as con:
        con.execute("CREATE TABLE purchases AS FROM orders")
    assert protect(shop).spent == 0
    assert spent_of(shop, "orders") == Decimal("0.3")


def test_every_relation_that_ever_left_the_name_is_looked_for(shop):
    spend(shop, "0.3")
    rename(shop)
    with duckdb.connect(shop) as con:
        con.execute("CREATE TABLE purchases AS FROM orders")
    protect(shop)
    spend(shop, "0.2")
    rename(shop, "purchases", "archive")
    load_anew(shop)
    with pytest.raises(CatalogError, match=r"moved to main\.archive .*ε 0\.2"):
        protect(shop)
    with duckdb.connect(shop) as con:
        con.execute("CREATE TABLE archive AS FROM purchases")
    assert protect(shop, "archive").spent == Decimal("0.2")
    with pytest.raises(CatalogError, match=r"moved to main\.orders .*ε 0\.3"):
        protect(shop)


def test_what_was_moved_back_or_never_asked_about_needs_no_word(shop):
    rename(shop)
    load_anew(shop)
    assert protect(shop).spent == 0
    spend(shop, "0.3")
    rename(shop)
    rename(shop, "orders", "purchases")
    load_anew(shop)
    assert protect(shop).spent == Decimal("0.3")
