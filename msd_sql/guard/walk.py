"""Where rows come from, for the guard: follows a query through CTEs, views, files and table functions to its bases."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from sqlglot import exp
from sqlglot.errors import SqlglotError

from msd_sql.errors import LeakError
from msd_sql.guard.expand import expand
from msd_sql.guard.names import Home, Relation, Resolver
from msd_sql.guard.parse import called, query, unreadable
from msd_sql.surface.macros import OURS

# Functions of a FROM clause that read nothing but their arguments and the schema.
_GENERATED = ("range", "generate_series", "unnest", "generate_subscripts", "repeat", "repeat_row")
_SCHEMA = ("columns", "databases", "functions", "schemas", "settings", "types", "views")
_HARMLESS = frozenset(
    [*_GENERATED, "json_each", "json_tree", "pragma_table_info", *(f"duckdb_{one}" for one in _SCHEMA)]
)
# What hands rows on from inside a FROM clause; through anything else a relation only filters or decorates.
_FEEDS = (exp.From, exp.Join, exp.Subquery, exp.Query, exp.Table, exp.Pivot, exp.Lateral, exp.Summarize, exp.Describe)
_DEPTH = 64


@dataclass(frozen=True)
class Step:
    """One name on the way from the candidates to a base relation, and what it is: a CTE, a view, a macro."""

    name: str
    kind: str


@dataclass(frozen=True)
class Use:
    """A relation that candidates depend on, and how it is reached; `feeds` if its rows can become candidates."""

    relation: Relation
    path: tuple[Step, ...]
    feeds: bool
    hop: bool = False  # a view on the way, not a base

    @property
    def way(self) -> str:
        """The path as text: products_ranked → view → purchases."""
        return " → ".join([*(f"{step.name} → {step.kind}" for step in self.path), self.relation.text])


class Walk:
    """Follows relations; keeps the trees of the views it has read."""

    def __init__(self, resolver: Resolver, calls: Collection[str], names: Collection[str]) -> None:
        self.resolver = resolver
        self._calls = calls
        self._names = names
        self._views: dict[tuple[str, ...], exp.Expr] = {}

    def view(self, relation: Relation) -> exp.Expr:
        """The tree of a view's definition, with its macros expanded."""
        if relation.key not in self._views:
            try:
                tree = query(relation.sql, self._names)
            except LeakError:
                raise unreadable(f"the view {relation.text} has a syntax that it does not know") from None
            self._views[relation.key] = expand(tree, self.resolver, self._calls, self._names, relation.home)
        return self._views[relation.key]

    def views(self, tree: exp.Expr, home: Home | None) -> list[Relation]:
        """The views that a tree names anywhere, CTEs and targets included."""
        found: dict[tuple[str, ...], Relation] = {}
        for table in tree.find_all(exp.Table):
            for name in table_names(table, self._calls):
                if len(name) == 1 and visible_cte(table, name[0]) is not None:
                    continue
                relation = self.resolver.relation(name, home)
                if relation.kind == "view":
                    found.setdefault(relation.key, relation)
        return list(found.values())

    def uses(self, root: exp.Expr, home: Home | None = None, skip: exp.Expr | None = None) -> Iterator[Use]:
        """Every relation that the rows or values of `root` can depend on; each path once, `skip` left out."""
        yield from self._below(root, home, (), True, frozenset(), skip)

    def _below(
        self,
        root: exp.Expr,
        home: Home | None,
        path: tuple[Step, ...],
        feeds: bool,
        seen: frozenset[object],
        skip: exp.Expr | None = None,
    ) -> Iterator[Use]:
        if len(path) > _DEPTH:
            yield Use(Relation("unknown", "a chain of names that does not end"), path, feeds)
            return
        # A CTE counts where it is named, not where it is written.
        for node in root.walk(prune=lambda node: node is skip or isinstance(node, exp.With)):
            if node is skip:
                continue
            way = path + _vias(node, root)
            direct = feeds and _feeding(node, root)
            if isinstance(node, exp.Table):
                for name in table_names(node, self._calls):
                    yield from self._named(node, name, home, way, direct, seen)
                yield from self._function(node, way, direct)
            elif isinstance(node, exp.Anonymous) and (problem := self._opaque(node)):
                yield Use(Relation("unknown", problem), way, False)

    def _named(
        self,
        node: exp.Expr,
        name: tuple[str, ...],
        home: Home | None,
        path: tuple[Step, ...],
        feeds: bool,
        seen: frozenset[object],
    ) -> Iterator[Use]:
        recursive = False
        for cte in visible_ctes(node, name[0]) if len(name) == 1 else ():
            if id(cte) not in seen:
                step = Step(name[0], "CTE")
                yield from self._below(cte.this, home, (*path, step), feeds, seen | {id(cte)})
            if not _holds(cte, node) or _plain(cte):
                return
            recursive = True
        relation = self.resolver.relation(name, home)
        if recursive and relation.kind == "unknown":
            return  # then the name can only be the CTE's own
        if relation.kind != "view":
            yield Use(relation, path, feeds)
        elif relation.key not in seen:
            yield Use(relation, path, feeds, hop=True)
            step = Step(relation.text, "view")
            tree = self.view(relation)
            yield from self._below(tree, relation.home, (*path, step), feeds, seen | {relation.key})

    def _function(self, table: exp.Table, path: tuple[Step, ...], feeds: bool) -> Iterator[Use]:
        """A function of a FROM clause that is not a macro: it reads files, or nothing, or who knows what."""
        if not isinstance(table.this, exp.Func):
            return
        name = called(table.this).lower()
        if name in _HARMLESS or name in self._calls or name == "query_table" or name in OURS:
            if name == "query_table" and not table_names(table, self._calls):
                yield Use(Relation("unknown", "the argument of query_table()"), path, feeds)
            return
        if name.startswith(("read_", "parquet_", "sniff_")) or name.endswith("_scan") or name == "glob":
            files = file_arguments(table.this)
            if files:
                yield from (Use(Relation("file", file), path, feeds) for file in files)
                return
        yield Use(Relation("unknown", f"{name}()"), path, feeds)

    def _opaque(self, node: exp.Anonymous) -> str:
        """Name a scalar function that the guard cannot see through; empty for any other."""
        if isinstance(node.parent, exp.Table):
            return ""
        name = called(node).lower()
        if name == "getvariable":
            return "getvariable()"  # SET VARIABLE may have stored anything
        if name in self._calls or name in OURS or self.resolver.function(name):
            return ""
        return f"{name}()"


def table_names(table: exp.Table, calls: Collection[str]) -> list[tuple[str, ...]]:
    """The relations that a FROM item names: itself, or the argument of `query_table` and of our table macros."""
    if not isinstance(table.this, exp.Func):
        return [tuple(part.name for part in table.parts)]
    name = called(table.this).lower()
    if name != "query_table" and name not in calls:
        return []
    given = table.this.expressions
    positional = [one for one in given if not isinstance(one, exp.PropertyEQ)]
    named = [one.expression for one in given if isinstance(one, exp.PropertyEQ)]
    return _argument_names(positional[0]) if positional else [name for one in named for name in _argument_names(one)]


def _argument_names(given: exp.Expr) -> list[tuple[str, ...]]:
    if isinstance(given, exp.Column):
        return [tuple(part.name for part in given.parts)]
    if isinstance(given, exp.Literal) and given.is_string:
        try:
            return [tuple(part.name for part in exp.to_table(given.name, dialect="duckdb").parts)]
        except SqlglotError:  # then it is a file's path, or nothing
            return [(given.name,)]
    if isinstance(given, exp.Array):
        return [name for one in given.expressions for name in _argument_names(one)]
    return []


def file_arguments(function: exp.Expr) -> list[str]:
    """The paths that a reading function is given; none if they are not all plain strings."""
    first = function.this if isinstance(function.this, exp.Expr) else None
    if first is None and function.expressions:
        first = function.expressions[0]
    if first is None:
        return []
    plain = (exp.Literal, exp.Array, exp.Identifier, exp.Dot)
    for node in first.walk():
        if not isinstance(node, plain) and not (isinstance(node, exp.Func) and called(node).lower() == "list_value"):
            return []
    return [node.name for node in first.find_all(exp.Literal) if node.is_string]


def visible_cte(node: exp.Expr, name: str) -> exp.CTE | None:
    """The CTE that an unqualified name means at a place of a tree, innermost first; None: not a CTE."""
    return next(visible_ctes(node, name), None)


def visible_ctes(node: exp.Expr, name: str) -> Iterator[exp.CTE]:
    """The CTEs that an unqualified name could mean, innermost first; the first is it, unless it refers to itself.

    A recursive CTE sees itself on the right side of a UNION alone. Which side that is among several set operations
    the parsers may not agree on: then where rows come from is asked of both, the CTE and the name outside of it.
    """
    child, parent = node, node.parent
    while parent is not None:
        if isinstance(parent, exp.With):
            named = _before(parent, child, node)
            if parent.parent is None:
                break
            child, parent = parent.parent, parent.parent.parent
        else:
            held = parent.args.get("with_")
            named = held.expressions if isinstance(held, exp.With) else []
            child, parent = parent, parent.parent
        for cte in reversed(named):
            if isinstance(cte, exp.CTE) and cte.alias.lower() == name.lower():
                yield cte


def _before(held: exp.With, one: exp.Expr, node: exp.Expr) -> list[exp.Expr]:
    """The CTEs that a node of one CTE of a WITH sees: those before it, and itself if it is recursive there."""
    found: list[exp.Expr] = []
    for cte in held.expressions:
        if cte is one:
            inner = cte.this.unnest()
            recursive = held.args.get("recursive") and isinstance(inner, exp.Union) and _holds(inner.expression, node)
            return [*found, cte] if recursive else found
        found.append(cte)
    return found


def _plain(cte: exp.CTE) -> bool:
    """Tell whether a recursive CTE is one UNION of two queries."""
    union = cte.this.unnest()
    return not any(isinstance(side.unnest(), exp.SetOperation) for side in (union.this, union.expression))


def _holds(outer: exp.Expr, node: exp.Expr) -> bool:
    at: exp.Expr | None = node
    while at is not None and at is not outer:
        at = at.parent
    return at is outer


def _vias(node: exp.Expr, root: exp.Expr) -> tuple[Step, ...]:
    """The macros whose bodies enclose a node, outermost first."""
    found: list[Step] = []
    at: exp.Expr | None = node
    while at is not None:
        if "via" in at.meta:
            step = Step(*at.meta["via"])
            if not found or found[-1] != step:
                found.append(step)
        if at is root:
            break
        at = at.parent
    return tuple(reversed(found))


def macros_around(node: exp.Expr) -> tuple[Step, ...]:
    """The macros in whose bodies a node stands, outermost first."""
    return _vias(node.parent, node.root()) if node.parent is not None else ()


def _feeding(node: exp.Expr, root: exp.Expr) -> bool:
    at = node
    while at is not root:
        parent = at.parent
        if parent is None:
            return False
        if not isinstance(parent, _FEEDS) or (isinstance(parent, exp.Select) and at.arg_key not in ("from_", "joins")):
            return False
        if isinstance(parent, exp.Join) and at.arg_key != "this":
            return False
        at = parent
    return True


def through(use: Use, *steps: Step) -> Use:
    """The same use, reached through more steps before."""
    return replace(use, path=(*steps, *use.path))
