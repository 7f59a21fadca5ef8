"""The bases of a view: the tables under a view, to say at declaration time that two budgets guard the same rows."""

from __future__ import annotations

import sqlglot
from sqlglot import exp

from msd_sql.catalog.relations import Relations
from msd_sql.database.sql_text import Name, quote
from msd_sql.errors import MsdError


def bases(relations: Relations, name: Name) -> frozenset[Name]:
    """The tables that a relation reads through its views (itself for a table), as far as they can be told.

    >>> bases(relations, Name("shop", "main", "recent_purchases"))
    frozenset({Name(database='shop', schema='main', name='purchases')})
    """
    seen: set[Name] = set()
    tables: set[Name] = set()
    waiting = [name]
    while waiting:
        here = waiting.pop()
        if here in seen:
            continue
        seen.add(here)
        definition = relations.definition(here)
        if definition is None:
            tables.add(here)
        else:
            waiting.extend(_reads(relations, here, definition))
    return frozenset(tables)


def _reads(relations: Relations, view: Name, definition: str) -> list[Name]:
    try:
        tree = sqlglot.parse_one(definition, dialect="duckdb")
    except sqlglot.errors.SqlglotError:
        return []
    inner = relations.along(((view.database, view.schema), (view.database, "main")))
    query = tree.args.get("expression") if isinstance(tree, exp.Create) else tree
    found = []
    for table in query.find_all(exp.Table) if query else ():
        named = ".".join(quote(part.name) for part in table.parts)
        try:
            found.append(inner.resolve(named))
        except MsdError:
            continue  # a CTE's name, a file or a table function: the guard looks at those
    return found
