"""Declare: `msd_protect`, `msd_items` and their kin, from texts to the catalog and back to a sentence."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from msd_sql.catalog.amounts import shown
from msd_sql.catalog.declarations import Items, Protected
from msd_sql.errors import InputError
from msd_sql.guard.examine import check_public
from msd_sql.question.options import caps, truth, whole
from msd_sql.runtime.call import Call

Arguments = Mapping[str, str | None]


def declare(call: Call, act: str, arguments: str) -> str:
    """Do what an owner declares, and say what holds now."""
    given: Arguments = json.loads(arguments)
    if given.get("relation") is None:
        raise InputError(f"msd_{act} needs the name of a relation as text, such as 'purchases'; got NULL.")
    return _ACTS[act](call, given["relation"] or "", given)


def _protect(call: Call, relation: str, given: Arguments) -> str:
    budget = _need(given, "budget", "the total ε that may ever be spent, such as budget := 1.0")
    found = call.catalog.protect(
        relation,
        unit=given.get("unit"),
        item=given.get("item"),
        budget=budget,
        delta=given.get("delta"),
        users=whole("users", given.get("users"), most=2**53),
        cap=whole("cap", given.get("cap"), most=2**31 - 1) or 1,
        relevance=given.get("relevance") or "coverage",
        similarity=given.get("similarity"),
        replace=truth("replace", given.get("replace")),
        statement=call.context.statement,
    )
    return " ".join([_protected(found), *found.notes])


def _items(call: Call, relation: str, given: Arguments) -> str:
    units = {known.name: known.unit for known in call.catalog.all_protected() if known.relation}
    check_public(call.resolver, str(call.catalog.relations.resolve(relation)), list(units), units)
    found = call.catalog.declare_items(
        relation,
        key=_need(given, "key", "the column that names an item, such as key := 'item_id'"),
        features=columns(given.get("features")),
        distance=given.get("distance"),
        quota=columns(given.get("quota")),
        quota_cap=caps(given.get("quota_cap")),
        reach=given.get("reach"),
        replace=truth("replace", given.get("replace")),
        statement=call.context.statement,
    )
    return _said(found)


def _budget(call: Call, relation: str, given: Arguments) -> str:
    budget = _need(given, "budget", "the new total ε")
    found = call.catalog.change_budget(relation, budget, given.get("delta"), statement=call.context.statement)
    return _protected(found)


def _unprotect(call: Call, relation: str, given: Arguments) -> str:
    found = call.catalog.unprotect(relation, statement=call.context.statement)
    return f"{found.name} is no longer protected. What was spent (ε {shown(found.spent)}) stays on the record."


def _drop_items(call: Call, relation: str, given: Arguments) -> str:
    found = call.catalog.drop_items(relation, statement=call.context.statement)
    return f"{found.name} is no longer declared as an items relation."


_ACTS: dict[str, Callable[[Call, str, Arguments], str]] = {
    "protect": _protect,
    "items": _items,
    "budget": _budget,
    "unprotect": _unprotect,
    "drop_items": _drop_items,
}


def columns(text: str | None) -> list[str]:
    """Column names, from 'a, b' or from a SQL list; a name with a comma in it stands in double quotes.

    >>> columns('a, "b, c"')
    ['a', '"b, c"']
    """
    if text is None:
        return []
    inside = text.strip().removeprefix("[").removesuffix("]")
    found, quoted = [""], False
    for letter in inside:
        quoted ^= letter == '"'
        if letter == "," and not quoted:
            found.append("")
        else:
            found[-1] += letter
    return [name.strip() for name in found if name.strip()]


def _need(given: Arguments, name: str, what: str) -> str:
    value = given.get(name)
    if value is None:
        raise InputError(f"{name} is missing: give {what}.")
    return value


def _protected(found: Protected) -> str:
    unit = f"unit {found.unit}" if found.unit else "every row a unit"
    how = f"item {found.item}" if found.relevance == "coverage" else f"best match by {found.similarity}"
    return (
        f"{found.name} is protected: {unit}, {how}, m = {found.m}, budget ε {shown(found.budget)}, δ "
        f"{shown(found.delta)}, remaining ε {shown(found.remaining)}."
    )


def _said(found: Items) -> str:
    parts = [f"key {found.key_column}"]
    if found.features:
        parts.append(f"features {', '.join(found.features)}" + (f" by {found.distance}" if found.distance else ""))
    if found.quota:
        limits = f" at most {', '.join(map(str, found.quota_cap))}" if found.quota_cap else ""
        parts.append(f"quota {', '.join(found.quota)}{limits}")
    if found.reach:
        parts.append(f"reaching {found.reach}")
    return f"{found.name} is a public items relation: {'; '.join(parts)}."
