"""Declarations as the ledger records them and as messages compare them: public facts, plain values."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from msd_sql.catalog.amounts import shown
from msd_sql.catalog.declarations import Items, Protected


def both(eps: Decimal, delta: Decimal) -> dict[str, str]:
    """A budget as the ledger records it.

    >>> both(Decimal(1), Decimal("1e-9"))
    {'eps': '1', 'delta': '1e-9'}
    """
    return {"eps": shown(eps), "delta": shown(delta)}


_SHARED = ("unit", "item", "relevance", "similarity", "cap", "m", "budget", "delta", "shares", "head")
_WHERE_SAID = ("shares", "head")
_PUBLIC = ("key_column", "features", "distance", "quota", "quota_cap", "reach")


def facts(declared: Protected | Items) -> dict[str, Any]:
    """What was declared, by name.

    >>> facts(purchases)["unit"]
    'user_id'
    """
    names = _SHARED if isinstance(declared, Protected) else _PUBLIC
    found = {name: getattr(declared, name) for name in names}
    for name in _WHERE_SAID:
        if found.get(name, "") is None:
            del found[name]
    return {name: shown(value) if isinstance(value, Decimal) else value for name, value in found.items()}


def contradiction(before: Protected | Items, wanted: Protected | Items) -> str:
    """Say how a declaration differs from the one that is there.

    >>> from dataclasses import replace
    >>> contradiction(purchases, replace(purchases, cap=2))
    'shop.main.purchases is already declared, differently: cap was 1, now 2. Add replace := true ...'
    """
    old, new = facts(before), facts(wanted)
    differ = "; ".join(
        f"{name} was {_said(old.get(name))}, now {_said(new.get(name))}"
        for name in {**old, **new}
        if old.get(name) != new.get(name)
    )
    return (
        f"{wanted.name} is already declared, differently: {differ}. Add replace := true to change it (what was spent "
        "stays spent); nothing was changed."
    )


def _said(value: Any) -> str:
    if value is None or value == ():
        return "not given"
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
