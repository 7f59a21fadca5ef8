"""Homes: the databases whose schema `msd` holds declarations and a ledger; every write to one is a `Step`."""

from __future__ import annotations

import os
import uuid
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.resources import files
from typing import TypeVar

from msd_sql.catalog.journal.steps import Step, serialised, settled
from msd_sql.catalog.records.migration import NEWEST, migrate
from msd_sql.catalog.relations import ALL_RELATIONS
from msd_sql.database.host import Host, HostError, Row
from msd_sql.database.sql_text import fold, statement
from msd_sql.errors import CatalogError

T = TypeVar("T")
VERSION = 4


@dataclass(frozen=True)
class Database:
    """An attached database."""

    name: str
    path: str | None  # None: in memory, or not a file
    native: bool  # DuckDB's own storage, and not one of another system
    read_only: bool
    home: bool  # has a schema msd of ours
    # The tables and views, as they are spelled, by their folded schema and name.
    relations: Mapping[tuple[str, str], tuple[str, str]] = field(default_factory=dict, compare=False, repr=False)


def databases(host: Host, relations: Collection[Row] | None = None) -> dict[str, Database]:
    """Every attached database of the user, by name, each home brought to this layout.

    `relations` are all tables and views, as (database, schema, name), if that is known.

    >>> databases(host)["shop"].home
    True
    """
    rows = host.rows("SELECT database_name, path, type = 'duckdb', readonly FROM duckdb_databases() WHERE NOT internal")
    if relations is None:
        relations = host.rows(ALL_RELATIONS)
    spelled: dict[str, dict[tuple[str, str], tuple[str, str]]] = defaultdict(dict)
    for database, schema, name in relations:
        spelled[database][fold(schema), fold(name)] = (schema, name)
    homes = {
        database for database, known in spelled.items() if {("msd", "protected"), ("msd", "version")} <= set(known)
    }
    for name, _, _, closed in rows:
        if name in homes and ("msd", NEWEST) not in spelled[name]:
            _upgrade(host, name, read_only=closed)
    return {
        row[0]: Database(row[0], _real(row[1], native=row[2]), row[2], row[3], row[0] in homes, spelled[row[0]])
        for row in sorted(rows)
    }


def identity(host: Host, database: str, found: Database | None = None) -> str:
    """What tells this database from every other one, also from another one in memory or from a copy of its file."""
    version, marker = host.rows(statement("SELECT version, identity FROM msd.version", database))[0]
    if version > VERSION:
        raise CatalogError(
            f"Schema msd of database {database} was written by a newer msd_sql (layout {version}; this one knows "
            f"{VERSION}). Upgrade msd_sql."
        )
    return f"{marker}@{(found or databases(host, ())[database]).path}"


def file_of(known: str) -> str | None:
    """The file in an identity; None for a database in memory.

    >>> file_of("9f1c@/data/shop.duckdb"), file_of("9f1c@None")
    ('/data/shop.duckdb', None)
    """
    path = known.partition("@")[2]
    return None if path == "None" else path


def create(host: Host, database: str) -> None:
    """Create schema msd, in one transaction, unless it is there."""

    def act(step: Step) -> None:
        if databases(step)[database].home:
            return
        for part in _schema():
            step.run(statement(part, database))
        marker = str(uuid.uuid4())
        sql = "INSERT INTO msd.version VALUES ($version, $identity::UUID, $now)"
        step.run(statement(sql, database, version=VERSION, identity=marker, now=datetime.now(UTC)))
        step.journal("open", None, identity=marker, version=VERSION)

    found = databases(host)[database]
    if found.home:
        return
    try:
        serialised(host, database, "creation", found.path, act, fresh=True)
    except HostError as error:
        raise CatalogError(
            f"Schema msd could not be created in database {database}: {error}. If a schema msd of your own is in the "
            "way, keep declarations and ledger in another file: register(con, ledger='ledger.duckdb')."
        ) from None


def write(host: Host, database: str, act: Callable[[Step], T], known: str | None = None) -> T:
    """Run `act` in one durable transaction of its own on the home `database`, one writer at a time.

    `act` may run several times: another process's transaction can win a race, and then all of it is tried again.
    `known` is the identity of the database, where it has been asked for already.
    """
    key = known or identity(host, database)
    return serialised(host, database, key, file_of(key), act)


def settle(host: Host, found: Database) -> None:
    """Raise the rows of a home to its journal, if they say less; at opening, before anything is read from them."""
    if found.home and found.path is not None and not found.read_only:
        settled(host, found.name, found.path, lambda: identity(host, found.name, found))


def _upgrade(host: Host, database: str, *, read_only: bool) -> None:
    """Bring an older schema msd to this layout, in one transaction; its journal begins with the next write."""
    if read_only:
        raise CatalogError(
            f"Schema msd of database {database} was written by an older msd_sql, and the database is open for reading "
            "only. Open it for writing once, so that it can be brought up to date."
        )
    serialised(host, database, "creation", None, lambda step: migrate(step, database, _schema(), VERSION), fresh=True)


def _schema() -> list[str]:
    text = files("msd_sql.catalog").joinpath("schema.sql").read_text("utf-8")
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("--")]
    return [part.strip() for part in "\n".join(lines).split(";") if part.strip()]


def _real(path: str | None, *, native: bool) -> str | None:
    # A file that was renamed or removed while it is open is one all the same: its journal goes on.
    local = path and (os.path.exists(path) or (native and "://" not in path))
    return os.path.realpath(path) if path and local else None
