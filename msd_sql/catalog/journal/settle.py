"""Settling: at every write, and at opening, budget rows and journal are compared, and the larger of the two counts.

The journal is written first and the database is committed after it. So a journal that is ahead of its database is what
a crash, a deleted .wal or a restored backup leaves behind, and the rows are raised to it; a journal that is behind its
database is never a crash's doing: it was cut, replaced or lost, and charges wait for the owner.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, TypeAlias

from msd_sql.catalog.amounts import shown
from msd_sql.catalog.budget_filter import UNBOUNDED, Loss
from msd_sql.catalog.journal import settle_accounts
from msd_sql.catalog.journal.chain import Accounts, Totals
from msd_sql.catalog.journal.file import SUFFIX, Journal, JournalError
from msd_sql.catalog.journal.forgotten import taken_back
from msd_sql.catalog.journal.settle_accounts import Older
from msd_sql.catalog.records.lines import Entry, insert
from msd_sql.database.host import Host
from msd_sql.database.sql_text import statement

# What a journal calls an account, and the column of msd.protected that holds its sum.
ACCOUNTS = {"eps": "spent", "delta": "spent_delta", "renyi": "spent_renyi", "clamp": "spent_clamp"}
_LIMITS = ("budget", "delta", "alpha")  # of a divergence that was counted at one order none is known at a higher one
_HEAD = "SELECT records, head, path, inode FROM msd.journal"
_SAVE = "UPDATE msd.journal SET records = $records, head = $head, path = $path, inode = $inode"
_FIRST = "INSERT INTO msd.journal VALUES ($records, $head, $path, $inode)"
# A divergence without a bound stands as a large number, and ten of them would not fit into a sum.
_LINES = f"""
SELECT charged_to, sum(charged_eps), sum(charged_delta),
  CASE WHEN max(charged_renyi) >= {UNBOUNDED} THEN {UNBOUNDED}
       ELSE coalesce(sum(charged_renyi) FILTER (charged_renyi < {UNBOUNDED}), 0) END, sum(charged_clamp)
FROM msd.ledger WHERE charged_to IS NOT NULL GROUP BY 1
"""
_ZERO = Decimal(0)
BudgetRows: TypeAlias = Mapping[str, Mapping[str, Any]]
_COLUMNS = (*_LIMITS, *ACCOUNTS.values(), "active", "declared_at", "answers", "revision")
# All of the few rows there are: to plan a condition takes DuckDB longer than to read them.
_ROWS = f"SELECT key, {', '.join(_COLUMNS)} FROM msd.protected"


@dataclass(frozen=True)
class Head:
    """What a database remembers of its journal: how much of it there was, and where."""

    records: int
    head: str
    path: str
    inode: str


@dataclass(frozen=True)
class Difference:
    """What a database has to catch up with: rows that say less than the journal, or a head that is older."""

    behind: bool
    raised: Mapping[str, Accounts]  # what the journal says, where a row says less in any account
    lowered: Mapping[str, dict[str, Decimal]]  # limits, where a row that is older says more
    totals: Totals  # what the journal says, by the names and accounts that the database knows
    records: list[dict[str, Any]]  # what makes the journal itself say so
    accounts: Older  # of a curator
    rows: BudgetRows  # as they are

    def __bool__(self) -> bool:
        return self.behind or bool(self.raised)


def remembered(host: Host, database: str) -> Head | None:
    """The head that a database remembers; None where it has had no journal yet."""
    rows = host.rows(statement(_HEAD, database))
    return Head(*rows[0]) if rows else None


def budget_rows(host: Host, database: str) -> BudgetRows:
    """The limits and accounts of every row of msd.protected, by its key, and what else an answer changes in it."""
    return {row[0]: dict(zip(_COLUMNS, row[1:], strict=True)) for row in host.rows(statement(_ROWS, database))}


def line_sums(host: Host, database: str, untold: Mapping[str, Accounts]) -> dict[str, Accounts]:
    """What the lines of the ledger add up to, with what no line tells; zeros where there is none."""
    found: dict[str, Accounts] = defaultdict(lambda: dict.fromkeys(ACCOUNTS, _ZERO))
    for key, *sums in host.rows(statement(_LINES, database)):
        found[key] = {name: capped(total) for name, total in zip(ACCOUNTS, sums, strict=True)}
    for key, accounts in untold.items():
        found[key] = {name: capped(found[key][name] + accounts.get(name, _ZERO)) for name in ACCOUNTS}
    return found


def capped(amount: Decimal) -> Decimal:
    """A sum as a budget's row holds it."""
    return min(amount, UNBOUNDED)


def opening(spent: Mapping[str, Accounts], lines: Mapping[str, Accounts], **facts: Any) -> dict[str, Any]:
    """The record that begins an account: what was spent of each, and the part of it that no line of the ledger tells.

    >>> opening({"main.t": {"eps": Decimal("0.3")}}, {"main.t": {"eps": Decimal("0.1")}})["untold"]
    {'main.t': {'eps': '0.2'}}
    """
    untold = {
        key: {name: str(max(amount - lines[key][name], _ZERO)) for name, amount in accounts.items()}
        for key, accounts in spent.items()
    }
    texts = {key: {name: str(amount) for name, amount in accounts.items()} for key, accounts in spent.items()}
    return {"kind": "open", "spent": texts, "untold": untold, **facts}


def difference(host: Host, database: str, journal: Journal) -> Difference:
    """What the rows have to catch up with; a JournalError where the journal cannot be trusted."""
    known, read = remembered(host, database), journal.refresh()
    check(known, journal)
    rows = budget_rows(host, database)
    totals, records = taken_back(read.totals, read.records if known is None else known.records)
    raised = {
        key: total
        for key, total in totals.spent.items()
        if key in rows and any(capped(amount) > rows[key][ACCOUNTS[name]] for name, amount in total.items())
    }
    behind = known is None or known.records < read.records
    lowered: dict[str, dict[str, Decimal]] = {}
    for key, limits in totals.limits.items() if known is not None and behind else ():
        less = {name: Decimal(limits[name]) for name in _LIMITS if limits.get(name) is not None}
        less = {name: value for name, value in less.items() if _above(rows.get(key, {}).get(name), value)}
        if less:
            lowered[key] = less
    accounts = settle_accounts.older(host, database, totals.accounts) if behind else Older()
    return Difference(behind, raised, lowered, totals, records, accounts, rows)


def _above(held: Decimal | None, value: Decimal) -> bool:
    return held is not None and held > value


def check(known: Head | None, journal: Journal) -> None:
    """Raise a JournalError where something is wrong with a journal that has been refreshed."""
    problem = damage(known, journal)
    if problem is not None:
        raise JournalError(f"{problem.strip()} Nothing was refunded, and nothing was charged.")


def damage(known: Head | None, journal: Journal) -> str | None:
    """What is wrong with a journal, in a sentence; None where the chain holds and continues what the database knows.

    `journal` has been refreshed.
    """
    read = journal.read
    if read.broken is not None:
        return f"The journal {journal.path} was changed: the chain of hashes breaks at line {read.broken}. {_MEND}"
    if known is None or (known.records, known.head) == (read.records, read.head):
        return None if known is None else _elsewhere(known, journal)
    if read.records == 0:
        return (
            f"The journal {journal.path} is missing or empty; it had {known.records} records and was last at "
            f"{known.path}. {_moved(known, journal) if known.path != journal.path else ''}{_MEND}"
        )
    if read.records < known.records:
        return (
            f"The journal {journal.path} was cut: it has {read.records} records, and the database has seen "
            f"{known.records}. {_MEND}"
        )
    if journal.head_at(known.records) != known.head:
        return (
            f"The journal {journal.path} is not the one of this database: it does not continue what was recorded. "
            f"{_MEND}"
        )
    return _elsewhere(known, journal)


def catch_up(host: Host, database: str, journal: Journal, found: Difference) -> list[dict[str, Any]]:
    """Raise the rows, inside a transaction of the caller, with a line of the ledger each; what the journal notes."""
    rows = budget_rows(host, database)
    lines = line_sums(host, database, found.totals.untold)
    records = list(found.records)
    if remembered(host, database) is None:
        # The first journal of a home that has spent before: it begins with what was spent.
        spent = {key: {name: row[column] for name, column in ACCOUNTS.items()} for key, row in rows.items()}
        records.append(opening(spent, line_sums(host, database, {})))
    for key in {**found.raised, **found.lowered}:
        now = rows[key]
        total = {name: max(capped(found.raised.get(key, {}).get(name, _ZERO)), now[c]) for name, c in ACCOUNTS.items()}
        limits = {name: found.lowered.get(key, {}).get(name, now[name]) for name in _LIMITS}
        after = {**{ACCOUNTS[name]: amount for name, amount in total.items()}, **limits}
        changes = ", ".join(f"{column} = ${column}" for column in after)
        sql = f"UPDATE msd.protected SET {changes}, revision = revision + 1 WHERE key = $key"
        host.run(statement(sql, database, key=key, **after))
        told = {"why": _WHY, "before": _told({name: now[name] for name in after}), "after": _told(after)}
        line = Entry(
            "recover",
            parameters=told,
            relation=key,
            charged_to=key,
            charged=Loss(**{name: max(total[name] - lines[key][name], _ZERO) for name in ACCOUNTS}),  # untold so far
        )
        insert(host, database, line)
        records.append({"kind": "recover", "relation": key, **told})
    records += settle_accounts.catch_up(host, database, found.accounts)
    return records or [{"kind": "seen"}]


def remember(host: Host, database: str, journal: Journal, records: int, head: str) -> None:
    """Write down the head of the journal, inside a transaction of the caller."""
    values: dict[str, Any] = {"records": records, "head": head, "path": journal.path, "inode": journal.inode}
    if host.rows(statement(_SAVE, database, **values)) == [(0,)]:  # the number of rows it changed
        host.run(statement(_FIRST, database, **values))


def touch(host: Host, database: str) -> bool:
    """Write the head again, inside a transaction of the caller: something to commit that changes nothing.

    False where there is no head yet.
    """
    known = remembered(host, database)
    if known is not None:
        host.run(statement("UPDATE msd.journal SET inode = $other", database, other=""))
        host.run(statement("UPDATE msd.journal SET inode = $inode", database, inode=known.inode))
    return known is not None


_WHY = (
    "the journal says that more was spent than the database: a crash, a deleted .wal file or a restored backup. The "
    "larger of the two counts"
)
_MEND = "Charges are refused until the owner has looked: msd ledger FILE --check, then msd ledger FILE --repair."


def _elsewhere(known: Head, journal: Journal) -> str | None:
    if known.path == journal.path or known.inode == journal.inode:
        return None
    return f"This database was moved or copied, and a copy would be a second budget. {_moved(known, journal)}"


def _moved(known: Head, journal: Journal) -> str:
    old, new = (path.removesuffix(SUFFIX) for path in (known.path, journal.path))
    return f"If it was moved, let the owner say so: SELECT msd_move('{old}', '{new}'). "


def _told(row: Mapping[str, Any]) -> dict[str, str]:
    return {name: shown(value) for name, value in row.items() if value is not None}
