"""Prepared indexes: what the memory engine read for one question answers the next ones, while nothing has changed.

An index is found again by the content fingerprint of the protected relation; a changed relation has another one. It
serves any candidates that it holds. The least recently used go first when the bound on their bytes is reached.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from msd_sql.engines.candidates import Candidates, Whole
from msd_sql.udfs.types import IntArray

DEFAULT_LIMIT = 1 << 30


@dataclass(frozen=True)
class IndexKey:
    """What an index was made from: two questions with the same place may share it."""

    relation: str
    about: str  # everything else of the declaration that decides what the index holds
    content: str  # the fingerprint of the rows that it was read from
    type: str  # the candidates' type: their texts are compared


@dataclass(frozen=True)
class CachedIndex:
    """An index that holds all the candidates of a question."""

    index: Any
    codes: IntArray | None  # the candidates' codes in it; None: exactly these, in this order


class _Prepared:
    def __init__(self, index: Any, keys: Sequence[str], nbytes: int) -> None:
        self.index, self.keys, self.nbytes = index, keys, nbytes

    def serve(self, keys: Sequence[str]) -> CachedIndex | None:
        if keys == self.keys:
            return CachedIndex(self.index, None)
        codes = self.codes(keys) if len(keys) <= len(self.keys) else None
        return None if codes is None else CachedIndex(self.index, codes)

    def codes(self, keys: Sequence[str]) -> IntArray | None:
        """The places of these keys; None if they are not all here."""
        if isinstance(keys, Whole) and isinstance(self.keys, Whole):
            ordered, order = self._ordered
            near = np.minimum(np.searchsorted(ordered, keys.numbers), len(ordered) - 1)
            return order[near] if np.array_equal(ordered[near], keys.numbers) else None
        if not self._places.keys() >= set(keys):
            return None
        return np.fromiter((self._places[key] for key in keys), np.int64, len(keys))

    @cached_property
    def _ordered(self) -> tuple[IntArray, IntArray]:
        assert isinstance(self.keys, Whole)
        order = np.argsort(self.keys.numbers, kind="stable")
        return self.keys.numbers[order], order

    @cached_property
    def _places(self) -> dict[str, int]:
        return dict(zip(self.keys, range(len(self.keys)), strict=True))


class Indexes:
    """The prepared indexes of a process, bounded in bytes; safe between threads.

    >>> Indexes(limit=200 << 20).held
    0
    """

    def __init__(self, limit: int = DEFAULT_LIMIT) -> None:
        self._limit = limit
        self._kept: OrderedDict[tuple[IndexKey, int], _Prepared] = OrderedDict()
        self._serial = 0
        self._lock = threading.Lock()

    @property
    def held(self) -> int:
        """Bytes that the kept indexes may take."""
        return sum(prepared.nbytes for prepared in self._kept.values())

    @property
    def limit(self) -> int:
        """The bound on `held`; set it to 0 to keep nothing."""
        return self._limit

    @limit.setter
    def limit(self, nbytes: int) -> None:
        with self._lock:
            self._limit = nbytes
            self._shrink()

    def content(self, relation: str) -> str | None:
        """The one content of this relation that indexes are kept for."""
        with self._lock:
            return next((place.content for place, _ in self._kept if place.relation == relation), None)

    def find(self, place: IndexKey, candidates: Candidates) -> CachedIndex | None:
        """An index for these candidates, if one is kept."""
        with self._lock:
            for key, prepared in reversed(self._kept.items()):
                found = prepared.serve(candidates.keys) if key[0] == place else None
                if found:
                    self._kept.move_to_end(key)
                    return found
        return None

    def keep(self, place: IndexKey, candidates: Candidates, index: Any, nbytes: int) -> None:
        """Keep an index, and let go of what it supersedes: other contents of the relation, fewer candidates."""
        new = _Prepared(index, candidates.keys, nbytes)
        with self._lock:
            for key, prepared in list(self._kept.items()):
                changed = key[0].relation == place.relation and key[0].content != place.content
                if changed or (key[0] == place and new.serve(prepared.keys) is not None):
                    del self._kept[key]
            if nbytes <= self._limit:
                self._serial += 1
                self._kept[place, self._serial] = new
                self._shrink()

    def forget(self) -> None:
        """Let go of everything."""
        with self._lock:
            self._kept.clear()

    def __len__(self) -> int:
        return len(self._kept)

    def _shrink(self) -> None:
        while self._kept and self.held > self._limit:
            self._kept.popitem(last=False)
