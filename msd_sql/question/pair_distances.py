"""Pair distances: precomputed distances from a public table of (item, item, distance)."""

from __future__ import annotations

from typing import Any

import numpy as np

from msd_sql.catalog.declarations import Items
from msd_sql.database.sql_text import Name, fold, parts, quote
from msd_sql.engines.candidates import Candidates
from msd_sql.errors import CatalogError, InputError
from msd_sql.question.features import Given
from msd_sql.question.source import guard
from msd_sql.runtime.call import Call
from msd_sql.udfs.distances import DISTANCES
from msd_sql.udfs.types import Distance

_KEYS = "_msd_pair_keys"
_HOW = "features := 'pairs', distance := 'precomputed', where pairs is a table of two item keys and their distance"


def pairs(call: Call, named: Given | Items | None, found: Candidates) -> tuple[Distance, list[Any]]:
    """The distances of the table that a call or a declaration names, and the facts that tell them from others."""
    if isinstance(named, Items):
        return _read(call, named.features[0], found)
    names = set(named.texts) if named is not None and named.type == "VARCHAR" else set()
    name = next(iter(names), None)
    if len(names) != 1 or name is None:
        raise InputError(f"precomputed distances need the name of a table: {_HOW}.")
    if call.outside is not None:
        name = _published(call, name)
    return _read(call, name, found)


def _published(call: Call, text: str) -> str:
    """A published table by its name: a caller from outside may name no other, and learns nothing of any."""
    given = tuple(fold(part) for part in parts(text))
    fitting = [one for one in call.published() if _tail(one, len(given)) == given]
    if len(fitting) != 1:
        known = ", ".join(f"{one.schema}.{one.name}" for one in call.published()) or "none"
        raise CatalogError(f"No table '{text[:100]}' of pairs is published. Published are: {known}.")
    return str(fitting[0])


def _tail(name: Name, length: int) -> tuple[str, ...]:
    return tuple(fold(part) for part in (name.database, name.schema, name.name)[-length:])


def _read(call: Call, text: str, found: Candidates) -> tuple[Distance, list[Any]]:
    name = call.catalog.relations.resolve(text)
    # The table is not in the statement's FROM, so the guard is asked about it by itself.
    guard(call).check_relation(name)
    columns = list(call.catalog.relations.columns(name))
    if len(columns) != 3:
        raise InputError(f"{name} has {len(columns)} columns; precomputed distances need three: {_HOW}.")
    left, right, distance = (quote(column) for column in columns)
    with call.host.table(_KEYS, {"i": np.arange(found.n), "key": list(found.keys)}):
        rows = call.host.columns(
            f"SELECT a.i AS a, b.i AS b, CAST(p.{distance} AS DOUBLE) AS d FROM {name.sql} AS p "
            f"JOIN {_KEYS} AS a ON CAST(p.{left} AS VARCHAR) = a.key "
            f"JOIN {_KEYS} AS b ON CAST(p.{right} AS VARCHAR) = b.key"
        )
    far = np.ma.filled(rows["d"], np.nan)
    order = np.lexsort((rows["b"], rows["a"]))
    facts = [np.asarray(column)[order] for column in (rows["a"], rows["b"], far)]
    return DISTANCES["precomputed"].make(rows["a"], rows["b"], far, found.n), ["pairs", *facts]
