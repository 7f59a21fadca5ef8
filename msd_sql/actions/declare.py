"""Declare: `msd_protect`, `msd_items` and their kin, as SQL and Python call them, and what they say in SQL."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

from msd_sql.actions.recount import recount
from msd_sql.catalog.accounts.account_book import AccountBook
from msd_sql.catalog.amounts import Amount, brief, shown
from msd_sql.catalog.declaration_rows import stored_name
from msd_sql.catalog.declarations import Items, Protected
from msd_sql.catalog.places.moving import move
from msd_sql.database.sql_text import SPARK
from msd_sql.errors import CatalogError, InputError
from msd_sql.question.options import read
from msd_sql.question.source import check_public
from msd_sql.runtime.call import Call
from msd_sql.surface.functions import FUNCTIONS


def declare(call: Call, act: str, arguments: str) -> str:
    """Do what an owner declares in SQL, and say what holds now."""
    given = json.loads(arguments)
    if given.get("relation") is None:
        raise InputError(f"msd_{act} needs the name of a relation as text, such as 'purchases'; got NULL.")
    return _ACTS[act](call, **read(FUNCTIONS[f"msd_{act}"].options, given))


def protect(
    call: Call,
    relation: str,
    *,
    budget: Amount | None = None,
    unit: str | None = None,
    item: str | None = None,
    delta: Amount | None = None,
    shares: str | None = None,
    users: int | None = None,
    cap: int = 1,
    relevance: str = "coverage",
    similarity: str | None = None,
    head: float | None = None,
    replace: bool = False,
) -> Protected:
    """Protect a relation with a budget, or with the one of a relation about the same people; what holds now."""
    _check_not_items(call, relation)
    return call.catalog.protect(
        relation,
        budget=budget,
        unit=unit,
        item=item,
        delta=delta,
        shares=shares,
        users=users,
        cap=cap,
        relevance=relevance,
        similarity=similarity,
        head=head,
        replace=replace,
        statement=call.context.statement,
    )


def items(
    call: Call,
    relation: str,
    *,
    key: str | None = None,
    features: Sequence[str] = (),
    distance: str | None = None,
    quota: Sequence[str] = (),
    quota_cap: Sequence[int] = (),
    reach: str | None = None,
    replace: bool = False,
) -> Items:
    """Declare a public items relation, which must not depend on protected data; what holds now."""
    check_public(call, call.catalog.relations.resolve(relation))
    if key is None:
        raise _missing("key", "the column that names an item, such as key := 'item_id'")
    return call.catalog.declare_items(
        relation,
        key=key,
        features=features,
        distance=distance,
        quota=quota,
        quota_cap=quota_cap,
        reach=reach,
        replace=replace,
        statement=call.context.statement,
    )


def _check_not_items(call: Call, relation: str) -> None:
    """Refuse to protect what is declared as public items: every question about them would be a leak."""
    name = None if relation.startswith(SPARK) else call.catalog.relations.resolve(relation)
    if name is not None and str(name) in {known.name for known in call.items()}:
        raise CatalogError(
            f"{name} is declared as items, which are public, so it cannot be protected: every selection from it would "
            "be refused. Protect the table that tells who has what, such as purchases."
        )


def _protect(call: Call, relation: str, **given: Any) -> str:
    found = protect(call, relation, **given)
    return " ".join([_protected(found), *found.notes])


def _items(call: Call, relation: str, **given: Any) -> str:
    return _said(items(call, relation, **given))


def _budget(call: Call, relation: str, budget: str, delta: str | None = None) -> str:
    return _protected(call.catalog.change_budget(relation, budget, delta, statement=call.context.statement))


def _recount(call: Call, relation: str, eps: Decimal) -> str:
    return recount(call, relation, eps)


def _move(call: Call, relation: str, now: str) -> str:
    return move(call.catalog, relation, now, text=call.context.statement)


def _unprotect(call: Call, relation: str) -> str:
    found = call.catalog.unprotect(relation, statement=call.context.statement)
    return f"{found.name} is no longer protected. What was spent (ε {brief(found.spent)}) stays on the record."


def _publish(call: Call, relation: str) -> str:
    return _show_whole(call, relation, publish=True)


def _unpublish(call: Call, relation: str) -> str:
    return _show_whole(call, relation, publish=False)


def _show_whole(call: Call, relation: str, *, publish: bool) -> str:
    name = call.catalog.relations.resolve(relation)
    if publish:
        if call.catalog.protected(name) is not None:
            raise CatalogError(f"{name} is protected, so it cannot be published.")
        check_public(call, name)
    home = call.catalog.home_of(name)
    with call.home_hosts.opened():
        book = AccountBook(call.home_hosts.at(home), home, call.who())
        book.publish(stored_name(name, home), call.context.statement, publish=publish)
    return f"{name} is {'published: analysts see it whole' if publish else 'no longer published'}."


def _pull(call: Call, relation: str) -> str:
    raise InputError(
        "msd_pull brings a published table from a curator, and this connection is not at one: "
        "register(con, curator='grpc+tls://host:8815', token=…)."
    )


def _drop_items(call: Call, relation: str) -> str:
    found = call.catalog.drop_items(relation, statement=call.context.statement)
    return f"{found.name} is no longer declared as an items relation."


_ACTS: dict[str, Callable[..., str]] = {
    "protect": _protect,
    "items": _items,
    "budget": _budget,
    "recount": _recount,
    "move": _move,
    "unprotect": _unprotect,
    "publish": _publish,
    "unpublish": _unpublish,
    "pull": _pull,
    "drop_items": _drop_items,
}


def _missing(name: str, what: str) -> InputError:
    return InputError(f"{name} is missing: give {what}.")


def _protected(found: Protected) -> str:
    unit = f"unit {found.unit}" if found.unit else "every row a unit"
    how = f"item {found.item}" if found.relevance == "coverage" else f"best match by {found.similarity}"
    limits = found.limits
    order = f" (order α = {shown(limits.alpha)}, room {brief(limits.room)})" if limits.alpha is not None else ""
    head = f", head {found.head:g}" if found.head is not None else ""
    whose = f"the budget of {found.shares}," if found.shares else "budget"
    return (
        f"{found.name} is protected: {unit}, {how}, m = {found.m}{head}, {whose} ε {shown(found.budget)}, δ "
        f"{shown(found.delta)}{order}, remaining ε {brief(found.remaining)}."
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
