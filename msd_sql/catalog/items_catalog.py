"""Public items relations: declared, dropped and recorded like everything else that owners declare."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace as changed
from datetime import UTC, datetime
from typing import Any

from msd_sql.catalog import declaration_rows, homes
from msd_sql.catalog.amounts import shown
from msd_sql.catalog.budget_filter import NOTHING, Loss
from msd_sql.catalog.declaration_checks import check_items
from msd_sql.catalog.declarations import Items, Protected
from msd_sql.catalog.journal.declared import declared
from msd_sql.catalog.journal.steps import Step
from msd_sql.catalog.lookup import Lookup, pick
from msd_sql.catalog.places.ledger_file import LedgerFile, with_ledger_open
from msd_sql.catalog.records.facts import contradiction, facts
from msd_sql.catalog.records.lines import Entry, insert
from msd_sql.catalog.records.who import Who
from msd_sql.database.host import Host
from msd_sql.database.sql_text import Name, SearchPath
from msd_sql.errors import CatalogError


class ItemsCatalog(Lookup):
    """The declarations that a host sees, and how those of items relations are made and given up.

    >>> items = ItemsCatalog(host)
    >>> items.declare_items("products", key="item_id", features=["categories"], reach="purchases").key_column
    'item_id'
    """

    def __init__(
        self,
        host: Host,
        home: str | None = None,
        *,
        path: SearchPath | None = None,
        temporary: Collection[str] = (),
        who: Who | None = None,
        ledger_file: LedgerFile | None = None,
    ) -> None:
        super().__init__(host, home, path=path, temporary=temporary, ledger_file=ledger_file)
        self._who = who  # None: the system's user

    @with_ledger_open
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
        checked = check_items(self.relations, name, key, features, distance, quota, quota_cap)
        databases = self.home_hosts.databases()
        old = self.items(name)
        home = old.home if old and not databases[old.home].read_only else self._writable(name, databases)
        wanted = Items(
            name=str(name),
            **checked,
            reach=reached.name if reached else None,
            stored_name=stored_under(name, home, old),
            home=home,
            relation=name,
            declared_at=datetime.now(UTC),
        )
        homes.create(self.home_hosts.at(home), home)

        def act(inner: Step) -> Items:
            before = pick(declaration_rows.load_items(inner, home, databases), wanted.name)
            if before == wanted:
                return wanted
            if before is not None and not replace:
                raise CatalogError(contradiction(before, wanted))
            declaration_rows.save_items(inner, wanted, reached, databases)
            record = {"declared": facts(wanted), "before": facts(before) if before else None}
            self._record(inner, home, "items", statement, record, wanted)
            return wanted

        return homes.write(self.home_hosts.at(home), home, act)

    @with_ledger_open
    def drop_items(self, relation: str, *, statement: str = "") -> Items:
        """Forget what was declared of an items relation, on the record."""
        found = self.items(relation)
        if found is None:
            raise CatalogError(f"'{relation}' is not declared as an items relation; there is nothing to drop.")

        def act(inner: Step) -> Items:
            declaration_rows.delete_items(inner, found)
            self._record(inner, found.home, "drop_items", statement, {"before": facts(found)}, found)
            return found

        return homes.write(self.home_hosts.at(found.home), found.home, act)

    def _record(
        self,
        inner: Step,
        home: str,
        kind: str,
        text: str,
        record: Mapping[str, Any],
        about: Protected | Items,
        along: Loss = NOTHING,
    ) -> None:
        """Write the ledger's line of a declaration; `along` is what it takes from a budget."""
        line = Entry(
            kind, text, record, relation=about.stored_name, charged=along, who=self._who, what=_what(kind, about)
        )
        if isinstance(about, Protected):
            line = changed(line, charged_to=about.charged_to, composed_eps=about.limits.composed(about.loss))
            inner.journal("declare", about.stored_name, **declared(about, kind))
        insert(inner, home, line)


def stored_under(name: Name, home: str, old: Protected | Items | None) -> str:
    """The name that the declaration is stored under: the one it has, should that not be folded yet."""
    return old.stored_name if old and old.home == home else declaration_rows.stored_name(name, home)


def _what(kind: str, about: Protected | Items) -> str:
    """A declaration in words, for the ledger."""
    if isinstance(about, Items):
        return f"{kind}: key {about.key_column}"
    whose = f"the budget of {about.shares}" if about.shares else "budget"
    return f"{kind}: {whose} ε {shown(about.budget)}, δ {shown(about.delta)}"
