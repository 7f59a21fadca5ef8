"""Explain: a dry run. What a selection would do and cost, from public facts only; it charges and reads nothing."""

from __future__ import annotations

import re

from msd_sql.actions.explaining.distances import distance_lines
from msd_sql.actions.explaining.lead import worth_lines
from msd_sql.actions.explaining.price import Line, price_lines
from msd_sql.actions.select import priced
from msd_sql.catalog.budget_filter import NOTHING
from msd_sql.catalog.ledger import price_of
from msd_sql.engines.describe import describe
from msd_sql.errors import uncharged
from msd_sql.question.arguments import Arguments
from msd_sql.question.prepare import Question, prepare
from msd_sql.question.source import record_assertion
from msd_sql.runtime.call import Call
from msd_sql.udfs.privacy.randomness import SecretSource
from msd_sql.udfs.selection import planned_receipt


def explain(call: Call, arguments: Arguments) -> list[dict[str, str]]:
    """The lines of `msd_explain`: property and value."""
    if arguments.empty:
        return [{"property": "candidates", "value": "0: an empty selection, nothing charged"}]
    with uncharged():
        (question,) = prepare(call, [arguments])
    if question.request.public:
        record_assertion(call)
    worth = worth_lines(question.plan, _head(question))
    lines = [*_what(question), *_privacy(question), *worth, *_budget(call, question), *_engine(call, question)]
    return [{"property": name, "value": value} for name, value in lines]


def _head(question: Question) -> float | None:
    """The largest share that an item is expected to have: as it was asked with, else as it was declared."""
    declared = question.protected.head if question.protected is not None else None
    return declared if question.request.head is None else question.request.head


def _what(question: Question) -> list[Line]:
    plan, items = question.plan, question.items
    relevance = plan.relevance if plan.reads_private else "score" if question.scores is not None else "none"
    lines = [
        ("candidates", f"{plan.n} ({question.candidates.type})"),
        ("k", f"{plan.k}" + (f" of {plan.asked} asked for" if plan.k != plan.asked else "")),
        *_narrowed(question),
        ("method", plan.method),
        ("guarantee without noise", plan.guarantee),
        ("constraint", plan.constraint),
        ("diversity", f"{plan.diversity:g}"),
        ("distance", type(question.distance).__name__.lower() if question.distance is not None else "none"),
        *distance_lines(question.distance),
        ("relevance", relevance + (f" (cap {plan.cap})" if plan.cap > 1 else "")),
    ]
    if items is not None:
        lines.append(("items", items.name))
    return lines


def _narrowed(question: Question) -> list[Line]:
    plan, wanted = question.plan, question.request
    lines = []
    if wanted.include:
        named = ", ".join(wanted.include[:10]) + (", …" if len(wanted.include) > 10 else "")
        lines.append(("pinned", f"{plan.pinned}, first and in this order: {named}"))
    if wanted.exclude:
        lines.append(("excluded", f"{len(wanted.exclude)} keys, if they are candidates"))
    if plan.apart:
        lines.append(
            (
                "apart",
                f"{plan.apart:g}: candidates nearer than this to a chosen item drop out; there may be fewer than "
                f"{plan.k} items" + (", and a minimum may stay unmet" if wanted.quota_min else ""),
            )
        )
    return lines


def _privacy(question: Question) -> list[Line]:
    plan = question.plan
    noise = plan.calibration
    if noise is None:
        said = "exact: no privacy, ε = infinity on the record" if plan.exact else "nothing private is read"
        return [("privacy", said)]
    return [
        ("privacy", f"ε = {noise.eps:g}, δ = {noise.delta:.3g}"),
        ("rounds", str(plan.rounds)),
        ("bound", noise.bound),
        ("ε per round", f"{noise.eps0:.6g}"),
        ("noise in users", f"{1 / noise.eta:.4g}"),
        ("bounds compared", ", ".join(f"{name} {1 / eta:.4g}" for name, eta in noise.table.items()) + " users"),
        ("users (m)", str(plan.m)),
    ]


def _budget(call: Call, question: Question) -> list[Line]:
    protected = question.protected
    if protected is None or not question.plan.reads_private:
        return [("charge", "nothing")]
    balance = call.ledger.remaining(protected)
    lines = [("protected relation", protected.name)]
    if protected.audience is not None:
        lines.append(("audience", protected.audience.sql))
    lines += [("note", text) for text in call.catalog.warnings(protected)]
    if question.request.eps is None:
        return [*lines, ("charge", "nothing is taken from the budget")]
    answers = [priced(question, planned_receipt(question.plan, SecretSource()))]
    share = call.ledger.share(protected)
    of_share = price_of(share.limits, answers) if share is not None else NOTHING
    price = price_of(balance.limits, answers)
    return [*lines, *price_lines(balance, price, question.request.groups, share, of_share)]


def _engine(call: Call, question: Question) -> list[Line]:
    protected = question.protected
    if protected is None or not question.plan.reads_private:
        return []
    found = describe(
        call.holder(protected),
        protected,
        question.candidates,
        cap=question.cap,
        engine=question.request.engine,
        items=question.items,
        public=call.host,
    )
    # Temp relations carry the serial number of the question, which would make every explanation another one.
    steps = [
        (f"step {place}: {step.name}", re.sub(r"\b_msd_\d+_", "_msd_", found.shown(step)))
        for place, step in enumerate(found.steps, start=1)
    ]
    return [("engine", found.engine), *steps]
