"""Select: the way of a query, from the question to positions: prepare → replay → charge → engine → select.

A release is charged, committed and durable before the engine reads a row for it. What fails after that stays charged:
whether a read of private rows fails can depend on them, and a failure that costs nothing could be asked for again and
again until it has told what it depends on (docs/privacy.md).
"""

from __future__ import annotations

import secrets
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from msd_sql.catalog.declarations import Items, Protected
from msd_sql.catalog.ledger import Entry
from msd_sql.database.background import BackgroundRead
from msd_sql.database.host import Host, Interrupted
from msd_sql.database.private_reads import private
from msd_sql.database.storage_layout import storage_fingerprint
from msd_sql.engines.build import Indexes, build, prepared
from msd_sql.engines.candidates import Candidates
from msd_sql.engines.similarity_steps import public_content
from msd_sql.errors import EngineError, MsdError
from msd_sql.question.arguments import Arguments
from msd_sql.question.item_columns import all_keys
from msd_sql.question.options import AUTO
from msd_sql.question.prepare import Question, prepare
from msd_sql.runtime.call import INTERRUPTED, Call, uncharged
from msd_sql.runtime.release_memory import Release, content_columns, content_fingerprint, fingerprint
from msd_sql.udfs.privacy.randomness import SecretSource
from msd_sql.udfs.receipt import Receipt
from msd_sql.udfs.relevance.score import Score
from msd_sql.udfs.selection import Outcome, planned_receipt, select
from msd_sql.udfs.types import Relevance


@dataclass(frozen=True)
class Selected:
    """An answer: the chosen candidates in pick order, and the public facts of the release."""

    keys: tuple[str, ...]
    positions: list[int]  # in the query's own list, from 1
    diversity: float | None
    receipt: Receipt
    entry: str | None  # the line of the ledger; None where nothing private was read
    replayed: bool = False


class FewCandidates(UserWarning):
    """There was nothing to choose: no more candidates than were asked for."""


def pick(call: Call, arguments: Arguments) -> list[int]:
    """The positions, from 1, of the chosen candidates in the query's own list; empty for an empty input."""
    if arguments.empty:
        return []
    with uncharged():
        question = prepare(call, arguments, lambda protected, items: _content(call, items, protected))
    selected = answer(call, question)
    call.instance.released[call.context.connection] = selected
    return selected.positions


def answer(call: Call, question: Question) -> Selected:
    """Answer a prepared question: from memory, from public data alone, or by a release that is charged first."""
    plan = question.plan
    if plan.trivial and plan.matroid == "uniform" and plan.asked > plan.n > 0:
        order = "the pinned ones first" if plan.pinned else "in key order"
        warnings.warn(
            f"k = {plan.asked} was asked for, but there are only {plan.n} candidates: all of them were returned "
            f"{order}, and nothing was charged.",
            FewCandidates,
            stacklevel=2,
        )
    if not plan.reads_private or question.protected is None:
        return _told(question, _run(call, question, _public(question)))
    protected = question.protected
    content = _content(call, question.items, protected)
    # Nobody waits for the fingerprint of the rows unless there is a release, or an index, that it may fit.
    memory = call.instance.caches.memory
    home = call.identity(protected.home)
    with memory.asking(home, _fingerprint(question), content, fresh=question.request.fresh) as slot:
        if slot.release is not None:
            known: Outcome = slot.release.receipt  # type: ignore[assignment]
            call.ledger.note(protected, _entry(call, question, slot.release.entry))
            return _told(question, known, slot.release.entry, replayed=True)
        outcome, entry = _release(call, question, protected, content)
        slot.record(Release(outcome.picks, outcome, entry))
    return _told(question, outcome, entry)


def _release(call: Call, question: Question, protected: Protected, content: BackgroundRead[str]) -> tuple[Outcome, str]:
    call.check()
    plan = question.plan
    entry = _entry(call, question)
    with uncharged(), private(protected.name):
        content.wait_for_snapshot()
    if plan.exact:
        charged = call.ledger.note(protected, entry)
    else:
        charged = call.ledger.charge(protected, entry, eps=question.request.eps or 0, delta=question.delta)
    indexes = call.instance.caches.indexes
    with withholding_unexpected():

        def relevance(candidates: Candidates) -> Relevance:
            return build(
                call.holder(protected),
                protected,
                candidates,
                k=plan.k,
                cap=question.cap,
                engine=question.request.engine,
                indexes=indexes,
                items=question.items,
                content=content,
                public=call.host,
            )

        if not protected.in_spark:  # an index that serves other groups is kept in this process only
            _prepare_groups(call, question, relevance)
        outcome = _from_kept(call, question, protected, content, indexes)
        if outcome is not None:
            return outcome, charged
        with _closing(relevance(question.candidates)) as found:
            return _run(call, question, found), charged


def _from_kept(
    call: Call, question: Question, protected: Protected, content: BackgroundRead[str], indexes: Indexes
) -> Outcome | None:
    """The outcome over a kept index, drawn while the rows' fingerprint is worked out; None if they are others now.

    Whether an outcome is dropped depends on the rows and not on what was drawn, and nobody ever sees what is dropped.
    """
    if question.request.engine not in (AUTO, "memory"):
        return None
    found = prepared(
        call.holder(protected),
        protected,
        question.candidates,
        k=question.plan.k,
        cap=question.cap,
        indexes=indexes,
        items=question.items,
    )
    if found is None or (content.finished and content() != found[1]):
        return None
    outcome = _run(call, question, found[0])
    return outcome if content() == found[1] else None


@contextmanager
def _closing(relevance: Relevance) -> Iterator[Relevance]:
    """Let go of what a relevance keeps elsewhere, such as in a cluster's memory."""
    try:
        yield relevance
    finally:
        getattr(relevance, "close", lambda: None)()


def _prepare_groups(call: Call, question: Question, relevance: Callable[[Candidates], Relevance]) -> None:
    """From the second group of a statement on, one index of all items serves the rest: one pass and not thousands."""
    groups = call.once(("releases",), lambda: [0])
    groups[0] += 1
    items, kind = question.items, question.candidates.type
    if groups[0] != 2 or items is None or question.request.engine not in (AUTO, "memory"):
        return
    everything = all_keys(call, items, kind)
    if everything is not None:
        relevance(everything)


def _run(call: Call, question: Question, relevance: Relevance) -> Outcome:
    return select(
        question.plan, relevance, question.distance, question.matroid, on_round=lambda drawn, rounds: call.check()
    )


def _public(question: Question) -> Relevance:
    scores = question.scores if question.scores is not None else np.zeros(question.candidates.n)
    return Score(scores, max(question.plan.k, 1))


def _told(question: Question, outcome: Outcome, entry: str | None = None, *, replayed: bool = False) -> Selected:
    found = question.candidates
    return Selected(
        keys=tuple(found.keys[pick] for pick in outcome.picks),
        positions=[int(found.rows[pick]) + 1 for pick in outcome.picks],
        diversity=outcome.diversity,
        receipt=outcome.receipt,
        entry=entry,
        replayed=replayed,
    )


def _entry(call: Call, question: Question, replayed: str | None = None) -> Entry:
    plan, wanted = question.plan, question.request
    parameters: dict[str, Any] = dict(wanted.parameters)
    if replayed is not None:
        parameters["of"] = replayed
    return Entry(
        "replay" if replayed else "exact" if plan.exact else "select",
        statement=call.context.statement,
        parameters=parameters,
        n=plan.n,
        k=plan.k,
        method=plan.method,
        bound=plan.calibration.bound if plan.calibration else None,
        eps=0.0 if replayed else float("inf") if plan.exact else float(wanted.eps or 0),
        delta=0.0 if replayed else float(question.delta),
        exact=plan.exact,
        asserted_public=wanted.public,
        replayed=replayed is not None,
        receipt=planned_receipt(plan, SecretSource()).as_dict(),
    )


def _content(call: Call, items: Items | None, protected: Protected) -> BackgroundRead[str]:
    """What the relevance is computed from: the private rows, and the item rows if a similarity reads them."""

    # An index or a release must never be kept as one of rows that came after it: the fingerprint sees the rows before
    # they are read (`wait_for_snapshot`). A view may read files, which have no transactions: there it comes first.
    def begin() -> BackgroundRead[str]:
        stored = call.stored(protected.relation) if protected.relation is not None else None
        layouts = call.instance.caches.layouts

        def work(host: Host) -> str:
            public = call.host if protected.in_spark else host
            try:
                stored_as = storage_fingerprint(host, stored, content_columns(protected)) if stored else None
                rows = layouts.content(protected.name, stored_as, lambda: content_fingerprint(host, protected))
                return f"{rows} {public_content(public, protected, items)}" if protected.similarity else rows
            except EngineError:  # like nothing that was ever seen: what fails to be read fails after the charge
                return secrets.token_hex()

        with private(protected.name):
            return call.background(call.holder(protected), work, protected.sql if stored else None)

    return call.once(("content", protected.name), begin)


def _fingerprint(question: Question) -> str:
    """Everything but the content that decides the answer; how the statement is written is not among it."""
    plan, protected = question.plan, question.protected
    return fingerprint(
        relation=protected.name if protected else None,
        declared=str(protected.declared_at) if protected else None,
        keys=question.candidates.column,
        type=question.candidates.type,
        plan={name: value for name, value in vars(plan).items() if name != "calibration"},
        public=question.facts,
    )


@contextmanager
def withholding_unexpected() -> Iterator[None]:
    """After the charge private rows are at hand: an error that is not ours says its kind and nothing else."""
    try:
        yield
    except Interrupted:
        kind = ""
    except (MsdError, KeyboardInterrupt):
        raise
    except MemoryError:  # numpy's says how large an array it wanted
        kind = "there was not enough memory; engine := 'sql' needs less"
    except Exception as error:
        kind = type(error).__name__
    else:
        return
    if not kind:
        raise EngineError(INTERRUPTED)
    raise EngineError(
        f"The selection failed ({kind}); its message is withheld because it could quote private values. "
        "What was charged stays charged."
    )
