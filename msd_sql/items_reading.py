"""Public columns of a declared items relation, for the candidates only: one statement a column."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from msd_sql.candidates import Candidates
from msd_sql.declarations import Items
from msd_sql.engines.binding import native_keys
from msd_sql.errors import CatalogError, InputError
from msd_sql.host import Column, Host
from msd_sql.sqltext import quote
from msd_sql.udfs.types import IntArray

_KEYS = "_msd_item_keys"
_ONE = "QUALIFY row_number() OVER (PARTITION BY c.i) = 1"
_VECTOR = re.compile(r"^(FLOAT|DOUBLE|DECIMAL\([0-9, ]*\))\[\d*\]$")


@dataclass(frozen=True)
class ItemColumn:
    """One column of the items: plain values, or the elements of lists as (item, element) pairs."""

    type: str
    values: Column | None = None
    pairs: tuple[IntArray, npt.NDArray[Any]] | None = None
    places: IntArray | None = None  # of each element in its vector
    dimension: int | None = None  # of the vectors; None: the lists are sets

    def matrix(self, n: int) -> npt.NDArray[np.floating[Any]]:
        """The vectors as rows; NaN where an element is NULL."""
        if self.pairs is None or self.places is None or self.dimension is None:
            raise TypeError("Not a column of vectors.")
        owners, elements = self.pairs
        filled = np.ma.filled(elements, np.nan)
        rows = np.full((n, self.dimension), np.nan, dtype=filled.dtype)
        rows[owners, self.places] = filled
        return rows


def item_columns(host: Host, items: Items, candidates: Candidates, names: Sequence[str]) -> dict[str, ItemColumn]:
    """The named columns of the items relation in the order of the candidates.

    Where a key stands on several rows of the relation, one of them is taken.

    >>> item_columns(host, products, candidates, ["price"])["price"].values
    array([9.5, 3. ])
    """
    types = {row[0]: str(row[1]) for row in host.rows(f"DESCRIBE SELECT * FROM {_relation(items)}")}
    missing = [name for name in (items.key, *names) if name not in types]
    if missing:
        raise CatalogError(
            f"Items {items.name} has no column {missing[0]} any more. Declare it again: msd_items(…, replace := true)."
        )
    with host.table(_KEYS, {"i": np.arange(candidates.n), "key": candidates.keys}):
        source = _joined(items, candidates, types[items.key])
        _check_known(host, source, items, candidates)
        return {name: _column(host, source, name, types[name], candidates) for name in names}


def knows(host: Host, items: Items, candidates: Candidates) -> bool:
    """Is every candidate a key of the items relation?

    >>> knows(host, products, candidates)
    True
    """
    types = {row[0]: str(row[1]) for row in host.rows(f"DESCRIBE SELECT * FROM {_relation(items)}")}
    with host.table(_KEYS, {"i": np.arange(candidates.n), "key": candidates.keys}):
        source = _joined(items, candidates, types[items.key])
        return bool(host.rows(f"SELECT count(DISTINCT c.i) {source}")[0][0] == candidates.n)


def _relation(items: Items) -> str:
    return items.relation.sql if items.relation else items.name


def _joined(items: Items, candidates: Candidates, key_type: str) -> str:
    native = native_keys(_KEYS, candidates.type, key_type)
    if native is None:
        keys, key = f"(SELECT i, key FROM {_KEYS})", f"CAST(v.{quote(items.key)} AS VARCHAR)"
    else:
        keys, key = native.sql("duckdb"), f"v.{quote(items.key)}"
    return f"FROM {keys} AS c JOIN {_relation(items)} AS v ON {key} = c.key"


def _check_known(host: Host, source: str, items: Items, candidates: Candidates) -> None:
    known = host.columns(f"SELECT DISTINCT c.i AS i {source}")["i"]
    if len(known) < candidates.n:
        absent = np.setdiff1d(np.arange(candidates.n), known)
        raise InputError(
            f"{len(absent)} of {candidates.n} candidates are not in the items relation {items.name} (key {items.key}), "
            f"such as {candidates.keys[int(absent[0])]}, so nothing says what makes them differ. Select from "
            f"{items.name}, or give features := a column. Nothing was charged."
        )


def _column(host: Host, source: str, name: str, kind: str, candidates: Candidates) -> ItemColumn:
    column = f"v.{quote(name)}"
    if _VECTOR.match(kind):
        return _vectors(host, source, column, kind, candidates)
    if kind.endswith("]"):
        lists = f"SELECT c.i AS i, CAST({column} AS VARCHAR[]) AS tokens {source} {_ONE}"
        found = host.columns(
            "SELECT i, token FROM (SELECT i, unnest(range(len(tokens))) AS place, unnest(tokens) AS token "
            f"FROM ({lists})) WHERE token IS NOT NULL ORDER BY i, place"
        )
        return ItemColumn(kind, pairs=(found["i"].astype(np.int64), found["token"]))
    wanted = f"CAST({column} AS DOUBLE)" if kind.startswith("DECIMAL") else column
    found = host.columns(f"SELECT i, {quote('value')} FROM (SELECT c.i AS i, {wanted} AS {quote('value')} {source})")
    _, first = np.unique(found["i"], return_index=True)
    return ItemColumn(kind, values=found["value"][first])


def _vectors(host: Host, source: str, column: str, kind: str, candidates: Candidates) -> ItemColumn:
    element = "FLOAT" if kind.startswith("FLOAT") else "DOUBLE"
    rows = f"SELECT c.i AS i, CAST({column} AS {element}[]) AS vector {source} {_ONE}"
    lengths = host.rows(f"SELECT DISTINCT coalesce(len(vector), 0) FROM ({rows})")
    if len(lengths) != 1 or lengths[0][0] == 0:
        told = ", ".join(str(row[0]) for row in sorted(lengths)[:5])
        raise InputError(
            f"The vectors in {column.removeprefix('v.')} need one length, the same for every candidate; "
            f"lengths {told} were found (0: NULL or empty). Nothing was charged."
        )
    found = host.columns(f"SELECT i, unnest(range(len(vector))) AS place, unnest(vector) AS element FROM ({rows})")
    return ItemColumn(
        kind,
        pairs=(found["i"].astype(np.int64), found["element"]),
        places=found["place"].astype(np.int64),
        dimension=int(lengths[0][0]),
    )
