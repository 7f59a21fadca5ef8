"""Reach: a private estimate of the users that some items reach, a release of its own (docs/privacy.md)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from msd_sql.actions.release import Asked, Drawn, Terms, release
from msd_sql.actions.rows_content import rows_content
from msd_sql.catalog.amounts import eps_charge, shown
from msd_sql.catalog.declarations import Protected
from msd_sql.catalog.readability import probe
from msd_sql.catalog.records.lines import Answer
from msd_sql.database.private_reads import private_rows
from msd_sql.database.sql_text import literal
from msd_sql.engines.binding import bound
from msd_sql.engines.candidates import Candidates, ordered
from msd_sql.engines.steps import step
from msd_sql.errors import CatalogError, InputError, PrivacyError, uncharged
from msd_sql.question.audience import audience
from msd_sql.question.ground import check_keys
from msd_sql.question.options import asserted_public, read
from msd_sql.question.source import guarded, record_assertion
from msd_sql.runtime.call import Call
from msd_sql.runtime.release_memory import fingerprint
from msd_sql.surface.functions import FUNCTIONS
from msd_sql.udfs.privacy.laplace import noise_within, private_count
from msd_sql.udfs.privacy.randomness import SecretSource
from msd_sql.udfs.privacy.renyi import Divergence
from msd_sql.udfs.receipt import Receipt

_OF_ITEMS = "FROM {relation} AS r WHERE {r.item} IN (SELECT c.key FROM {candidates} AS c)"
UNITS = f"SELECT COUNT(DISTINCT {{r.unit}}) AS units {_OF_ITEMS}"
ROWS = f"SELECT COUNT(*) AS units {_OF_ITEMS}"
_LARGEST = 2**61  # no relation has as many units, and SQL can hold twice as many: noise of a tiny ε can be larger


@dataclass(frozen=True)
class _Question:
    """What is asked, checked; all public."""

    chosen: Candidates
    protected: Protected
    eps: Decimal
    fresh: bool
    public: bool


def reach(call: Call, items: Sequence[str | None] | None, kind: str, options: str) -> int:
    """About how many units have any of the items: discrete Laplace noise of scale 1/ε, cut at 0."""
    with uncharged():
        asked = _prepare(call, items, kind, json.loads(options))
    if asked is None:
        return 0
    return release(call, [_asked(call, asked)], lambda new: [_draw(call, asked)])[0].release.picks[0]


def _draw(call: Call, asked: _Question) -> Drawn:
    source = call.source(asked.protected) or SecretSource()
    noisy = private_count(_counted(call, asked.protected, asked.chosen), Fraction(asked.eps), source)
    return (min(max(noisy, 0), _LARGEST),), None  # never cut at m: a table may have grown since it was declared


def reach_interval(call: Call, items: Sequence[str | None] | None, kind: str, options: str) -> dict[str, int]:
    """The estimate of `reach`, and between what the true number lies with the confidence that is asked for.

    It is the same release: what was told by one is told again by the other, for nothing. An estimate that was cut at 0
    only makes the interval larger.
    """
    given = json.loads(options)
    with uncharged():
        guarded(call, asserted_public(given))  # first: an error quotes what may be private
        confidence = float(read(FUNCTIONS["msd_reach_interval"].options, given).get("confidence", 0.95))
    about = reach(call, items, kind, json.dumps({name: text for name, text in given.items() if name != "confidence"}))
    far = min(noise_within(float(eps_charge(given["eps"])), confidence), _LARGEST) if items else 0
    return {"low": max(about - far, 0), "estimate": about, "high": about + far}


def _asked(call: Call, asked: _Question) -> Asked:
    protected, eps, chosen = asked.protected, asked.eps, asked.chosen
    receipt = Receipt(
        method="laplace", n=chosen.n, k=chosen.n, diversity=0.0, m=protected.m, rounds=1, bound="basic",
        eps=float(eps), delta=0.0, delta_used=0.0, eps0=float(eps), eta=float(eps),
        private=call.source(protected) is None, loss=Divergence.of_count(float(eps)),
    )  # fmt: skip

    terms = Terms(
        kind="reach",
        protected=protected,
        content=rows_content(call, None, protected),
        answer=Answer(eps, Decimal(0), receipt.loss, chosen.n, None, "laplace", "basic", receipt.as_dict()),
        receipt=receipt,
        what=f"users of {chosen.n:,} items, ε {shown(eps)}{protected.among}",
        parameters={"items": list(chosen.keys), "eps": f"{eps.normalize():f}", **_among(protected)},
        fresh=asked.fresh,
        asserted_public=asked.public,
    )
    question = fingerprint(
        reach=protected.stored_name,
        declared=str(protected.declared_at),
        keys=chosen.column,
        type=chosen.type,
        eps=str(eps),
        audience=repr(protected.audience),
    )
    return Asked(terms, question)


def _among(protected: Protected) -> dict[str, str]:
    return {"among": protected.audience.sql} if protected.audience is not None else {}


def _prepare(
    call: Call, items: Sequence[str | None] | None, kind: str, given: dict[str, str | None]
) -> _Question | None:
    guarded(call, asserted_public(given))  # first: an error quotes what may be private
    if items is None:
        raise InputError("msd_reach needs a list of items, such as [12, 40, 7]; got NULL.")
    asked = read(FUNCTIONS["msd_reach"].options, given)
    if "eps" not in asked:
        raise PrivacyError(
            "eps is NULL: how many users some items reach is private, and only an estimate with noise is released. "
            "Give eps such as 0.05."
        )
    if not items:
        if asked.get("public", False):
            record_assertion(call)
        return None
    protected = _protected(call, asked.get("relation"))
    kinds = probe(call.holder(protected), protected)
    protected = audience(call, protected, asked.get("among"))
    if None in items:
        raise InputError(
            f"items: {list(items).count(None)} of {len(items)} keys are NULL. Leave them out of the list; if a query "
            "makes it: list(item) FILTER (item IS NOT NULL)."
        )
    chosen = ordered(call.host, items, kind.rpartition("[")[0])
    check_keys(call, protected, chosen, kinds)
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
            told = f"Say relation := {literal(known[0].name)}. " if known else "Let an owner declare one: msd_protect. "
            raise CatalogError(f"Which protected relation? {told}With an item column are protected: {names}.")
        found = call.need(known[0].name)
    if found.item is None:
        raise CatalogError(f"{found.name} was declared without an item column, so that nobody has an item there.")
    return found
