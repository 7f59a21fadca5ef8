"""Candidates: the distinct keys of a query in the order of their own type, never in scan order (DESIGN 3, sampler)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from msd_sql.errors import InputError
from msd_sql.host import Host
from msd_sql.sqltext import literal
from msd_sql.udfs.types import IntArray


@dataclass(frozen=True)
class Candidates:
    """The public items that a selection chooses from; candidate i of the kernel is `keys[i]`.

    >>> Candidates(["1", "2", "10"], "INTEGER")
    Candidates(keys=['1', '2', '10'], type='INTEGER')
    """

    keys: list[str]  # distinct, as text, ordered as values of `type`
    type: str  # the DuckDB type of the keys
    rows: IntArray = field(default_factory=lambda: np.empty(0, np.int64), repr=False, compare=False)
    # rows[i] is the place (from 0) of candidate i in the query's own list

    @property
    def n(self) -> int:
        """The number of distinct candidates."""
        return len(self.keys)


def candidates(keys: Sequence[str | None], order: Sequence[int] | IntArray, kind: str) -> Candidates:
    """The distinct keys of a query; `order` is DuckDB's own `list_grade_up` of them, from 1.

    The first one of several stands for all. That order may tell less apart than their texts do, so that duplicates need
    not be side by side.

    >>> candidates(["10", "9", "10"], [2, 1, 3], "INTEGER").keys
    ['9', '10']
    """
    missing = list(keys).count(None)
    if missing:
        raise InputError(
            f"items: {missing} of {len(keys)} keys are NULL. A candidate needs a key: add WHERE … IS NOT NULL."
        )
    places = np.asarray(order, dtype=np.int64) - 1
    texts = np.empty(len(keys), dtype=object)
    texts[:] = keys
    listed: list[str] = texts[places].tolist()
    if len(set(listed)) == len(listed):
        return Candidates(listed, kind, places)
    first: dict[str, int] = {}
    for text, place in zip(listed, places.tolist(), strict=True):
        first.setdefault(text, place)
    return Candidates(list(first), kind, np.fromiter(first.values(), np.int64, len(first)))


def ordered(host: Host, keys: Sequence[str | None], kind: str) -> Candidates:
    """The distinct keys of a query whose macro could not sort them, because it knew them as text only.

    >>> ordered(host, ["10", "9"], "INTEGER").keys
    ['9', '10']
    """
    with host.table("_msd_unordered", {"place": np.arange(1, len(keys) + 1), "key": list(keys)}):
        rows = host.columns(f"SELECT place FROM _msd_unordered ORDER BY CAST(key AS {kind}), place")
    return candidates(keys, rows["place"], kind)


def member_type(host: Host, record: str, name: str) -> str:
    """The type of one member of a record type, as DuckDB itself reads it.

    >>> member_type(host, "STRUCT(item_id INTEGER, price DOUBLE)", "item_id")
    'INTEGER'
    """
    record_row = f"SELECT CAST(NULL AS {record}) AS r"
    return str(host.rows(f"DESCRIBE SELECT struct_extract(r, {literal(name)}) FROM ({record_row})")[0][1])
