"""The distance cache: distances of the last questions over declared features, while the items are stored unchanged."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from msd_sql.database.host import Column
from msd_sql.udfs.types import Distance

Keys = Column | Sequence[str]
Measured = tuple[Distance | None, list[Any]]  # a distance, and the facts that it was made from
MOST = 4  # distances
LARGEST = 1 << 25  # bytes of one of them


class DistanceCache:
    """Distances by what decides them: a place (layout, name, scale, …) and the candidates' keys in order.

    A distance does not change once it is made, so several threads may use one.

    >>> distances = DistanceCache()
    >>> made = distances.of(("products", "here"), np.array([1, 2]), lambda: (None, ["jaccard"]))
    >>> distances.of(("products", "here"), np.array([1, 2]), lambda: (None, ["l1"]))
    (None, ['jaccard'])
    """

    def __init__(self) -> None:
        self._kept: list[tuple[tuple[Any, ...], Keys, Measured]] = []
        self._lock = threading.Lock()

    def of(self, place: tuple[Any, ...], keys: Keys, make: Callable[[], Measured]) -> Measured:
        """The distance of this place and these candidates, or a new one."""
        with self._lock:
            kept = list(self._kept)
        for known in kept:
            if known[0] == place and _same(known[1], keys):
                return known[2]
        made = make()
        if _bytes(made) + (keys.nbytes if isinstance(keys, np.ndarray) else sum(map(len, keys))) <= LARGEST:
            with self._lock:
                self._kept = [(place, keys, made), *self._kept[: MOST - 1]]
        return made


def _same(keys: Keys, others: Keys) -> bool:
    if isinstance(keys, np.ndarray) or isinstance(others, np.ndarray):
        return np.array_equal(keys, others)
    return keys == others


def _bytes(held: Any) -> int:
    """About what arrays take, those of an object or of a list."""
    if isinstance(held, np.ndarray):
        return int(held.nbytes)
    parts = held if isinstance(held, list | tuple) else getattr(held, "__dict__", {}).values()
    return sum(_bytes(part) for part in parts)
