"""Columns of outer queries, for the guard: whether a query inside of another one can depend on that one's rows.

DuckDB lets every subquery, also one in a FROM clause without LATERAL, name columns of the queries around it. A name
is looked up in the innermost query first, so a query is independent if each of its columns is found inside of it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from sqlglot import exp

from msd_sql.guard_names import Home
from msd_sql.guard_parse import called
from msd_sql.guard_walk import Walk, table_names, visible_cte

_STATEMENTS = (exp.Select, exp.Update, exp.Delete, exp.Merge, exp.Insert)
_PSEUDO = frozenset(["rowid", "excluded"])


def enclosing(node: exp.Expr) -> Iterator[exp.Expr]:
    """The queries and statements around a node whose rows it could see, innermost first."""
    parent = node.parent
    while parent is not None:
        if isinstance(parent, exp.With) and parent.parent is not None:
            parent = parent.parent  # a CTE does not see the rows of the query it serves
        elif isinstance(parent, _STATEMENTS):
            yield parent
        parent = parent.parent


def reached(holder: exp.Expr, calls: Collection[str]) -> list[exp.Expr]:
    """The holder and the CTEs that it names, directly or through others: each may look at a row around it."""
    found: list[exp.Expr] = [holder]
    for one in found:
        for table in one.find_all(exp.Table):
            for name in table_names(table, calls):
                cte = visible_cte(table, name[0]) if len(name) == 1 else None
                if cte is not None and not any(cte is other for other in found):
                    found.append(cte)
    return found


def independent(inner: exp.Expr, walk: Walk, home: Home | None) -> bool:
    """Tell whether every column that `inner` names is found inside of it; no, if that cannot be told."""
    return all(_bound(column, inner, walk, home) for column in inner.find_all(exp.Column))


def _bound(column: exp.Column, inner: exp.Expr, walk: Walk, home: Home | None) -> bool:
    if isinstance(column.this, exp.Star) and not column.table:
        return True
    head = column.parts[0].name.lower()
    at: exp.Expr | None = column
    while at is not None:
        if isinstance(at, exp.Select | exp.Update | exp.Delete | exp.Merge) and _offers(at, head, walk, home):
            return True
        if isinstance(at, exp.Table) and isinstance(at.this, exp.Func) and _table_call_offers(at, head, walk, home):
            return True
        if isinstance(at, exp.Lambda | exp.Comprehension) and head in _parameters(at):
            return True
        if at is inner:
            return False
        at = at.parent
    return False


def _parameters(node: exp.Expr) -> set[str]:
    if isinstance(node, exp.Lambda):
        return {one.name.lower() for one in node.expressions}
    named = (node.args.get("expression"), node.args.get("position"))
    return {one.name.lower() for one in named if isinstance(one, exp.Expr)}


def _offers(scope: exp.Expr, head: str, walk: Walk, home: Home | None) -> bool:
    """Tell whether a FROM item of the query has this alias or column (an alias of its select list is not relied on)."""
    if head in _PSEUDO:
        return True
    for source in _sources(scope):
        if source.alias_or_name.lower() == head:
            return True
        found = _columns(source, walk, home)
        if found is not None and head in found:
            return True
    return False


def _table_call_offers(table: exp.Table, head: str, walk: Walk, home: Home | None) -> bool:
    """`msd_topk(products, 6, quota := brand)`: its arguments name the relation and the relation's columns."""
    for name in table_names(table, frozenset([called(table.this).lower()])):
        if name[0].lower() == head or head in (_relation_columns(table, name, walk, home) or ()):
            return True
    return False


def _sources(scope: exp.Expr) -> Iterator[exp.Expr]:
    for key in ("from_", "joins", "this", "using", "laterals"):
        value = scope.args.get(key)
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, exp.From | exp.Join):
                yield from _flat(one.this)
            elif isinstance(one, exp.Table | exp.Subquery | exp.Lateral):
                yield from _flat(one)


def _flat(source: exp.Expr) -> Iterator[exp.Expr]:
    """A FROM item and what is joined to it inside of parentheses."""
    yield source
    if isinstance(source, exp.Subquery) and isinstance(source.this, exp.Table):
        yield from _flat(source.this)
    for join in source.args.get("joins") or ():
        yield from _flat(join.this)


def _columns(source: exp.Expr, walk: Walk, home: Home | None) -> frozenset[str] | None:
    alias = source.args.get("alias")
    if isinstance(alias, exp.TableAlias) and alias.columns:
        return frozenset(one.name.lower() for one in alias.columns)
    if isinstance(source, exp.Table):
        if isinstance(source.this, exp.Func):
            return frozenset([called(source.this).lower()])
        return _relation_columns(source, tuple(part.name for part in source.parts), walk, home)
    inner = source.this if isinstance(source, exp.Subquery | exp.Lateral) else source
    return _output(inner, walk, home) if isinstance(inner, exp.Expr) else None


def _relation_columns(node: exp.Expr, name: tuple[str, ...], walk: Walk, home: Home | None) -> frozenset[str] | None:
    if len(name) == 1 and (cte := visible_cte(node, name[0])) is not None:
        alias = cte.args.get("alias")
        if isinstance(alias, exp.TableAlias) and alias.columns:
            return frozenset(one.name.lower() for one in alias.columns)
        inner = cte.this.unnest()
        if isinstance(inner, exp.SetOperation):
            inner = inner.this
        return _output(inner, walk, home)
    return walk.resolver.columns(walk.resolver.relation(name, home))


def _output(inner: exp.Expr, walk: Walk, home: Home | None) -> frozenset[str] | None:
    """The column names of a query's result; None if they cannot be told."""
    inner = inner.unnest() if isinstance(inner, exp.Subquery) else inner
    if isinstance(inner, exp.SetOperation):
        return _output(inner.this, walk, home)
    if not isinstance(inner, exp.Select):
        return None
    found: set[str] = set()
    for one in inner.expressions:
        if isinstance(one, exp.Star) or (isinstance(one, exp.Column) and isinstance(one.this, exp.Star)):
            for source in _sources(inner):
                found |= (_columns(source, walk, home) or frozenset()) - _left_out(one)
        elif one.alias_or_name:
            found.add(one.alias_or_name.lower())
    return frozenset(found)


def _left_out(star: exp.Expr) -> frozenset[str]:
    """The columns that EXCLUDE and RENAME take out of a star."""
    star = star.this if isinstance(star, exp.Column) else star
    named = [*(star.args.get("except_") or ()), *(one.this for one in star.args.get("rename") or ())]
    return frozenset(one.name.lower() for one in named)
