"""The distance cache: distances of the last questions over declared features, while the items are stored unchanged."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from msd_sql.database.host import Column
from msd_sql.udfs.types import Distance

Keys: TypeAlias = "Column | Sequence[str]"
Measured = tuple[Distance | None, list[Any]]  # a distance, and the facts that it was made from
LARGEST = 1 << 25  # bytes of one of them
_ALONE = 1 << 10  # bytes that the smallest takes
TOTAL = 1 << 27  # bytes of all: a few large ones, or those of the thousand groups of a statement


class DistanceCache:
    """Distances by what decides them: a place (layout, name, scale, …) and the candidates' keys in order.

    Those of the groups of a statement are kept together. A distance does not change once it is made, so several threads
    may use one.

    >>> distances = DistanceCache()
    >>> made = distances.of(("products", "here"), [np.array([1, 2])], lambda: [(None, ["jaccard"])])
    >>> distances.of(("products", "here"), [np.array([1, 2])], lambda: [(None, ["l1"])])
    [(None, ['jaccard'])]
    """

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[tuple[Any, ...], bytes], tuple[list[Measured], int]] = OrderedDict()
        self._held = 0
        self._lock = threading.Lock()

    def of(self, place: tuple[Any, ...], groups: Sequence[Keys], make: Callable[[], list[Measured]]) -> list[Measured]:
        """The distances of this place and of the candidates of these groups, or new ones."""
        about = (place, _digest(groups))
        with self._lock:
            known = self._kept.get(about)
            if known is not None:
                self._kept.move_to_end(about)
                return known[0]
        made = make()
        size = _bytes(made) + _ALONE
        if size <= LARGEST:
            with self._lock:
                self._held += size - self._kept.pop(about, (made, 0))[1]
                self._kept[about] = (made, size)
                while self._held > TOTAL:
                    self._held -= self._kept.popitem(last=False)[1][1]
        return made


def _digest(groups: Sequence[Keys]) -> bytes:
    """What tells groups of keys from others: 256 bits of them, their lengths and their type."""
    digest = hashlib.sha256(np.array([len(keys) for keys in groups], np.int64).tobytes())
    arrays = [keys for keys in groups if isinstance(keys, np.ndarray) and keys.dtype != object]
    if len(arrays) == len(groups):
        flat = np.concatenate(arrays)
        digest.update(flat.dtype.str.encode() + flat.tobytes())
    else:
        digest.update(repr([list(keys) for keys in groups]).encode("utf-8", "surrogatepass"))
    return digest.digest()


def _bytes(held: Any) -> int:
    """About what arrays take, those of an object or of a list; an object may say it of itself."""
    told = getattr(held, "nbytes", None)
    if told is not None:
        return int(told)
    parts = held if isinstance(held, list | tuple) else getattr(held, "__dict__", {}).values()
    return sum(_bytes(part) for part in parts)
