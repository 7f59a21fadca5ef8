"""The user's macros, for the guard: a call is replaced by the macro's body, as DuckDB does when it binds a statement.

A body is bound where it is called, so it sees the caller's CTEs; names are therefore resolved after the replacement.
"""

from __future__ import annotations

from collections.abc import Collection

from sqlglot import exp

from msd_sql.guard.connection_view import Macro
from msd_sql.guard.names import Home, Resolver
from msd_sql.guard.parse import called, expression, query, unreadable

_DEPTH = 32
DEFAULT = "the default of parameter"


def expand(
    tree: exp.Expr, resolver: Resolver, calls: Collection[str], names: Collection[str], home: Home | None = None
) -> exp.Expr:
    """The tree with every call of a user's macro, and every `query('…')`, replaced by what it stands for."""
    return _Expansion(resolver, calls, names, home).expand(tree, 0)


class _Expansion:
    def __init__(self, resolver: Resolver, calls: Collection[str], names: Collection[str], home: Home | None) -> None:
        self._resolver = resolver
        self._home = home
        self._calls = calls
        self._names = names

    def expand(self, tree: exp.Expr, depth: int) -> exp.Expr:
        if depth > _DEPTH:
            raise unreadable("its macros are nested too deeply")
        root = exp.Paren(this=tree)  # so that the root itself can be replaced
        for node in reversed(list(root.find_all(exp.Func))):  # arguments before the calls that copy them
            name = called(node).lower()
            if not name or name == "unnest":
                continue
            table = node.parent if isinstance(node.parent, exp.Table) and node.arg_key == "this" else None
            if name in self._calls and not _qualifiers(node, table):
                continue
            if table is not None and name == "query":
                self._replace_query(table, node, depth)
                continue
            parts = [*_qualifiers(node, table), name]
            macros = [one for one in self._resolver.macros(parts, self._home) if one.table == (table is not None)]
            receiver = None
            if not macros and table is None and isinstance(node.parent, exp.Dot) and node.arg_key == "expression":
                # item_id.pick(6): the part before the dot is the first argument.
                macros = [one for one in self._resolver.macros([name], self._home) if not one.table]
                receiver = node.parent.this
            if macros:
                macros = _fitting(macros, len(_arguments(node)) + (receiver is not None))
                bodies = [self._body(macro, node, receiver, depth) for macro in macros]
                self._put(macros[0], bodies, node, table)
        inner = root.this
        inner.pop()
        found: exp.Expr = inner
        return found

    def _replace_query(self, table: exp.Table, node: exp.Expr, depth: int) -> None:
        given = node.expressions
        if len(given) != 1 or not (isinstance(given[0], exp.Literal) and given[0].is_string):
            raise unreadable("the text that query() runs is not a plain string")
        body = self.expand(query(given[0].name, self._names), depth + 1)
        table.replace(_subquery(body, "query()", table))

    def _body(self, macro: Macro, node: exp.Expr, receiver: exp.Expr | None, depth: int) -> exp.Expr:
        read = query if macro.table else expression
        body = read(macro.body, self._names)
        bound = _bind(macro.parameters, ([receiver] if receiver is not None else []) + _arguments(node))
        for column in list(body.find_all(exp.Column)):
            name = column.parts[0].name.lower()
            if name not in bound:
                continue
            value = bound[name].copy()
            if column.table:  # a member of what was given, or a column of a FROM item of that name
                value = exp.Tuple(expressions=[value, column.copy()])
            if column is body:
                body = value
            else:
                column.replace(value)
        return self.expand(body, depth + 1)

    def _put(self, macro: Macro, bodies: list[exp.Expr], node: exp.Expr, table: exp.Table | None) -> None:
        """Put every overload's body, and the arguments (a body may ignore them; never the guard)."""
        given = [argument.copy() for argument in _arguments(node)]
        if table is None:
            put = exp.Tuple(expressions=[*bodies, *given])
            put.meta["via"] = (macro.name.name, "macro")
            target = node.parent if isinstance(node.parent, exp.Dot) and node.arg_key == "expression" else node
            target.replace(put)
            return
        inner = exp.select("*").from_(_subquery(bodies[0], macro.name.name, table), copy=False)
        for other in bodies[1:]:
            inner = inner.join(_subquery(other, macro.name.name, table), copy=False)
        kept = [one for one in given if one.find(exp.Query, exp.Func)]
        if kept:
            inner = inner.where(exp.Tuple(expressions=kept), copy=False)
        outer = exp.Subquery(this=inner, alias=table.args.get("alias"))
        outer.meta["via"] = (macro.name.name, "macro")
        table.replace(outer)


def _subquery(body: exp.Expr, name: str, table: exp.Table) -> exp.Subquery:
    found = exp.Subquery(this=body, alias=table.args.get("alias"))
    found.meta["via"] = (name, "macro")
    return found


def _qualifiers(node: exp.Expr, table: exp.Table | None) -> list[str]:
    if table is not None:
        return [part for part in (table.catalog, table.db) if part]
    if isinstance(node.parent, exp.Dot) and node.arg_key == "expression":
        return [part.name for part in node.parent.this.find_all(exp.Identifier)]
    return []


def _arguments(node: exp.Expr) -> list[exp.Expr]:
    """The arguments in order; a function that sqlglot knows keeps some of them under names of its own."""
    found: list[exp.Expr] = []
    for key, value in node.args.items():
        if isinstance(node, exp.Anonymous) and key == "this":
            continue
        found.extend(one for one in (value if isinstance(value, list) else [value]) if isinstance(one, exp.Expr))
    return found


def _fitting(macros: list[Macro], given: int) -> list[Macro]:
    """The overloads that a call can mean: where one takes what was given, DuckDB refuses another by its defaults."""
    exact = {one.name for one in macros if len(one.parameters) == given}
    return [one for one in macros if len(one.parameters) <= given or one.name not in exact]


def _bind(parameters: tuple[str, ...], given: list[exp.Expr]) -> dict[str, exp.Expr]:
    """What each parameter stands for. The catalog does not tell defaults: what was not given can be anything."""
    bound: dict[str, exp.Expr] = {
        name.lower(): exp.Anonymous(this=f"{DEFAULT} {name}", expressions=[]) for name in parameters
    }
    positional = [one for one in given if not isinstance(one, exp.PropertyEQ)]
    for name, value in zip(parameters, positional, strict=False):
        bound[name.lower()] = value
    for one in given:
        if isinstance(one, exp.PropertyEQ):
            bound[one.this.name.lower()] = one.expression
    return bound
