"""The guard: refuses a selection whose candidates depend on protected data (docs/privacy.md).

The text of the statement is parsed; what the SELECT that holds the call reads is followed through CTEs, views and
macros to base relations and files. Where the text does not tell, the answer is no. It guards against mistakes: a scalar
UDF of the user is trusted to be what it seems, and what it cannot see is in docs/privacy.md, section 8.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from sqlglot import exp

from msd_sql.database.sql_text import Name, parts
from msd_sql.errors import LeakError
from msd_sql.guard.connection_view import Session
from msd_sql.guard.correlation import enclosing, independent, reached
from msd_sql.guard.expand import DEFAULT, expand
from msd_sql.guard.files import overlap
from msd_sql.guard.names import Home, HostResolver, Relation, Resolver
from msd_sql.guard.parse import called, statements, unreadable
from msd_sql.guard.unit_columns import unit_names
from msd_sql.guard.walk import Step, Use, Walk, macros_around, through

__all__ = ["CALLS", "HostResolver", "Relation", "Resolver", "Session", "Source", "Sources", "Use", "examine"]

CALLS = frozenset(["msd_select", "msd_topk", "msd_explain"])

_ADVICE = (
    "Candidates of a private selection must not depend on protected data: select from a public relation. If these rows"
    " are public for a reason that the SQL does not show, say public := true (the ledger records it)."
)

_OUTER = Step("a column of the query around it", "outer query")


@dataclass(frozen=True)
class Source:
    """What the candidates of one call depend on."""

    call: str
    uses: tuple[Use, ...]

    @property
    def rows(self) -> tuple[Name, ...]:
        """The tables and views whose rows can become candidates, outermost first: one of them is the items table."""
        feeding = (use for use in self.uses if use.feeds and _OUTER not in use.path)
        found = [use.relation.name for use in feeding if use.relation.name is not None]
        return tuple(dict.fromkeys(found))


@dataclass(frozen=True)
class Sources:
    """What the candidates of every call of a statement depend on."""

    calls: tuple[Source, ...] = ()

    @property
    def rows(self) -> tuple[Name, ...]:
        """The relations whose rows can become candidates, of all calls."""
        return tuple(dict.fromkeys(name for call in self.calls for name in call.rows))

    @property
    def relations(self) -> tuple[Name, ...]:
        """The base tables that any call depends on."""
        uses = (use for call in self.calls for use in call.uses if not use.hop)
        return tuple(dict.fromkeys(use.relation.name for use in uses if use.relation.name is not None))


def examine(
    sql: str,
    resolver: Resolver,
    protected: Collection[str],
    *,
    calls: Collection[str] = CALLS,
    declared: Collection[str] = (),
    units: Mapping[str, str | None] | None = None,
) -> Sources:
    """Find what the candidates of the calls in `sql` depend on; LeakError if that is protected or cannot be told.

    `protected` are names of protected relations, `units` the columns of their units; `declared` are items relations,
    which the owner said are public, so that a protected view that joins them does not make them private, unless the
    units come from them. Without protected relations nothing is refused.

    >>> examine("SELECT msd_select(item_id, 6, 0.1, 0.5) FROM products", resolver, ["purchases"]).relations
    (Name(database='shop', schema='main', name='products'),)
    """
    try:
        return _Guard(resolver, protected, calls, declared, units or {}).examine(sql)
    except LeakError:
        if protected:
            raise
        return Sources()


def check_public(
    resolver: Resolver, relation: str, protected: Collection[str], units: Mapping[str, str | None]
) -> None:
    """Refuse to call a relation public whose rows are those of a protected view.

    >>> check_public(resolver, "shop.main.products", ["shop.main.purchases"], {})
    """
    try:
        owner = _Guard(resolver, protected, CALLS, [relation], units).owner(relation)
    except LeakError:
        return  # what cannot be read now is refused when somebody selects from it
    if owner:
        raise LeakError(
            f"{relation} cannot be an items relation: the protected relation {owner} reads its rows, so that they are"
            " private as well. Make a table of public items, or protect a table of its own."
        )


class _Guard:
    def __init__(
        self,
        resolver: Resolver,
        protected: Collection[str],
        calls: Collection[str],
        declared: Collection[str],
        units: Mapping[str, str | None],
    ) -> None:
        self._calls = frozenset(name.lower() for name in calls)
        self._resolver = resolver
        there = resolver.committed()
        private = [there.relation(parts(name)) for name in protected]
        self._names = self._calls | {one.text.lower() for one in private}
        if private:
            self._names |= _macros(resolver)
        self._walk = Walk(resolver, self._calls, self._names)
        self._there = Walk(there, self._calls, self._names)
        self._private: dict[tuple[str, ...], str] = {one.key: one.text for one in private}
        self._under: dict[tuple[str, ...], str] = {}  # tables that a protected view reads, and which view
        self._files: dict[str, str] = {}
        public = [there.relation(parts(name)) for name in declared]
        given = dict(zip((one.key for one in private), (units.get(name) for name in protected), strict=True))
        self._underlying(private, public, given)

    def owner(self, name: str) -> str:
        """The protected view that reads a relation, or what that relation reads; empty if there is none."""
        relation = self._there.resolver.relation(parts(name))
        found = [self._owner(one) for one in (relation, *(use.relation for use in self._bases(relation)))]
        return next(filter(None, found), "")

    def examine(self, sql: str) -> Sources:
        trees = [expand(tree, self._resolver, self._calls, self._names) for tree in self._parse(sql)]
        found = [source for tree in trees for source in self._sources(tree, None, (), frozenset())]
        if not found:
            raise unreadable("the call is not in its text")
        for source in found:
            self._check(source)
        return Sources(tuple(found))

    def _parse(self, sql: str) -> list[exp.Expr]:
        return statements(sql, self._resolver, self._names)

    def _sources(
        self, tree: exp.Expr, home: Home | None, path: tuple[Step, ...], seen: frozenset[tuple[str, ...]]
    ) -> Iterator[Source]:
        """The calls of a tree, and of the views that it names anywhere."""
        for node in tree.find_all(exp.Func):
            if called(node).lower() in self._calls:
                uses = tuple(through(use, *path) for use in self._uses(node, home))
                yield Source(_shown(node), tuple(dict.fromkeys(uses)))
        for use in self._walk.views(tree, home):
            if use.key not in seen:
                inner = self._walk.view(use)
                step = Step(use.text, "view")
                yield from self._sources(inner, use.home, (*path, step), seen | {use.key})

    def _uses(self, call: exp.Expr, home: Home | None) -> Iterator[Use]:
        table = call.parent if isinstance(call.parent, exp.Table) and call.arg_key == "this" else None
        holder: exp.Expr | None = table if table is not None else call.find_ancestor(exp.Select)
        if holder is None:
            holder = call.root()
        inside = macros_around(holder)
        yield from (through(use, *inside) for use in self._walk.uses(holder, home))
        for part in reached(holder, self._calls):
            if not independent(part, self._walk, home):
                for outer in enclosing(part):
                    yield from (through(use, _OUTER) for use in self._walk.uses(outer, home, skip=holder))

    def _check(self, source: Source) -> None:
        for use in source.uses:
            if use.relation.key in self._private:
                name = self._private[use.relation.key]
                way = f": {use.way}" if use.path else ""
                raise LeakError(
                    f"The candidates of {source.call} depend on the protected relation {name}{way}. {_ADVICE}"
                )
        for use in source.uses:
            if owner := self._owner(use.relation):
                raise LeakError(
                    f"The candidates of {source.call} depend on data of the protected relation {owner}, which reads"
                    f" {use.relation.text}: {use.way}. {_ADVICE} If {use.relation.text} is public, declare it with"
                    " msd_items (not if it holds the units)."
                )
        for use in source.uses:
            if use.relation.kind == "unknown":
                raise LeakError(_unknown(source, use))

    def _owner(self, relation: Relation) -> str:
        """The protected view that reads this table or file; empty if there is none."""
        if relation.kind == "file":
            asked = self._resolver.places(relation.text)
            for file, name in self._files.items():
                if any(overlap(one, two) for one in asked for two in self._resolver.places(file)):
                    return name
            return ""
        return self._under.get(relation.key, "")

    def _underlying(
        self, private: list[Relation], public: list[Relation], units: Mapping[tuple[str, ...], str | None]
    ) -> None:
        """Find what protected views read: it is as private as they are, but for what the owner declared public."""
        free = {one.key for one in public}
        for one in public:
            try:
                bases = [use.relation for use in self._bases(one)]
            except LeakError:
                continue  # a view that cannot be read frees nothing but itself
            if len(bases) == 1:  # a plain view over one table or file; a join could hide a private one
                free.add(bases[0].key)
        for one in private:
            found = list({use.relation.key: use.relation for use in self._bases(one)}.values())
            holding = self._holding(one, found, units[one.key])
            for base in found:
                if base.key in free and base.key not in holding:
                    continue
                if base.kind == "file":
                    self._files.setdefault(base.text, one.text)
                elif base.kind == "table":
                    self._under.setdefault(base.key, one.text)

    def _holding(self, view: Relation, bases: list[Relation], unit: str | None) -> set[tuple[str, ...]]:
        """The relations that may hold the units of a protected view; all, if that cannot be told."""
        every = {base.key for base in bases}
        if unit is None or not every:
            return every
        tree = self._there.view(view)
        hops = [use.relation for use in self._there.uses(tree, view.home) if use.hop]
        names = unit_names(unit, [tree, *(self._there.view(hop) for hop in hops)])
        found = set()
        for base in bases:
            columns = self._there.resolver.columns(base)
            if columns is None or columns & names:
                found.add(base.key)
        return found or every

    def _bases(self, relation: Relation) -> list[Use]:
        if relation.kind != "view":
            return []
        return [use for use in self._there.uses(self._there.view(relation), relation.home) if not use.hop]


def _macros(resolver: Resolver) -> frozenset[str]:
    """The names of the user's macros, which must all be found where they are called; none may stand for SQL itself."""
    found = resolver.visible()
    for macro in found:
        if macro.hides:
            raise unreadable(
                f"the macro {macro.name} hides an operator or function of DuckDB that SQL, or msd_sql itself, uses"
                " without naming it: drop it, or give it another name"
            )
    return frozenset(macro.name.name.lower() for macro in found)


def _shown(call: exp.Expr) -> str:
    text = call.sql("duckdb", normalize_functions=False)
    return text if len(text) <= 80 else text[:77] + "…"


def _unknown(source: Source, use: Use) -> str:
    name = use.relation.text
    if name.startswith(DEFAULT):
        why = f"{name.removesuffix('()')} of the macro is not in DuckDB's catalog, so that the call must give it"
    elif name.endswith("()"):
        why = f"{name} can return anything, and its definition is not in the database"
    else:
        why = (
            f"'{name}' is not a committed table or view of this database (a TEMP table, a registered data frame, a"
            " variable of the program, or a table or view that a transaction made or changed and did not commit yet?)"
        )
    way = f" It is reached as {use.way}." if use.path else ""
    return (
        f"The guard cannot tell where the candidates of {source.call} come from: {why}.{way} Select from a table or"
        " view of the database; if the candidates are public, say public := true (the ledger records it)."
    )
