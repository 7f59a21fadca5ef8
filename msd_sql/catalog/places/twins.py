"""Twins: two attached files that are one and the same, or copies of one; each would be a second way to one budget."""

from __future__ import annotations

import os
from collections.abc import Mapping

from msd_sql.catalog.homes import Database
from msd_sql.catalog.places.ledger_file import HomeHosts
from msd_sql.database.sql_text import statement
from msd_sql.errors import CatalogError


def check_twins(hosts: HomeHosts, databases: Mapping[str, Database]) -> None:
    """Raise a CatalogError where two attached databases are one: one file by two names, or one identity in two files.

    >>> check_twins(call.catalog.home_hosts, {})
    """
    if not any(database.home for database in databases.values()):
        return
    seen: dict[object, str] = {}
    for database in databases.values():
        marks: list[object] = []
        if database.path is not None and len(databases) > 1:
            try:
                told = os.stat(database.path)
            except OSError:
                continue
            marks.append((told.st_dev, told.st_ino))
        if database.home and sum(one.home for one in databases.values()) > 1:
            sql = statement("SELECT identity::VARCHAR FROM msd.version", database.name)
            marks.append(hosts.at(database.name).rows(sql)[0][0])
        for mark in marks:
            other = seen.setdefault(mark, database.name)
            if other != database.name:
                raise CatalogError(
                    f"Databases {other} ({databases[other].path}) and {database.name} ({database.path}) are one and "
                    "the same, or copies of one: its budget would be there twice. DETACH one of them."
                )
