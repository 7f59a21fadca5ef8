"""Lookup: the declarations that a caller sees, and in which database each is kept."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TypeVar

from msd_sql.catalog import declaration_rows, homes
from msd_sql.catalog.declarations import Items, Protected
from msd_sql.catalog.journal.steps import read_only
from msd_sql.catalog.places.ledger_file import HomeHosts, LedgerFile, with_ledger_open
from msd_sql.catalog.places.lookalikes import declared_columns, lookalikes, say_where
from msd_sql.catalog.places.staleness import warnings
from msd_sql.catalog.places.twins import check_twins
from msd_sql.catalog.relations import Relations, is_spark
from msd_sql.database.host import Host
from msd_sql.database.sql_text import Name, SearchPath, fold, parts, search_path
from msd_sql.errors import CatalogError

D = TypeVar("D", Protected, Items)


class Lookup:
    """The declarations in every database that a host sees.

    A declaration lives in the database of its relation, so that it travels with the file, or in `home` (another
    database: `register(con, ledger=...)`). `path` and `temporary` are the caller's search path and TEMP relations,
    which a host, with its own connection, cannot see.

    >>> Lookup(host).need("purchases").unit
    'user_id'
    """

    def __init__(
        self,
        host: Host,
        home: str | None = None,
        *,
        path: SearchPath | None = None,
        temporary: Collection[str] = (),
        ledger_file: LedgerFile | None = None,
    ) -> None:
        self._host = host
        self._home = home
        self.home_hosts = HomeHosts(host, ledger_file)  # `home` may be a file that is open only while it is used
        self._path = path or search_path(*host.rows("SELECT current_database(), current_schema()")[0])
        self.relations = Relations(host, self._path, temporary)

    @with_ledger_open
    def all_protected(self, databases: declaration_rows.Databases | None = None) -> list[Protected]:
        """Every relation that is protected now; where two homes know the same one, the one that charges it."""
        found: dict[str, Protected] = {}
        for protected, active in self._known(databases):
            if active:
                found.setdefault(protected.name, protected)
        return list(found.values())

    @with_ledger_open
    def protected(self, relation: str | Name) -> Protected | None:
        """The protection of a relation, or None where it is not protected."""
        everything = self.all_protected()
        return pick(everything, self._meant(relation, [known.name for known in everything]))

    @with_ledger_open
    def need(self, relation: str | Name) -> Protected:
        """The protection of a relation; a CatalogError where it is not protected."""
        found = self.protected(relation)
        if found is None:
            everything = self.all_protected()
            name = self._meant(relation, [protected.name for protected in everything])
            like = self.lookalikes(self.home_hosts.databases(), everything, self.all_items())
            before = next((one for other, one in like.items() if str(other) == name and one.missing), None)
            if before is not None:
                raise CatalogError(
                    f"'{relation}' is not protected. It has the columns of {before.name}, which is protected and gone: "
                    f"{say_where(before.name, str(name))}"
                )
            known = ", ".join(protected.name for protected in everything) or "none"
            raise CatalogError(
                f"'{relation}' is not protected. Protected relations: {known}. Declare it with "
                f"SELECT msd_protect('{relation}', unit := …, item := …, budget := …)."
            )
        return found

    @with_ledger_open
    def all_items(self, databases: declaration_rows.Databases | None = None) -> list[Items]:
        """Every items relation that is declared."""
        databases = databases if databases is not None else self.home_hosts.databases()
        found: dict[str, Items] = {}
        for home in self._homes(databases):
            for items in declaration_rows.load_items(self.home_hosts.at(home), home, databases):
                found.setdefault(items.name, items)
        return list(found.values())

    @with_ledger_open
    def items(self, relation: str | Name) -> Items | None:
        """What was declared of an items relation, or None."""
        everything = self.all_items()
        return pick(everything, self._meant(relation, [items.name for items in everything]))

    @with_ledger_open
    def lookalikes(
        self, databases: declaration_rows.Databases, protected: Sequence[Protected], items: Sequence[Items]
    ) -> dict[Name, Protected]:
        """What may be a protected relation under another name, each with the one it resembles: as private as that.

        It is told what is declared: whoever asks has looked that up before.
        """
        return lookalikes(self._host, self.home_hosts, databases, protected, [known.name for known in items])

    @with_ledger_open
    def warnings(self, protected: Protected) -> list[str]:
        """What an owner should know of a declaration: that m is old, or that the table is not the one it was."""
        if protected.relation is None or protected.missing:
            return []
        declared = declared_columns(self.home_hosts.at(protected.home), protected.home, protected.stored_name)
        now = [f"{name} {kind}" for name, kind in self.relations.columns(protected.relation).items()]
        return warnings(protected, declared, now)

    @with_ledger_open
    def home_of(self, name: Name) -> str:
        """The database whose schema msd keeps what is declared of a relation."""
        return self._writable(name, self.home_hosts.databases())

    def _homes(self, databases: declaration_rows.Databases) -> list[str]:
        known = [name for name, database in databases.items() if database.home]
        return sorted(known, key=lambda name: name != self._home)

    def _known(self, databases: declaration_rows.Databases | None = None) -> list[tuple[Protected, bool]]:
        """Every declaration, the one that charges a relation first: the ledger given, then its own database's."""
        databases = databases if databases is not None else self.home_hosts.databases()
        check_twins(self.home_hosts, databases)
        for database in databases.values():
            homes.settle(self.home_hosts.at(database.name), database)
        found = [
            pair
            for home in self._homes(databases)
            for pair in declaration_rows.load_protected(self.home_hosts.at(home), home, databases)
        ]
        return sorted(found, key=lambda pair: (pair[0].home != self._home, not _at_home(pair[0])))

    def _home_for(self, name: Name | None, shown_name: str, databases: declaration_rows.Databases) -> str:
        holder = next((known.home for known, _ in self._known() if known.name == shown_name), None)
        if holder is not None and (holder == self._home or not databases[holder].read_only):
            return holder
        return self._writable(name, databases)

    def _writable(self, name: Name | None, databases: declaration_rows.Databases) -> str:
        own = databases.get(name.database) if name else None
        home = self._home or (own.name if own and own.native else self._path[0][0])
        if databases[home].read_only:
            raise read_only(home)
        return home

    def _meant(self, relation: str | Name, declared: Sequence[str]) -> str | None:
        """The full name that a user's text means; a relation that is declared but gone is known by its last parts."""
        if isinstance(relation, Name) or is_spark(relation):
            return str(relation)
        try:
            return str(self.relations.resolve(relation))
        except CatalogError:
            given = tuple(fold(part) for part in parts(relation))
            gone = [name for name in declared if not is_spark(name) and _tail(name, len(given)) == given]
            if len(gone) != 1:
                raise
            return gone[0]


def pick(declared: Sequence[D], name: str | None) -> D | None:
    """The declaration of that name, or None."""
    return next((found for found in declared if found.name == name), None)


def _at_home(protected: Protected) -> bool:
    return protected.relation is not None and protected.relation.database == protected.home


def _tail(name: str, length: int) -> tuple[str, ...]:
    return tuple(fold(part) for part in parts(name)[-length:])
