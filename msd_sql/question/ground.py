"""Ground: what the questions of a statement have in common, resolved once: its groups differ in their candidates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal

from msd_sql.catalog.declarations import Items, Protected
from msd_sql.catalog.readability import probe
from msd_sql.engines.binding import some_fit
from msd_sql.engines.build import check_home
from msd_sql.engines.candidates import Candidates, Whole
from msd_sql.errors import CatalogError, InputError, PrivacyError
from msd_sql.question.audience import audience
from msd_sql.question.options import Request
from msd_sql.runtime.call import Call
from msd_sql.udfs.methods import METHODS
from msd_sql.udfs.planning import Limits, Plan, limits, plan
from msd_sql.udfs.types import Matroid


class Ground:
    """What is asked about which items and which people, and a plan for every number of candidates that asks it.

    `scored`: the relevance is a public column.
    """

    def __init__(self, call: Call, wanted: Request, items: Items | None, *, scored: bool) -> None:
        protected = None if scored else _protected(call, wanted, items)
        _check_eps(wanted, scored, protected)
        self.request, self.items = wanted, items
        self.protected = _of_audience(call, wanted, protected)
        self.delta = Decimal(0)
        if wanted.eps is not None and self.protected is not None:
            self.delta = wanted.delta if wanted.delta is not None else self.protected.share(wanted.eps)
        method = METHODS.get(wanted.method)
        unweighed = wanted.diversity == 0.0 or (method is not None and not method.weighs_diversity)
        self._differing = bool(wanted.apart) or not (unweighed or wanted.k == 1)  # does it matter how items differ?
        self._call = call
        self._kinds: Mapping[str, str] = {}  # the types of the relation's declared columns, once it is to be read
        self._plans: dict[tuple[object, ...], Plan] = {}

    def measured(self, *, given: bool) -> bool:
        """Will there be a distance, if there is something to choose? `given`: the call says what makes items differ."""
        return self._differing and (given or (self.items is not None and bool(self.items.features)))

    def plan(self, quota: Matroid, pins: int, *, measured: bool) -> Plan:
        """The plan for a constraint's candidates, so many of them pinned, checked to be one that can be run."""
        about = (quota.n, quota.rank, quota.name, quota.described, pins, measured)
        known = self._plans.get(about)
        if known is None:
            apart = self.request.apart if quota.n else 0.0
            bounds: Limits = {**limits(quota), "pinned": pins, "apart": apart}
            known = self._plans[about] = self._made(quota.n, bounds, measured)
        return known

    def constrained(self, made: Plan, described: str) -> Plan:
        """The plan with its constraint in words."""
        if made.constraint == described:
            return made
        about = (id(made), described)
        if about not in self._plans:
            self._plans[about] = replace(made, constraint=described)
        return self._plans[about]

    def _made(self, n: int, bounds: Limits, measured: bool) -> Plan:
        wanted, protected = self.request, self.protected
        made = plan(
            n=n,
            k=wanted.k,
            eps=wanted.eps,
            delta=self.delta,
            diversity=wanted.diversity,
            m=protected.m if protected else 0,
            cap=(wanted.cap or protected.cap) if protected else (wanted.cap or 1),
            relevance=protected.relevance if protected else "score",
            method=wanted.method,
            gamma=wanted.gamma,
            distance=measured or n == 0,
            **bounds,
        )
        if made.exact and not wanted.exact:
            raise PrivacyError(
                f"eps is NULL, so that the answer would read {made.m} units of {protected.name if protected else ''} "
                "without any privacy. Give eps := a number such as 0.1; an owner who wants the exact answer says "
                "exact := true, which the ledger records as ε = infinity."
            )
        if not made.reads_private or protected is None:  # whatever is relevant, it is not read
            return replace(made, relevance="score", m=0)
        check_home(protected, wanted.engine)
        self._kinds = probed(self._call, protected, self.items)
        return made

    def check_keys(self, candidates: Candidates, made: Plan) -> None:
        """Refuse candidates of which none can name an item of the relation that a plan reads."""
        if made.reads_private and self.protected is not None:
            check_keys(self._call, self.protected, candidates, self._kinds)


def probed(call: Call, protected: Protected, items: Items | None) -> Mapping[str, str]:
    """See, once for a statement, that the relation can be read as it was declared; its declared columns' types."""
    about = ("probe", protected.name, items.name if items else None)
    host = call.holder(protected) if protected.in_spark else call.lookups
    return call.once(about, lambda: probe(host, protected, items))


def check_keys(call: Call, protected: Protected, candidates: Candidates, kinds: Mapping[str, str]) -> None:
    """Refuse candidates of which none can name an item of the relation: an answer would be nothing but noise."""
    if protected.item is None or protected.in_spark or not candidates.n or isinstance(candidates.keys, Whole):
        return
    native = kinds[protected.item]
    about = ("fitting keys", protected.name, candidates.type)
    if not call.once(about, lambda: some_fit(call.host, candidates, native)):
        raise InputError(
            f"None of the {candidates.n:,} keys can name an item of {protected.name}: they are {candidates.type}, such "
            f"as '{candidates.keys[0]}', and items there are {native}. Choose by the column that names the same items."
        )


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


def _check_eps(wanted: Request, scored: bool, protected: Protected | None) -> None:
    if scored and wanted.eps is not None:
        raise InputError(
            f"score := is a public column, so that nothing private is read and eps = {wanted.eps.normalize():f} would "
            "buy nothing. Give NULL for eps, or leave score out."
        )
    if scored and wanted.reach is not None:
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
