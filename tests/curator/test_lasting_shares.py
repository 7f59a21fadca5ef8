"""What happens to the files of a curator: no account gets back what it has spent, or what was taken from it."""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pytest

import msd_sql
from msd_sql.catalog.accounts.account import Account
from msd_sql.catalog.journal.chain import salvaged
from msd_sql.catalog.journal.file import forget_journals, journal_path
from msd_sql.cli import main
from msd_sql.curator.core import Curator
from msd_sql.curator.log import Log
from msd_sql.database.duckdb_host import DuckDBHost
from msd_sql.errors import BudgetError, CatalogError, MsdError
from msd_sql.remote.wire import Asked
from tests.curator.shop import add_account, make_shop, share
from tests.curator.test_core import group, rows

ASKED = "SELECT msd_select(item_id, 3, {eps}, 0.5) FROM products WHERE item_id <> {place}"
OWNER = Account("olga", "owner")


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return make_shop(tmp_path / "shop.duckdb")


@contextmanager
def opened(shop: Path) -> Iterator[Curator]:
    forget_journals()  # as a process does that has just been started
    curator = Curator(str(shop), log=Log(io.StringIO()))
    try:
        yield curator
    finally:
        curator.close()


def spend(shop: Path, token: str, *eps: float) -> None:
    with opened(shop) as curator:
        account = curator.account(f"Bearer {token}")
        assert account is not None
        for place, one in enumerate(eps):
            rows(curator, account, ASKED.format(eps=one, place=place))


def share_of(shop: Path, name: str) -> dict[str, float]:
    with opened(shop) as curator:
        told = curator.answer(OWNER, Asked("accounts")).values["accounts"]
    (found,) = next(one for one in told if one["name"] == name)["shares"]
    return {key: found[key] for key in ("budget", "left", "answers")}


def backup(shop: Path) -> Path:
    kept = shop.with_suffix(".backup")
    shutil.copyfile(shop, kept)
    return kept


def restore(shop: Path, kept: Path) -> None:
    shutil.copyfile(kept, shop)
    shop.with_suffix(".duckdb.wal").unlink(missing_ok=True)


def test_a_restored_backup_gives_no_share_back(shop: Path) -> None:
    ana, ben = add_account(shop, "ana", shares=share(0.3)), add_account(shop, "ben", shares=share(0.5))
    spend(shop, ana, 0.05)
    kept = backup(shop)
    spend(shop, ana, 0.1, 0.1)
    spend(shop, ben, 0.1)  # the first answer to ana's question was told: it costs ben's share, and no budget
    after = {name: share_of(shop, name) for name in ("ana", "ben")}
    assert after["ana"] == {"budget": 0.3, "left": pytest.approx(0.05), "answers": 3}
    assert after["ben"] == {"budget": 0.5, "left": pytest.approx(0.4), "answers": 1}
    restore(shop, kept)
    assert {name: share_of(shop, name) for name in ("ana", "ben")} == after
    with pytest.raises(BudgetError, match="share that account ana has"):
        spend(shop, ana, 0.06)
    with duckdb.connect(str(shop)) as con:
        told = con.execute("SELECT parameters->>'account' FROM msd.ledger WHERE kind = 'recover' ORDER BY 1").fetchall()
    assert told == [("ana",), ("ben",), (None,)], "each on the record, and the budget itself"
    assert main(["ledger", str(shop), "--check"]) == 0


def test_a_deleted_wal_gives_no_share_back(shop: Path, tmp_path: Path) -> None:
    ana = add_account(shop, "ana", shares=share(0.3))
    with opened(shop) as curator:
        account = curator.account(f"Bearer {ana}")
        assert account is not None
        with curator.behind.cursor() as cursor:
            cursor.execute("CHECKPOINT").fetchall()
        rows(curator, account, ASKED.format(eps=0.2, place=1))
        wal = Path(f"{shop}.wal")
        assert wal.stat().st_size > 0, "the charge is in the log, and not yet in the file"
        crashed = tmp_path / "crashed" / "shop.duckdb"
        crashed.parent.mkdir()
        shutil.copyfile(shop, crashed)  # as a killed process leaves it, and somebody tidies up
        shutil.copyfile(journal_path(str(shop)), tmp_path / "journal")
    shutil.copyfile(crashed, shop)
    shutil.copyfile(tmp_path / "journal", journal_path(str(shop)))
    wal.unlink(missing_ok=True)
    with duckdb.connect(str(shop)) as con:
        assert con.execute("SELECT answers FROM msd.shares").fetchall() == [(0,)], "or this test shows nothing"
    assert share_of(shop, "ana") == {"budget": 0.3, "left": pytest.approx(0.1), "answers": 1}


def test_a_restored_backup_brings_back_no_limit_and_no_account_that_was_ended(shop: Path) -> None:
    ana, eve = add_account(shop, "ana", shares=share(0.5)), add_account(shop, "eve", shares=share(0.5))
    kept = backup(shop)
    with opened(shop) as curator:
        curator.answer(OWNER, Asked("account grant", {"name": "ana", "shares": share(0.1)}))
        curator.answer(OWNER, Asked("account revoke", {"name": "eve"}))
        curator.answer(OWNER, Asked("account add", {"name": "zoe", "shares": share(0.5)}))
    restore(shop, kept)
    with opened(shop) as curator:
        assert curator.account(f"Bearer {eve}") is None
        assert curator.account(f"Bearer {ana}") is not None
        with pytest.raises(CatalogError, match="given once"):
            curator.answer(OWNER, Asked("account add", {"name": "zoe", "shares": share(0.5)}))
    assert share_of(shop, "ana")["budget"] == 0.1


def test_a_share_that_is_granted_again_is_what_the_journal_has_left_of_it(shop: Path) -> None:
    ana = add_account(shop, "ana")
    kept = backup(shop)
    with opened(shop) as curator:
        curator.answer(OWNER, Asked("account grant", {"name": "ana", "shares": share(0.3)}))
    spend(shop, ana, 0.2)
    restore(shop, kept)
    with opened(shop) as curator:
        curator.answer(OWNER, Asked("account grant", {"name": "ana", "shares": share(0.9)}))
    assert share_of(shop, "ana") == {"budget": 0.9, "left": pytest.approx(0.7), "answers": 1}


def test_a_repair_keeps_what_accounts_have_spent(shop: Path) -> None:
    ana = add_account(shop, "ana", shares=share(0.3))
    kept = backup(shop)
    spend(shop, ana, 0.2)
    restore(shop, kept)
    path = Path(journal_path(str(shop)))
    lines = path.read_bytes().splitlines(keepends=True)
    lines[1] = lines[1].replace(b'"kind"', b'"KIND"', 1)  # somebody edited an old line
    path.write_bytes(b"".join(lines))
    assert salvaged(lines).accounts.spent["ana", "main.purchases"]["eps"].startswith("0.2")
    forget_journals()
    with pytest.raises(MsdError, match="chain of hashes breaks"):
        spend(shop, ana, 0.05)
    assert main(["ledger", str(shop), "--repair"]) == 0
    forget_journals()
    assert main(["ledger", str(shop), "--check"]) == 0
    assert share_of(shop, "ana") == {"budget": 0.3, "left": pytest.approx(0.1), "answers": 1}
    restore(shop, kept)  # and the new journal says it too; the old head is not its own, so that the owner is asked
    forget_journals()
    with pytest.raises(MsdError, match="repair"):
        spend(shop, ana, 0.25)


def test_a_moved_relation_takes_its_shares_along(shop: Path) -> None:
    ana = add_account(shop, "ana", shares=share(0.3))
    spend(shop, ana, 0.1)
    with duckdb.connect(str(shop)) as con:
        msd_sql.register(con)
        con.execute("ALTER TABLE purchases RENAME TO orders")
        con.execute("SELECT msd_move('purchases', 'orders')").fetchall()
    assert share_of(shop, "ana") == {"budget": 0.3, "left": pytest.approx(0.2), "answers": 1}
    with opened(shop) as curator:
        account = curator.account(f"Bearer {ana}")
        assert account is not None
        assert [one.relation for one in account.shares] == ["main.orders"]
        with pytest.raises(BudgetError, match="share that account ana has"):
            rows(curator, account, ASKED.format(eps=0.25, place=1))


def test_a_share_is_not_charged_for_what_was_not_committed(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ana = add_account(shop, "ana", shares=share(0.3))
    run = DuckDBHost.run
    taken: list[str] = []

    def stopped(host: DuckDBHost, sql: str) -> None:
        taken.append(sql)
        if sql == "COMMIT" and any("shares SET spent" in one for one in taken):
            raise KeyboardInterrupt
        run(host, sql)

    rows_of = DuckDBHost.rows
    with monkeypatch.context() as patch:
        patch.setattr(DuckDBHost, "run", stopped)
        patch.setattr(DuckDBHost, "rows", lambda host, sql: taken.append(sql) or rows_of(host, sql))
        with opened(shop) as curator:
            account = curator.account(f"Bearer {ana}")
            assert account is not None
            with pytest.raises(KeyboardInterrupt):
                curator.answer(account, Asked("select", {}, group()))
    journal = Path(journal_path(str(shop))).read_text()
    kinds = [json.loads(line.partition(" ")[2])["kind"] for line in journal.splitlines()]
    assert kinds[-4:] == ["share", "charge", "void", "share void"]
    assert share_of(shop, "ana") == {"budget": 0.3, "left": pytest.approx(0.3), "answers": 0}
    assert main(["ledger", str(shop), "--check"]) == 0
    spend(shop, ana, 0.1)
    assert share_of(shop, "ana")["left"] == pytest.approx(0.2)
