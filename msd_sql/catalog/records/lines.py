"""Lines of the ledger and the answers they stand for: dataclasses, and how they lie in schema msd."""

from __future__ import annotations

import json
import math
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import numpy as np

from msd_sql.catalog.budget_filter import NOTHING, Loss
from msd_sql.catalog.records.who import Who, system_user
from msd_sql.database.host import Column, Host
from msd_sql.database.sql_text import statement, utc
from msd_sql.udfs.privacy.renyi import NOTHING as NO_LOSS
from msd_sql.udfs.privacy.renyi import Divergence

_LINE = (
    "id, time, who, program, relation, kind, what, statement, parameters, releases, repeated, eps, delta, charged_to, "
    "charged_eps, charged_delta, charged_renyi, charged_clamp, composed_eps, exact, asserted_public"
)
_ANSWER = "id, line, n, k, method, bound, eps, delta, receipt"
_INTO_LEDGER = f"INSERT INTO msd.ledger ({_LINE})"  # … SELECT: DuckDB takes a quarter longer to plan VALUES
_INTO_RELEASES = f"INSERT INTO msd.releases ({_ANSWER})"
_ROWS = "_msd_answers"


@dataclass(frozen=True)
class Answer:
    """One answer before it is drawn: what it is worth, what proves it, and the public facts of its receipt.

    `eps` and `delta` are what is charged by sum (δ as used), `divergence` what is charged by order.
    """

    eps: Decimal = Decimal(0)
    delta: Decimal = Decimal(0)
    divergence: Divergence = NO_LOSS
    n: int | None = None
    k: int | None = None
    method: str | None = None
    bound: str | None = None
    receipt: Mapping[str, Any] = field(default_factory=dict)

    @property
    def worth(self) -> float:
        """Its ε; infinity for an exact answer."""
        return math.inf if self.divergence.unbounded and not self.eps else float(self.eps)


@dataclass(frozen=True)
class Entry:
    """One line of the ledger: public facts only. What the ledger itself fills in has a default."""

    kind: str  # select, reach, exact, replay, protect, unprotect, budget, items, drop_items, migrate
    statement: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    releases: int = 0  # new answers
    repeated: int = 0  # answers that were told again, for nothing
    exact: bool = False
    asserted_public: bool = False
    relation: str | None = None
    what: str = ""  # what was asked or declared, in words
    eps: float = 0.0  # what the answers are worth together: infinity where one was exact
    delta: float = 0.0
    charged_to: str | None = None  # whose budget
    charged: Loss = NOTHING  # what was taken from it
    composed_eps: Decimal | None = None  # what all answers of that budget come to after this line
    who: Who | None = None
    id: str = ""
    time: datetime | None = None

    @property
    def charged_eps(self) -> Decimal:
        """The ε that was taken from the budget."""
        return self.charged.eps

    @property
    def charged_delta(self) -> Decimal:
        """The δ that was taken from the budget."""
        return self.charged.delta

    @property
    def replayed(self) -> bool:
        """Whether nothing new was told."""
        return self.kind == "replay"

    def stamped(self, who: Who | None = None) -> Entry:
        """The line with its id, its time, and who asked."""
        asking = self.who or who or system_user()
        return replace(self, id=self.id or str(uuid.uuid4()), time=self.time or datetime.now(UTC), who=asking)


def insert(host: Host, home: str, entry: Entry, answers: Sequence[Answer] = ()) -> tuple[str, ...]:
    """Write one line and its answers, inside a transaction of the caller; the ids of the answers.

    >>> insert(host, "shop", Entry("items", relation="main.products"))
    ()
    """
    line = entry.stamped()
    who = line.who or system_user()
    values = {name: getattr(line, name, None) for name in _LINE.split(", ")}
    values |= {"who": who.name, "program": who.program, "parameters": as_json(line.parameters)}
    values |= {"charged_renyi": line.charged.renyi, "charged_clamp": line.charged.clamp}
    host.run(statement(f"{_INTO_LEDGER} SELECT {_holes(_LINE)}", home, **values))
    ids = tuple(str(uuid.uuid4()) for _ in answers)
    if len(answers) == 1:
        found = dict(zip(_ANSWER.split(", "), (ids[0], line.id, *_facts(answers[0])), strict=True))
        host.run(statement(f"{_INTO_RELEASES} SELECT {_holes(_ANSWER)}", home, **found))
    elif answers:
        each = {id(answer): _facts(answer) for answer in {id(one): one for one in answers}.values()}
        rows = [(own, line.id, *each[id(answer)]) for own, answer in zip(ids, answers, strict=True)]
        columns = dict(zip(_ANSWER.split(", "), map(_column, zip(*rows, strict=True)), strict=True))
        with host.table(_ROWS, columns) as name:  # a thousand rows as text would take longer to parse than to write
            host.run(statement(f"{_INTO_RELEASES} SELECT {_ANSWER} FROM {name}", home))
    return ids


def journaled(line: Entry) -> dict[str, Any]:
    """What the journal keeps of a line that takes from a budget: both accounts as exact numbers.

    >>> journaled(Entry("select", charged=Loss(Decimal("0.1"))))["accounts"]["eps"]
    '0.1'
    """
    return {
        "line": line.id,
        "time": line.time.isoformat() if line.time else None,
        "who": line.who.name if line.who else None,
        "of": line.relation,
        "what": line.kind,
        "accounts": accounts(line.charged),
    }


def accounts(loss: Loss) -> dict[str, str]:
    """Both accounts by name, as exact text.

    >>> accounts(Loss(Decimal("0.1"), Decimal("1e-10")))
    {'eps': '0.1', 'delta': '1E-10', 'renyi': '0', 'clamp': '0'}
    """
    return {name: str(amount) for name, amount in vars(loss).items()}


def load_lines(host: Host, home: str, who: str | None = None, last: int | None = None) -> list[Entry]:
    """The lines of a home's ledger, in no particular order: of one account, or the last ones, where that is said."""
    found = []
    sql = f"SELECT {_LINE.replace('id,', 'id::VARCHAR,', 1)} FROM msd.ledger"
    sql += "" if who is None else " WHERE who = $who"
    sql += "" if last is None else f" ORDER BY time DESC, id DESC LIMIT {last:d}"
    for row in host.rows(statement(sql, home, who=who)):
        facts = dict(zip(_LINE.split(", "), row, strict=True))
        who, program = facts.pop("who"), facts.pop("program")
        loss = Loss(*(facts.pop(f"charged_{part}") for part in ("eps", "delta", "renyi", "clamp")))
        facts |= {"time": utc(facts["time"]), "parameters": json.loads(facts["parameters"])}
        found.append(Entry(**facts, charged=loss, who=Who(who, program or "") if who is not None else None))
    return found


def load_answers(host: Host, home: str) -> list[dict[str, Any]]:
    """Every answer of a home with the time, relation and line that it belongs to, oldest first."""
    sql = (
        "SELECT l.time, l.relation, l.kind, r.n, r.k, r.method, r.bound, r.eps, r.delta, r.receipt, r.line::VARCHAR, "
        "r.id::VARCHAR FROM msd.releases AS r JOIN msd.ledger AS l ON r.line = l.id ORDER BY l.time, l.id, r.rowid"
    )
    names = ("time", "relation", "kind", "n", "k", "method", "bound", "eps", "delta", "receipt", "line", "id")
    return [dict(zip(names, row, strict=True)) for row in host.rows(statement(sql, home))]


def as_json(facts: Mapping[str, Any]) -> str:
    """Public facts as JSON text.

    >>> as_json({"eps": Decimal("0.1")})
    '{"eps": "0.1"}'
    """
    return json.dumps(dict(facts), default=str, ensure_ascii=False, allow_nan=False)


def _facts(answer: Answer) -> tuple[Any, ...]:
    facts = (answer.n, answer.k, answer.method, answer.bound, answer.worth, float(answer.delta))
    return (*facts, as_json(answer.receipt))


def _column(values: Sequence[Any]) -> Column | Sequence[Any]:
    """Numbers as an array, which a host reads faster."""
    return np.array(values) if set(map(type, values)) in ({int}, {float}) else values


def _holes(columns: str) -> str:
    return ", ".join(f"${name}" for name in columns.split(", "))
