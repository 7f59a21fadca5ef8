"""Declared figures: what an owner has declared of a shop, all public, for a forecast that reads nothing private."""

from __future__ import annotations

from dataclasses import dataclass

import duckdb

from msd_sql.api.declarations import calling
from msd_sql.catalog.declarations import Items
from msd_sql.errors import CatalogError, InputError, uncharged
from msd_sql.question.item_columns import all_keys, column_types
from msd_sql.runtime.call import Call


@dataclass(frozen=True)
class Figures:
    """The number of items, of users, and the share of the users that the largest item has, where it was declared."""

    n: int
    m: int
    head: float | None


def declared_figures(con: duckdb.DuckDBPyConnection, items: str) -> Figures:
    """The figures of a declared items relation and of the protected one that it reaches.

    >>> declared_figures(con, "products").m
    398
    """
    with calling(con, "msd forecast") as call, uncharged():
        declared = declared_items(call, items)
        protected = call.need(str(declared.reach))
        if protected.relevance != "coverage":
            raise InputError(
                f"{protected.name} is asked by {protected.relevance}, of which public figures say nothing: "
                "msd forecast --as-owner runs on the real rows."
            )
        found = all_keys(call, declared, column_types(call, declared)[declared.key_column])
        if found is None:
            raise InputError(f"The keys of {declared.name} cannot be read: its key column must name every item once.")
        return Figures(found.n, protected.m, protected.head)


def declared_items(call: Call, name: str) -> Items:
    """A declared items relation that reaches a protected one; a CatalogError where `name` is none."""
    known = {one.name: one for one in call.items()}
    wanted = str(call.catalog.relations.resolve(name))
    if wanted not in known or known[wanted].reach is None:
        raise CatalogError(
            f"{name} is not a declared items relation that reaches a protected one. Declared: "
            f"{', '.join(one for one, items in known.items() if items.reach) or 'none'}."
        )
    return known[wanted]
