"""Prepared indexes: what the memory engine read for one question answers the next ones, while nothing has changed.

An index is found again by the content fingerprint of the protected relation; a changed relation has another one. It
serves any candidates that it holds. The least recently used go first when the bound on their bytes is reached.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from msd_sql.candidates import Candidates
from msd_sql.udfs.types import IntArray

DEFAULT_LIMIT = 1 << 30


@dataclass(frozen=True)
class Place:
    """What an index was made from: two questions with the same place may share it."""

    relation: str
    about: str  # everything else of the declaration that decides what the index holds
    content: str  # the fingerprint of the rows that it was read from
    type: str  # the candidates' type: their texts are compared


@dataclass(frozen=True)
class Found:
    """An index that holds all the candidates of a question."""

    index: Any
    codes: IntArray | None  # the candidates' codes in it; None: exactly these, in this order


@dataclass(frozen=True)
class _Prepared:
    index: Any
    keys: Sequence[str]
    codes: dict[str, int]
    nbytes: int

    def serve(self, keys: Sequence[str]) -> Found | None:
        if keys == self.keys:
            return Found(self.index, None)
        if len(keys) > len(self.keys) or not self.codes.keys() >= set(keys):
            return None
        return Found(self.index, np.fromiter((self.codes[key] for key in keys), np.int64, len(keys)))


class Indexes:
    """The prepared indexes of a process, bounded in bytes; safe between threads.

    >>> Indexes(limit=200 << 20).held
    0
    """

    def __init__(self, limit: int = DEFAULT_LIMIT) -> None:
        self._limit = limit
        self._kept: OrderedDict[tuple[Place, int], _Prepared] = OrderedDict()
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

    def holds(self, relation: str) -> bool:
        """Is any index of this relation kept? If not, none needs to be looked for."""
        with self._lock:
            return any(place.relation == relation for place, _ in self._kept)

    def find(self, place: Place, candidates: Candidates) -> Found | None:
        """An index for these candidates, if one is kept."""
        with self._lock:
            for key, prepared in reversed(self._kept.items()):
                found = prepared.serve(candidates.keys) if key[0] == place else None
                if found:
                    self._kept.move_to_end(key)
                    return found
        return None

    def keep(self, place: Place, candidates: Candidates, index: Any, nbytes: int) -> None:
        """Keep an index, and let go of what it supersedes: other contents of the relation, fewer candidates."""
        codes = dict(zip(candidates.keys, range(candidates.n), strict=True))
        with self._lock:
            for key, prepared in list(self._kept.items()):
                changed = key[0].relation == place.relation and key[0].content != place.content
                if changed or (key[0] == place and codes.keys() >= prepared.codes.keys()):
                    del self._kept[key]
            if nbytes <= self._limit:
                self._serial += 1
                self._kept[place, self._serial] = _Prepared(index, candidates.keys, codes, nbytes)
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
