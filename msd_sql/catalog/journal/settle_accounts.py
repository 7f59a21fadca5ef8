"""Settling accounts: where a database is older than its journal the larger of two sums counts, and who ended stays so.

A restored backup or a deleted .wal takes back what accounts have spent of their shares, limits that were lowered, and
revocations. An account that was added since then is gone with its token; its name is not given again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any

from msd_sql.catalog.amounts import shown
from msd_sql.catalog.budget_filter import UNBOUNDED
from msd_sql.catalog.journal.accounts import AccountTotals, Key
from msd_sql.catalog.records.lines import Entry, insert
from msd_sql.database.host import Host
from msd_sql.database.sql_text import statement, utc

_TABLES = "SELECT 1 FROM duckdb_tables() WHERE schema_name = 'msd' AND table_name = 'shares' AND database_name = $home"
# What a journal calls a part of a share, and its column.
_SPENT = {"eps": "spent", "delta": "spent_delta", "renyi": "spent_renyi", "clamp": "spent_clamp", "answers": "answers"}
_LIMITS = {"budget": "budget", "delta": "delta"}
_COLUMNS = ("alpha", "budget", "delta", *_SPENT.values())
_WHY = "the journal says that this account has spent more, or may spend less, than the database says"


@dataclass(frozen=True)
class Older:
    """What the rows of accounts have to catch up with."""

    shares: Mapping[Key, dict[str, Any]] = field(default_factory=dict)  # columns that change
    ended: Mapping[str, str] = field(default_factory=dict)  # accounts that are not revoked here, and were


def older(host: Host, database: str, totals: AccountTotals) -> Older:
    """What the rows of a database that is behind its journal say less than the journal.

    >>> older(host, "shop", AccountTotals())
    Older(shares={}, ended={})
    """
    if not totals.names and not totals.spent and not totals.limits:
        return Older()
    if not host.rows(statement(_TABLES, database, home=database)):
        return Older()
    rows = share_rows(host, database)
    changed = {key: change for key, row in rows.items() if (change := _change(row, key, totals))}
    active = {
        row[0] for row in host.rows(statement("SELECT name FROM msd.accounts WHERE revoked_at IS NULL", database))
    }
    ended = {name: time for name, time in totals.names.items() if time is not None and name in active}
    return Older(changed, ended)


def catch_up(host: Host, database: str, found: Older) -> list[dict[str, Any]]:
    """Change the rows, inside a transaction of the caller, with a line of the ledger each; what the journal notes."""
    records: list[dict[str, Any]] = []
    for (account, relation), after in found.shares.items():
        changes = ", ".join(f"{column} = ${column}" for column in after)
        sql = f"UPDATE msd.shares SET {changes}, revision = revision + 1 WHERE account = $who AND relation = $relation"
        host.run(statement(sql, database, who=account, relation=relation, **after))
        told = {name: None if value is None else shown(Decimal(value)) for name, value in after.items()}
        facts: dict[str, Any] = {"why": _WHY, "account": account, "after": told}
        insert(host, database, Entry("recover", parameters=facts, relation=relation))
        records.append({"kind": "recover", "relation": relation, **facts})
    for account, time in found.ended.items():
        sql = "UPDATE msd.accounts SET revoked_at = $time WHERE name = $who"
        host.run(statement(sql, database, who=account, time=utc(datetime.fromisoformat(time))))
        facts = {"why": "the journal says that this account was revoked", "account": account}
        insert(host, database, Entry("recover", parameters=facts))
        records.append({"kind": "recover", **facts})
    return records


def share_rows(host: Host, database: str) -> dict[Key, dict[str, Any]]:
    """Every share with its columns; none where there are no accounts."""
    if not host.rows(statement(_TABLES, database, home=database)):
        return {}
    sql = f"SELECT account, relation, {', '.join(_COLUMNS)} FROM msd.shares"
    return {(row[0], row[1]): dict(zip(_COLUMNS, row[2:], strict=True)) for row in host.rows(statement(sql, database))}


def largest(host: Host, database: str, kept: AccountTotals) -> tuple[Older, AccountTotals]:
    """What a repair changes in the rows, and what a new journal begins with: the larger of the two."""
    found = older(host, database, kept)
    rows = share_rows(host, database)
    merged = {key: {**row, **found.shares.get(key, {})} for key, row in rows.items()}
    totals = AccountTotals(dict(kept.spent), dict(kept.limits), dict(kept.names))
    for key, row in merged.items():
        alpha = None if row["alpha"] is None else str(row["alpha"])
        totals.limits[key] = {"alpha": alpha, **{name: str(row[column]) for name, column in _LIMITS.items()}}
        totals.spent[key] = {"alpha": alpha, **{name: str(row[column]) for name, column in _SPENT.items()}}
    if rows:
        for name, revoked in host.rows(statement("SELECT name, revoked_at FROM msd.accounts", database)):
            told = None if revoked is None else utc(revoked).isoformat()
            totals.names[name] = totals.names.get(name) or told
    return found, totals


def disagreements(host: Host, database: str, totals: AccountTotals) -> list[str]:
    """The shares of which row and journal say different things, in words."""
    found = []
    for key, row in share_rows(host, database).items():
        told = totals.spent.get(key)
        differ = [name for name in _SPENT if told is not None and _number(told, name) != Decimal(row[_SPENT[name]])]
        if differ:
            found.append(f"{key[1]}: row and journal differ in {', '.join(differ)} of the share of account {key[0]}.")
    return found


def _change(row: Mapping[str, Any], key: Key, totals: AccountTotals) -> dict[str, Any]:
    spent, limits = totals.spent.get(key, {}), totals.limits.get(key, {})
    change: dict[str, Any] = {
        column: _number(spent, name) for name, column in _SPENT.items() if _number(spent, name) > row[column]
    }
    if change:  # a divergence of one order says nothing of another
        change["alpha"] = None if spent.get("alpha") is None else Decimal(spent["alpha"])
    change |= {
        column: Decimal(limits[name])
        for name, column in _LIMITS.items()
        if limits and Decimal(limits[name]) < row[column]
    }
    return change


def _number(spent: Mapping[str, Any], name: str) -> Decimal:
    return min(Decimal(spent.get(name, 0)), UNBOUNDED)
