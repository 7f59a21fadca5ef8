"""The chain: lines of a journal, each with a hash over itself and everything before it, and what they add up to.

A line is `<sha256 of the hash before it and the record> <record as JSON>`. One changed byte breaks the chain from there
on; a line that was cut off at the end is told from a whole one by its missing line feed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Context, Decimal, InvalidOperation
from typing import Any, TypeAlias

from msd_sql.catalog.journal.accounts import AccountTotals

Record: TypeAlias = Mapping[str, Any]
Accounts: TypeAlias = dict[str, Decimal]
START = "0" * 64  # the hash before the first line
_EXACT = Context(prec=120)


def sealed(before: str, record: Record) -> tuple[str, bytes]:
    r"""The hash of a record that follows `before`, and its line.

    >>> head, line = sealed(START, {"kind": "open"})
    >>> line.decode().split(" ", 1)[1]
    '{"kind":"open"}\n'
    """
    text = json.dumps(dict(record), sort_keys=True, separators=(",", ":"), default=str)
    head = hashlib.sha256(f"{before} {text}".encode()).hexdigest()
    return head, f"{head} {text}\n".encode()


def opened(before: str, line: bytes) -> tuple[str, dict[str, Any]] | None:
    """The hash and the record of a line that follows `before`; None where the chain does not hold.

    >>> opened(START, sealed(START, {"kind": "open"})[1])[1]
    {'kind': 'open'}
    """
    head, _, text = line.rstrip(b"\n").partition(b" ")
    if head.decode("ascii", "replace") != hashlib.sha256(before.encode() + b" " + text).hexdigest():
        return None
    found = _record(text)
    return None if found is None else (head.decode(), found)


@dataclass(frozen=True)
class Change:
    """From a record on a relation has another name (`moved`), or is charged to another account."""

    at: int  # how many records came before it
    relation: str
    before: str
    after: str
    moved: bool


@dataclass
class Totals:
    """What a journal's records add up to, for every relation by its stored name."""

    spent: dict[str, Accounts] = field(default_factory=dict)
    limits: dict[str, Record] = field(default_factory=dict)  # the budget as it was last declared
    untold: dict[str, Accounts] = field(default_factory=dict)  # the part of it that no line of the ledger tells
    charged_to: dict[str, str] = field(default_factory=dict)  # whose account a relation draws on, where not its own
    changes: list[Change] = field(default_factory=list)
    records: int = 0
    accounts: AccountTotals = field(default_factory=AccountTotals)  # of a curator

    def add(self, record: Record) -> None:
        """Count one record.

        >>> totals = Totals()
        >>> totals.add({"kind": "charge", "relation": "main.purchases", "accounts": {"eps": "0.1"}})
        >>> totals.spent
        {'main.purchases': {'eps': Decimal('0.1')}}
        """
        self.accounts.add(record)
        kind, relation = record.get("kind"), str(record.get("relation", ""))
        if kind in ("charge", "void"):
            _add(self.spent.setdefault(relation, {}), record.get("accounts", {}), -1 if kind == "void" else 1)
        elif kind == "move":
            self._move(relation, str(record["to"]))
        elif kind == "declare":
            self._draw_on(relation, next(iter(record.get("spent", {})), relation))
        for name, accounts in dict(record.get("spent", {})).items():  # at least so much had been spent by then
            have = self.spent.setdefault(name, {})
            have |= {key: max(Decimal(text), have.get(key, Decimal(0))) for key, text in accounts.items()}
        for name, accounts in dict(record.get("untold", {})).items():
            self.untold[name] = {key: Decimal(text) for key, text in accounts.items()}
        if "limits" in record:
            self.limits[relation] = dict(record["limits"])
        self.records += 1

    def _move(self, old: str, new: str) -> None:
        for held in (self.spent, self.untold):
            _add(held.setdefault(new, {}), held.pop(old, {}), 1)
        if old in self.limits:
            self.limits[new] = self.limits.pop(old)
        renamed = {old: new}
        self.charged_to = {renamed.get(key, key): renamed.get(to, to) for key, to in self.charged_to.items()}
        self.changes.append(Change(self.records, new, old, new, moved=True))

    def _draw_on(self, relation: str, holder: str) -> None:
        before = self.charged_to.get(relation, relation)
        if holder != before:
            self.charged_to[relation] = holder
            self.changes.append(Change(self.records, relation, before, holder, moved=False))


def _add(mine: Accounts, accounts: Mapping[str, Any], sign: int) -> None:
    for name, amount in accounts.items():
        mine[name] = _EXACT.add(mine.get(name, Decimal(0)), sign * Decimal(amount))


def salvaged(lines: Iterable[bytes]) -> Totals:
    """What every line that can still be read adds up to, whether or not the chain holds.

    Never less than the lines that are left have charged: what takes back (a void, or a share's) is not believed.

    >>> salvaged([b'? {"kind":"charge","relation":"main.t","accounts":{"eps":"0.1"}}']).spent["main.t"]["eps"]
    Decimal('0.1')
    """
    totals = Totals()
    for line in lines:
        record = _record(line.rstrip(b"\n").partition(b" ")[2])
        if record is not None and record.get("kind") not in ("void", "share void"):
            try:
                totals.add(record)
            except (InvalidOperation, KeyError, TypeError, ValueError, AttributeError):
                continue
    return totals


def _record(text: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(text)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None
