"""Which tables under a protected view hold its units, for the guard: those stay private whatever else is declared."""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp


def unit_names(unit: str, trees: Iterable[exp.Expr]) -> frozenset[str]:
    """The lower-case names that the unit's column may have had on its way through the queries of a view.

    >>> import sqlglot
    >>> sorted(unit_names("unit", [sqlglot.parse_one("SELECT lower(user_id) AS unit, item_id FROM orders")]))
    ['unit', 'user_id']
    """
    found = {unit.lower()}
    made: list[tuple[str, frozenset[str]]] = []
    for tree in trees:
        for alias in tree.find_all(exp.Alias):
            made.append((alias.alias.lower(), frozenset(one.name.lower() for one in alias.find_all(exp.Column))))
    grown = True
    while grown:
        more = {name for alias, names in made if alias in found for name in names} - found
        found |= more
        grown = bool(more)
    return frozenset(found)
