"""Homes: the databases whose schema `msd` holds declarations and a ledger; every write to one is a serialised step."""

from __future__ import annotations

import os
import random
import threading
import time
import uuid
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.resources import files
from typing import TypeVar

import sqlglot

from msd_sql.database.host import Conflict, Host, HostError, ReadOnly
from msd_sql.database.sql_text import statement
from msd_sql.errors import CatalogError, EngineError

T = TypeVar("T")
VERSION = 1
ATTEMPTS = 60
_locks: dict[str, threading.RLock] = {}
_locks_lock = threading.Lock()


@dataclass(frozen=True)
class Database:
    """An attached database."""

    name: str
    path: str | None  # None: in memory, or not a file
    native: bool  # DuckDB's own storage, and not one of another system
    read_only: bool
    home: bool  # has a schema msd of ours


def databases(host: Host, with_homes: Collection[str] | None = None) -> dict[str, Database]:
    """Every attached database of the user, by name. `with_homes` names those that have a schema msd, if that is known.

    >>> databases(host)["shop"].home
    True
    """
    rows = host.rows("SELECT database_name, path, type = 'duckdb', readonly FROM duckdb_databases() WHERE NOT internal")
    if with_homes is None:
        found = host.rows(
            "SELECT database_name FROM duckdb_tables() WHERE schema_name = 'msd' AND table_name = 'protected'"
        )
        with_homes = {row[0] for row in found}
    return {row[0]: Database(row[0], _real(row[1]), row[2], row[3], row[0] in with_homes) for row in sorted(rows)}


def identity(host: Host, database: str, found: Database | None = None) -> str:
    """What tells this database from every other one, also from another one in memory or from a copy of its file."""
    version, marker = host.rows(statement("SELECT version, identity FROM msd.version", database))[0]
    if version > VERSION:
        raise CatalogError(
            f"Schema msd of database {database} was written by a newer msd_sql (layout {version}; this one knows "
            f"{VERSION}). Upgrade msd_sql."
        )
    return f"{marker}@{(found or databases(host, ())[database]).path}"


def create(host: Host, database: str) -> None:
    """Create schema msd, in one transaction, unless it is there."""

    def act(inner: Host) -> None:
        if databases(inner)[database].home:
            return
        for part in _schema():
            inner.run(statement(part, database))
        sql = "INSERT INTO msd.version VALUES ($version, $identity::UUID, $now)"
        inner.run(statement(sql, database, version=VERSION, identity=str(uuid.uuid4()), now=datetime.now(UTC)))

    if databases(host)[database].home:
        return
    try:
        _serialised(host, database, "creation", act)
    except HostError as error:
        raise CatalogError(
            f"Schema msd could not be created in database {database}: {error}. If a schema msd of your own is in the "
            "way, keep declarations and ledger in another file: register(con, ledger='ledger.duckdb')."
        ) from None


def write(host: Host, database: str, act: Callable[[Host], T], known: str | None = None) -> T:
    """Run `act` in one durable transaction of its own on the home `database`, one writer at a time.

    `act` may run several times: another process's transaction can win a race, and then all of it is tried again.
    `known` is the identity of the database, where it has been asked for already.
    """
    return _serialised(host, database, known or identity(host, database), act)


def _serialised(host: Host, database: str, key: str, act: Callable[[Host], T]) -> T:
    with _locks_lock:
        lock = _locks.setdefault(key, threading.RLock())
    with lock:
        for attempt in range(ATTEMPTS):
            try:
                with host.transaction() as inner:
                    return act(inner)
            except Conflict:
                time.sleep(random.uniform(0, min(0.2, 0.002 * 2**attempt)))
            except ReadOnly:
                break
        else:
            raise EngineError(
                f"The ledger of database {database} stays busy: another transaction holds its rows. End that "
                "transaction (COMMIT or ROLLBACK) and ask again; nothing was charged."
            )
    raise read_only(database)


def read_only(database: str) -> CatalogError:
    """The refusal to write to a database that is open for reading only."""
    return CatalogError(
        f"Database {database} is open for reading only, so nothing can be declared or charged in it. Open it for "
        "writing, or keep declarations and ledger in another file: register(con, ledger='ledger.duckdb')."
    )


def _schema() -> list[str]:
    text = files("msd_sql.catalog").joinpath("schema.sql").read_text("utf-8")
    return [part.sql("duckdb") for part in sqlglot.parse(text, dialect="duckdb") if part is not None]


def _real(path: str | None) -> str | None:
    return os.path.realpath(path) if path and os.path.exists(path) else None
