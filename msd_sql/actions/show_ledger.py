"""Show: the ledger, its answers, and what is left of a budget, as SQL values."""

from __future__ import annotations

import json
from datetime import UTC
from typing import Any

from msd_sql.catalog.records.lines import Entry, load_answers
from msd_sql.errors import InputError
from msd_sql.runtime.call import Call
from msd_sql.surface.entry_types import LINE


def ledger_rows(call: Call, last: int | None = None) -> list[dict[str, Any]]:
    """The lines of every ledger in sight, one a statement or declaration, oldest first; all, or the last ones."""
    account = call.account
    who = account.name if account is not None and not account.owner else None
    lines = call.ledger.entries(who, last)
    if who is not None:  # what others ask is between them and the owner, and a collation may hold Ana for ana
        lines = [line for line in lines if line.who is not None and line.who.name == who]
    return [_row(entry) for entry in lines]


def release_rows(call: Call) -> list[dict[str, Any]]:
    """Every answer of every ledger in sight with its receipt, oldest first."""
    with call.home_hosts.opened():
        homes = [database.name for database in call.home_hosts.databases().values() if database.home]
        found = [answer for home in homes for answer in load_answers(call.home_hosts.at(home), home)]
    if call.account is not None and not call.account.owner:
        own = {row["id"] for row in ledger_rows(call)}
        found = [answer for answer in found if answer["line"] in own]
    return sorted(found, key=lambda answer: answer["time"])


def remaining(call: Call, relation: str | None) -> float:
    """The ε that is left of a relation's budget, by the better of its two accounts; an account has a share."""
    if relation is None:
        raise InputError("msd_remaining needs the name of a protected relation; got NULL.")
    protected = call.need(relation) if call.account else call.catalog.need(relation)
    share = call.ledger.share(protected)
    left = call.ledger.remaining(protected).eps_left
    return float(left if share is None else min(left, share.left))


def _row(entry: Entry) -> dict[str, Any]:
    row = {name: getattr(entry, name, None) for name in LINE}
    return row | {
        "time": entry.time.astimezone(UTC).replace(tzinfo=None) if entry.time else None,
        "who": entry.who.name if entry.who else None,
        "program": entry.who.program if entry.who else None,
        "what": entry.what or entry.kind,
        "parameters": json.dumps(dict(entry.parameters), ensure_ascii=False, default=str),
        "composed_eps": None if entry.composed_eps is None else float(entry.composed_eps),
        "charged_eps": float(entry.charged.eps),
        "charged_delta": float(entry.charged.delta),
        "charged_renyi": float(entry.charged.renyi),
    }
