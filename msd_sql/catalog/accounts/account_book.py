"""The account book: accounts, their shares and what is published, read from and written to schema msd."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache
from importlib.resources import files
from typing import Any, TypeVar

from msd_sql.catalog.accounts.account import ROLES, Account, Share, checked_name, hashed, new_salt, new_token
from msd_sql.catalog.amounts import brief, shown
from msd_sql.catalog.budget_filter import NOTHING, Budget, Loss, choose_order, order_of
from msd_sql.catalog.declarations import Protected
from msd_sql.catalog.homes import create, write
from msd_sql.catalog.journal.steps import Step
from msd_sql.catalog.records.lines import Entry, insert
from msd_sql.catalog.records.who import Who
from msd_sql.database.host import Host
from msd_sql.database.sql_text import statement, utc
from msd_sql.errors import CatalogError, InputError, suggest

T = TypeVar("T")
_TABLES = (
    "SELECT 1 FROM duckdb_tables() WHERE schema_name = 'msd' AND table_name = 'accounts' AND database_name = $home"
)
_ACCOUNTS = "SELECT name, role, created_at, expires_at, revoked_at, salt, token FROM msd.accounts"
_SHARES = """
SELECT account, relation, budget, delta, alpha, spent, spent_delta, spent_renyi, spent_clamp, answers, revision
FROM msd.shares
"""
_GRANT = """
INSERT INTO msd.shares
VALUES ($account, $relation, $budget, $delta, $alpha, $eps, $spent_delta, $renyi, $clamp, $answers, 0)
ON CONFLICT (account, relation) DO UPDATE SET budget = $budget, delta = $delta, alpha = $alpha, revision = revision + 1
"""


@dataclass(frozen=True)
class Known:
    """An account with what is kept of its token."""

    account: Account
    salt: str
    token: str


class AccountBook:
    """The accounts of one home.

    >>> AccountBook(host, "shop").accounts()
    []
    """

    def __init__(self, host: Host, home: str, who: Who | None = None) -> None:
        self._host, self._home, self._who = host, home, who

    def accounts(self) -> list[Account]:
        """Every account with its shares, by name."""
        return [known.account for known in self.known()]

    def known(self) -> list[Known]:
        """Every account with its shares and what is kept of its token, by name; none before the first one was added."""
        if not self._there():
            return []
        shares: dict[str, list[Share]] = {}
        for row in self._rows(_SHARES):
            shares.setdefault(row[0], []).append(share_of(row[1:]))
        found = []
        for name, role, created, expires, revoked, salt, token in self._rows(f"{_ACCOUNTS} ORDER BY name"):
            made, ends, ended = (None if time is None else utc(time) for time in (created, expires, revoked))
            account = Account(name, role, made, ends, ended, tuple(shares.get(name, ())))
            found.append(Known(account, salt, token))
        return found

    def need(self, name: str) -> Account:
        """An account by its name."""
        found = {account.name: account for account in self.accounts()}
        if name not in found:
            raise CatalogError(suggest("account", name, found))
        return found[name]

    def add(self, name: str, role: str = "analyst", expires_at: datetime | None = None) -> str:
        """Add an account; its token, which is shown once."""
        checked_name(name)
        if role not in ROLES:
            raise InputError(suggest("role", role, ROLES))
        token, salt = new_token(name), new_salt()
        kept = hashed(token, salt)

        def act(inner: Step) -> None:
            taken = inner.rows(statement("SELECT 1 FROM msd.accounts WHERE name = $name", self._home, name=name))
            if taken or name in inner.totals.accounts.names:
                raise CatalogError(f"There is an account {name} already, or was: a name is given once. Take another.")
            sql = "INSERT INTO msd.accounts VALUES ($name, $role, $salt, $token, $now, $expires, NULL)"
            facts = {"name": name, "role": role, "salt": salt, "token": kept, "expires": expires_at}
            inner.run(statement(sql, self._home, now=datetime.now(UTC), **facts))
            inner.journal("account", None, account=name, revoked=None)
            until = f" until {expires_at:%Y-%m-%d %H:%M} UTC" if expires_at else ""
            self._record(inner, "account", f"account {name} added: {role}{until}", {"account": name, "role": role})

        self._write(act)
        return token

    def revoke(self, name: str) -> None:
        """End an account for good; what it spent stays spent."""
        self.need(name)

        def act(inner: Step) -> None:
            sql = "UPDATE msd.accounts SET revoked_at = $now WHERE name = $name AND revoked_at IS NULL"
            now = datetime.now(UTC)
            inner.run(statement(sql, self._home, now=now, name=name))
            inner.journal("account", None, account=name, revoked=now.isoformat())
            self._record(inner, "account", f"account {name} revoked", {"account": name})

        self._write(act)

    def grant(self, name: str, protected: Protected, budget: Decimal, delta: Decimal | None = None) -> None:
        """Let an account spend so much of a relation's budget; δ follows in proportion. What it spent stays spent."""
        self.need(name)
        if protected.home != self._home:
            raise CatalogError(
                f"The budget of {protected.name} is kept in database {protected.home}, and accounts in {self._home}: a "
                "share is taken in the same step as the budget, so that both must be in one file."
            )
        if budget > protected.budget:
            raise InputError(
                f"A share of ε {shown(budget)} is more than the whole budget of {protected.name}, ε "
                f"{shown(protected.budget)}."
            )
        given = delta if delta is not None else protected.delta * budget / protected.budget

        def act(inner: Step) -> None:
            spent, answers, alpha = self._spent(inner, name, protected.stored_name)
            # The order stays what it was once anything was spent: a divergence of one order says nothing of another.
            limits = Budget(budget, given, alpha if answers else choose_order(budget, given))
            facts: dict[str, Any] = {
                "account": name,
                "relation": protected.stored_name,
                "budget": budget,
                "delta": given,
            }
            held = {"eps": spent.eps, "spent_delta": spent.delta, "renyi": spent.renyi, "clamp": spent.clamp}
            inner.run(statement(_GRANT, self._home, alpha=limits.alpha, answers=answers, **facts, **held))
            granted = {
                "budget": str(budget),
                "delta": str(given),
                "alpha": None if limits.alpha is None else str(limits.alpha),
            }
            inner.journal("grant", protected.stored_name, account=name, granted=granted)
            what = f"account {name} may spend ε {brief(budget)} of {protected.name}"
            self._record(inner, "account", what, {"account": name, "budget": str(budget)}, protected.stored_name)

        self._write(act)

    def _spent(self, inner: Step, name: str, relation: str) -> tuple[Loss, int, Decimal | None]:
        """What an account has spent of a relation, its answers and the order: by its row, or by the journal alone."""
        rows = {(row[0], row[1]): share_of(row[1:]) for row in inner.rows(statement(_SHARES, self._home))}
        share = rows.get((name, relation))
        if share is not None:
            return share.spent, share.answers, share.limits.alpha
        told = inner.totals.accounts.spent.get((name, relation), {})
        spent = Loss(**{part: Decimal(told.get(part, 0)) for part in vars(NOTHING)})
        alpha = told.get("alpha")
        return spent, int(told.get("answers", 0)), None if alpha is None else order_of(Decimal(alpha))

    def published(self) -> list[str]:
        """The stored names of what is published."""
        if not self._there():
            return []
        return [row[0] for row in self._rows("SELECT key FROM msd.published ORDER BY key")]

    def publish(self, stored_name: str, text: str = "", *, publish: bool = True) -> None:
        """Let analysts see a relation whole, or no longer; on the record."""

        def act(inner: Step) -> None:
            sql = "INSERT INTO msd.published VALUES ($key, $now) ON CONFLICT DO NOTHING"
            if not publish:
                sql = "DELETE FROM msd.published WHERE key = $key AND published_at <= $now"
            inner.run(statement(sql, self._home, key=stored_name, now=datetime.now(UTC)))
            kind = "publish" if publish else "unpublish"
            self._record(inner, kind, f"{kind}: analysts see it whole" if publish else kind, {}, stored_name, text)

        if publish != (stored_name in self.published()):
            self._write(act)

    def _create(self, inner: Step) -> None:
        for one in _schema():
            inner.run(statement(one, self._home))

    def _there(self) -> bool:
        return bool(self._host.rows(statement(_TABLES, self._home, home=self._home)))

    def _rows(self, sql: str) -> list[tuple[Any, ...]]:
        return self._host.rows(statement(sql, self._home))

    def _record(
        self,
        inner: Step,
        kind: str,
        what: str,
        facts: Mapping[str, Any],
        relation: str | None = None,
        text: str = "",
    ) -> None:
        insert(inner, self._home, Entry(kind, text, facts, relation=relation, what=what, who=self._who))

    def _write(self, act: Callable[[Step], T]) -> T:
        create(self._host, self._home)
        if not self._there():
            write(self._host, self._home, self._create)
        return write(self._host, self._home, act)


def share_of(row: Sequence[Any]) -> Share:
    """A share from its row: relation, limits, what was spent, answers, revision."""
    relation, budget, delta, alpha, *spent, answers, revision = row
    return Share(relation, Budget(budget, delta, order_of(alpha)), Loss(*spent), answers, revision)


@cache
def _schema() -> tuple[str, ...]:
    text = files("msd_sql.catalog.accounts").joinpath("accounts.sql").read_text("utf-8")
    lines = "\n".join(line for line in text.splitlines() if not line.startswith("--"))
    return tuple(part.strip() for part in lines.split(";") if part.strip())
