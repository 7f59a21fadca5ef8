"""Draw: from questions that have been charged to picks, the groups of a statement together where they are alike."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from msd_sql.catalog.declarations import Protected
from msd_sql.database.background import BackgroundRead
from msd_sql.engines.build import Indexes, asked_before, build, build_groups, keep_index, prepared
from msd_sql.engines.candidates import Candidates
from msd_sql.question.item_columns import all_keys
from msd_sql.question.options import AUTO
from msd_sql.question.prepare import Question
from msd_sql.runtime.call import Call
from msd_sql.udfs.selection import OnRound, Outcome, select
from msd_sql.udfs.selection_of_groups import alike, select_groups
from msd_sql.udfs.types import Relevance, RelevanceOfGroups

Content = BackgroundRead[str]
T = TypeVar("T", Relevance, RelevanceOfGroups)


def draw(call: Call, questions: Sequence[Question], protected: Protected, content: Content) -> list[Outcome]:
    """Choose, from the protected relation, for questions that have been charged."""
    found: dict[int, Outcome] = {}
    call.progress.tell(f"msd_select: reading {protected.name}")
    for places in _alike(questions).values():
        found.update(_together(call, {place: questions[place] for place in places}, protected, content))
    seen = call.once(("drawn", protected.name), lambda: [0])  # of this statement, whose groups may come in chunks
    for place, question in enumerate(questions):
        if place not in found:
            call.check()
            seen[0] += 1
            several = seen[0] > 1 or len(questions) > 1
            group = f"group {seen[0]:,}, " if several else ""
            found[place] = _alone(call, question, protected, content, group=group)
    return [found[place] for place in range(len(questions))]


def run(call: Call, question: Question, relevance: Relevance, group: str = "") -> Outcome:
    """Choose by a relevance that is at hand; `group` says which one of several it is, for who watches."""
    source = call.source(question.protected) if question.protected is not None else None
    return select(question.plan, relevance, question.distance, question.matroid, source, _watched(call, group))


def _watched(call: Call, what: str) -> OnRound:
    """What happens before every round: it is told of, unless the call was stopped."""

    def on_round(drawn: int, rounds: int) -> None:
        call.check()
        call.progress.tell(f"msd_select: {what}round {drawn:,}" + (f" of {rounds:,}" if rounds else ""))

    return on_round


def _alike(questions: Sequence[Question]) -> dict[object, list[int]]:
    """The questions that can be run together, by what they have in common."""
    found: dict[object, list[int]] = {}
    known = {id(question.plan): question.plan for question in questions}
    commons = {own: alike(plan) for own, plan in known.items()}
    for place, question in enumerate(questions):
        common = commons[id(question.plan)]
        if common is not None:
            kind = (question.candidates.type, question.request.engine, question.distance is None)
            found.setdefault((common, kind), []).append(place)
    return {common: places for common, places in found.items() if len(places) > 1}


def _together(call: Call, questions: dict[int, Question], protected: Protected, content: Content) -> dict[int, Outcome]:
    """The outcomes of questions that are alike; none where they have to be answered one by one."""
    groups = list(questions.values())
    relevance = build_groups(
        call.holder(protected),
        protected,
        [question.candidates for question in groups],
        cap=groups[0].cap,
        engine=groups[0].request.engine,
        indexes=call.instance.caches.indexes,
        content=content,
    )
    if relevance is None:
        return {}
    with _closing(relevance):
        outcomes = select_groups(
            [question.plan for question in groups],
            relevance,
            [question.distance for question in groups],
            source=call.source(protected),
            on_round=_watched(call, f"{len(groups):,} groups, "),
        )
    return dict(zip(questions, outcomes, strict=True))


def _alone(call: Call, question: Question, protected: Protected, content: Content, *, group: str) -> Outcome:
    plan = question.plan
    indexes = call.instance.caches.indexes

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

    outcome = _from_kept(call, question, protected, content, indexes, group)
    if outcome is None:
        if not protected.in_spark and (group or asked_before(protected, indexes)):  # where indexes are kept
            about = ("all items", protected.name, protected.among)
            call.once(about, lambda: _index_all(call, question, protected, content, indexes))
        with _closing(relevance(question.candidates)) as found:
            outcome = run(call, question, found, group)
    return outcome


def _index_all(call: Call, question: Question, protected: Protected, content: Content, indexes: Indexes) -> None:
    """Have one index of all items, which serves every part of them: one pass and not thousands.

    Whoever asks about a second part, by category or without a few, asks about others; and an index for each would take
    the memory of all.
    """
    if question.items is None or question.request.engine not in (AUTO, "memory"):
        return
    everything = all_keys(call, question.items, question.candidates.type)
    if everything is not None and everything.holds(question.candidates):
        engine = question.request.engine
        keep_index(call.holder(protected), protected, everything, engine, indexes, question.items, content)


def _from_kept(
    call: Call, question: Question, protected: Protected, content: Content, indexes: Indexes, group: str
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
    outcome = run(call, question, found[0], group)
    return outcome if content() == found[1] else None


@contextmanager
def _closing(relevance: T) -> Iterator[T]:
    """Let go of what a relevance keeps elsewhere, such as in a cluster's memory."""
    try:
        yield relevance
    finally:
        getattr(relevance, "close", lambda: None)()
