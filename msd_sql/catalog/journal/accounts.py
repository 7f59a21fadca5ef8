"""Accounts in the journal: what each has spent of its shares and may spend, which names were given, and which ended."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

Key: TypeAlias = tuple[str, str]  # an account, and the stored name of a relation


@dataclass
class AccountTotals:
    """What a journal's records say of accounts."""

    spent: dict[Key, dict[str, Any]] = field(default_factory=dict)  # as the last charge left it, and the order α of it
    limits: dict[Key, dict[str, Any]] = field(default_factory=dict)  # as they were last granted
    names: dict[str, str | None] = field(default_factory=dict)  # that were given, and when an account was revoked

    def add(self, record: Mapping[str, Any]) -> None:
        """Count one record.

        >>> totals = AccountTotals()
        >>> totals.add({"kind": "share", "account": "ana", "relation": "main.t", "share": {"eps": "0.1"}})
        >>> totals.spent
        {('ana', 'main.t'): {'eps': '0.1'}}
        """
        kind, name, relation = record.get("kind"), str(record.get("account")), str(record.get("relation"))
        if kind in ("share", "share void"):
            self.spent[name, relation] = dict(record["share"])
        elif kind == "grant":
            self.limits[name, relation] = dict(record["granted"])
        elif kind == "account":
            self.names[name] = record.get("revoked") or self.names.get(name)
        elif kind == "account void" and record.get("revoked") is None:
            self.names.pop(name, None)
        elif kind == "move":
            for held in (self.spent, self.limits):
                for account, old in [key for key in held if key[1] == relation]:
                    held[account, str(record["to"])] = held.pop((account, old))

    def records(self) -> Iterator[dict[str, Any]]:
        """Records that a new journal begins with, to say the same."""
        for name, revoked in self.names.items():
            yield {"kind": "account", "account": name, "revoked": revoked}
        for (name, relation), granted in self.limits.items():
            yield {"kind": "grant", "account": name, "relation": relation, "granted": granted}
        for (name, relation), share in self.spent.items():
            yield {"kind": "share", "account": name, "relation": relation, "share": share}


def undone(record: Mapping[str, Any]) -> dict[str, Any] | None:
    """The record that takes back one whose transaction was not committed; None where nothing has to be taken back.

    >>> undone({"kind": "charge", "relation": "main.t"})["kind"], undone({"kind": "declare"})
    ('void', None)
    """
    if record["kind"] == "charge":
        return {**record, "kind": "void"}
    if record["kind"] == "share":
        return {**record, "kind": "share void", "share": record["before"]}
    return {**record, "kind": "account void"} if record["kind"] == "account" else None
