"""A backup from before a move does not refund what an account spent of its share; nothing is charged for nothing."""

from __future__ import annotations

import shutil
from decimal import Decimal

import duckdb
import pytest

from msd_sql.catalog.accounts.account_book import AccountBook
from msd_sql.catalog.catalog import Catalog
from msd_sql.catalog.ledger import Ledger
from msd_sql.catalog.places.moving import move
from msd_sql.catalog.records.lines import Answer, Entry
from msd_sql.cli import main
from msd_sql.database.duckdb_host import DuckDBHost
from msd_sql.errors import BudgetError
from msd_sql.udfs.privacy.renyi import Divergence
from tests.support.shop_file import open_shop


def granted(file):
    with open_shop(file) as host:
        book = AccountBook(host, "shop")
        book.add("ana")
        book.grant("ana", Catalog(host).need("purchases"), Decimal("0.5"))


def spend_of_ana(file, eps, relation="purchases"):
    with open_shop(file) as host:
        asked = Catalog(host).need(relation)
        answer = Answer(Decimal(eps), Decimal(0), Divergence.of_count(float(eps)))
        Ledger(host, account=AccountBook(host, "shop").need("ana")).charge(asked, Entry("select"), [answer])


def spent_of_ana(file) -> Decimal:
    with open_shop(file) as host:
        Catalog(host).need("purchases")  # as whoever asks does: the rows are settled with the journal
        (share,) = AccountBook(host, "shop").need("ana").shares
        return share.spent.eps


def test_a_backup_from_before_a_move_does_not_refund_a_share(shop, tmp_path):
    granted(shop)
    spend_of_ana(shop, "0.1")
    shutil.copy(shop, tmp_path / "backup")
    with duckdb.connect(str(shop)) as con:
        con.execute("ALTER TABLE purchases RENAME TO orders")
    with open_shop(shop) as host:
        move(Catalog(host), "purchases", "orders")
    spend_of_ana(shop, "0.3", "orders")
    shutil.copy(tmp_path / "backup", shop)
    assert spent_of_ana(shop) == Decimal("0.4")
    with pytest.raises(BudgetError, match="share"):
        spend_of_ana(shop, "0.2")
    assert main(["ledger", str(shop), "--check"]) == 0


def test_a_charge_that_was_never_committed_is_no_ones_share(shop, tmp_path, monkeypatch):
    granted(shop)
    spend_of_ana(shop, "0.1")
    run, journal = DuckDBHost.run, tmp_path / "shop.duckdb.msd-journal"
    before = journal.stat().st_size

    def stopped(self, sql):
        if sql == "COMMIT" and journal.stat().st_size > before:
            raise KeyboardInterrupt
        run(self, sql)

    with monkeypatch.context() as patched:
        patched.setattr(DuckDBHost, "run", stopped)
        with pytest.raises(KeyboardInterrupt):
            spend_of_ana(shop, "0.2")
    assert spent_of_ana(shop) == Decimal("0.1")
    assert main(["ledger", str(shop), "--check"]) == 0
