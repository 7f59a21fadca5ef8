"""Readability: can the protected relation be read as it was declared? Asked before a charge, without reading a row."""

from __future__ import annotations

from msd_sql.catalog.collations import check_collations, check_spark_collations
from msd_sql.catalog.declarations import Items, Protected
from msd_sql.catalog.similarity import similarity_columns, similarity_tree, tried
from msd_sql.database.host import Host, HostError
from msd_sql.database.sql_text import quote
from msd_sql.errors import CatalogError, InputError


def probe(host: Host, protected: Protected, items: Items | None = None, *, rows_only: bool = False) -> dict[str, str]:
    """The types of the relation's declared columns; an error if a statement over them would not even bind.

    `rows_only`: nothing but its own rows will be read, so that no items are needed.

    >>> probe(host, purchases)
    {'user_id': 'INTEGER', 'item_id': 'INTEGER'}
    """
    columns = [column for column in (protected.unit, protected.item) if column is not None]
    columns += similarity_columns(protected.similarity) if protected.similarity is not None else []
    kinds = _types(host, protected.sql, list(dict.fromkeys(columns)))
    if kinds is None:
        raise CatalogError(
            f"The protected relation {protected.name} cannot be read as it was declared (unit {protected.unit}, item "
            f"{protected.item}): it was dropped or changed, or a file of its view is gone."
        )
    if protected.in_spark:
        check_spark_collations(kinds, protected.name)
    else:
        check_collations(host, protected.sql, kinds, protected.name)
    if protected.similarity is None or rows_only:
        return kinds
    if items is None or items.relation is None:
        raise InputError(
            f"The relevance of {protected.name} is a similarity of its rows with item rows, so that the candidates "
            f"must come from a declared items relation: msd_items(…, reach := '{protected.name}')."
        )
    if protected.in_spark:
        return kinds  # the item rows are in DuckDB: the engine itself brings the two together
    number = tried(similarity_tree(protected.similarity))
    if _fails(host, f"SELECT {number} FROM {protected.sql} AS r, {items.relation.sql} AS v LIMIT 0"):
        raise CatalogError(
            f"The similarity of {protected.name} does not fit the items {items.name}: {protected.similarity}. Every "
            "v.column must be a column of the items."
        )
    return kinds


def _types(host: Host, source: str, columns: list[str]) -> dict[str, str] | None:
    """The columns with their types; None if they are not all there."""
    named = ", ".join(f"{quote(column)} AS c{at}" for at, column in enumerate(columns))
    try:
        found = host.rows(f"DESCRIBE SELECT {named or '1'} FROM {source} LIMIT 0")
    except HostError:
        return None
    return dict(zip(columns, (str(row[1]) for row in found), strict=False))


def _fails(host: Host, sql: str) -> bool:
    try:
        host.rows(f"DESCRIBE {sql}")
    except HostError:
        return True
    return False
