"""The catalog: what is protected and what makes items differ, kept in schema `msd` and recorded in the ledger."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace as changed
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from msd_sql.catalog import declaration_rows, homes
from msd_sql.catalog.amounts import Amount, default_delta, delta_budget, eps_budget, shown
from msd_sql.catalog.declaration_checks import check_items, check_protected, count_units, spark_columns
from msd_sql.catalog.declarations import Items, Protected
from msd_sql.catalog.ledger import Entry, insert
from msd_sql.catalog.lookup import Lookup, pick
from msd_sql.catalog.relations import is_spark
from msd_sql.catalog.view_bases import bases
from msd_sql.database.host import Host
from msd_sql.database.sql_text import SearchPath
from msd_sql.errors import CatalogError


class Catalog(Lookup):
    """What an owner declares, checked, written and recorded; and what was declared.

    >>> Catalog(host).protect("purchases", unit="user_id", item="item_id", budget="1.0", delta="1e-9").remaining
    Decimal('...')
    """

    def __init__(
        self,
        host: Host,
        home: str | None = None,
        *,
        path: SearchPath | None = None,
        temporary: Collection[str] = (),
        spark: Callable[[], Host] | None = None,
    ) -> None:
        super().__init__(host, home, path=path, temporary=temporary)
        self._spark = spark  # the host of relations that live in Spark, made when it is needed

    def protect(
        self,
        relation: str,
        *,
        budget: Amount,
        unit: str | None = None,
        item: str | None = None,
        delta: Amount | None = None,
        users: int | None = None,
        cap: int = 1,
        relevance: str = "coverage",
        similarity: str | None = None,
        replace: bool = False,
        statement: str = "",
    ) -> Protected:
        """Protect a relation with a budget. The same declaration again changes nothing.

        m, the number of units, is public from here on: it is `users`, or counted once, now, and then fixed. A
        different declaration of a protected relation needs `replace`; what was spent stays spent, always.
        """
        name = None if is_spark(relation) else self.relations.resolve(relation)
        spark = self._spark() if name is None and self._spark is not None else None
        columns = spark_columns(spark, relation) if spark else None
        facts = check_protected(self._host, self.relations, name, unit, item, relevance, similarity, cap, columns)
        allowed = eps_budget(budget)
        given_delta = None if delta is None else delta_budget(delta)
        databases = homes.databases(self._host)
        shown_name = str(name) if name else relation
        home = self._home_for(name, shown_name, databases)
        everything = self._known()
        old = pick([known for known, _ in everything], shown_name)
        settled = not replace and any(known is old and active for known, active in everything)
        # Where the declaration will be refused, nothing is counted: the refusal would tell the count.
        if users is None and old is not None and (old.unit == facts["unit"] or settled):
            m = old.m
        else:
            m = count_units(spark or self._host, name, shown_name, facts["unit"], users)
        wanted = Protected(
            name=shown_name,
            **facts,
            m=m,
            budget=allowed,
            delta=default_delta(m) if given_delta is None else given_delta,
            stored_name=declaration_rows.stored_name(name, home) if name else relation,
            home=home,
            relation=name,
            declared_at=datetime.now(UTC),
        )
        homes.create(self._host, home)

        def act(inner: Host) -> Protected:
            here = declaration_rows.load_protected(inner, home, databases)
            before, active = next(
                ((known, on) for known, on in here if known.stored_name == wanted.stored_name), (None, False)
            )
            if before is not None and active and before == wanted:
                return before
            if before is not None and active and not replace:
                raise CatalogError(_contradiction(before, wanted))
            last = before or old  # another home may know what was spent: a new ledger does not forget it
            spent = (last.spent, last.spent_delta) if last else (Decimal(0), Decimal(0))
            made = changed(wanted, spent=spent[0], spent_delta=spent[1])
            declaration_rows.save_protected(inner, made, True, databases)
            record = {"declared": _facts(made), "before": _facts(before) if before else None}
            insert(inner, home, Entry("protect", statement, record, relation=made.stored_name))
            return changed(made, notes=tuple(self._notes(made, last)))

        return homes.write(self._host, home, act)

    def unprotect(self, relation: str, *, statement: str = "") -> Protected:
        """Give up the protection of a relation, on the record; what was spent is kept, should it be protected again."""
        found = self.need(relation)

        def act(inner: Host) -> Protected:
            now = self._reread(inner, found)
            declaration_rows.save_protected(inner, now, False, homes.databases(inner))
            insert(
                inner, found.home, Entry("unprotect", statement, {"before": _facts(now)}, relation=found.stored_name)
            )
            return now

        return homes.write(self._host, found.home, act)

    def change_budget(
        self, relation: str, budget: Amount, delta: Amount | None = None, *, statement: str = ""
    ) -> Protected:
        """Set the total ε (and δ) of a protected relation, on the record with the old and the new value."""
        found = self.need(relation)
        allowed = eps_budget(budget)
        given_delta = None if delta is None else delta_budget(delta)

        def act(inner: Host) -> Protected:
            now = self._reread(inner, found)
            new = changed(now, budget=allowed, delta=now.delta if given_delta is None else given_delta)
            declaration_rows.save_protected(inner, new, True, homes.databases(inner))
            record = {"budget": _both(new.budget, new.delta), "before": _both(now.budget, now.delta)}
            insert(inner, found.home, Entry("budget", statement, record, relation=found.stored_name))
            return new

        return homes.write(self._host, found.home, act)

    def declare_items(
        self,
        relation: str,
        *,
        key: str,
        features: Sequence[str] = (),
        distance: str | None = None,
        quota: Sequence[str] = (),
        quota_cap: Sequence[int] = (),
        reach: str | None = None,
        replace: bool = False,
        statement: str = "",
    ) -> Items:
        """Declare a public items relation. The same declaration again changes nothing; another needs `replace`."""
        name = self.relations.resolve(relation)
        if self.protected(name) is not None:
            raise CatalogError(f"{name} is protected, so it cannot be a public items relation.")
        reached = self.need(reach) if reach is not None else None
        facts = check_items(self.relations, name, key, features, distance, quota, quota_cap)
        databases = homes.databases(self._host)
        old = self.items(name)
        home = old.home if old and not databases[old.home].read_only else self._writable(name, databases)
        wanted = Items(
            name=str(name),
            **facts,
            reach=reached.name if reached else None,
            stored_name=declaration_rows.stored_name(name, home),
            home=home,
            relation=name,
            declared_at=datetime.now(UTC),
        )
        homes.create(self._host, home)

        def act(inner: Host) -> Items:
            before = pick(declaration_rows.load_items(inner, home, databases), wanted.name)
            if before == wanted:
                return wanted
            if before is not None and not replace:
                raise CatalogError(_contradiction(before, wanted))
            declaration_rows.save_items(inner, wanted, reached, databases)
            record = {"declared": _facts(wanted), "before": _facts(before) if before else None}
            insert(inner, home, Entry("items", statement, record, relation=wanted.stored_name))
            return wanted

        return homes.write(self._host, home, act)

    def drop_items(self, relation: str, *, statement: str = "") -> Items:
        """Forget what was declared of an items relation, on the record."""
        found = self.items(relation)
        if found is None:
            raise CatalogError(f"'{relation}' is not declared as an items relation; there is nothing to drop.")

        def act(inner: Host) -> Items:
            declaration_rows.delete_items(inner, found)
            insert(
                inner, found.home, Entry("drop_items", statement, {"before": _facts(found)}, relation=found.stored_name)
            )
            return found

        return homes.write(self._host, found.home, act)

    def _notes(self, made: Protected, last: Protected | None) -> list[str]:
        notes = []
        if last is not None and (last.spent or last.spent_delta):
            notes.append(
                f"{made.name}: ε {shown(last.spent)} and δ {shown(last.spent_delta)} were spent before and stay spent."
            )
        if made.relation is None:
            return notes
        mine = bases(self.relations, made.relation)
        for other in self.all_protected():
            if other.name != made.name and other.relation and mine & bases(self.relations, other.relation):
                notes.append(
                    f"{made.name} and {other.name} read the same rows but have a budget each: what a user loses is the "
                    "sum of both."
                )
        return notes


def _both(eps: Decimal, delta: Decimal) -> dict[str, str]:
    return {"eps": shown(eps), "delta": shown(delta)}


_SHARED = ("unit", "item", "relevance", "similarity", "cap", "m", "budget", "delta")
_PUBLIC = ("key_column", "features", "distance", "quota", "quota_cap", "reach")


def _facts(declared: Protected | Items) -> dict[str, Any]:
    names = _SHARED if isinstance(declared, Protected) else _PUBLIC
    found = {name: getattr(declared, name) for name in names}
    return {name: shown(value) if isinstance(value, Decimal) else value for name, value in found.items()}


def _contradiction(before: Protected | Items, wanted: Protected | Items) -> str:
    old, new = _facts(before), _facts(wanted)
    differ = "; ".join(f"{name} was {old[name]}, now {new[name]}" for name in old if old[name] != new[name])
    return (
        f"{wanted.name} is already declared, differently: {differ}. Add replace := true to change it (what was spent "
        "stays spent); nothing was changed."
    )
