"""Checking and mending: does the chain hold, and do budget rows, lines of the ledger and journal agree?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from itertools import count
from pathlib import Path

from msd_sql.catalog.amounts import shown
from msd_sql.catalog.journal import settle, settle_accounts
from msd_sql.catalog.journal.chain import Accounts
from msd_sql.catalog.journal.file import Journal, journal_of
from msd_sql.catalog.records.lines import Entry, insert
from msd_sql.database.host import Host
from msd_sql.database.sql_text import statement

_ZERO = Decimal(0)


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at."""

    holds: bool
    text: str


def examine(host: Host, database: str, file: str) -> list[Finding]:
    """What holds and what does not, of a home that is open for reading or writing.

    >>> [finding.holds for finding in examine(host, "shop", "/data/shop.duckdb")]  # doctest: +SKIP
    [True, True, True]
    """
    with journal_of(file).examined() as journal:
        known = settle.remembered(host, database)
        problem = settle.damage(known, journal)
        if problem is not None:
            return [Finding(False, problem.strip())]
        shares = settle_accounts.disagreements(host, database, journal.read.totals.accounts)
        return [_chain(known, journal), *_accounts(host, database, journal), *(Finding(False, one) for one in shares)]


def mend(host: Host, database: str, file: str) -> list[Finding]:
    """Let the larger of rows, lines and journal count, and begin a new journal where the old one cannot be trusted."""
    with journal_of(file).locked() as journal:
        journal.refresh()
        known = settle.remembered(host, database)
        problem = settle.damage(known, journal)
        if problem is None:
            done = ["The journal is whole; the larger of row, lines and journal counts."]
            totals = journal.read.totals
        else:
            totals = journal.salvage()
            done = [problem.strip()]
            if journal.read.inode != -1 and Path(journal.path).stat().st_size:
                done.append(f"It was set aside as {journal.set_aside(_free(journal.path))}, and a new one begun.")
        kept = totals.spent
        with host.transaction() as inner:
            spent = _largest(inner, database, kept)
            for key, accounts in spent.items():
                columns = {settle.ACCOUNTS[name]: amount for name, amount in accounts.items()}
                changes = ", ".join(f"{column} = ${column}" for column in columns)
                sql = f"UPDATE msd.protected SET {changes}, revision = revision + 1 WHERE key = $key"
                inner.run(statement(sql, database, key=key, **columns))
            insert(inner, database, Entry("repair", parameters={"done": done, "spent": _texts(spent)}))
            lines = settle.line_sums(inner, database, {})
            older, held = settle_accounts.largest(inner, database, totals.accounts)
            settle_accounts.catch_up(inner, database, older)
            records = [settle.opening({**kept, **spent}, lines, why=done[0]), *held.records()]
            total, head, _ = journal.planned(records)
            settle.remember(inner, database, journal, total, head)
            journal.write(records)
    return [Finding(True, text) for text in done]


def _chain(known: settle.Head | None, journal: Journal) -> Finding:
    if known is None:
        return Finding(True, "There is no journal yet: it begins with the next charge.")
    ahead = journal.read.records - known.records
    text = f"{journal.path}: the chain of {journal.read.records} records holds"
    if ahead:
        return Finding(False, f"{text}; {ahead} of them are not in the database, which will be raised when it is used.")
    return Finding(True, f"{text} and ends where the database says.")


def _accounts(host: Host, database: str, journal: Journal) -> list[Finding]:
    rows = settle.budget_rows(host, database)
    totals = journal.read.totals.spent
    lines = settle.line_sums(host, database, journal.read.totals.untold)
    found = []
    for key, row in rows.items():
        sums = {
            "row": {name: row[column] for name, column in settle.ACCOUNTS.items()},
            "journal": totals.get(key, {}),
            "lines": lines[key],
        }
        differ = [
            f"{name}: " + ", ".join(f"{what} {shown(held.get(name, _ZERO))}" for what, held in sums.items())
            for name in settle.ACCOUNTS
            if len({settle.capped(held.get(name, _ZERO)) for held in sums.values()}) > 1
        ]
        spent = ", ".join(f"{name} {shown(row[column])}" for name, column in settle.ACCOUNTS.items())
        text = f"{key}: row, lines and journal agree ({spent} spent)."
        found.append(Finding(not differ, text if not differ else f"{key}: they differ in {'; '.join(differ)}."))
    for key in totals.keys() - rows.keys():
        if any(totals[key].values()):
            found.append(Finding(False, f"{key}: the journal knows of charges, but the relation is not declared here."))
    return found


def _largest(host: Host, database: str, kept: Mapping[str, Accounts]) -> dict[str, Accounts]:
    lines, rows = settle.line_sums(host, database, {}), settle.budget_rows(host, database)
    return {
        key: {
            name: max(row[column], settle.capped(kept.get(key, {}).get(name, _ZERO)), lines[key][name])
            for name, column in settle.ACCOUNTS.items()
        }
        for key, row in rows.items()
    }


def _free(path: str) -> str:
    return next(name for number in count(1) if not Path(f"{path}.{(name := f'damaged-{number}')}").exists())


def _texts(spent: Mapping[str, Accounts]) -> dict[str, dict[str, str]]:
    return {key: {name: shown(amount) for name, amount in accounts.items()} for key, accounts in spent.items()}
