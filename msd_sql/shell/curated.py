"""What the shell says where a curator answers: whose account it is, what is left of its shares, what is published."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import duckdb

from msd_sql.errors import MsdError

if TYPE_CHECKING:  # it loads pyarrow, which a shell without a curator does not wait for
    from msd_sql.remote.wire import Door

Facts = Mapping[str, Any]
_MISSING = re.compile(r"Table with name \"?([^\s\"]+)\"? does not exist")


class Curated:
    """What was last heard from a curator; in place of `Budgets`, which reads the ledgers of this database."""

    def __init__(self, door: Door, address: str) -> None:
        self._door, self._address = door, address
        self._known: Facts = {"relations": [], "tables": []}
        self._heard: object = None  # the answer that was told of last
        self.prompt = ""  # what is left of the relation that was last charged, for the prompt

    @classmethod
    def of(cls, con: duckdb.DuckDBPyConnection) -> Curated:
        """That of a connection which is registered at a curator."""
        from msd_sql.registration import instance_of

        instance = instance_of(con)
        if instance.door is None or instance.curator is None:
            raise MsdError("This connection is not registered at a curator.")
        return cls(instance.door, instance.curator)

    @property
    def whose(self) -> str:
        """Such as: curator grpc://localhost:8815, account ana (analyst)."""
        return f"curator {self._address}, account {self._known['account']} ({self._known['role']})"

    def start(self, con: duckdb.DuckDBPyConnection) -> None:
        """Say hello; the curator's own error where it refuses."""
        self._look()
        relations = self._known["relations"]
        self.prompt = _prompt(relations[0]) if len(relations) == 1 else ""

    def news(self, con: duckdb.DuckDBPyConnection) -> list[str]:
        """Tell what was taken since the last look, a line for every relation; nothing where nobody answers."""
        from msd_sql.registration import instance_of

        before = {one["relation"]: one for one in self._known["relations"]}
        try:
            self._look()
        except MsdError:  # the statement itself has told of it
            return []
        changed = [one for one in self._known["relations"] if _left(one) != _left(before.get(one["relation"], {}))]
        if changed:
            self.prompt = _prompt(changed[-1])
        last = next(reversed(instance_of(con).released.values()), None)
        again = last is not self._heard and getattr(last, "replayed", False)
        self._heard = last
        if not changed and again:
            return ["The recorded answer again, nothing charged"]
        return [_cost(one, before.get(one["relation"], {})) for one in changed]

    def lines(self, con: duckdb.DuckDBPyConnection) -> list[str]:
        """Tell what this account may ask about, what is left of it, and what is published."""
        self._look()
        relations, tables = self._known["relations"], [_name(table) for table in self._known["tables"]]
        said = [f"{_short(one['relation'])}: {_state(one)}" for one in relations]
        if not relations:
            said = ["This account has no share of any relation: ask the owner for one."]
        if tables:
            said.append(f"Published: {', '.join(tables)}. {_pulling(tables[0])} brings a copy here.")
        return said

    def hint(self, message: str) -> str:
        """What to do about a table that is not here, but published; empty where that is not what a message says."""
        missing = _MISSING.search(message)
        if missing is None:
            return ""
        with suppress(MsdError):
            self._look()
        wanted = missing[1].lower()
        tables: Sequence[Facts] = self._known["tables"]
        found = next((one for one in tables if wanted in (one["name"].lower(), _name(one).lower())), None)
        return f"{wanted} is published: {_pulling(_name(found))}" if found else ""

    def _look(self) -> None:
        from msd_sql.remote.wire import Asked

        self._known = self._door.ask(Asked("published")).values


def _name(table: Facts) -> str:
    return _short(f"{table['schema']}.{table['name']}")


def _short(name: str) -> str:
    return name.removeprefix("main.")


def _pulling(name: str) -> str:
    escaped = name.replace("'", "''")
    return f"SELECT msd_pull('{escaped}');"


def _left(one: Facts) -> float | None:
    """What is left for this account: of its share, or of the whole budget where it needs none."""
    left: float | None = one.get("share_left", one.get("left"))
    return left


def _prompt(one: Facts) -> str:
    return f"{_short(one['relation'])} ε {min(one['left'], one.get('share_left', one['left'])):.4g} left"


def _state(one: Facts) -> str:
    """Such as: ε 0.35 left of your share of 0.4, ε 0.9 left of the whole budget of 1."""
    whole = f"ε {one['left']:.4g} left of the whole budget of {one['budget']:.4g}"
    return (
        whole if "share" not in one else f"ε {one['share_left']:.4g} left of your share of {one['share']:.4g}, {whole}"
    )


def _cost(one: Facts, before: Facts) -> str:
    """Such as: purchases: charged ε 0.05 · ε 0.35 left of your share of 0.4, …; without the charge where it grew.

    A share is the account's own. The whole budget, which an owner asks from, may have been charged by others as well.
    """
    was, now = _left(before), _left(one)
    less = was - now if was is not None and now is not None else 0.0
    charged = "" if less <= 0 else f"charged ε {less:.4g} · " if "share" in one else f"ε {less:.4g} less than before · "
    return f"{_short(one['relation'])}: {charged}{_state(one)}"
