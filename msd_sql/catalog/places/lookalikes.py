"""Lookalikes: what may be a protected relation under another name, because it was renamed or its file was moved.

Nothing in DuckDB tells a renamed table from another one for good, so that a resemblance is enough to ask the owner:
while a protected relation is missing, an unprotected one with its columns counts as private (docs/guide_owner.md).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from msd_sql.catalog.declarations import Protected
from msd_sql.catalog.homes import Database
from msd_sql.catalog.places.ledger_file import HomeHosts
from msd_sql.database.host import Host
from msd_sql.database.sql_text import Name, fold, literal, statement

_COLUMNS = """
SELECT database_name, schema_name, table_name, list(column_name || ' ' || data_type ORDER BY column_index)
FROM duckdb_columns() WHERE {places} GROUP BY ALL
"""


def save_columns(host: Host, home: str, key: str, columns: Mapping[str, str]) -> None:
    """Keep the columns of a relation that is being declared, inside a transaction of the caller."""
    sql = "INSERT OR REPLACE INTO msd.declared_columns VALUES ($key, $columns)"
    host.run(statement(sql, home, key=key, columns=[f"{name} {kind}" for name, kind in columns.items()]))


def declared_columns(host: Host, home: str, key: str) -> list[str] | None:
    """The columns of a relation when it was declared, as 'name TYPE'; None where that was not written down."""
    rows = host.rows(statement("SELECT columns FROM msd.declared_columns WHERE key = $key", home, key=key))
    return list(rows[0][0]) if rows else None


def lookalikes(
    host: Host,
    hosts: HomeHosts,
    databases: Mapping[str, Database],
    known: Sequence[Protected],
    public: Collection[str] = (),
) -> dict[Name, Protected]:
    """What may be a protected relation under another name, each with the one it resembles.

    `known` are protected relations and `public` the names of items relations, neither of which is one.

    >>> lookalikes(host, call.catalog.home_hosts, {}, [purchases])
    {}
    """
    own = {protected.name for protected in known} | set(public)
    suspects = {
        protected.name: [name for name in _places(protected, databases) if str(name) not in own] for protected in known
    }
    columns = _described(host, {name for names in suspects.values() for name in names})
    found: dict[Name, Protected] = {}
    for protected in known:
        if suspects[protected.name]:
            declared = declared_columns(hosts.at(protected.home), protected.home, protected.stored_name)
            for name in suspects[protected.name]:
                if _resembles(columns.get(name, ()), declared, protected):
                    found.setdefault(name, protected)
    return found


def say_where(old: str, new: str) -> str:
    """What to do about a protected relation that is gone, where another one resembles it.

    >>> say_where("shop.main.orders", "shop.main.sales")
    "if it was renamed or its file was moved, ... SELECT msd_move('shop.main.orders', 'shop.main.sales')."
    """
    return (
        "if it was renamed or its file was moved, let the owner say so: "
        f"SELECT msd_move({literal(old)}, {literal(new)})."
    )


def _places(protected: Protected, databases: Mapping[str, Database]) -> Iterator[Name]:
    """Where a relation may have gone: anywhere in its own database, or to the same place in another one."""
    relation = protected.relation
    if relation is None or not (protected.missing or relation.database != protected.home):
        return
    place = (fold(relation.schema), fold(relation.name))
    for database in databases.values():
        if database.name == relation.database:
            if protected.missing:
                yield from (Name(database.name, *at) for key, at in database.relations.items() if key[0] != "msd")
        elif place in database.relations:
            yield Name(database.name, *database.relations[place])


def _described(host: Host, names: Collection[Name]) -> dict[Name, list[str]]:
    if not names:
        return {}
    places = " OR ".join(
        f"(database_name = {literal(name.database)} AND schema_name = {literal(name.schema)} "
        f"AND table_name = {literal(name.name)})"
        for name in sorted(names)
    )
    return {Name(*row[:3]): list(row[3]) for row in host.rows(_COLUMNS.format(places=places))}


def _resembles(columns: Sequence[str], declared: Sequence[str] | None, protected: Protected) -> bool:
    if declared is not None:
        return [fold(column) for column in columns] == [fold(column) for column in declared]
    needed = {fold(column) for column in (protected.unit, protected.item) if column is not None}
    return bool(needed) and needed <= {fold(column.rpartition(" ")[0]) for column in columns}
