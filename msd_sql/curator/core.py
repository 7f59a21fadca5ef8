"""The core of a curator: `answer(account, question)`, whatever brought the question.

Behind is the private database, in front is one that holds what is published. The SQL of a client runs in front only,
so that no guard has to look at it: what it could read is public, by construction.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pyarrow as pa

from msd_sql.catalog.accounts.account import Account
from msd_sql.curator.behind import Behind
from msd_sql.curator.doorkeeper import Doorkeeper
from msd_sql.curator.front import Statement, checked
from msd_sql.curator.fronts import Fronts
from msd_sql.curator.limits import Gate, LimitError, Limits, Watch
from msd_sql.curator.log import Log
from msd_sql.curator.owner_acts import ACCOUNT_ACTS
from msd_sql.curator.questions import OWNERS, PRIVATE, QUESTIONS
from msd_sql.database.host import HostError
from msd_sql.errors import EngineError, InputError, MsdError, PrivacyError
from msd_sql.remote.wire import Asked, Told

Gone = Callable[[], bool]
_SAID = 10_000  # characters of a statement that are logged, where statements are
_ACTS = frozenset({*QUESTIONS, *ACCOUNT_ACTS, "pull", "published"})


class Curator:
    """One private database with its accounts.

    `pace`: answers about private relations come only at multiples of so many seconds after the question, so that
    their time tells less of what was read.
    """

    def __init__(self, path: str, limits: Limits | None = None, *, log: Log | None = None, pace: float = 0.0) -> None:
        self.limits = limits or Limits()
        self.log = log or Log()
        self.file = path
        self.behind = Behind(path)
        self.fronts = Fronts(self.limits, lambda account, gone: _Inside(self, account, gone))
        self.keeper = Doorkeeper(self.behind.known)
        self.gate = Gate(self.limits)
        self.started = time.time()
        self._pace = pace
        self._watch = Watch(self.limits.seconds)
        self._end = threading.Event()
        self._publishing = threading.Lock()
        self.refresh()

    def answer(self, account: Account, asked: Asked, gone: Gone = lambda: False) -> Told:
        """Answer a question of an account; an MsdError where it is refused. `gone`: nobody waits for it any more."""
        act = asked.act if asked.act in _ACTS else "unknown"  # a client may call it anything, as long as it likes
        with self._let_in(account, act, asked.given), self._paced(asked.act in PRIVATE):
            return self.answer_inside(account, asked, gone)

    def answer_inside(self, account: Account, asked: Asked, gone: Gone) -> Told:
        """The same for a statement in front, which has been let in already."""
        if asked.act in OWNERS and not account.owner:
            raise PrivacyError("This is for the owner: an analyst's token cannot do it. Nothing was changed.")
        if asked.act == "pull":
            return self._pull(account, asked)
        if asked.act == "published":
            return self._published(account)
        if asked.act in ACCOUNT_ACTS:
            return self._account_act(account, asked)
        act = QUESTIONS.get(asked.act)
        if act is None:
            raise InputError("This curator does not know that question: use the same version of msd_sql.")
        with (
            self._plain_errors(),
            self.behind.call(account, asked.given, lambda stop: self._watch.over(stop, gone)) as call,
        ):
            told = act(call, asked, self.limits)
        if asked.act == "declare":
            self.refresh()
        return told

    def check(self, sql: str) -> Statement:
        """A statement that may run in front."""
        return checked(sql, self.limits)

    def schema(self, account: Account, statement: Statement) -> pa.Schema:
        """The columns that a statement will give."""
        with self._let_in(account, "describe", {"statement": statement.sql}), self.fronts.of(account) as front:
            return front.schema(account, statement)

    def statement(
        self, account: Account, statement: Statement, values: Sequence[Any] = (), gone: Gone = lambda: False
    ) -> pa.Table:
        """The rows of a statement, run in front."""
        said = {"statement": statement.sql}  # whether it asks anything private cannot be told from its text
        with self._let_in(account, "statement", said), self._paced(True), self.fronts.of(account) as front:
            return front.run(account, statement, values, watch=self._watch.over, gone=gone)

    def account(self, header: str) -> Account | None:
        """The account of an authorization header; None where it is not one."""
        token = self.keeper.bearer(header)
        return None if token is None else self.keeper.account(token)

    def refresh(self) -> None:
        """Look again at the accounts and at what is published, and copy what has changed."""
        with self._publishing:
            self.keeper.refresh()
            self.behind.refresh()
            changed = self.fronts.refresh(self.behind)
        if changed:
            self.log.write("published", relations=changed)

    def refresh_every(self, seconds: float) -> threading.Thread:
        """Refresh so often, until the curator is closed."""

        def run() -> None:
            while not self._end.wait(seconds):
                try:
                    self.refresh()
                except Exception as error:
                    self.log.write("refresh failed", reason=type(error).__name__)

        thread = threading.Thread(target=run, name="curator refresh", daemon=True)
        thread.start()
        return thread

    def close(self) -> None:
        """Stop what runs, and close both databases."""
        self._end.set()
        deadline = time.monotonic() + 10
        self.behind.instance.stop()
        while self.gate.busy and time.monotonic() < deadline:
            time.sleep(0.05)
        self._watch.close()
        self.fronts.close()
        self.behind.close()

    def _pull(self, account: Account, asked: Asked) -> Told:
        name = self.behind.need_published(str(asked.given.get("relation") or ""))
        with self.fronts.of(account) as front:
            table, types = front.whole(name)
        return Told({"name": name.name, "types": types}, table)

    def _published(self, account: Account) -> Told:
        with self.behind.call(account, {}) as call, self.fronts.of(account) as front:
            items = {one.name: one for one in call.items()}
            found = []
            for name in self.behind.published:
                one = items.get(str(name))
                facts = {"key": one.key_column, "features": one.features, "quota": one.quota} if one else {}
                found.append({"schema": name.schema, "name": name.name, "columns": front.columns(name), **facts})
            shares = [
                {
                    "relation": known.stored_name,
                    "budget": float(known.budget),
                    "left": float(call.ledger.remaining(known).eps_left),
                    **_share(call, known),
                }
                for known in call.protected()
            ]
        return Told({"tables": found, "relations": shares, "account": account.name, "role": account.role})

    def _account_act(self, account: Account, asked: Asked) -> Told:
        with self._plain_errors(), self.behind.call(account, {}) as call, self.behind.book(account) as book:
            told = ACCOUNT_ACTS[asked.act](call, book, asked.given)
        if asked.act == "status":
            facts = {"refused": list(self.log.refused), "busy": self.gate.busy, "started": self.started}
            return Told({**told.values, **facts})
        self.keeper.refresh()
        return told

    @contextmanager
    def _let_in(self, account: Account, act: str, said: Any) -> Iterator[None]:
        begun = time.perf_counter()
        try:
            with self.gate.entered(account.name):
                yield
        except MsdError as error:
            self.log.refuse(account.name, act, error, {"statement": str(said.get("statement"))[:_SAID]})
            raise
        except Exception as error:
            self.log.refuse(account.name, act, error)
            raise EngineError("The curator failed; what was charged stays charged. Its log has the kind.") from None
        facts = {"statement": str(said.get("statement"))[:_SAID]} if self.log.statements else {}
        self.log.answered(account.name, act, time.perf_counter() - begun, **facts)

    @contextmanager
    def _paced(self, private: bool) -> Iterator[None]:
        begun = time.monotonic()
        try:
            yield
        finally:  # a refusal as well as an answer
            if private and self._pace > 0:
                passed = time.monotonic() - begun
                time.sleep(max(math.ceil(passed / self._pace) * self._pace - passed, 0.0))

    @contextmanager
    def _plain_errors(self) -> Iterator[None]:
        """An error that is not ours says its kind and nothing else."""
        try:
            yield
        except (MsdError, LimitError):
            raise
        except HostError as error:
            raise EngineError(
                f"The private database refused a statement ({error.kind}). What was charged stays charged."
            ) from None


def _share(call: Any, known: Any) -> dict[str, Any]:
    share = call.ledger.share(known)
    return {} if share is None else {"share": float(share.limits.eps), "share_left": float(share.left)}


class _Inside:
    """The door of a statement in front: the core of the same process, for the account that the statement is of."""

    def __init__(self, curator: Curator, account: Account, gone: Gone) -> None:
        self._curator, self._account, self._gone = curator, account, gone

    def ask(self, asked: Asked) -> Told:
        """Ask the core."""
        if asked.act == "pull":
            raise InputError("What is published is here already: SELECT from it by its name.")
        return self._curator.answer_inside(self._account, asked, self._gone)

    def close(self) -> None:
        """Nothing is open."""
