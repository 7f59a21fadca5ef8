"""How declarations are stored in schema msd: rows to dataclasses and back, and names that outlive a renamed file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from operator import itemgetter
from typing import Any

from msd_sql.catalog.budget_filter import order_of
from msd_sql.catalog.declarations import Items, Protected
from msd_sql.catalog.homes import Database
from msd_sql.catalog.relations import is_spark
from msd_sql.database.host import Host
from msd_sql.database.sql_text import Name, fold, parts, shown, statement, utc

Databases = Mapping[str, Database]

_BUDGET = "budget, delta, alpha, spent, spent_delta, spent_renyi, spent_clamp, answers"
_PROTECTED = f"key, path, unit, item, relevance, similarity, cap, m, {_BUDGET}, shares, active, declared_at"
_ITEMS = "key, path, item, features, distance, quota, quota_cap, reach, reach_path, declared_at"


def stored_name(name: Name, home: str) -> str:
    """How a relation is called in the schema msd of `home`: without the database where it is the same one.

    A database is named after its file, so that a stored database name would lose the relation when it is renamed.

    Folded, because a table that is loaded again in another letter case is the same table.

    >>> stored_name(Name("shop", "main", "Purchases"), "shop"), stored_name(Name("shop", "main", "purchases"), "ledger")
    ('main.purchases', 'shop.main.purchases')
    """
    named = [fold(part) for part in (name.database, name.schema, name.name)]
    return ".".join(shown(part) for part in (named[1:] if name.database == home else named))


def present(stored: str, path: str | None, home: str, databases: Databases) -> Name | None:
    """The relation that a stored name means in this session, as it is spelled now; None for one of another engine."""
    if is_spark(stored):
        return None
    named = parts(stored)
    if len(named) == 2:
        return _spelled(home, named[0], named[1], databases)
    # The file tells more than the name it is attached under, unless the file has been moved.
    there = [database.name for database in databases.values() if path is not None and database.path == path]
    return _spelled(there[0] if there else named[0], named[1], named[2], databases)


def is_missing(relation: Name | None, databases: Databases) -> bool:
    """Whether a relation that was declared is not there: dropped, renamed, or in a file that is not attached."""
    if relation is None:
        return False
    there = databases.get(relation.database)
    return there is None or (there.native and (fold(relation.schema), fold(relation.name)) not in there.relations)


def _spelled(database: str, schema: str, name: str, databases: Databases) -> Name:
    known = databases[database].relations if database in databases else {}
    return Name(database, *known.get((fold(schema), fold(name)), (schema, name)))


def path_of(name: Name | None, home: str, databases: Databases) -> str | None:
    """The file of a relation's database, where the stored name has to name the database."""
    if name is None or name.database == home or name.database not in databases:
        return None
    return databases[name.database].path


def load_protected(host: Host, home: str, databases: Databases) -> list[tuple[Protected, bool]]:
    """Every protected relation of a home, each with whether it still is protected and with the budget it draws on."""
    found = []
    rows = _rows(host, f"SELECT {_PROTECTED} FROM msd.protected", home, _PROTECTED)
    heads: dict[str, float] = dict(host.rows(statement("SELECT key, head FROM msd.heads", home)))
    budgets = {row["key"]: {name: row[name] for name in _BUDGET.split(", ")} for row in rows}
    for row in rows:
        row |= budgets.get(row["shares"], {})
        relation = present(row["key"], row.pop("path"), home, databases)
        active = row.pop("active")
        row["declared_at"], row["alpha"] = utc(row["declared_at"]), order_of(row["alpha"])
        row["stored_name"] = row.pop("key")
        row["head"] = heads.get(row["stored_name"])
        name = str(relation) if relation else row["stored_name"]
        missing = is_missing(relation, databases)
        found.append((Protected(**row, name=name, home=home, relation=relation, missing=missing), active))
    return found


def save_protected(host: Host, protected: Protected, active: bool, databases: Databases) -> None:
    """Write a declaration over the one that may be there (an UPDATE in place, so that it conflicts with a charge)."""
    path = path_of(protected.relation, protected.home, databases)
    values = _values(protected, _PROTECTED, key=protected.stored_name, path=path, active=active)
    changes = ", ".join(f"{name} = ${name}" for name in values if name != "key")
    update = f"UPDATE msd.protected SET {changes}, revision = revision + 1 WHERE key = $key"
    if host.rows(statement(update, protected.home, **values)) != [(1,)]:
        insert = f"INSERT INTO msd.protected ({_PROTECTED}, revision) VALUES ({_holes(_PROTECTED)}, 0)"
        host.run(statement(insert, protected.home, **values))
    if protected.head is not None:
        head = "INSERT OR REPLACE INTO msd.heads VALUES ($key, $head)"
        host.run(statement(head, protected.home, key=protected.stored_name, head=protected.head))


def load_items(host: Host, home: str, databases: Databases) -> list[Items]:
    """Every items relation of a home."""
    found = []
    for row in _rows(host, f"SELECT {_ITEMS} FROM msd.items", home, _ITEMS):
        relation = present(row["key"], row["path"], home, databases)
        reach = row["reach"] and (present(row["reach"], row["reach_path"], home, databases) or row["reach"])
        found.append(
            Items(
                name=str(relation or row["key"]),
                key_column=row["item"],
                features=tuple(row["features"]),
                distance=row["distance"],
                quota=tuple(row["quota"]),
                quota_cap=tuple(row["quota_cap"]),
                reach=str(reach) if reach else None,
                stored_name=row["key"],
                home=home,
                relation=relation,
                declared_at=utc(row["declared_at"]),
            )
        )
    return found


def save_items(host: Host, items: Items, reach: Protected | None, databases: Databases) -> None:
    """Write a declaration over the one that may be there."""
    there = reach.relation if reach else None
    values = _values(
        items,
        _ITEMS,
        key=items.stored_name,
        path=path_of(items.relation, items.home, databases),
        item=items.key_column,
        reach=(stored_name(there, items.home) if there else reach.name) if reach else None,
        reach_path=path_of(there, items.home, databases),
    )
    sql = f"INSERT OR REPLACE INTO msd.items ({_ITEMS}) VALUES ({_holes(_ITEMS)})"
    host.run(statement(sql, items.home, **values))


def delete_items(host: Host, items: Items) -> None:
    """Forget an items relation."""
    host.run(statement("DELETE FROM msd.items WHERE key = $key", items.home, key=items.stored_name))


def _values(declared: Protected | Items, columns: str, **given: Any) -> dict[str, Any]:
    known = {**asdict(declared), **given}
    return {column: _plain(known[column]) for column in columns.split(", ")}


def _holes(columns: str) -> str:
    return ", ".join(f"${name}" for name in columns.split(", "))


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _rows(host: Host, sql: str, home: str, columns: str) -> list[dict[str, Any]]:
    """Rows by the names of their columns, in the order of their first, the key: a handful, sorted sooner here."""
    names = columns.split(", ")
    return [dict(zip(names, row, strict=True)) for row in sorted(host.rows(statement(sql, home)), key=itemgetter(0))]
