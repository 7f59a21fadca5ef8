"""The ledger: every release is charged, committed and durable before anything is sampled (docs/privacy.md)."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, TypeVar

from msd_sql.catalog.amounts import Amount, delta_charge, eps_charge, shown
from msd_sql.catalog.declarations import Protected
from msd_sql.catalog.homes import databases, write
from msd_sql.database.host import Host
from msd_sql.database.sql_text import statement, utc
from msd_sql.errors import BudgetError, CatalogError

T = TypeVar("T")
_NOTHING = Decimal(0)

# No RETURNING: it turns the update into a delete and an insert, which DuckDB (1.5.6, 2.0.0) does not see as a conflict
# with another transaction's update in place, so that one of the two would be lost.
_CHARGE = """
UPDATE msd.protected SET spent = spent + $eps, spent_delta = spent_delta + $delta, revision = revision + 1
WHERE key = $key AND active AND declared_at = $declared_at
  AND spent + $eps <= budget AND spent_delta + $delta <= delta
"""
_BALANCE = "SELECT budget, delta, spent, spent_delta, active, declared_at FROM msd.protected WHERE key = $key"
_INSERT = """
INSERT INTO msd.ledger VALUES ($id::UUID, $time, $relation, $kind, $statement, $parameters, $n, $k, $method, $bound,
  $eps, $delta, $charged_eps, $charged_delta, $exact, $asserted_public, $replayed, $receipt)
"""
_COLUMNS = (
    "id::VARCHAR, time, relation, kind, statement, parameters, n, k, method, bound, eps, delta, charged_eps, "
    "charged_delta, exact, asserted_public, replayed, receipt"
)


@dataclass(frozen=True)
class Entry:
    """One line of the ledger: public facts only. What the ledger itself fills in has a default."""

    kind: str  # select, reach, exact, replay, protect, unprotect, budget, items, drop_items
    statement: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    n: int | None = None
    k: int | None = None
    method: str | None = None
    bound: str | None = None
    eps: float = 0.0  # what the release is worth: infinity where it was exact
    delta: float = 0.0
    exact: bool = False
    asserted_public: bool = False
    replayed: bool = False
    receipt: Mapping[str, Any] = field(default_factory=dict)
    relation: str | None = None
    charged_eps: Decimal = _NOTHING  # what it took from the budget
    charged_delta: Decimal = _NOTHING
    id: str = ""
    time: datetime | None = None


@dataclass(frozen=True)
class Balance:
    """What a budget has left."""

    budget: Decimal
    delta: Decimal
    spent: Decimal
    spent_delta: Decimal

    @property
    def eps_left(self) -> Decimal:
        """The ε that is left."""
        return max(self.budget - self.spent, _NOTHING)

    @property
    def delta_left(self) -> Decimal:
        """The δ that is left."""
        return max(self.delta - self.spent_delta, _NOTHING)


class Ledger:
    """The ledgers of the databases that a host sees, each in the schema msd that holds the budget.

    >>> Ledger(host).charge(purchases, Entry("select", n=3000, k=6), eps="0.1", delta="1e-10")
    '...-...'
    """

    def __init__(self, host: Host, identify: Callable[[str], str] | None = None) -> None:
        self._host = host
        self._identify = identify  # tells a database's identity without asking for it again

    def charge(self, protected: Protected, entry: Entry, *, eps: Amount, delta: Amount) -> str:
        """Take (eps, delta) from the budget and record it, in one durable step; the id of the ledger's line.

        Refused with a BudgetError, and nothing is charged, where it would overdraw ε or δ.
        """
        asked_eps, asked_delta = eps_charge(eps), delta_charge(delta)
        line = _stamped(
            replace(
                entry,
                eps=float(asked_eps),
                delta=float(asked_delta),
                relation=protected.stored_name,
                charged_eps=asked_eps,
                charged_delta=asked_delta,
            )
        )

        def act(inner: Host) -> str:
            sql = statement(
                _CHARGE,
                protected.home,
                key=protected.stored_name,
                declared_at=protected.declared_at,
                eps=asked_eps,
                delta=asked_delta,
            )
            if inner.rows(sql) != [(1,)]:  # the number of rows it changed
                raise _refusal(protected, _balance(inner, protected), asked_eps, asked_delta)
            insert(inner, protected.home, line)
            return line.id

        return self._write(protected.home, act)

    def note(self, protected: Protected, entry: Entry) -> str:
        """Record what takes nothing from the budget: an exact or a replayed release; the id of the ledger's line."""
        line = _stamped(replace(entry, relation=protected.stored_name, charged_eps=_NOTHING, charged_delta=_NOTHING))
        self._write(protected.home, lambda inner: insert(inner, protected.home, line))
        return line.id

    def remaining(self, protected: Protected) -> Balance:
        """What the budget has left now."""
        return _balance(self._host, protected)

    def entries(self) -> list[Entry]:
        """Every line of every ledger in sight, oldest first."""
        sql = f"SELECT {_COLUMNS} FROM msd.ledger"
        homes = [database.name for database in databases(self._host).values() if database.home]
        lines = [_entry(row) for home in homes for row in self._host.rows(statement(sql, home))]
        return sorted(lines, key=lambda line: (line.time, line.id))

    def _write(self, home: str, act: Callable[[Host], T]) -> T:
        return write(self._host, home, act, self._identify(home) if self._identify else None)


def insert(host: Host, home: str, entry: Entry) -> None:
    """Write one line, inside a transaction of the caller.

    >>> insert(host, "shop", Entry("items", relation="main.products"))
    """
    line = entry if entry.id else _stamped(entry)
    values = {name: getattr(line, name) for name in _FIELDS}
    values.update(parameters=_json(line.parameters), receipt=_json(line.receipt))
    host.run(statement(_INSERT, home, **values))


_FIELDS = tuple(Entry.__dataclass_fields__)


def _stamped(entry: Entry) -> Entry:
    return replace(entry, id=str(uuid.uuid4()), time=datetime.now(UTC))


def _json(facts: Mapping[str, Any]) -> str:
    return json.dumps(dict(facts), default=str, ensure_ascii=False, allow_nan=False)


def _entry(row: tuple[Any, ...]) -> Entry:
    names = [part.split("::")[0] for part in _COLUMNS.split(", ")]
    found = dict(zip(names, row, strict=True))
    found["time"] = utc(found["time"])
    return Entry(**{**found, "parameters": json.loads(found["parameters"]), "receipt": json.loads(found["receipt"])})


def _balance(host: Host, protected: Protected) -> Balance:
    rows = host.rows(statement(_BALANCE, protected.home, key=protected.stored_name))
    if not rows or not rows[0][4] or utc(rows[0][5]) != protected.declared_at:
        raise CatalogError(
            f"The declaration of {protected.name} was changed while this query was being answered. Ask again; "
            "nothing was charged."
        )
    return Balance(*rows[0][:4])


def _refusal(protected: Protected, balance: Balance, eps: Decimal, delta: Decimal) -> BudgetError:
    over = [
        name for name, asked, left in (("ε", eps, balance.eps_left), ("δ", delta, balance.delta_left)) if asked > left
    ]
    return BudgetError(
        f"The budget of {protected.name} does not allow this release ({' and '.join(over)}); it was not run and "
        f"nothing was charged for it. "
        f"Requested: ε {shown(eps)}, δ {shown(delta)}. "
        f"Spent: ε {shown(balance.spent)}, δ {shown(balance.spent_delta)}. "
        f"Remaining: ε {shown(balance.eps_left)}, δ {shown(balance.delta_left)}. "
        f"Limit: ε {shown(balance.budget)}, δ {shown(balance.delta)}. "
        f"Ask for less, or let the owner raise the budget."
    )
