"""View bases: the tables under a view, to say at declaration time that two budgets guard the same rows."""

from __future__ import annotations

from msd_sql.catalog.relations import Relations
from msd_sql.database.plans import plan_of
from msd_sql.database.sql_text import Name


def bases(relations: Relations, name: Name) -> frozenset[Name]:
    """The tables that a relation reads through its views (itself for a table), as far as DuckDB tells them.

    >>> bases(relations, Name("shop", "main", "recent_purchases"))
    frozenset({Name(database='shop', schema='main', name='purchases')})
    """
    plan = plan_of(relations.host, f"FROM {name.sql}")
    return frozenset(plan.tables) if plan is not None else frozenset()
