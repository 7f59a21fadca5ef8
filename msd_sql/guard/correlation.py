"""Columns of outer queries, for the guard: whether a query inside of another one can depend on that one's rows.

DuckDB lets every subquery, also one in a FROM clause without LATERAL, name columns of the queries around it. A name
is looked up in the innermost query first, so a query is independent if each of its columns is found inside of it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from sqlglot import exp

from msd_sql.guard.names import Home
from msd_sql.guard.parse import called
from msd_sql.guard.walk import Walk, table_names, visible_cte

_STATEMENTS = (exp.Select, exp.Update, exp.Delete, exp.Merge, exp.Insert)
_SCOPES = (exp.Select, exp.Update, exp.Delete, exp.Merge)
_PSEUDO = frozenset(["rowid"])


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
    names = [part.name.lower() for part in column.parts if not isinstance(part, exp.Star)]
    doubt = _outside(names[0], inner, walk, home)
    came: exp.Expr = column
    at: exp.Expr | None = column
    while at is not None:
        if any(_offers(source, names, doubt, walk, home) for source in _seen(at, came)):
            return True
        if isinstance(at, exp.Table) and isinstance(at.this, exp.Func) and _table_call_offers(at, names[0], walk, home):
            return True
        named = isinstance(at, exp.Lambda | exp.Comprehension) and names[0] in _parameters(at)
        if named and (len(names) == 1 or not doubt):
            return True
        if at is inner:
            return False
        came, at = at, at.parent
    return False


def _outside(head: str, inner: exp.Expr, walk: Walk, home: Home | None) -> bool:
    """Tell whether a query around `inner` could know the first part of a name, as an alias or as a column."""
    for scope in enclosing(inner):
        for source in _sources(scope):
            found = _columns(source, walk, home)
            if source.alias_or_name.lower() == head or found is None or head in found:
                return True
    return False


def _parameters(node: exp.Expr) -> set[str]:
    if isinstance(node, exp.Lambda):
        return {one.name.lower() for one in node.expressions}
    named = (node.args.get("expression"), node.args.get("position"))
    return {one.name.lower() for one in named if isinstance(one, exp.Expr)}


def _offers(source: exp.Expr, names: list[str], doubt: bool, walk: Walk, home: Home | None) -> bool:
    """Tell whether a FROM item has this column (an alias of a select list is not relied on).

    An alias alone says nothing: DuckDB looks for `p.user_id` further out if its inner `p` has no such column. `doubt`
    is whether a query around could know the name; if not, an item of that alias whose columns are not known has it.
    """
    found = _columns(source, walk, home)
    alias = source.alias_or_name.lower()
    if found is not None and names[0] in found and (len(names) == 1 or not doubt):
        return True
    if names[-1] in _PSEUDO and names[:-1] in ([], [alias]) and _is_table(source, walk, home):
        return True
    if names == [alias]:
        return True  # a whole row, or every column of it
    at = next((i for i, name in enumerate(names[:-1]) if name == alias), None)
    return at is not None and (names[at + 1] in found if found is not None else not doubt)


def _is_table(source: exp.Expr, walk: Walk, home: Home | None) -> bool:
    if not isinstance(source, exp.Table) or isinstance(source.this, exp.Func) or source.args.get("pivots"):
        return False
    name = tuple(part.name for part in source.parts)
    if len(name) == 1 and visible_cte(source, name[0]) is not None:
        return False
    return walk.resolver.relation(name, home).kind == "table"


def _table_call_offers(table: exp.Table, head: str, walk: Walk, home: Home | None) -> bool:
    """`msd_topk(products, 6, quota := brand)`: its arguments name the relation and the relation's columns."""
    for name in table_names(table, frozenset([called(table.this).lower()])):
        if name[0].lower() == head or head in (_relation_columns(table, name, walk, home) or ()):
            return True
    return False


def _sources(scope: exp.Expr) -> Iterator[exp.Expr]:
    """The FROM items of a query, in order; a semi or anti join shows nothing of its right side."""
    yield from _left(_items(scope), scope)


def _seen(at: exp.Expr, came: exp.Expr) -> Iterator[exp.Expr]:
    """The FROM items that a part of a node sees there: a FROM item sees those to its left, a CTE sees none."""
    if isinstance(at, exp.Join):
        if came.arg_key != "this":
            yield from _flat(at.this)
    elif isinstance(at, exp.Table | exp.Subquery):
        if isinstance(came, exp.Join):
            yield at
            yield from _left([*at.args["joins"]], came)
    elif isinstance(at, _SCOPES) and not isinstance(came, exp.With):
        yield from _left(_items(at), came)


def _left(items: list[exp.Expr], came: exp.Expr) -> Iterator[exp.Expr]:
    """What the items before `came` show, or all of them if it is not among them."""
    for item in items:
        if item is came:
            return
        if not _hides(item):
            yield from _flat(item.this if isinstance(item, exp.From | exp.Join) else item)


def _items(scope: exp.Expr) -> list[exp.Expr]:
    found: list[exp.Expr] = []
    for key in ("from_", "this", "using", "joins", "laterals"):
        value = scope.args.get(key)
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, exp.From | exp.Join | exp.Table | exp.Subquery | exp.Lateral):
                found.append(one)
    return found


def _hides(item: exp.Expr) -> bool:
    return isinstance(item, exp.Join) and {item.kind.upper(), item.side.upper()} & {"SEMI", "ANTI"} != set()


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
    if source.args.get("pivots"):
        return None
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
            only = one.table.lower() if isinstance(one, exp.Column) else ""
            for source in _sources(inner):
                if not only or source.alias_or_name.lower() == only:
                    found |= (_columns(source, walk, home) or frozenset()) - _left_out(one)
        elif one.alias_or_name:
            found.add(one.alias_or_name.lower())
    return frozenset(found)


def _left_out(star: exp.Expr) -> frozenset[str]:
    """The columns that EXCLUDE and RENAME take out of a star."""
    star = star.this if isinstance(star, exp.Column) else star
    named = [*(star.args.get("except_") or ()), *(one.this for one in star.args.get("rename") or ())]
    return frozenset(one.name.lower() for one in named)
