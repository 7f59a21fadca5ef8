"""The journal beside a database file: whatever happens to one of the two files, nothing is refunded."""

from __future__ import annotations

import json
import os
import shutil
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest

from msd_sql.catalog.catalog import Catalog
from msd_sql.catalog.journal.chain import START, opened
from msd_sql.catalog.journal.file import Journal, JournalError, journal_path
from msd_sql.catalog.journal.settle import damage, remembered
from msd_sql.catalog.ledger import Ledger
from msd_sql.catalog.records.who import system_user
from msd_sql.cli import main
from msd_sql.database.duckdb_host import DuckDBHost
from msd_sql.errors import BudgetError, CatalogError, EngineError
from tests.support.shop_file import charge, open_shop, spend, spent


def journal(file) -> Path:
    return Path(journal_path(str(file)))


def records(file) -> list[dict]:
    head, found = START, []
    for line in journal(file).read_bytes().splitlines(keepends=True):
        head, record = opened(head, line)
        found.append(record)
    return found


def kinds(file) -> list[str]:
    with open_shop(file) as host:
        return [line.kind for line in Ledger(host).entries()]


def check(file, capsys) -> tuple[int, str]:
    code = main(["ledger", str(file), "--check"])
    return code, capsys.readouterr().out


def test_every_charge_is_in_the_journal_with_both_accounts_as_exact_numbers(shop):
    spend(shop, "0.1", "1e-10")
    record = records(shop)[-1]
    assert (record["kind"], record["relation"], record["who"]) == ("charge", "main.purchases", system_user().name)
    with open_shop(shop) as host:
        line = Ledger(host).entries()[-1]
    assert record["line"] == line.id
    assert {name: Decimal(text) for name, text in record["accounts"].items()} == vars(line.charged)
    assert line.charged.eps == Decimal("0.1")
    assert line.charged.renyi > 0
    assert [record["kind"] for record in records(shop)] == ["open", "declare", "charge"]


def test_changes_of_the_budget_are_in_the_journal(shop):
    with open_shop(shop) as host:
        Catalog(host).change_budget("purchases", 2)
        Catalog(host).unprotect("purchases")
    assert [record.get("what") for record in records(shop)] == [None, "protect", "budget", "unprotect"]
    assert Decimal(records(shop)[-1]["limits"]["budget"]) == 2


def test_a_refused_charge_is_not_in_the_journal(shop):
    before = journal(shop).read_bytes()
    with pytest.raises(BudgetError):
        spend(shop, "1.5")
    assert journal(shop).read_bytes() == before


def test_a_database_in_memory_has_no_journal(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with open_shop(":memory:", declare=True) as host:
        charge(host, Catalog(host).need("purchases"), "0.1", 0)
    assert os.listdir(tmp_path) == []


def test_a_restored_backup_does_not_refund(shop, tmp_path, capsys):
    spend(shop, "0.1")
    shutil.copy(shop, tmp_path / "backup")
    spend(shop, "0.4")
    spend(shop, "0.2")
    shutil.copy(tmp_path / "backup", shop)
    code, told = check(shop, capsys)
    assert code == 1
    assert "2 of them are not in the database" in told
    assert spent(shop) == Decimal("0.7")
    assert kinds(shop) == ["protect", "select", "recover"]
    with open_shop(shop) as host:
        line = Ledger(host).entries()[-1]
        assert line.charged_eps == Decimal("0.6")
        assert "restored backup" in line.parameters["why"]
    with pytest.raises(BudgetError):
        spend(shop, "0.4")
    spend(shop, "0.3")
    assert check(shop, capsys)[0] == 0


def test_a_deleted_log_does_not_refund(shop, capsys):
    spend(shop, "0.1")
    con = duckdb.connect(shop)
    con.execute("SET GLOBAL wal_autocheckpoint = '1TB'")
    con.execute("PRAGMA disable_checkpoint_on_shutdown")
    host = DuckDBHost(con.cursor())
    charge(host, Catalog(host).need("purchases"), "0.5", "1e-10")
    host.close()
    con.close()
    assert os.path.getsize(f"{shop}.wal") > 0
    os.remove(f"{shop}.wal")
    with duckdb.connect(shop, read_only=True) as con:
        assert con.execute("SELECT spent FROM msd.protected").fetchone() == (Decimal("0.1"),)
    assert spent(shop) == Decimal("0.6")
    assert kinds(shop)[-1] == "recover"
    assert check(shop, capsys)[0] == 0


def test_a_backup_with_a_larger_budget_does_not_bring_it_back(shop, tmp_path):
    shutil.copy(shop, tmp_path / "backup")
    with open_shop(shop) as host:
        Catalog(host).change_budget("purchases", "0.5")
    shutil.copy(tmp_path / "backup", shop)
    with open_shop(shop) as host:
        assert Catalog(host).need("purchases").budget == Decimal("0.5")


def test_a_row_that_was_set_back_by_hand_is_raised_again(shop, capsys):
    spend(shop, "0.4")
    with duckdb.connect(shop) as con:
        con.execute("UPDATE msd.protected SET spent = 0")
    spend(shop, "0.1")
    assert spent(shop) == Decimal("0.5")
    assert sorted(kinds(shop)) == ["protect", "recover", "select", "select"]
    assert check(shop, capsys)[0] == 0


def test_a_dropped_schema_or_a_new_file_by_the_same_name_goes_on_from_the_journal(shop):
    spend(shop, "0.4")
    with duckdb.connect(shop) as con:
        con.execute("DROP SCHEMA msd CASCADE")
    with open_shop(shop, declare=True, load=False):
        pass
    assert spent(shop) == Decimal("0.4")
    os.remove(shop)
    with open_shop(shop, declare=True):
        pass
    assert spent(shop) == Decimal("0.4")


def damaged(file, how) -> str:
    """Damage a journal; what the refusal says."""
    path = journal(file)
    lines = path.read_bytes().splitlines(keepends=True)
    if how == "missing":
        path.unlink()
    elif how == "empty":
        path.write_bytes(b"")
    elif how == "cut":
        path.write_bytes(b"".join(lines[:-1]))
    elif how == "cut within a line":
        path.write_bytes(b"".join(lines)[:-9])
    elif how == "its line feed":
        path.write_bytes(b"".join(lines)[:-1])
    elif how == "another":
        with open_shop(file.parent / "other.duckdb", declare=True):
            pass
        for _ in range(3):
            spend(file.parent / "other.duckdb", "0.1")
        shutil.copy(journal(file.parent / "other.duckdb"), path)
    else:
        whole = bytearray(b"".join(lines))
        whole[how] ^= 1
        path.write_bytes(bytes(whole))
    return {"missing": "is missing", "empty": "is missing", "another": "is not the one of this"}.get(
        how, "was cut" if isinstance(how, str) else "was changed"
    )


DAMAGES = ["missing", "empty", "cut", "cut within a line", "its line feed", "another", 70, -100]


@pytest.mark.parametrize("how", DAMAGES)
def test_a_damaged_journal_refunds_nothing_is_named_and_can_be_mended(shop, how, capsys):
    spend(shop, "0.1")
    spend(shop, "0.3", "2e-10")
    said = damaged(shop, how)
    with pytest.raises(JournalError, match=rf"{said}.*Nothing was refunded"):
        spend(shop, "0.1")
    assert spent(shop) == Decimal("0.4")
    code, told = check(shop, capsys)
    assert code == 1
    assert said in told
    assert main(["ledger", str(shop), "--repair"]) == 0
    capsys.readouterr()
    assert spent(shop) == Decimal("0.4")
    spend(shop, "0.1")
    code, told = check(shop, capsys)
    assert (code, spent(shop)) == (0, Decimal("0.5"))
    assert kinds(shop) == ["protect", "select", "select", "repair", "select"]


@pytest.mark.parametrize("how", [how for how in DAMAGES if how not in ("missing", "empty", "another")])
def test_a_damaged_journal_and_a_restored_backup_together_refund_at_most_the_last_line(shop, how, tmp_path):
    """What is left of the journal counts, whether or not its chain holds."""
    shutil.copy(shop, tmp_path / "backup")
    spend(shop, "0.1")
    spend(shop, "0.3")
    spend(shop, "0.2")
    damaged(shop, how)
    shutil.copy(tmp_path / "backup", shop)
    main(["ledger", str(shop), "--repair"])
    assert spent(shop) >= Decimal("0.4")


def test_every_changed_byte_and_every_missing_end_is_found(shop):
    spend(shop, "0.1")
    with open_shop(shop) as host:
        known = remembered(host, "shop")
    whole = journal(shop).read_bytes()
    copies = [whole[:at] for at in range(len(whole))]
    copies += [whole[:at] + bytes([whole[at] ^ bit]) + whole[at + 1 :] for at in range(len(whole)) for bit in (1, 32)]
    for copy in copies:
        journal(shop).write_bytes(copy)
        with Journal(str(journal(shop))).examined() as found:
            assert damage(known, found) is not None
    journal(shop).write_bytes(whole)
    with Journal(str(journal(shop))).examined() as found:
        assert damage(known, found) is None


def test_a_change_while_the_process_runs_is_found(shop):
    with open_shop(shop) as host:
        purchases = Catalog(host).need("purchases")
        charge(host, purchases, "0.1")
        data = bytearray(journal(shop).read_bytes())
        data[100] ^= 1
        journal(shop).write_bytes(bytes(data))
        os.utime(journal(shop), ns=(0, 10**18))
        with pytest.raises(JournalError, match="was changed"):
            charge(host, purchases, "0.1")


def test_a_line_that_was_begun_and_not_finished_was_never_charged(shop, capsys):
    """What a crash within the write leaves: the database knows nothing of it."""
    spend(shop, "0.1")
    with open(journal(shop), "ab") as file:
        file.write(b'1234 {"kind":"charge","acc')
    spend(shop, "0.2")
    assert spent(shop) == Decimal("0.3")
    assert check(shop, capsys)[0] == 0


def test_a_journal_that_cannot_be_written_stops_the_charge(shop, monkeypatch):
    def full(file, data):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("msd_sql.catalog.journal.file._write_all", full)
        with pytest.raises(EngineError, match=r"cannot be written \(No space left.*nothing was charged"):
            spend(shop, "0.1")
    assert spent(shop) == 0
    spend(shop, "0.1")
    assert spent(shop) == Decimal("0.1")


def test_a_charge_that_lost_its_race_for_good_is_taken_back(shop, monkeypatch, capsys):
    monkeypatch.setattr("msd_sql.catalog.journal.steps.ATTEMPTS", 2)
    with open_shop(shop) as host:
        purchases = Catalog(host).need("purchases")
        with host.transaction() as other:
            other.run("UPDATE msd.protected SET revision = revision + 1")
            with pytest.raises(EngineError, match="stays busy"):
                charge(host, purchases, "0.1")
    assert spent(shop) == 0
    assert check(shop, capsys)[0] == 0


@pytest.mark.parametrize("error", [KeyboardInterrupt, ZeroDivisionError])
def test_a_commit_that_never_happened_is_taken_back(shop, monkeypatch, error, capsys):
    run = DuckDBHost.run

    def stopped(self, sql):
        if sql == "COMMIT":
            raise error
        run(self, sql)

    with open_shop(shop) as host:
        purchases = Catalog(host).need("purchases")
        with monkeypatch.context() as patched:
            patched.setattr(DuckDBHost, "run", stopped)
            with pytest.raises(error):
                charge(host, purchases, "0.1")
    assert [record["kind"] for record in records(shop)][-2:] == ["charge", "void"]
    assert spent(shop) == 0
    assert kinds(shop) == ["protect"]
    assert check(shop, capsys)[0] == 0


def test_a_database_that_does_not_write_its_log_is_refused(shop):
    con = duckdb.connect()
    con.execute(f"ATTACH '{shop}' AS shop (RECOVERY_MODE no_wal_writes)")
    host = DuckDBHost(con.cursor())
    purchases = Catalog(host).need("shop.purchases")
    with pytest.raises(CatalogError, match=r"RECOVERY_MODE no_wal_writes.*nothing was charged"):
        charge(host, purchases, "0.1")
    host.close()
    con.close()
    assert spent(shop) == 0
    assert [record["kind"] for record in records(shop)] == ["open", "declare"]


def test_a_checkpoint_at_every_commit_is_no_reason_to_refuse(shop):
    with duckdb.connect(shop) as con:
        con.execute("SET GLOBAL wal_autocheckpoint = '1KB'")
        host = DuckDBHost(con.cursor())
        purchases = Catalog(host).need("purchases")
        for _ in range(20):
            charge(host, purchases, "0.01")
        host.close()
    assert spent(shop) == Decimal("0.2")


def test_the_journal_holds_no_more_than_the_ledger_tells(shop):
    spend(shop, "0.1")
    known = {
        "accounts",
        "identity",
        "kind",
        "limits",
        "line",
        "m",
        "of",
        "relation",
        "spent",
        "time",
        "version",
        "what",
        "who",
    }
    assert all(set(record) <= known for record in records(shop))
    assert json.loads(journal(shop).read_bytes().splitlines()[0].partition(b" ")[2])["kind"] == "open"


def test_check_tells_of_a_row_that_was_raised_by_hand(shop, capsys):
    spend(shop, "0.1")
    with duckdb.connect(shop) as con:
        con.execute("UPDATE msd.protected SET spent = 0.2")
    code, told = check(shop, capsys)
    assert code == 1
    assert "eps: row 0.2, journal 0.1, lines 0.1" in told
    main(["ledger", str(shop), "--repair"])
    capsys.readouterr()
    assert check(shop, capsys)[0] == 0
    assert spent(shop) == Decimal("0.2")


def test_check_of_a_file_without_a_ledger(tmp_path, capsys):
    duckdb.connect(str(tmp_path / "empty.duckdb")).close()
    assert check(tmp_path / "empty.duckdb", capsys) == (
        0,
        f"{tmp_path / 'empty.duckdb'} has no ledger: nothing was ever declared in it.\n",
    )
