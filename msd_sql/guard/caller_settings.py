"""The caller's settings on a connection of ours: where it looks for names and files, and our functions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from msd_sql.database.host import OWN_NAMES, Host, HostError
from msd_sql.database.sql_text import literal, quote
from msd_sql.guard.connection_view import ConnectionView
from msd_sql.surface.macros import TEXT
from msd_sql.surface.shared_macros import DATABASE, OWN


@contextmanager
def as_the_caller(host: Host, view: ConnectionView) -> Iterator[None]:
    """Plan statements as the caller's connection would that has nothing of its own; our own settings come back."""
    path = ",".join(f"{quote(database)}.{quote(schema)}" for database, schema in view.path)
    with suppress(HostError):  # only Python's DuckDB looks for a program's variables
        host.run("SET python_enable_replacements = false")
    host.run(f"SET search_path = {literal(path)}")
    host.run(f"SET file_search_path = {literal(','.join(view.folders))}")
    host.run(f"SET home_directory = {literal(view.home)}")
    try:
        if (DATABASE, "main") not in view.path:  # else they are found by that path
            try:
                host.run(OWN)
            except HostError:  # nothing is shared: another database has the name
                host.run(TEXT)
        yield
    finally:
        host.run(f"{OWN_NAMES}; RESET file_search_path; RESET home_directory")
