"""Identity: tricks with names, files and links that would give a budget a second time, each refused or recognised."""

from __future__ import annotations

import os
import re
import shutil
from decimal import Decimal

import duckdb
import pytest

import msd_sql
from msd_sql.catalog.accounts.account_book import AccountBook
from msd_sql.catalog.catalog import Catalog
from msd_sql.catalog.journal.file import JournalError, journal_path
from msd_sql.catalog.ledger import Ledger
from msd_sql.catalog.records.lines import Answer, Entry
from msd_sql.database.duckdb_host import DuckDBHost
from msd_sql.errors import BudgetError, CatalogError, InputError
from msd_sql.udfs.privacy.renyi import Divergence
from tests.support.shop_file import LOAD, PURCHASES, charge, open_shop, spend, spent

KELVIN = "\N{KELVIN SIGN}"


def moved(host, old, new):
    """What msd_move does in SQL."""
    from msd_sql.catalog.places.moving import move

    return move(Catalog(host), str(old), str(new))


@pytest.fixture
def con(shop):
    with duckdb.connect(str(shop)) as con:
        yield msd_sql.register(con)


def one(con, sql):
    return con.execute(sql).fetchall()[0][0]


def remaining(con, relation="purchases"):
    return round(one(con, f"SELECT msd_remaining('{relation}')"), 9)


# Letter case


@pytest.mark.parametrize("name", ["Purchases", "PURCHASES", "pUrchases"])
def test_a_table_that_is_loaded_again_in_another_letter_case_keeps_its_budget(shop, name):
    spend(shop, "0.4")
    with duckdb.connect(str(shop)) as con:
        con.execute(f'CREATE TABLE later AS FROM purchases; DROP TABLE purchases; ALTER TABLE later RENAME TO "{name}"')
    assert spent(shop) == Decimal("0.4")
    with open_shop(shop) as host:
        catalog = Catalog(host)
        assert [known.relation.name for known in catalog.all_protected()] == [name]
        assert catalog.protect(name, **PURCHASES).spent == Decimal("0.4")
        assert len(catalog.all_protected()) == 1
    spend(shop, "0.1")
    assert spent(shop) == Decimal("0.5")


def test_a_question_finds_the_table_in_its_new_letter_case(con):
    one(con, "SELECT msd_reach([1, 2], 0.1)")
    con.execute('ALTER TABLE purchases RENAME TO later; ALTER TABLE later RENAME TO "PurchaseS"')
    one(con, "SELECT msd_reach([1, 2], 0.2)")
    assert remaining(con) < 0.9
    with pytest.raises(duckdb.Error, match="protected"):
        con.execute("SELECT msd_select(item_id, 2, 0.1, 0, reach := 'purchases') FROM \"PurchaseS\"").fetchall()


def test_a_schema_in_another_letter_case_is_the_same_schema(shop):
    with duckdb.connect(str(shop)) as con:
        con.execute("CREATE SCHEMA Sales")
        con.execute(LOAD.replace("purchases", "Sales.Orders"))
        host = DuckDBHost(con.cursor())
        made = Catalog(host).protect("sales.orders", **PURCHASES)
        charge(host, made)
        con.execute("CREATE SCHEMA other; DROP TABLE Sales.Orders; DROP SCHEMA Sales; CREATE SCHEMA sALES")
        con.execute(LOAD.replace("purchases", "sALES.oRDERS"))
        assert Catalog(host).need("SALES.ORDERS").spent == Decimal("0.1")
        host.close()


def test_kelvin_sign_is_another_letter(shop):
    """Python and lower() fold it to k; DuckDB does not, so that both tables can be there."""
    with duckdb.connect(str(shop)) as con:
        con.execute(LOAD.replace("purchases", "key_events"))
        con.execute(LOAD.replace("purchases", f'"{KELVIN}ey_events"').replace("1000", "500"))
        host = DuckDBHost(con.cursor())
        catalog = Catalog(host)
        charge(host, catalog.protect("key_events", **PURCHASES, replace=True))
        other = catalog.protect(f'"{KELVIN}ey_events"', **PURCHASES, replace=True)
        assert other.spent == 0
        assert catalog.need("KEY_EVENTS").spent == Decimal("0.1")
        assert len({known.stored_name for known in catalog.all_protected()}) == 3
        host.close()


# Renamed tables


def test_a_renamed_table_is_private_until_the_owner_says_what_it_is(con):
    con.execute("ALTER TABLE purchases RENAME TO orders")
    with pytest.raises(duckdb.Error, match=r"orders"):
        con.execute("SELECT msd_select(user_id, 2, NULL, 1, features := item_id) FROM orders").fetchall()
    with pytest.raises(duckdb.Error, match=r"is gone.*main\.orders has its columns.*msd_move"):
        one(con, "SELECT msd_reach([1, 2], 0.1)")


@pytest.mark.parametrize(
    "ask",
    [
        "SELECT msd_remaining('sales')",
        "SELECT msd_select(i, 2, 0.1, 0, reach := 'sales') FROM range(9) t(i)",
        "SELECT msd_reach([1, 2], 0.1, relation := 'sales')",
    ],
)
def test_who_asks_by_the_new_name_is_told_to_say_where_it_is(con, ask):
    con.execute("CREATE TABLE other AS SELECT 1 AS i; ALTER TABLE purchases RENAME TO sales")
    with pytest.raises(duckdb.Error, match=r"has the columns of \w+\.main\.purchases, which is .* gone: if") as error:
        con.execute(ask).fetchall()
    (move,) = re.findall(r"SELECT msd_move\('.*?', '.*?'\)", str(error.value))
    assert "msd_protect" not in str(error.value)
    with pytest.raises(duckdb.Error, match=r"'other' is not protected.*msd_protect"):
        con.execute(ask.replace("sales", "other")).fetchall()
    one(con, move)
    con.execute(ask).fetchall()


def test_a_renamed_table_gets_no_second_budget(con):
    one(con, "SELECT msd_reach([1, 2], 0.4)")
    con.execute("ALTER TABLE purchases RENAME TO orders")
    protect = "SELECT msd_protect('orders', unit := 'user_id', item := 'item_id', budget := 1.0, delta := 1e-9)"
    with pytest.raises(duckdb.Error, match=r"orders has the columns of.*purchases.*msd_move"):
        one(con, protect)
    assert "is what" in one(con, "SELECT msd_move('purchases', 'orders')")
    assert remaining(con, "orders") == pytest.approx(0.6)
    one(con, "SELECT msd_reach([1, 2], 0.2)")
    assert remaining(con, "orders") == pytest.approx(0.4)
    assert con.execute("SELECT kind FROM msd_ledger() ORDER BY time").fetchall()[-2:] == [("move",), ("reach",)]


def test_a_move_is_in_the_journal_and_survives_a_restored_backup(shop, tmp_path, capsys):
    from msd_sql.cli import main

    spend(shop, "0.3")
    with open_shop(shop) as host:
        host.run("ALTER TABLE purchases RENAME TO orders")
        moved(host, "purchases", "orders")
        charge(host, Catalog(host).need("orders"), "0.2")
    assert main(["ledger", str(shop), "--check"]) == 0
    with open_shop(shop) as host:
        assert Catalog(host).need("orders").spent == Decimal("0.5")


def test_only_a_missing_relation_can_be_moved_and_only_to_an_unprotected_one(shop):
    with open_shop(shop) as host:
        host.run(LOAD.replace("purchases", "other"))
        with pytest.raises(CatalogError, match="still there"):
            moved(host, "purchases", "other")
        host.run("DROP TABLE purchases")
        with pytest.raises(CatalogError, match="Unknown relation"):
            moved(host, "orders_of_old", "other")
        Catalog(host).protect("other", **PURCHASES, replace=True)
        with pytest.raises(CatalogError, match="protected by itself"):
            moved(host, "purchases", "other")


def test_another_table_with_the_same_columns_is_public_while_the_protected_one_is_there(con):
    con.execute("CREATE TABLE backup_of_something AS SELECT 1 AS user_id, 2 AS item_id")
    assert one(con, "SELECT msd_select(item_id, 1, NULL, 1, features := item_id) FROM backup_of_something") == [2]


def test_the_swap_of_dbt_keeps_the_protection(con):
    one(con, "SELECT msd_reach([1, 2], 0.4)")
    con.execute("CREATE TABLE purchases__dbt_tmp AS SELECT *, 1 AS extra FROM purchases")
    con.execute("ALTER TABLE purchases RENAME TO purchases__dbt_backup")
    con.execute("ALTER TABLE purchases__dbt_tmp RENAME TO purchases")
    con.execute("DROP TABLE purchases__dbt_backup")
    assert remaining(con) == pytest.approx(0.6)
    one(con, "SELECT msd_reach([1, 2], 0.1)")


# Moved and copied files


def test_a_copy_of_a_file_has_no_budget(shop, tmp_path):
    spend(shop, "0.3")
    copy = tmp_path / "copy.duckdb"
    shutil.copy(shop, copy)
    with pytest.raises(JournalError, match=r"is missing.*msd_move"):
        spend(copy, "0.1")
    shutil.copy(journal_path(str(shop)), journal_path(str(copy)))
    with pytest.raises(JournalError, match=r"moved or copied.*msd_move"):
        spend(copy, "0.1")
    with open_shop(copy) as host, pytest.raises(CatalogError, match=r"still there.*second budget"):
        moved(host, shop, copy)
    spend(shop, "0.1")


@pytest.mark.parametrize("with_journal", [False, True])
def test_a_moved_file_goes_on_once_the_owner_says_so(shop, tmp_path, with_journal):
    spend(shop, "0.3")
    new = tmp_path / "elsewhere" / "shop.duckdb"
    new.parent.mkdir()
    # As from one file system to another: a copy, and the old one removed.
    shutil.copy(shop, new)
    os.remove(shop)
    if with_journal:
        shutil.copy(journal_path(str(shop)), journal_path(str(new)))
        os.remove(journal_path(str(shop)))
    with pytest.raises(JournalError, match="msd_move"):
        spend(new, "0.1")
    with open_shop(new) as host:
        assert "go on" in moved(host, shop, new)
    spend(new, "0.1")
    assert spent(new) == Decimal("0.4")
    assert not os.path.exists(journal_path(str(shop)))


def test_a_renamed_file_with_its_journal_is_the_same_file(shop, tmp_path):
    """A mount, a link or a rename: nothing was copied, so that nothing is there twice."""
    spend(shop, "0.3")
    os.rename(shop, tmp_path / "renamed.duckdb")
    os.rename(journal_path(str(shop)), journal_path(str(tmp_path / "renamed.duckdb")))
    spend(tmp_path / "renamed.duckdb", "0.1")
    assert spent(tmp_path / "renamed.duckdb") == Decimal("0.4")


def test_a_moved_file_can_be_moved_in_sql(shop, tmp_path):
    new = tmp_path / "new.duckdb"
    shutil.move(shop, new)
    with msd_sql.register(duckdb.connect(str(new))) as con:
        with pytest.raises(duckdb.Error, match="is missing"):
            one(con, "SELECT msd_reach([1, 2], 0.1)")
        one(con, f"SELECT msd_move('{shop}', '{new}')")
        one(con, "SELECT msd_reach([1, 2], 0.1)")


@pytest.mark.parametrize("link", [False, True], ids=["copy", "hard link"])
def test_two_attached_files_with_one_identity_are_refused(shop, tmp_path, link):
    other = tmp_path / "other.duckdb"
    (os.link if link else shutil.copy)(shop, other)
    with msd_sql.register(duckdb.connect(str(shop))) as con:
        con.execute(f"ATTACH '{other}' AS other (READ_ONLY)")
        with pytest.raises(duckdb.Error, match=r"one and the same, or copies of one.*DETACH"):
            one(con, "SELECT msd_reach([1, 2], 0.1, relation := 'purchases')")
        con.execute("DETACH other")
        one(con, "SELECT msd_reach([1, 2], 0.1)")


# A ledger in a file of its own


@pytest.fixture
def data(tmp_path):
    """A file with purchases and nothing declared in it."""
    file = tmp_path / "data.duckdb"
    with duckdb.connect(str(file)) as con:
        con.execute(LOAD)
    return file


def reader(data, ledger):
    return msd_sql.register(duckdb.connect(str(data), read_only=True), ledger=ledger)


PROTECT = "SELECT msd_protect('purchases', unit := 'user_id', item := 'item_id', budget := 1.0, delta := 1e-9)"


def test_a_ledger_file_is_free_between_two_questions(data, tmp_path):
    ledger = tmp_path / "ledger.duckdb"
    with reader(data, ledger) as con:
        one(con, PROTECT)
        one(con, "SELECT msd_reach([1, 2], 0.1)")
        # Nobody holds it: a connection of another kind can open it for writing.
        with duckdb.connect(str(ledger)) as other:
            assert other.execute("SELECT spent FROM msd.protected").fetchone() == (Decimal("0.1"),)
        one(con, "SELECT msd_reach([1, 2], 0.2)")
        assert remaining(con) == pytest.approx(0.7)
        assert len(con.execute("FROM msd_ledger()").fetchall()) == 3
        assert con.execute("SELECT count(*) FROM duckdb_databases() WHERE database_name = 'msd_ledger'").fetchone() == (
            0,
        )
    assert os.path.exists(journal_path(str(ledger)))


def test_a_data_file_that_was_moved_is_recognised_by_its_columns(data, tmp_path):
    ledger = tmp_path / "ledger.duckdb"
    with reader(data, ledger) as con:
        one(con, PROTECT)
        one(con, "SELECT msd_reach([1, 2], 0.4)")
    new = tmp_path / "other.duckdb"
    os.rename(data, new)
    with reader(new, ledger) as con:
        with pytest.raises(duckdb.Error, match=r"has the columns of data\.main\.purchases.*msd_move"):
            one(con, PROTECT)
        with pytest.raises(duckdb.Error, match="purchases"):
            con.execute("SELECT msd_select(user_id, 2, NULL, 1, features := item_id) FROM purchases").fetchall()
        one(con, f"SELECT msd_move('{data}', '{new}')")
        assert remaining(con) == pytest.approx(0.6)


def test_a_copy_of_a_data_file_beside_it_is_as_private(data, tmp_path):
    ledger, copy = tmp_path / "ledger.duckdb", tmp_path / "copied.duckdb"
    shutil.copy(data, copy)
    with reader(data, ledger) as con:
        one(con, PROTECT)
        con.execute(f"ATTACH '{copy}' AS copied (READ_ONLY)")
        with pytest.raises(duckdb.Error, match="purchases"):
            con.execute("SELECT msd_select(user_id, 2, NULL, 1, features := item_id) FROM copied.purchases").fetchall()


def test_a_second_ledger_is_refused(data, tmp_path):
    with reader(data, tmp_path / "ledger.duckdb") as con:
        with pytest.raises(InputError, match="a second ledger would be a second budget"):
            msd_sql.register(con, ledger=tmp_path / "other.duckdb")
        msd_sql.register(con, ledger=tmp_path / "ledger.duckdb")


@pytest.mark.skipif(os.name == "nt", reason="a file that is open cannot be renamed there")
def test_a_file_that_is_renamed_while_it_is_open_goes_on_in_its_journal(shop, tmp_path):
    with open_shop(shop) as host:
        before = os.path.getsize(journal_path(str(shop)))
        os.rename(shop, tmp_path / "elsewhere")
        charge(host, Catalog(host).need("purchases"), "0.5")
        assert os.path.getsize(journal_path(str(shop))) > before
        shutil.copy(tmp_path / "elsewhere", shop)  # without what is only in the log
    (tmp_path / "shop.duckdb.wal").unlink(missing_ok=True)
    assert spent(shop) == Decimal("0.5")


def test_an_account_has_its_share_by_the_new_name_too(shop):
    with open_shop(shop) as host:
        book = AccountBook(host, "shop")
        book.add("ana")
        book.grant("ana", Catalog(host).need("purchases"), Decimal("0.5"))
        ana = book.need("ana")
        answer = Answer(Decimal("0.4"), Decimal(0), Divergence.of_count(0.4))
        Ledger(host, account=ana).charge(Catalog(host).need("purchases"), Entry("select"), [answer])
    with duckdb.connect(str(shop)) as con:
        con.execute("ALTER TABLE purchases RENAME TO orders")
    with open_shop(shop) as host:
        moved(host, "purchases", "orders")
        orders, book = Catalog(host).need("orders"), AccountBook(host, "shop")
        (share,) = book.need("ana").shares
        assert (share.relation, share.spent.eps) == ("main.orders", Decimal("0.4"))
        book.grant("ana", orders, Decimal("0.5"))
        with pytest.raises(BudgetError, match="share that account ana"):
            Ledger(host, account=ana).charge(orders, Entry("select"), [answer])
