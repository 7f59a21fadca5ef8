"""Prepare: a question made ready from public facts only: request → guard → catalog → features → plan.

Everything that can be refused is refused here, before anything is charged.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import numpy as np

from msd_sql.catalog.declarations import Items, Protected
from msd_sql.catalog.readability import probe
from msd_sql.engines.build import check_home
from msd_sql.engines.candidates import Candidates, candidates, member_type, ordered, whole_candidates
from msd_sql.errors import CatalogError, InputError, PrivacyError
from msd_sql.guard.examine import Sources
from msd_sql.question.arguments import Arguments
from msd_sql.question.audience import audience
from msd_sql.question.features import Features, declared_values, given_features, measure
from msd_sql.question.item_columns import items_fingerprint, knows
from msd_sql.question.named_keys import pinned, without
from msd_sql.question.options import Request, request
from msd_sql.question.pair_distances import pairs
from msd_sql.question.quotas import constraint
from msd_sql.question.source import guarded
from msd_sql.runtime.call import Call
from msd_sql.runtime.distance_cache import Measured
from msd_sql.udfs.matroids import narrowed
from msd_sql.udfs.methods import METHODS
from msd_sql.udfs.planning import Limits, Plan, limits, plan
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


def prepare(call: Call, arguments: Arguments) -> Question:
    """Check and resolve one question; whatever is wrong with it is said here and charges nothing."""
    wanted = request(arguments.options)
    found = without(call.host, _candidates(call, arguments), wanted.exclude)
    sources = guarded(call, wanted.public)
    items = _items(call, sources, found)
    scores = _scores(arguments, found)
    protected = None if scores is not None else _protected(call, wanted, items)
    _check_eps(wanted, scores, protected)
    protected = _of_audience(call, wanted, protected)
    pins = pinned(call.host, found, wanted.include, wanted.exclude)
    quota, quota_facts = constraint(call, arguments.quota, wanted.quota_cap, wanted.quota_min, items, found, wanted.k)
    measured = found.n > 0 and _measured(arguments, wanted, items)
    apart = wanted.apart if found.n else 0.0
    bounds: Limits = {**limits(quota), "pinned": len(pins), "apart": apart}
    delta = Decimal(0)
    if wanted.eps is not None and protected is not None:
        delta = wanted.delta if wanted.delta is not None else protected.share(wanted.eps)
    made = plan(
        n=found.n,
        k=wanted.k,
        eps=wanted.eps,
        delta=delta,
        diversity=wanted.diversity,
        m=protected.m if protected else 0,
        cap=(wanted.cap or protected.cap) if protected else (wanted.cap or 1),
        relevance=protected.relevance if protected else "score",
        method=wanted.method,
        gamma=wanted.gamma,
        distance=measured or found.n == 0,
        **bounds,
    )
    if made.exact and not wanted.exact:
        raise PrivacyError(
            f"eps is NULL, so that the answer would read {made.m} units of {protected.name if protected else ''} "
            "without any privacy. Give eps := a number such as 0.1; an owner who wants the exact answer says "
            "exact := true, which the ledger records as ε = infinity."
        )
    if made.reads_private and protected is not None:
        check_home(protected, wanted.engine)
        probed(call, protected, items)
    else:  # whatever is relevant, it is not read
        made = replace(made, relevance="score", m=0)
    distance, facts = _distance(call, arguments, wanted, items, found) if measured else (None, [])
    matroid = narrowed(
        quota, pinned=pins, distance=distance, apart=apart, names=[f"'{found.keys[pin]}'" for pin in pins]
    )
    made = replace(made, constraint=matroid.described)
    facts = [*facts, *quota_facts, "pinned", *pins]
    return Question(wanted, found, items, protected, distance, matroid, scores, made, delta, facts)


def probed(call: Call, protected: Protected, items: Items | None) -> None:
    """See, once for a statement, that the relation can be read as it was declared."""
    about = ("probe", protected.name, items.name if items else None)
    call.once(about, lambda: probe(call.holder(protected) if protected.in_spark else call.lookups, protected, items))


def _candidates(call: Call, arguments: Arguments) -> Candidates:
    if arguments.numbers is not None:
        return whole_candidates(arguments.numbers, arguments.key_type)
    if arguments.order is not None:
        return candidates(arguments.keys, arguments.order, arguments.key_type)
    name = arguments.options.get("key")
    kind = member_type(call.host, arguments.key_type, name) if name is not None else arguments.key_type
    return ordered(call.host, arguments.keys, kind)


def _items(call: Call, sources: Sources, found: Candidates) -> Items | None:
    declared = call.items()
    names = {str(name) for name in sources.rows}
    fitting = [items for items in declared if items.name in names]
    if len(fitting) > 1:  # several calls in one statement, or a join of items relations: the keys tell
        fitting = [items for items in fitting if knows(call, items, found)] or fitting
    if len(fitting) > 1:
        raise CatalogError(
            f"The candidates come from several declared items relations ({', '.join(one.name for one in fitting)}). "
            "Select from one of them."
        )
    return fitting[0] if fitting else None


def _protected(call: Call, wanted: Request, items: Items | None) -> Protected | None:
    reach = wanted.reach or (items.reach if items else None)
    if reach is not None:
        return call.need(reach)
    method = METHODS.get(wanted.method)
    if (wanted.diversity == 1.0 and (method is None or method.weighs_diversity)) or wanted.method == "random":
        return None
    known = [protected.name for protected in call.protected()]
    example = known[0] if known else "purchases"
    raise CatalogError(
        "Nothing says what makes these candidates relevant. Either declare the items relation that they come from, "
        f"msd_items(…, reach := '{example}'); or name the protected relation in the call, reach := '{example}'; or "
        "give a public column, score := …; or ask for diversity = 1. "
        f"Protected relations: {', '.join(known) or 'none'}."
    )


def _of_audience(call: Call, wanted: Request, protected: Protected | None) -> Protected | None:
    if protected is not None:
        return audience(call, protected, wanted.among, wanted.users)
    given = "among" if wanted.among is not None else "users" if wanted.users is not None else None
    if given is None:
        return None
    raise InputError(
        f"{given} := is about the users of a protected relation, and this question reads none. Leave it out, or name "
        "the relation, reach := …."
    )


def _check_eps(wanted: Request, scores: FloatArray | None, protected: Protected | None) -> None:
    if scores is not None and wanted.eps is not None:
        raise InputError(
            f"score := is a public column, so that nothing private is read and eps = {wanted.eps.normalize():f} would "
            "buy nothing. Give NULL for eps, or leave score out."
        )
    if scores is not None and wanted.reach is not None:
        raise InputError(
            "score := (a public relevance) and reach := (a protected one) exclude each other: leave one out."
        )
    if wanted.exact and wanted.eps is not None:
        raise InputError(
            f"exact := true asks for no noise, but eps is {wanted.eps.normalize():f}: give NULL for eps, or leave "
            "exact out."
        )
    if protected is not None and wanted.delta is not None and wanted.eps is None:
        raise InputError("delta was given without eps. Give both, or neither.")


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


def _measured(arguments: Arguments, wanted: Request, items: Items | None) -> bool:
    """Will there be a distance?"""
    method = METHODS.get(wanted.method)
    unweighed = wanted.diversity == 0.0 or (method is not None and not method.weighs_diversity)
    if (unweighed or wanted.k == 1) and not wanted.apart:
        return False
    return not arguments.features.absent or (items is not None and bool(items.features))


def _distance(call: Call, arguments: Arguments, wanted: Request, items: Items | None, found: Candidates) -> Measured:
    given = not arguments.features.absent
    name = wanted.distance or (items.distance if items and not given else None)
    if name == "precomputed":
        return pairs(call, arguments.features if given else items, found)

    def of(features: Features) -> Measured:
        made = measure(features, name, wanted.scale, wanted.weights)
        return made, [name, wanted.scale, wanted.weights, *features.facts]

    if given or items is None:
        return of(given_features(arguments.features, found))

    def made() -> Measured:
        return of(declared_values(call, items, found, items.features, mixed=name == "mixed"))

    stored_as = items_fingerprint(call, items)
    if stored_as is None:
        return made()
    place = (name, wanted.scale, wanted.weights, found.type, stored_as)
    return call.instance.caches.distances.of(place, found.column, made)
