"""Select: the way of a statement, from its questions to positions: prepare → told before? → charge → engine → draw.

All groups of a statement go it together (`release`): they are prepared, priced and charged before the first is drawn.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np

from msd_sql.actions.draw import draw, run
from msd_sql.actions.release import Asked, Drawn, Terms, Told, release
from msd_sql.actions.rows_content import rows_content
from msd_sql.catalog.amounts import shown
from msd_sql.catalog.declarations import Protected
from msd_sql.catalog.records.lines import Answer
from msd_sql.errors import uncharged
from msd_sql.question.arguments import Arguments
from msd_sql.question.prepare import Question, prepare
from msd_sql.question.source import record_assertion
from msd_sql.runtime.call import Call
from msd_sql.runtime.release_memory import Fingerprints
from msd_sql.udfs.distances.among import Selective, among
from msd_sql.udfs.privacy.randomness import SecretSource
from msd_sql.udfs.receipt import Receipt
from msd_sql.udfs.relevance.score import Score
from msd_sql.udfs.selection import planned_receipt

_TOLD: dict[str | tuple[str, type[Warning], int], int] = {}  # what Python has shown once, it need not show again
_FEW = 2_000_000  # distances that are worked out once more, to tell how far a pick is from those before it


@dataclass(frozen=True)
class Selected:
    """An answer: the chosen candidates in pick order, and the public facts of the release."""

    keys: tuple[str, ...]
    positions: list[int]  # in the query's own list, from 1
    diversity: float | None
    receipt: Receipt
    entry: str | None  # the line of the ledger; None where nothing private was read
    replayed: bool = False
    nearest: tuple[float | None, ...] | None = None  # of every pick its distance to the nearest one before


class FewCandidates(UserWarning):
    """There was nothing to choose: no more candidates than were asked for."""


@dataclass(frozen=True)
class Chosen:
    """What was chosen for a question, as places among its candidates; the rest of an answer where somebody looks."""

    question: Question
    picks: Sequence[int]
    diversity: float | None
    receipt: Receipt
    entry: str | None = None
    replayed: bool = False

    @property
    def positions(self) -> list[int]:
        """Where the chosen ones stand in the query's own list, from 1."""
        rows = self.question.candidates.rows
        return [int(rows[pick]) + 1 for pick in self.picks]

    @property
    def selected(self) -> Selected:
        """The answer as it is shown: of a thousand groups, one is looked at."""
        keys = self.question.candidates.keys
        return Selected(
            tuple(keys[pick] for pick in self.picks),
            self.positions,
            self.diversity,
            self.receipt,
            self.entry,
            self.replayed,
            _nearest(self.question, self.picks),
        )


def pick(call: Call, groups: Sequence[Arguments]) -> list[list[int]]:
    """For every group the positions, from 1, of the chosen candidates in its own list; empty for an empty one."""
    call.progress.tell(f"msd_select: preparing {len(groups):,} groups" if len(groups) > 1 else "msd_select: preparing")
    with uncharged():
        questions = prepare(call, [group for group in groups if not group.empty])
    for note in notes_before(questions):
        tell(note)  # before the charge: a program may have made errors of its warnings
    chosen = answer(call, questions)
    for note in notes_after(chosen):
        tell_late(note)
    if chosen:
        call.instance.released[call.context.connection] = chosen[-1].selected
    each = iter(chosen)
    return [[] if group.empty else next(each).positions for group in groups]


def answer(call: Call, questions: Sequence[Question]) -> list[Chosen]:
    """Answer prepared questions: from memory, from public data alone, or by releases that are charged first."""
    asked = _asked(call, questions)
    if any(question.request.public for place, question in enumerate(questions) if place not in asked):
        record_assertion(call)
    by_hash = {one.question: questions[place] for place, one in asked.items()}
    told = dict(zip(asked, release(call, list(asked.values()), lambda new: _drawn(call, new, by_hash)), strict=True))
    return [
        _private(question, told[place]) if place in told else _public(call, question)
        for place, question in enumerate(questions)
    ]


def notes_before(questions: Sequence[Question]) -> list[str]:
    """Why there will be fewer items than were asked for; from public facts alone.

    >>> notes_before([])
    []
    """
    found: list[str] = []
    for plan in {id(question.plan): question.plan for question in questions}.values():
        asked = f"k = {plan.asked} was asked for, but"
        if plan.k < min(plan.asked, plan.n):
            allowed = f"the constraint, {plan.constraint}, allows only {plan.k}"
            found.append(f"{asked} {allowed}. Ask for fewer, or allow more of each (quota_cap).")
        elif plan.trivial and plan.matroid == "uniform" and plan.asked > plan.n > 0:
            order = "the pinned ones first" if plan.pinned else "in key order"
            few = "is only 1 candidate: it was" if plan.n == 1 else f"are only {plan.n} candidates: all of them were"
            found.append(f"{asked} there {few} returned {order}, and nothing was charged.")
    return list(dict.fromkeys(found))


def notes_after(chosen: Sequence[Chosen]) -> list[str]:
    """Where nothing was left that is far enough from the picks; as public as the picks.

    >>> notes_after([])
    []
    """
    short = [one for one in chosen if one.question.plan.apart and len(one.picks) < one.question.plan.k]
    found = [
        f"k = {one.question.plan.k} was asked for, but {len(one.picks)} were chosen: no other candidate is at least "
        f"{one.question.plan.apart:g} apart from them. A smaller apart := leaves more."
        for one in short
    ]
    return list(dict.fromkeys(found))


def tell(note: str) -> None:
    """Warn as the package: whoever asked in SQL has no line of Python to be shown.

    >>> tell("k = 6 was asked for, but there are only 4 candidates.")
    Traceback (most recent call last):
    msd_sql.actions.select.FewCandidates: k = 6 was asked for, but there are only 4 candidates.
    """
    warnings.warn_explicit(note, FewCandidates, "msd_sql", 1, registry=_TOLD)


def tell_late(note: str) -> None:
    """Warn about an answer that is there: it is not lost to a program that has made errors of its warnings.

    >>> tell_late("k = 6 was asked for, but 5 were chosen.")
    """
    with suppress(FewCandidates):
        tell(note)


def priced(question: Question, receipt: Receipt) -> Answer:
    """What a question will cost and what proves it, before anything is read."""
    plan = question.plan
    noise = plan.calibration
    used = Decimal(plan.charged_delta)  # exact: a float is a binary fraction
    return Answer(
        eps=question.request.eps or Decimal(0),
        delta=min(used, question.delta) if noise is not None else Decimal(0),
        divergence=receipt.loss,
        n=plan.n,
        k=plan.k,
        method=plan.method,
        bound=noise.bound if noise else None,
        receipt=receipt.as_dict(),
    )


def _asked(call: Call, questions: Sequence[Question]) -> dict[int, Asked]:
    """The questions that read private rows, by their place. Those of one plan are asked on the same terms."""
    known: dict[tuple[Any, ...], tuple[Terms, Fingerprints]] = {}
    found = {}
    for place, question in enumerate(questions):
        plan, protected = question.plan, question.protected
        about = (id(plan), id(protected), id(question.request), id(question.items), question.candidates.type)
        if about not in known:
            if not plan.reads_private or protected is None:
                continue
            known[about] = _terms(call, question, protected), _fingerprints(question, protected)
        terms, fingerprints = known[about]
        found[place] = Asked(terms, fingerprints.of(question.candidates.column, question.facts))
    return found


def _terms(call: Call, question: Question, protected: Protected) -> Terms:
    plan, wanted = question.plan, question.request
    content = rows_content(call, question.items, protected)
    receipt = planned_receipt(plan, call.source(protected) or SecretSource())
    noise = f", ε {shown(wanted.eps)} by {plan.calibration.bound}" if wanted.eps and plan.calibration else ", exact"
    return Terms(
        kind="select",
        protected=protected,
        content=content,
        answer=priced(question, receipt),
        receipt=receipt,
        what=f"{plan.k} of {plan.n:,} by {plan.method}, diversity {plan.diversity:g}{noise}{protected.among}",
        parameters=wanted.parameters,
        fresh=wanted.fresh,
        asserted_public=wanted.public,
    )


def _drawn(call: Call, charged: Sequence[Asked], by_hash: Mapping[str, Question]) -> list[Drawn]:
    """Choose for questions about one relation, all of which have been charged."""
    found: dict[int, Drawn] = {}
    by_rows: dict[tuple[object, ...], list[int]] = {}
    for place, one in enumerate(charged):  # the rows of one relation, among the same people
        rows = one.terms.protected
        about = (id(one.terms.content), rows.name, rows.among, rows.m)
        by_rows.setdefault(about, []).append(place)
    for places in by_rows.values():
        first = charged[places[0]].terms
        questions = [by_hash[charged[place].question] for place in places]
        outcomes = draw(call, questions, first.protected, first.content)
        found.update((place, (one.picks, one.diversity)) for place, one in zip(places, outcomes, strict=True))
    return [found[place] for place in range(len(charged))]


def _public(call: Call, question: Question) -> Chosen:
    """The answer to a question that reads nothing private."""
    plan = question.plan
    scores = question.scores if question.scores is not None else np.zeros(question.candidates.n)
    outcome = run(call, question, Score(scores, max(plan.k, 1)))
    return Chosen(question, outcome.picks, outcome.diversity, outcome.receipt)


def _private(question: Question, told: Told) -> Chosen:
    known = told.release
    return Chosen(question, known.picks, known.diversity, known.receipt, known.line, told.repeated)


def _nearest(question: Question, picks: Sequence[int]) -> tuple[float | None, ...] | None:
    """From public distances alone; None where there are none, or where it would take as long as the selection."""
    distance = question.distance
    if distance is None or not (isinstance(distance, Selective) or distance.n * len(picks) <= _FEW):
        return None
    return tuple(float(row[:place].min()) if place else None for place, row in enumerate(among(distance, picks)))


def _fingerprints(question: Question, protected: Protected) -> Fingerprints:
    """Of questions of one plan; everything but the content that decides an answer, not how the statement is written."""
    return Fingerprints(
        ["keys", "public"],
        relation=protected.stored_name,  # the same in every process
        declared=str(protected.declared_at),
        audience=repr(protected.audience),
        type=question.candidates.type,
        plan={name: value for name, value in vars(question.plan).items() if name != "calibration"},
    )
