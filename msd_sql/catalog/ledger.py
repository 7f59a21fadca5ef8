"""The ledger: every answer is charged, committed and durable before anything is drawn (docs/privacy.md).

A statement is charged whole or refused whole, in one step: the budget's row is read, both rules are tried, the row is
changed and the line is written in one transaction of its own, which survives the caller's ROLLBACK.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial, reduce
from typing import TypeVar

from msd_sql.catalog.accounts import share_charge
from msd_sql.catalog.accounts.account import Account, Share
from msd_sql.catalog.accounts.share_charge import Again
from msd_sql.catalog.budget_filter import NOTHING, Budget, Loss, order_of
from msd_sql.catalog.declarations import Protected
from msd_sql.catalog.homes import write
from msd_sql.catalog.journal.settle import ACCOUNTS, budget_rows
from msd_sql.catalog.journal.steps import Step
from msd_sql.catalog.places.ledger_file import HomeHosts, LedgerFile, with_ledger_open
from msd_sql.catalog.records.lines import Answer, Entry, insert, journaled, load_lines
from msd_sql.catalog.records.refusals import refusal
from msd_sql.catalog.records.who import Who
from msd_sql.database.host import Conflict, Host
from msd_sql.database.sql_text import statement, utc
from msd_sql.errors import CatalogError

T = TypeVar("T")

# No RETURNING: it turns the update into a delete and an insert, which DuckDB (1.5.6, 2.0.0) does not see as a conflict
# with another transaction's update in place, so that one of the two would be lost.
_CHARGE = """
UPDATE msd.protected SET spent = $eps, spent_delta = $delta, spent_renyi = $renyi, spent_clamp = $clamp,
  answers = answers + $count, revision = revision + 1
WHERE key = $charged_to AND revision = $revision
"""


@dataclass(frozen=True)
class Balance:
    """A budget and what was spent of it."""

    limits: Budget
    spent: Loss
    answers: int
    revision: int = 0

    @property
    def composed_eps(self) -> Decimal:
        """What all answers come to: the smallest ε that would have allowed them."""
        return self.limits.composed(self.spent)

    @property
    def eps_left(self) -> Decimal:
        """The ε that is left, by the better of the two accounts."""
        return self.limits.left(self.spent)


@dataclass(frozen=True)
class Charged:
    """What was written: the line, its answers in the order they were given, and the balance after it."""

    line: str
    answers: tuple[str, ...]
    balance: Balance


class Ledger:
    """The ledgers of the databases that a host sees, each in the schema msd that holds the budget.

    >>> Ledger(host).charge(purchases, Entry("select"), [Answer(Decimal("0.1"), Decimal("1e-10"), n=3000, k=6)]).line
    '...-...'
    """

    def __init__(
        self,
        host: Host,
        identify: Callable[[str], str] | None = None,
        who: Callable[[], Who] | None = None,
        ledger_file: LedgerFile | None = None,
        account: Account | None = None,
    ) -> None:
        self.home_hosts = HomeHosts(host, ledger_file)
        self._account = account  # of a curator, with a share of its own; None: whoever has the file
        self._identify = identify  # tells a database's identity without asking for it again
        self._who = who  # None: the system's user

    @with_ledger_open
    def charge(
        self, protected: Protected, entry: Entry, answers: Sequence[Answer], again: Sequence[Again] = ()
    ) -> Charged:
        """Take all answers of a statement from the budget and record them, in one durable step.

        Refused with a BudgetError, and nothing is charged, where neither rule allows all of them. `again` are answers
        of the same statement that were released before: they cost nothing but the share of an account that has not
        heard them.
        """
        line = self._line(protected, entry, answers)

        def act(inner: Step) -> Charged:
            before = _balance(inner, protected)
            cost, spent = _allow(protected, before, answers, lambda: self._share(inner, protected))
            first = self._take(inner, protected, answers, again)
            after = Balance(before.limits, spent, before.answers + len(answers), before.revision + 1)
            _change(inner, protected, before, after)
            written = replace(line, charged=cost, composed_eps=after.composed_eps)
            inner.journal("charge", written.charged_to, **journaled(written))
            made = insert(inner, protected.home, written, answers)
            self._hear(inner, protected, [*made, *first])
            return Charged(line.id, made, after)

        return self._write(protected.home, act)

    @with_ledger_open
    def check(self, asked: Sequence[tuple[Protected, Sequence[Answer]]]) -> None:
        """Refuse, as `charge` would, what the budgets do not allow now of all these; nothing is charged.

        Relations can share a budget: then it has to allow the answers of all of them together.
        """
        by_budget: dict[tuple[str, str], tuple[Protected, list[Answer]]] = {}
        for protected, answers in asked:
            key = protected.home, protected.charged_to
            by_budget.setdefault(key, (protected, []))[1].extend(answers)
            if self._account is not None:
                share_charge.check(self.home_hosts.at(protected.home), self._account, protected, answers)
        for protected, together in by_budget.values():
            host = self.home_hosts.at(protected.home)
            _allow(protected, _balance(host, protected), together, partial(self._share, host, protected))

    @with_ledger_open
    def note(
        self, protected: Protected, entry: Entry, answers: Sequence[Answer] = (), again: Sequence[Again] = ()
    ) -> Charged:
        """Record what takes nothing from the budget: exact answers, or answers that are told again."""
        line = self._line(protected, entry, answers)

        def act(inner: Step) -> Charged:
            balance = _balance(inner, protected)
            self._hear(inner, protected, self._take(inner, protected, (), again))
            written = replace(line, composed_eps=balance.composed_eps)
            return Charged(line.id, insert(inner, protected.home, written, answers), balance)

        return self._write(protected.home, act)

    @with_ledger_open
    def remaining(self, protected: Protected) -> Balance:
        """What the budget has left now."""
        return _balance(self.home_hosts.at(protected.home), protected)

    @with_ledger_open
    def entries(self, who: str | None = None, last: int | None = None) -> list[Entry]:
        """The lines of every ledger in sight, oldest first: all, those of one account, or the last ones."""
        homes = [database.name for database in self.home_hosts.databases().values() if database.home]
        lines = [line for home in homes for line in load_lines(self.home_hosts.at(home), home, who, last)]
        return sorted(lines, key=lambda line: (line.time, line.id))[-last if last else 0 :]

    @with_ledger_open
    def share(self, protected: Protected) -> Share | None:
        """What the account that asks may spend of a relation's budget; None where it needs no share."""
        return self._share(self.home_hosts.at(protected.home), protected)

    def _share(self, host: Host, protected: Protected) -> Share | None:
        return share_charge.share_left(host, self._account, protected) if self._account else None

    def _take(
        self, inner: Step, protected: Protected, answers: Sequence[Answer], again: Sequence[Again]
    ) -> Sequence[str]:
        return share_charge.take(inner, self._account, protected, answers, again) if self._account else ()

    def _hear(self, inner: Step, protected: Protected, releases: Sequence[str]) -> None:
        if self._account is not None:
            share_charge.hear(inner, self._account, protected, releases)

    def _line(self, protected: Protected, entry: Entry, answers: Sequence[Answer]) -> Entry:
        return replace(
            entry.stamped(self._who() if self._who else None),
            relation=protected.stored_name,
            charged_to=protected.charged_to,
            releases=len(answers),
            eps=math.inf if any(math.isinf(one.worth) for one in answers) else float(sum(one.eps for one in answers)),
            delta=float(sum((answer.delta for answer in answers), Decimal(0))),
        )

    def _write(self, home: str, act: Callable[[Step], T]) -> T:
        return write(self.home_hosts.at(home), home, act, self._identify(home) if self._identify else None)


def price_of(limits: Budget, answers: Sequence[Answer]) -> Loss:
    """What these answers cost a budget together.

    >>> price_of(purchases.limits, [Answer(Decimal("0.1"))] * 3).eps == Decimal("0.3")
    True
    """
    return reduce(Loss.__add__, _prices(limits, answers), NOTHING)


def _prices(limits: Budget, answers: Sequence[Answer]) -> list[Loss]:
    each = {id(answer): answer for answer in answers}  # a thousand groups of one plan are one answer, a thousand times
    price = {own: limits.price(answer.eps, answer.delta, answer.divergence) for own, answer in each.items()}
    return [price[id(answer)] for answer in answers]


def _allow(
    protected: Protected, balance: Balance, answers: Sequence[Answer], share_of_asker: Callable[[], Share | None]
) -> tuple[Loss, Loss]:
    """What these answers cost by the rules of now, and what will have been spent with them; or a BudgetError.

    The share of who asks is looked at where they are refused: what is said to fit instead has to fit it as well.
    """
    prices = _prices(balance.limits, answers)
    cost = reduce(Loss.__add__, prices, NOTHING)
    spent = balance.spent + cost
    if answers and not balance.limits.allows(spent):
        share = share_of_asker()
        of_share = _prices(share.limits, answers) if share else ()
        raise refusal(protected, balance.limits, balance.spent, cost, prices, share, of_share)
    return cost, spent


def _change(inner: Host, protected: Protected, before: Balance, after: Balance) -> None:
    """The one place where an account changes because of an answer: what makes a charge durable begins here."""
    sql = statement(
        _CHARGE,
        protected.home,
        charged_to=protected.charged_to,
        revision=before.revision,
        eps=after.spent.eps,
        delta=after.spent.delta,
        renyi=after.spent.renyi,
        clamp=after.spent.clamp,
        count=after.answers - before.answers,
    )
    if inner.rows(sql) != [(1,)]:  # the number of rows it changed
        raise Conflict("the budget was changed meanwhile")


def _balance(host: Host, protected: Protected) -> Balance:
    rows = host.budgets(protected.home) if isinstance(host, Step) else budget_rows(host, protected.home)
    own, charged = rows.get(protected.stored_name), rows.get(protected.charged_to)
    if own is None or charged is None or not own["active"] or utc(own["declared_at"]) != protected.declared_at:
        raise CatalogError(
            f"The declaration of {protected.name} was changed while this query was being answered. Ask again; "
            "nothing was charged."
        )
    limits = Budget(charged["budget"], charged["delta"], order_of(charged["alpha"]))
    spent = Loss(**{name: charged[column] for name, column in ACCOUNTS.items()})
    return Balance(limits, spent, charged["answers"], charged["revision"])
