"""The catalog: what is protected and what makes items differ, kept in schema `msd` and recorded in the ledger."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace as changed
from datetime import UTC, datetime
from decimal import Decimal

from msd_sql.catalog import declaration_rows, homes
from msd_sql.catalog.amounts import Amount, brief, default_delta, delta_budget, eps_budget, raised_delta
from msd_sql.catalog.budget_filter import NOTHING
from msd_sql.catalog.declaration_checks import check_protected, count_units, spark_columns
from msd_sql.catalog.declarations import Protected
from msd_sql.catalog.items_catalog import ItemsCatalog, stored_under
from msd_sql.catalog.journal.declared import check_moved, remembered
from msd_sql.catalog.journal.steps import Step
from msd_sql.catalog.lookup import pick
from msd_sql.catalog.places.ledger_file import LedgerFile, with_ledger_open
from msd_sql.catalog.places.lookalikes import lookalikes, save_columns
from msd_sql.catalog.records.facts import both, contradiction, facts
from msd_sql.catalog.records.shared_budgets import check_holder, join_budget, with_own_budget
from msd_sql.catalog.records.who import Who
from msd_sql.catalog.relations import is_spark
from msd_sql.catalog.view_bases import bases
from msd_sql.database.host import Host
from msd_sql.database.sql_text import Name, SearchPath
from msd_sql.errors import CatalogError, InputError


class Catalog(ItemsCatalog):
    """What owners declare: the declarations that a host sees, and how they are made and changed.

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
        who: Who | None = None,
        ledger_file: LedgerFile | None = None,
    ) -> None:
        super().__init__(host, home, path=path, temporary=temporary, who=who, ledger_file=ledger_file)
        self._spark = spark  # the host of relations that live in Spark, made when it is needed

    @with_ledger_open
    def protect(
        self,
        relation: str,
        *,
        budget: Amount | None = None,
        unit: str | None = None,
        item: str | None = None,
        delta: Amount | None = None,
        shares: str | None = None,
        users: int | None = None,
        cap: int = 1,
        relevance: str = "coverage",
        similarity: str | None = None,
        head: float | None = None,
        replace: bool = False,
        statement: str = "",
    ) -> Protected:
        """Protect a relation with a budget, or with the one that another relation has. Saying it again changes nothing.

        `shares` names a protected relation about the same people, whose budget both then draw on. m, the number of
        units, is public from here on: it is `users`, or counted once, now, and then fixed; so is `head`, the share of
        the largest item, once it is said. A different declaration of a protected relation needs `replace`; what was
        spent stays spent, always.
        """
        if (budget is None) == (shares is None):
            raise InputError(
                "Give either budget := the total ε that may ever be spent, such as 1.0, or shares := the protected "
                "relation about the same people whose budget is to be drawn on."
            )
        if shares is not None and delta is not None:
            raise InputError("delta belongs to a budget, and shares := draws on another one: leave delta out.")
        holder = self.need(shares) if shares is not None else None
        name = None if is_spark(relation) else self.relations.resolve(relation)
        spark = self._spark() if name is None and self._spark is not None else None
        columns = spark_columns(spark, relation) if spark else None
        checked = check_protected(self._host, self.relations, name, unit, item, relevance, similarity, cap, columns)
        allowed = holder.budget if holder else eps_budget(budget or 0)
        given_delta = holder.delta if holder else None if delta is None else delta_budget(delta)
        databases = self.home_hosts.databases()
        shown_name = str(name) if name else relation
        home = self._home_for(name, shown_name, databases)
        if holder is not None:
            check_holder(shown_name, checked["unit"], holder, home)
        everything = self._known()
        old = pick([known for known, _ in everything], shown_name)
        if name is not None and old is None and not replace:
            self._check_new(name, [known for known, _ in everything], databases)
        settled = not replace and any(known is old and active for known, active in everything)
        # Where the declaration will be refused, nothing is counted: the refusal would tell the count.
        if users is None and old is not None and (old.unit == checked["unit"] or settled):
            m = old.m
        else:
            m = count_units(spark or self._host, name, shown_name, checked["unit"], users)
        wanted = Protected(
            name=shown_name,
            **checked,
            m=m,
            budget=allowed,
            delta=given_delta if given_delta is not None else _delta(m, old),
            shares=holder.charged_to if holder else None,
            head=head if head is not None or old is None else old.head,
            stored_name=stored_under(name, home, old) if name else relation,
            home=home,
            relation=name,
            declared_at=datetime.now(UTC),
        )
        homes.create(self.home_hosts.at(home), home)

        def act(inner: Step) -> Protected:
            here = declaration_rows.load_protected(inner, home, databases)
            before, active = next(
                ((known, on) for known, on in here if known.stored_name == wanted.stored_name), (None, False)
            )
            if before is not None and active and before == wanted:
                return before
            if before is not None and active and not replace:
                raise CatalogError(contradiction(before, wanted))
            if old is None and not replace:
                check_moved(wanted.stored_name, [known.stored_name for known, _ in here], inner.totals)
            # Another home may know what was spent, or the journal alone: neither is forgotten.
            last = before or remembered(wanted, old, inner.totals)
            if holder is not None:
                made, along = join_budget(inner, wanted, holder, here, last, self.home_hosts)
            else:
                made = with_own_budget(wanted, last)
                along = made.loss if before is None or before.shares else NOTHING
            if before is not None and active and changed(before, head=wanted.head) == wanted:
                made = changed(made, declared_at=before.declared_at)  # advice: every question stays what it was
            declaration_rows.save_protected(inner, made, True, databases)
            if name is not None:
                save_columns(inner, home, made.stored_name, self.relations.columns(name))
            record = {"declared": facts(made), "before": facts(before) if before else None}
            self._record(inner, home, "protect", statement, record, made, along)
            return changed(made, notes=tuple(self._notes(made, last)))

        return homes.write(self.home_hosts.at(home), home, act)

    @with_ledger_open
    def unprotect(self, relation: str, *, statement: str = "") -> Protected:
        """Give up the protection of a relation, on the record; what was spent is kept, should it be protected again."""
        found = self.need(relation)

        databases = self.home_hosts.databases()

        def act(inner: Step) -> Protected:
            now = self._reread(inner, found, databases)
            declaration_rows.save_protected(inner, now, False, databases)
            self._record(inner, found.home, "unprotect", statement, {"before": facts(now)}, found)
            return now

        return homes.write(self.home_hosts.at(found.home), found.home, act)

    @with_ledger_open
    def change_budget(
        self, relation: str, budget: Amount, delta: Amount | None = None, *, statement: str = ""
    ) -> Protected:
        """Set the total ε (and δ) of a protected relation, on the record with the old and the new value.

        δ grows in proportion unless it is given, and never shrinks by itself. The order of the second account stays.
        """
        found = self.need(relation)
        if found.shares is not None:
            raise InputError(f"{found.name} draws on the budget of {found.shares}: change that one.")
        allowed = eps_budget(budget)
        given_delta = None if delta is None else delta_budget(delta)

        databases = self.home_hosts.databases()

        def act(inner: Step) -> Protected:
            now = self._reread(inner, found, databases)
            wanted = raised_delta(now.delta, now.budget, allowed) if given_delta is None else given_delta
            new = changed(now, budget=allowed, delta=wanted)
            new = with_own_budget(new, now)
            declaration_rows.save_protected(inner, new, True, databases)
            record = {"budget": both(new.budget, new.delta), "before": both(now.budget, now.delta)}
            self._record(inner, found.home, "budget", statement, record, new)
            return new

        return homes.write(self.home_hosts.at(found.home), found.home, act)

    @with_ledger_open
    def set_users(self, relation: str, m: int, *, statement: str = "") -> Protected:
        """Renew m, the public number of units, on the record; δ stays, and so does what was spent."""
        found = self.need(relation)

        databases = self.home_hosts.databases()

        def act(inner: Step) -> Protected:
            now = self._reread(inner, found, databases)
            new = changed(now, m=m, declared_at=datetime.now(UTC))
            declaration_rows.save_protected(inner, new, True, databases)
            self._record(inner, found.home, "users", statement, {"m": m, "before": now.m}, new)
            return new

        return homes.write(self.home_hosts.at(found.home), found.home, act)

    def _check_new(self, name: Name, known: Sequence[Protected], databases: declaration_rows.Databases) -> None:
        """Refuse a new budget for what may be a relation that has one already, under another name."""
        before = lookalikes(self._host, self.home_hosts, databases, known).get(name)
        if before is not None:
            raise CatalogError(
                f"{name} has the columns of {before.name}, which is protected: if it was renamed or its file was "
                f"moved, say so: SELECT msd_move('{before.name}', '{name}'). If it is about other people, add replace "
                ":= true; if about the same, shares :=. Nothing was changed."
            )

    def _reread(self, inner: Host, found: Protected, databases: declaration_rows.Databases) -> Protected:
        rows = declaration_rows.load_protected(inner, found.home, databases)
        return next(known for known, _ in rows if known.stored_name == found.stored_name)

    def _notes(self, made: Protected, last: Protected | None) -> list[str]:
        notes = []
        if last is not None and (last.spent or last.spent_delta):
            notes.append(
                f"{made.name}: ε {brief(last.spent)} and δ {brief(last.spent_delta)} were spent before and stay spent."
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


def _delta(m: int, old: Protected | None) -> Decimal:
    """The δ of a budget that names none: it never shrinks because m grew."""
    return max(default_delta(m), old.delta) if old is not None and not old.shares else default_delta(m)
