"""Reach: a private estimate of the users that some items reach, a release of its own (docs/privacy.md)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from msd_sql.catalog.declarations import Protected
from msd_sql.catalog.ledger import Entry
from msd_sql.catalog.readability import probe
from msd_sql.database.private_reads import private_rows
from msd_sql.engines.binding import bound
from msd_sql.engines.candidates import Candidates, ordered
from msd_sql.engines.steps import step
from msd_sql.errors import CatalogError, InputError, PrivacyError
from msd_sql.question.options import asserted_public, read
from msd_sql.question.prepare import guarded
from msd_sql.runtime.call import Call, uncharged
from msd_sql.runtime.release_memory import Release, content_fingerprint, fingerprint
from msd_sql.surface.functions import FUNCTIONS
from msd_sql.udfs.privacy.laplace import private_count
from msd_sql.udfs.privacy.randomness import SecretSource

UNITS = "SELECT COUNT(DISTINCT r.unit) AS units FROM relation AS r WHERE r.item IN (SELECT c.key FROM candidates AS c)"
ROWS = "SELECT COUNT(*) AS units FROM relation AS r WHERE r.item IN (SELECT c.key FROM candidates AS c)"


@dataclass(frozen=True)
class _Question:
    """What is asked, checked; all public."""

    chosen: Candidates
    protected: Protected
    eps: Decimal
    fresh: bool
    public: bool


def reach(call: Call, items: Sequence[str | None] | None, kind: str, options: str) -> int:
    """About how many units have any of the items: discrete Laplace noise of scale 1/ε, between 0 and m."""
    with uncharged():
        asked = _prepare(call, items, kind, json.loads(options))
    if asked is None:
        return 0
    protected, eps = asked.protected, asked.eps
    entry = Entry(
        "reach",
        statement=call.context.statement,
        parameters={"items": list(asked.chosen.keys), "eps": f"{eps.normalize():f}"},
        n=asked.chosen.n,
        method="laplace",
        bound="basic",
        asserted_public=asked.public,
        receipt={"method": "laplace", "eps": float(eps), "noise": float(1 / eps)},
    )
    question = fingerprint(
        reach=protected.name,
        declared=str(protected.declared_at),
        content=content_fingerprint(call.holder(protected), protected),
        keys=asked.chosen.column,
        type=asked.chosen.type,
        eps=str(eps),
    )
    memory = call.instance.caches.memory
    with memory.asking(call.identity(protected.home), question, fresh=asked.fresh) as slot:
        if slot.release is not None:
            call.ledger.note(protected, _replayed(entry, slot.release.entry))
            return int(slot.release.picks[0])
        charged = call.ledger.charge(protected, entry, eps=eps, delta=Decimal(0))
        noisy = private_count(_counted(call, protected, asked.chosen), Fraction(eps), SecretSource())
        estimate = min(max(noisy, 0), protected.m)  # m is public
        slot.record(Release((estimate,), {}, charged))
    return estimate


def _prepare(
    call: Call, items: Sequence[str | None] | None, kind: str, given: dict[str, str | None]
) -> _Question | None:
    guarded(call, asserted_public(given), frozenset(["msd_reach"]))  # first: an error quotes what may be private
    if items is None:
        raise InputError("msd_reach needs a list of items, such as [12, 40, 7]; got NULL.")
    asked = read(FUNCTIONS["msd_reach"].options, given)
    if "eps" not in asked:
        raise PrivacyError(
            "eps is NULL: how many users some items reach is private, and only an estimate with noise is released. "
            "Give eps such as 0.05."
        )
    if not items:
        return None
    protected = _protected(call, asked.get("relation"))
    probe(call.holder(protected), protected)
    chosen = ordered(call.host, items, kind.rpartition("[")[0])
    return _Question(chosen, protected, asked["eps"], asked.get("fresh", False), asked.get("public", False))


def _counted(call: Call, protected: Protected, chosen: Candidates) -> int:
    host = call.holder(protected)
    with bound(host, protected, chosen) as binding:
        text = UNITS if protected.unit else ROWS
        return int(private_rows(host, step("reach", text, binding.names).sql(), protected.name)[0][0])


def _protected(call: Call, relation: str | None) -> Protected:
    if relation is not None:
        found = call.need(relation)
    else:
        known = [one for one in call.protected() if one.item is not None]
        if len(known) != 1:
            names = ", ".join(one.name for one in known) or "none"
            raise CatalogError(
                f"Which protected relation? Say relation := 'purchases'. With an item column are protected: {names}."
            )
        found = known[0]
    if found.item is None:
        raise CatalogError(f"{found.name} was declared without an item column, so that nobody has an item there.")
    return found


def _replayed(entry: Entry, of: str) -> Entry:
    return Entry(
        "replay",
        statement=entry.statement,
        parameters={**entry.parameters, "of": of},
        n=entry.n,
        method=entry.method,
        asserted_public=entry.asserted_public,
        replayed=True,
    )
