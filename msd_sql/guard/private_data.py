"""What is private: protected tables, and the tables and files that protected views read."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from msd_sql.catalog.journal.file import SUFFIX
from msd_sql.database.host import Host, Row
from msd_sql.database.plans import Plan, plan_of
from msd_sql.database.sql_text import Name, fold, parts
from msd_sql.guard.connection_view import Key, key_of
from msd_sql.guard.statement_text import READING, mentioned, unreadable
from msd_sql.guard.syntax import named_files
from msd_sql.guard.unit_columns import unit_tables


@dataclass
class PrivateData:
    """Private tables and files, each with the protected relation that it belongs to; and views that read none."""

    tables: dict[Key, Name] = field(default_factory=dict)
    files: dict[str, Name] = field(default_factory=dict)
    silent: dict[str, Name] = field(default_factory=dict)


def name_key(name: Name) -> Key:
    """A name as DuckDB compares it."""
    return key_of(name.database, name.schema, name.name)


def views_of(rows: Iterable[Row]) -> dict[Key, tuple[Name, str]]:
    """The committed views, with their definitions."""
    return {key_of(row[1], row[2], row[3]): (Name(*row[1:4]), row[4]) for row in rows if row[0] == "view"}


def reads_files(plan: Plan) -> bool:
    """Does a plan read files?"""
    return any(scan.table is None and READING.fullmatch(scan.function) for scan in plan.scans)


def closure(texts: Iterable[str], views: Mapping[Key, tuple[Name, str]], macros: Mapping[str, str]) -> list[str]:
    """The texts, and those of every view and macro that they mention, and so on."""
    by_name: dict[str, list[str]] = {name: [body] for name, body in macros.items()}
    for name, sql in views.values():
        by_name.setdefault(key_of("", "", name.name)[2], []).append(sql)
    given = list(texts)
    for options in (False, True):
        found, waiting, seen = [], list(given), set[str]()
        while waiting:
            text = waiting.pop()
            found.append(text)
            for word in mentioned(text, options=options) - seen:
                seen.add(word)
                waiting.extend(by_name.get(word, ()))
        if not seen & {"query", "query_table"}:  # which read what a string names, whatever the argument is called
            break
    return found


def database_files(host: Host, private: PrivateData) -> dict[str, Name]:
    """The files of the databases that hold private tables: who reads one of them reads the rows."""
    owners = {key[0]: owner for key, owner in private.tables.items()}
    found: dict[str, Name] = {}
    for database, path in host.rows("SELECT database_name, path FROM duckdb_databases() WHERE path IS NOT NULL"):
        owner = owners.get(key_of(database, "", "")[0])
        if owner is not None:
            found.update(dict.fromkeys((path, f"{path}.wal", f"{path}.tmp", f"{path}{SUFFIX}"), owner))
    return found


def private_data(
    host: Host, rows: Collection[Row], protected: Mapping[str, str | None], declared: Collection[str]
) -> PrivateData:
    """What is private. `protected` are relations and the columns of their units; `declared` the items relations.

    A declared items relation that a protected view joins stays public, unless the units can come from it.
    """
    found, views = PrivateData(), views_of(rows)
    if not protected:
        return found
    free = _free(host, views, declared)
    for text, unit in protected.items():
        name = Name(*parts(text))
        if name_key(name) not in views:
            found.tables[name_key(name)] = name
            continue
        plan = plan_of(host, f"FROM {name.sql}")
        if plan is None:
            raise unreadable(f"the protected view {name} cannot be read, so that what is private is not known")
        holding = unit_tables(host, name, unit) if unit is not None else None
        holding_keys = {name_key(one) for one in (holding or plan.tables)}
        private = [one for one in plan.tables if name_key(one) not in free or name_key(one) in holding_keys]
        for one in private:
            found.tables.setdefault(name_key(one), name)
        files: list[str] = []
        if reads_files(plan):
            relations = [*plan.tables, *(view for view, _ in views.values())]
            files = _files(host, closure([views[name_key(name)][1]], views, {}), name, relations)
        found.files.update(dict.fromkeys(files, name))
        if not private and not files:
            found.silent[name_key(name)[2]] = name
    return found


def _free(host: Host, views: Mapping[Key, tuple[Name, str]], declared: Collection[str]) -> set[Key]:
    """Declared items relations, and the table under one that is a plain view: a join could hide a private one."""
    found = {name_key(Name(*parts(text))) for text in declared}
    for text in declared:
        name = Name(*parts(text))
        plan = plan_of(host, f"FROM {name.sql}") if name_key(name) in views else None
        if plan is not None and len(plan.tables) == 1 and not reads_files(plan):
            found.add(name_key(plan.tables[0]))
    return found


def _files(host: Host, texts: Iterable[str], view: Name, relations: Iterable[Name]) -> list[str]:
    """What the texts of a protected view and of those under it name that is no relation."""
    known = [name_key(one) for one in relations]
    found: list[str] = []
    for path in named_files(host, texts):
        if path is None:
            raise unreadable(f"the protected view {view} reads files whose path is computed")
        named = tuple(fold(part) for part in path.split("."))
        if not any(key[-len(named) :] == named for key in known):
            found.append(path)
    return found
