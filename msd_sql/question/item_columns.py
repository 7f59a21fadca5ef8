"""Public columns of a declared items relation, in the order of the candidates: one statement for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np

from msd_sql.catalog.declarations import Items
from msd_sql.catalog.relations import described
from msd_sql.database.host import Column
from msd_sql.database.sql_text import quote
from msd_sql.database.storage_layout import storage_fingerprint
from msd_sql.engines.binding import native_keys
from msd_sql.engines.candidates import Candidates, Whole, whole_candidates
from msd_sql.engines.candidates_union import union
from msd_sql.engines.key_table import key_table
from msd_sql.errors import CatalogError, InputError
from msd_sql.question.sets import Sets, csr, first_places
from msd_sql.runtime.call import Call
from msd_sql.surface.column_types import KEY_INTEGERS, is_numeric, shape_of
from msd_sql.udfs.types import IntArray

_KEYS = "_msd_item_keys"
MANY = 1_000_000  # items of which one index is made, for all groups of a statement


@dataclass(frozen=True)
class ItemColumn:
    """One column of the items: a value, a list (a set) or a vector an item; masked where it is NULL."""

    kind: str  # 'value', 'list' or 'vector'
    values: Column | Sets

    def of(self, rows: IntArray) -> ItemColumn:
        """The values of some rows, in that order."""
        return ItemColumn(self.kind, self.values.of(rows) if isinstance(self.values, Sets) else self.values[rows])

    def split(self, sizes: Sequence[int]) -> list[ItemColumn]:
        """The values of groups, so many rows of each."""
        if isinstance(self.values, Sets):
            return [ItemColumn(self.kind, part) for part in self.values.split(sizes)]
        cuts = pairwise([0, *np.cumsum(sizes).tolist()])
        return [ItemColumn(self.kind, self.values[start:stop]) for start, stop in cuts]


def item_columns(
    call: Call, items: Items, groups: Sequence[Candidates], names: Sequence[str]
) -> list[dict[str, ItemColumn]]:
    """The named columns for the candidates of every group, in one reading if their keys have one type.

    Where a key stands on several rows of the relation, one of them is taken.

    >>> item_columns(call, products, [three_products], ["price"])[0]["price"].values
    array([1.5, 3. , 4.5])
    """
    types = _types(call, items, names)
    together = union(groups) if len(groups) > 1 else None
    if together is None:
        return [_these(call, items, group, types, names) for group in groups]
    try:
        found = _these(call, items, together.candidates, types, names)
    except InputError:  # about the candidates of all groups: one of them will say it of its own
        for group in groups:
            _these(call, items, group, types, names)
        raise
    sizes = [group.n for group in groups]
    columns = [column.of(together.places).split(sizes) for column in found.values()]
    return [dict(zip(found, parts, strict=True)) for parts in zip(*columns, strict=True)]


def knows(call: Call, items: Items, candidates: Candidates) -> bool:
    """Is every candidate a key of the items relation?

    >>> knows(call, products, three_products)
    True
    """
    source = _joined(items, candidates, _types(call, items, [])[items.key_column])
    with call.host.table(_KEYS, {"i": np.arange(candidates.n), "key": candidates.column}):
        return bool(call.host.rows(f"SELECT bool_and(v.known) {source}")[0][0])


def all_keys(call: Call, items: Items, kind: str) -> Candidates | None:
    """Every item of the relation as a candidate; None where there are none or too many, or of another type than `kind`.

    >>> all_keys(call, products, "INTEGER").n
    60
    """
    if _types(call, items, [])[items.key_column] != kind:
        return None
    return call.once(("all keys", items.name), lambda: _all_keys(call, items, kind))


def _all_keys(call: Call, items: Items, kind: str) -> Candidates | None:
    key = quote(items.key_column)
    if not 0 < call.host.rows(f"SELECT count({key}) FROM {_relation(items)}")[0][0] <= MANY:
        return None
    whole = kind in KEY_INTEGERS
    typed = f"CAST({key} AS {'BIGINT' if whole else 'VARCHAR'})"
    found = call.host.columns(f"SELECT {typed} AS key FROM {_relation(items)} WHERE {key} IS NOT NULL")["key"]
    return whole_candidates(found, kind) if whole else Candidates(list(dict.fromkeys(found.tolist())), kind)


def column_types(call: Call, items: Items) -> dict[str, str]:
    """The columns of an items relation with their types.

    >>> column_types(call, products)["price"]
    'DECIMAL(21,1)'
    """
    return described(call.lookups, call.once, _relation(items))


def items_fingerprint(call: Call, items: Items) -> str | None:
    """How the key and the features of an items relation lie in their file; None where that does not tell or matter.

    >>> items_fingerprint(call, products) is None  # the file was written to just now
    True
    """

    def look() -> str | None:
        if items.relation is None or not items.features or items.distance == "precomputed":
            return None
        table = call.stored(items.relation)
        return storage_fingerprint(call.lookups, table, [items.key_column, *items.features]) if table else None

    return call.once(("items fingerprint", items.name), look)


def _types(call: Call, items: Items, names: Sequence[str]) -> dict[str, str]:
    types = column_types(call, items)
    missing = [name for name in (items.key_column, *names) if name not in types]
    if missing:
        raise CatalogError(
            f"Items {items.name} has no column {missing[0]} any more. Declare it again: msd_items(…, replace := true)."
        )
    return types


def _these(
    call: Call, items: Items, candidates: Candidates, types: dict[str, str], names: Sequence[str]
) -> dict[str, ItemColumn]:
    sets = [name for name in names if _kind(types[name]) == "list"]
    plain = [name for name in names if name not in sets]
    chosen = [f"{_read(f'v.{quote(name)}', types[name])} AS c{place}" for place, name in enumerate(plain)]
    source = _joined(items, candidates, types[items.key_column])
    with call.host.table(_KEYS, {"i": np.arange(candidates.n), "key": candidates.column}):
        if not plain:
            read = {name: _sets(call, items, candidates, types[items.key_column], name) for name in names}
            if _a_row_each(call, items, candidates, source, list(read.values())):
                return {name: ItemColumn("list", found) for name, found in read.items()}
        found = call.host.columns(f"SELECT {', '.join(['c.i AS i', 'v.known AS known', *chosen])} {source}")
        known = np.zeros(candidates.n, np.bool_)  # a key that the key column cannot hold is not even among those found
        known[found["i"][np.ma.filled(found["known"], False)]] = True
        if not known.all():
            raise _unknown(items, candidates, [candidates.keys[int(place)] for place in np.flatnonzero(~known)])
        first = first_places(found["i"], candidates.n)
        columns = {name: ItemColumn(_kind(types[name]), found[f"c{at}"][first]) for at, name in enumerate(plain)}
        once = len(found["i"]) == candidates.n
        for name in sets:
            lists = (
                _sets(call, items, candidates, types[items.key_column], name)
                if once
                else _first_lists(call, source, name, candidates.n)
            )
            columns[name] = ItemColumn("list", lists)
    return {name: columns[name] for name in names}


def _a_row_each(call: Call, items: Items, candidates: Candidates, source: str, read: Sequence[Sets]) -> bool:
    """Has every candidate one row of the items, and no more?

    A table of as many rows as there are whole-number keys, of which each was found with a set, cannot have two for any.
    """
    stored = items.relation and call.stored(items.relation)  # a table knows how many rows it has
    found = isinstance(candidates.keys, Whole) and any((np.diff(sets.indptr) > 0).all() for sets in read)
    if stored and found and call.host.rows(f"SELECT count(*) FROM {_relation(items)}")[0][0] == candidates.n:
        return True
    return bool(call.host.rows(f"SELECT count(*), count(v.known) {source}")[0] == (candidates.n,) * 2)


def _sets(call: Call, items: Items, candidates: Candidates, key_type: str, name: str) -> Sets:
    """A list column as sets of codes: the tokens themselves stay in DuckDB, where 64 bits tell them apart."""
    table = key_table(candidates, key_type)
    if table is None:
        owner, source = "c.i", _joined(items, candidates, key_type)
    else:  # a look-up in numpy takes half the time of a join
        key = f"v.{quote(items.key_column)}"
        owner = f"CAST({key} AS BIGINT) - {table.low}"
        source = f"FROM {_relation(items)} AS v WHERE {key} BETWEEN {table.low} AND {table.high}"
    tokens = f"SELECT {owner} AS i, unnest(CAST(v.{quote(name)} AS VARCHAR[])) AS token {source}"
    pairs = call.host.columns(f"SELECT i, hash(token) AS token FROM ({tokens}) WHERE token IS NOT NULL")
    owners, tokens_of = pairs["i"], pairs["token"]
    if table is not None and not table.whole:
        owners = table.place.take(owners)
        asked = np.flatnonzero(owners >= 0)
        owners, tokens_of = owners.take(asked), tokens_of.take(asked)
    return csr(owners, tokens_of, candidates.n)


def _first_lists(call: Call, source: str, name: str, n: int) -> Column:
    """The lists themselves, where a key is on several rows: the first row of each is taken."""
    cells = call.host.columns(f"SELECT c.i AS i, CAST(v.{quote(name)} AS VARCHAR[]) AS tokens {source}")
    return cells["tokens"][first_places(cells["i"], n)]


def _unknown(items: Items, candidates: Candidates, absent: Sequence[str]) -> InputError:
    return InputError(
        f"{len(absent)} of {candidates.n} candidates are not in the items relation {items.name} (key "
        f"{items.key_column}), such as {absent[0]}, so that nothing says what makes them differ. Select from "
        f"{items.name}, or give features := a column."
    )


def _relation(items: Items) -> str:
    return items.relation.sql if items.relation else items.name


def _joined(items: Items, candidates: Candidates, key_type: str) -> str:
    return _source(_relation(items), quote(items.key_column), candidates.type, key_type)


@lru_cache(maxsize=64)
def _source(relation: str, key: str, given: str, native: str) -> str:
    typed = native_keys(_KEYS, given, native)
    keys = f"(SELECT i, CAST(key AS VARCHAR) AS key FROM {_KEYS})" if typed is None else typed
    match = f"CAST(v.{key} AS VARCHAR) = c.key" if typed is None else f"v.{key} = c.key"
    return f"FROM {keys} AS c LEFT JOIN (SELECT *, true AS known FROM {relation}) AS v ON {match}"


def _kind(kind: str) -> str:
    shape = shape_of(f"{kind}[]", None)
    return shape if shape in ("vector", "list") else "value"


def _read(column: str, kind: str) -> str:
    if _kind(kind) == "vector":
        return f"CAST({column} AS {'FLOAT' if kind.startswith('FLOAT') else 'DOUBLE'}[])"
    if kind.endswith("]"):
        return f"CAST({column} AS VARCHAR[])"
    if is_numeric(kind):
        return f"CAST({column} AS DOUBLE)" if kind.startswith("DECIMAL") or "HUGEINT" in kind else column
    return f"CAST({column} AS VARCHAR)"
