"""Candidates: the distinct keys of a query in the order of their own type, never in scan order (docs/privacy.md)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import overload

import numpy as np

from msd_sql.database.host import Column, Host
from msd_sql.database.sql_text import literal
from msd_sql.errors import InputError
from msd_sql.surface.column_types import KEY_INTEGERS
from msd_sql.udfs.types import IntArray


class Whole(Sequence[str]):
    """The texts of whole numbers, made only where somebody wants to see them: there may be a hundred thousand.

    >>> list(Whole(np.array([9, 10])))
    ['9', '10']
    """

    def __init__(self, numbers: IntArray) -> None:
        self.numbers = numbers

    def __len__(self) -> int:
        return len(self.numbers)

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> Whole: ...
    def __getitem__(self, at: int | slice) -> str | Whole:
        return Whole(self.numbers[at]) if isinstance(at, slice) else str(self.numbers[at])

    def __iter__(self) -> Iterator[str]:
        return map(str, self.numbers.tolist())

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Whole):
            return np.array_equal(self.numbers, other.numbers)
        return isinstance(other, list) and list(self) == other

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(list(self))


@dataclass(frozen=True)
class Candidates:
    """The public items that a selection chooses from; candidate i of the kernel is `keys[i]`.

    >>> Candidates(["1", "2", "10"], "INTEGER")
    Candidates(keys=['1', '2', '10'], type='INTEGER')
    """

    keys: Sequence[str]  # distinct, as text, ordered as values of `type`
    type: str  # the DuckDB type of the keys
    rows: IntArray = field(default_factory=lambda: np.empty(0, np.int64), repr=False, compare=False)
    # rows[i] is the place (from 0) of candidate i in the query's own list

    @property
    def n(self) -> int:
        """The number of distinct candidates."""
        return len(self.keys)

    def holds(self, others: Candidates) -> bool:
        """Are the other candidates, of the same type, all among these?

        >>> Candidates(["1", "2"], "INTEGER").holds(Candidates(["2"], "INTEGER"))
        True
        """
        if isinstance(self.keys, Whole) and isinstance(others.keys, Whole):
            return bool(np.isin(others.keys.numbers, self.keys.numbers).all())
        return set(others.keys) <= set(self.keys)

    @property
    def column(self) -> Column | Sequence[str]:
        """The keys as a column for DuckDB: numbers if they are some, else texts."""
        return self.keys.numbers if isinstance(self.keys, Whole) else self.keys


def candidates(keys: Sequence[str | None], order: Sequence[int] | IntArray, kind: str) -> Candidates:
    """The distinct keys of a query; `order` is DuckDB's own `list_grade_up` of them, from 1.

    The first one of several stands for all. That order may tell less apart than their texts do, so that duplicates need
    not be side by side.

    >>> candidates(["10", "9", "10"], [2, 1, 3], "VARCHAR").keys
    ['9', '10']
    """
    missing = list(keys).count(None)
    if missing:
        raise _no_key(missing, len(keys))
    if kind in KEY_INTEGERS:
        return whole_candidates(np.array([int(key or 0) for key in keys], dtype=np.int64), kind)
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


def whole_candidates(numbers: Column, kind: str) -> Candidates:
    """The distinct keys of a query that are whole numbers, NaN among them standing for NULL.

    >>> whole_candidates(np.array([10, 9, 10]), "INTEGER").rows
    array([1, 0])
    """
    if numbers.dtype.kind == "f":
        raise _no_key(int(np.isnan(numbers).sum()), len(numbers))
    places: IntArray = np.arange(len(numbers))
    if not (numbers[1:] > numbers[:-1]).all():
        numbers, places = np.unique(numbers, return_index=True)
    return Candidates(Whole(numbers.astype(np.int64, copy=False)), kind, places)


def whole_groups(groups: Sequence[tuple[Column, str]]) -> list[Candidates]:
    """The distinct keys of many groups, as `whole_candidates` has those of each, in one pass.

    >>> groups = [(np.array([10, 9, 10]), "INTEGER"), (np.array([9]), "INTEGER")]
    >>> [found.rows.tolist() for found in whole_groups(groups)]
    [[1, 0], [0]]
    """
    if len(groups) < 2 or any(numbers.dtype.kind == "f" for numbers, _ in groups):
        return [whole_candidates(*group) for group in groups]
    flat, sizes = np.concatenate([numbers for numbers, _ in groups]), np.array([len(numbers) for numbers, _ in groups])
    owner, starts = np.repeat(np.arange(len(groups)), sizes), np.cumsum(sizes) - sizes
    same = owner[1:] == owner[:-1]
    order: IntArray = np.arange(len(flat))
    if not ((flat[1:] > flat[:-1]) | ~same).all():
        order = np.lexsort((flat, owner))  # it leaves the order of those alike, so that the first of them stays
        listed = flat.take(order)
        order = order[np.concatenate([[True], (listed[1:] != listed[:-1]) | ~same])]
        flat, owner = flat.take(order), owner.take(order)
        sizes = np.bincount(owner, minlength=len(groups))
    rows = order - starts.take(owner)
    cuts = pairwise([0, *np.cumsum(sizes).tolist()])
    return [
        Candidates(Whole(flat[start:stop]), kind, rows[start:stop])
        for (_, kind), (start, stop) in zip(groups, cuts, strict=True)
    ]


def _no_key(missing: int, given: int) -> InputError:
    return InputError(f"items: {missing} of {given} keys are NULL. A candidate needs a key: add WHERE … IS NOT NULL.")


def ordered(host: Host, keys: Sequence[str | None], kind: str) -> Candidates:
    """The distinct keys of a query whose macro could not sort them, because it knew them as text only.

    >>> ordered(host, ["10", "9"], "INTEGER").keys
    ['9', '10']
    """
    if kind in KEY_INTEGERS:
        return candidates(keys, [], kind)
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
