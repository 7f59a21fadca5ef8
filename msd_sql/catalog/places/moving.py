"""Moving: the owner says that a renamed table, or a moved file, is the one that was protected."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import UTC, datetime

from msd_sql.catalog import declaration_rows, homes
from msd_sql.catalog.amounts import brief
from msd_sql.catalog.budget_filter import NOTHING
from msd_sql.catalog.catalog import Catalog
from msd_sql.catalog.declarations import Protected
from msd_sql.catalog.homes import Database
from msd_sql.catalog.journal import settle
from msd_sql.catalog.journal.file import JournalError, journal_of, journal_path
from msd_sql.catalog.journal.steps import Step
from msd_sql.catalog.records.lines import Entry, insert
from msd_sql.database.host import Host
from msd_sql.database.sql_text import Name, statement
from msd_sql.errors import CatalogError, InputError


def move(catalog: Catalog, old: str, new: str, *, text: str = "") -> str:
    """Say that `new` is what `old` was: a relation under its new name, or a database file in its new place.

    What was spent, the declaration and the ledger stay with it; the statement is on the record. What holds now is
    returned as a sentence.
    """
    with catalog.home_hosts.opened():
        databases = catalog.home_hosts.databases()
        here = next((one for one in databases.values() if one.path and one.path == os.path.realpath(new)), None)
        if here is not None:
            return _move_file(catalog, here, os.path.realpath(old), text)
        return _move_relation(catalog, old, new, text)


def _move_relation(catalog: Catalog, old: str, new: str, text: str) -> str:
    protected = catalog.need(old)
    name = catalog.relations.resolve(new)
    if not protected.missing:
        raise CatalogError(
            f"{protected.name} is still there, so that {name} is another relation. Protect it by itself, or with "
            f"shares := '{old}' if it is about the same people."
        )
    if catalog.protected(name) is not None:
        raise CatalogError(f"{name} is protected by itself already: two budgets cannot become one. Unprotect it first.")
    stored = declaration_rows.stored_name(name, protected.home)
    path = declaration_rows.path_of(name, protected.home, catalog.home_hosts.databases())

    def act(step: Step) -> None:
        _rename(step, protected, stored, path)
        line = Entry("move", text, {"from": protected.stored_name, "to": stored}, relation=stored)
        insert(step, protected.home, line)

    homes.write(catalog.home_hosts.at(protected.home), protected.home, act)
    return f"{name} is what {protected.name} was: its budget and what was spent of it go on."


def _rename(step: Step, protected: Protected, stored: str, path: str | None) -> None:
    """Give a declaration, its account and its kept answers another name; lines keep the one they were written with."""
    home = protected.home
    for known, _ in declaration_rows.load_protected(step, home, {}):
        if known.stored_name == stored and known.loss != NOTHING:
            raise CatalogError(
                f"{stored} was protected by itself before, and ε {brief(known.spent)} of its budget were spent: two "
                f"accounts cannot become one. Let it draw on the other: msd_protect(…, shares := '{protected.name}')."
            )
    facts = {"old": protected.stored_name, "new": stored, "path": path}
    there = {row[0] for row in step.rows(statement(_TABLES, home, home=home))}
    for sql in (*_RENAMES, *(one for table, renames in _OF_ACCOUNTS.items() if table in there for one in renames)):
        used = {name: value for name, value in facts.items() if f"${name}" in sql}
        step.run(statement(sql, home, **used))
    step.journal("move", protected.stored_name, to=stored, time=datetime.now(UTC).isoformat())


_RENAMES = (
    "DELETE FROM msd.protected WHERE key = $new",
    "DELETE FROM msd.declared_columns WHERE key = $new",
    "DELETE FROM msd.heads WHERE key = $new",
    "UPDATE msd.protected SET key = $new, path = $path, revision = revision + 1 WHERE key = $old",
    "UPDATE msd.protected SET shares = $new WHERE shares = $old",
    "UPDATE msd.declared_columns SET key = $new WHERE key = $old",
    "UPDATE msd.heads SET key = $new WHERE key = $old",
    "UPDATE msd.items SET reach = $new, reach_path = $path WHERE reach = $old",
    "UPDATE msd.ledger SET charged_to = $new WHERE charged_to = $old",
    "UPDATE msd.kept_answers SET relation = $new WHERE relation = $old",
)
# What a curator keeps, where there is one: a share by another name would be a second one.
_OF_ACCOUNTS = {
    "shares": (
        "DELETE FROM msd.shares WHERE relation = $new",
        "UPDATE msd.shares SET relation = $new, revision = revision + 1 WHERE relation = $old",
    ),
    "published": ("DELETE FROM msd.published WHERE key = $new",),
}
_TABLES = "SELECT table_name FROM duckdb_tables() WHERE schema_name = 'msd' AND database_name = $home"


def _move_file(catalog: Catalog, here: Database, old: str, text: str) -> str:
    if old == here.path:
        raise InputError(f"{old} is where it was: there is nothing to move.")
    if os.path.exists(old) and not os.path.samefile(old, str(here.path)):
        raise CatalogError(
            f"{old} is still there, so that {here.path} is a copy of it, and a copy would be a second budget for the "
            "same people. Remove one of the two, or let both draw on one ledger: register(con, ledger='ledger.duckdb')."
        )
    told = [_move_home(catalog.home_hosts.at(here.name), here, old, text)] if here.home else []
    moved = [
        known
        for known in catalog.all_protected()
        if known.home != here.name and _was_in(catalog.home_hosts.at(known.home), known, old)
    ]
    for known in moved:
        _follow(catalog.home_hosts.at(known.home), known, here, text)
    if not told and not moved:
        raise CatalogError(f"Nothing that was protected was in {old}. Give the path as the refusal shows it.")
    return " ".join([*told, *(f"{known.name} is in {here.path} now." for known in moved)])


def _move_home(host: Host, here: Database, old: str, text: str) -> str:
    """Take the journal along, and write down where it is."""
    file = str(here.path)
    known = settle.remembered(host, here.name)
    if known is None or known.path != journal_path(old):
        raise CatalogError(f"{file} was not {old}: its journal was {known.path if known else 'never written'}.")
    with journal_of(file).locked() as journal:
        if journal.refresh().records == 0 and os.path.exists(known.path):
            journal.take_over(known.path)
        problem = settle.damage(replace(known, path=journal.path), journal)
        if problem is not None:
            raise JournalError(f"{problem} Nothing was changed.")
        with host.transaction() as inner:
            records = [{"kind": "moved", "from": known.path, "to": journal.path}]
            count, head, _ = journal.planned(records)
            insert(inner, here.name, Entry("move", text, {"from": old, "to": file}))
            settle.remember(inner, here.name, journal, count, head)
            journal.write(records)
    return f"{file} is what {old} was: its budgets and what was spent of them go on."


def _was_in(host: Host, known: Protected, old: str) -> bool:
    rows = host.rows(statement("SELECT path FROM msd.protected WHERE key = $key", known.home, key=known.stored_name))
    return bool(rows) and rows[0][0] == old


def _follow(host: Host, known: Protected, here: Database, text: str) -> None:
    assert known.relation is not None
    name = Name(here.name, known.relation.schema, known.relation.name)
    stored = declaration_rows.stored_name(name, known.home)

    def act(step: Step) -> None:
        _rename(step, known, stored, here.path)
        insert(step, known.home, Entry("move", text, {"to": here.path}, relation=stored))

    homes.write(host, known.home, act)
