"""Prepare: questions made ready from public facts only: request → guard → catalog → features → plan.

Everything that can be refused is refused here, before anything is charged. The groups of a statement are prepared
together: what they have in common is resolved once (`ground`), what is read for their candidates is read once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np

from msd_sql.catalog.declarations import Items, Protected
from msd_sql.engines.candidates import Candidates, candidates, member_type, ordered, whole_groups
from msd_sql.errors import CatalogError, InputError
from msd_sql.question.arguments import Arguments
from msd_sql.question.features import Features, declared_values
from msd_sql.question.ground import Ground
from msd_sql.question.item_columns import knows
from msd_sql.question.measured import Unmeasured, measured
from msd_sql.question.named_keys import pinned, without
from msd_sql.question.options import Request, request
from msd_sql.question.quotas import constraint
from msd_sql.question.source import check_columns, guarded
from msd_sql.runtime.call import Call
from msd_sql.udfs.matroids import narrowed
from msd_sql.udfs.planning import Plan
from msd_sql.udfs.types import Distance, FloatArray, Matroid


@dataclass(frozen=True)
class Question:
    """A question that makes sense, with all that charging and answering it takes. All public."""

    request: Request
    candidates: Candidates
    items: Items | None
    protected: Protected | None
    distance: Distance | None
    matroid: Matroid
    scores: FloatArray | None
    plan: Plan
    delta: Decimal
    facts: list[Any]  # the public facts that decide the answer, besides keys and plan

    @property
    def cap(self) -> int:
        """Items of a unit that count."""
        return self.plan.cap


class _Draft(NamedTuple):
    """A question but for its distance: those of all groups are measured together."""

    ground: Ground
    candidates: Candidates
    scores: FloatArray | None
    pins: list[int]
    quota: Matroid
    facts: list[Any]
    plan: Plan
    unmeasured: Unmeasured | None  # None: no distance is needed

    def question(self, distance: Distance | None, facts: list[Any]) -> Question:
        ground, found, made = self.ground, self.candidates, self.plan
        names = [f"'{found.keys[pin]}'" for pin in self.pins]
        matroid = narrowed(self.quota, pinned=self.pins, distance=distance, apart=made.apart, names=names)
        made = ground.constrained(made, matroid.described)
        asked, about = (ground.request, found, ground.items, ground.protected), (distance, matroid, self.scores)
        return Question(*asked, *about, made, ground.delta, [*facts, *self.facts, "pinned", *self.pins])


def prepare(call: Call, groups: Sequence[Arguments]) -> list[Question]:
    """Check and resolve the questions of a statement; whatever is wrong with one is said here and charges nothing."""
    requests: dict[int, Request] = {}  # the options that groups have alike are one object
    for group in groups:
        if id(group.options) not in requests:
            requests[id(group.options)] = request(group.options)
    wanted = [requests[id(group.options)] for group in groups]
    for one in requests.values():
        check_columns(call, guarded(call, one.public))
    found = _candidates(call, groups, wanted)
    grounds, scores = _grounds(call, groups, wanted, found)
    quotas = _declared_quotas(call, groups, grounds, found)
    each = zip(groups, grounds, found, scores, quotas, strict=True)
    drafts = [_draft(call, *one) for one in each]
    distances = measured(call, [draft.unmeasured for draft in drafts])
    return [draft.question(*one) for draft, one in zip(drafts, distances, strict=True)]


def _draft(
    call: Call,
    group: Arguments,
    ground: Ground,
    found: Candidates,
    scores: FloatArray | None,
    declared: Features | None,
) -> _Draft:
    wanted = ground.request
    pins = pinned(call.host, found, wanted.include, wanted.exclude)
    quota, facts = constraint(group.quota, declared, ground.items, wanted, found)
    measurable = found.n > 0 and ground.measured(given=not group.features.absent)
    made = ground.plan(quota, len(pins), measured=measurable)
    ground.check_keys(found, made)
    unmeasured = Unmeasured(wanted, ground.items, group.features, found) if measurable else None
    return _Draft(ground, found, scores, pins, quota, facts, made, unmeasured)


def _candidates(call: Call, groups: Sequence[Arguments], wanted: Sequence[Request]) -> list[Candidates]:
    """The candidates of every group, without those that a call takes out."""
    whole = [(group.numbers, group.key_type) for group in groups if group.numbers is not None]
    each = iter(whole_groups(whole))
    found = [next(each) if group.numbers is not None else _texts(call, group) for group in groups]
    return [without(call.host, one, asked.exclude) for one, asked in zip(found, wanted, strict=True)]


def _texts(call: Call, group: Arguments) -> Candidates:
    if group.order is not None:
        return candidates(group.keys, group.order, group.key_type)
    name = group.options.get("key")
    kind = group.key_type
    if name is not None:
        kind = call.once(("key type", group.key_type, name), lambda: member_type(call.host, group.key_type, name))
    return ordered(call.host, group.keys, kind)


def _grounds(
    call: Call, groups: Sequence[Arguments], wanted: Sequence[Request], found: Sequence[Candidates]
) -> tuple[list[Ground], list[FloatArray | None]]:
    """What each group has in common with others, one object for all of them; and its scores, if they are public."""
    fitting: dict[bool, list[Items]] = {}
    known: dict[tuple[int, int, bool], Ground] = {}
    grounds, listed = [], []
    for group, asked, own in zip(groups, wanted, found, strict=True):
        if asked.public not in fitting:
            names = {str(name) for name in guarded(call, asked.public).rows}
            fitting[asked.public] = [items for items in call.items() if items.name in names]
        items = _items(call, fitting[asked.public], own)
        scores = _scores(group, own)
        about = (id(asked), id(items), scores is not None)
        if about not in known:
            known[about] = Ground(call, asked, items, scored=scores is not None)
        grounds.append(known[about])
        listed.append(scores)
    return grounds, listed


def _items(call: Call, fitting: list[Items], found: Candidates) -> Items | None:
    if len(fitting) > 1:  # several calls in one statement, or a join of items relations: the keys tell
        fitting = [items for items in fitting if knows(call, items, found)] or fitting
    if len(fitting) > 1:
        raise CatalogError(
            f"The candidates come from several declared items relations ({', '.join(one.name for one in fitting)}). "
            "Select from one of them."
        )
    return fitting[0] if fitting else None


def _declared_quotas(
    call: Call, groups: Sequence[Arguments], grounds: Sequence[Ground], found: Sequence[Candidates]
) -> list[Features | None]:
    """The values that a declaration limits, of the groups whose call says nothing of a quota itself."""
    listed: list[Features | None] = [None] * len(groups)
    places: dict[int, list[int]] = {}
    for place, (group, ground) in enumerate(zip(groups, grounds, strict=True)):
        if group.quota.absent and ground.items is not None and ground.items.quota:
            places.setdefault(id(ground.items), []).append(place)
    for some in places.values():
        items = grounds[some[0]].items
        assert items is not None
        read = declared_values(call, items, [found[place] for place in some], items.quota)
        for place, values in zip(some, read, strict=True):
            listed[place] = values
    return listed


def _scores(arguments: Arguments, found: Candidates) -> FloatArray | None:
    if arguments.scores is None:
        return None
    scores = arguments.scores[found.rows]
    bad = int(np.count_nonzero(~np.isfinite(scores)))
    if bad:
        raise InputError(
            f"score: {bad} of {found.n} candidates have a score that is NULL, NaN, infinite or not a number."
        )
    low, high = min(float(scores.min(initial=0.0)), 0.0), float(scores.max(initial=0.0))
    if low == 0.0 and high <= 1.0:
        return scores
    scaled: FloatArray = (scores - low) / (high - low)
    return scaled
