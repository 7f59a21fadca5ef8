"""Packed pairs: (user, item) as one integer, user · 2^b + item, so that one sort in place groups and merges them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .incidence import Rows
from .types import BoolArray, IntArray

_BLOCK = 1 << 16  # entries worked on at a time: temporary arrays stay in the processor's cache


def item_bits(n: int) -> int:
    """How many bits hold an item of 0..n-1.

    >>> item_bits(3000)
    12
    """
    return max(n - 1, 1).bit_length()


def unpack(keys: IntArray, n: int) -> tuple[Rows, IntArray]:
    """The items of every user who has two or more, and per item how many users have it alone.

    The keys are sorted in place and overwritten: at 10^8 of them nothing else of their size fits beside them.

    >>> rows, alone = unpack(np.array([5 << 1 | 1, 7 << 1 | 0, 5 << 1 | 0, 5 << 1 | 1]), n=2)
    >>> rows.codes.tolist(), rows.bounds.tolist(), alone.tolist()
    ([0, 1], [0, 2], [1, 0])
    """
    keys.sort()
    width = 1 << item_bits(n)
    size, first = _merge(keys, width)
    codes = np.empty(size, np.uint16 if n <= 1 << 16 else np.int32)
    alone = np.zeros(n, np.int64)
    shared = 0
    starts: list[npt.NDArray[Any]] = []
    kind = np.int32 if size < 1 << 31 else np.int64
    block = max(_BLOCK, n)
    for start in range(0, size, block):
        stop = min(start + block, size)
        part = (keys[start:stop] & (width - 1)).astype(codes.dtype)
        single = first[start:stop] & first[start + 1 : stop + 1]
        alone += np.bincount(part[single], minlength=n)
        several = ~single
        part = part[several]
        codes[shared : shared + len(part)] = part
        starts.append((np.flatnonzero(first[start:stop][several]) + shared).astype(kind))
        shared += len(part)
    del keys, first
    codes = codes[:shared].copy() if shared < size // 2 else codes[:shared]
    return Rows(np.concatenate([*starts, np.array([shared], kind)]), codes), alone


def _merge(keys: IntArray, width: int) -> tuple[int, BoolArray]:
    """Move the distinct ones of the sorted keys to the front; how many there are, and where a user begins."""
    first = np.ones(len(keys) + 1, np.bool_)
    size, last = 0, -1
    for start in range(0, len(keys), _BLOCK):
        part = keys[start : start + _BLOCK]
        change = np.empty_like(part)
        change[0] = int(part[0]) ^ last if last >= 0 else width
        np.bitwise_xor(part[1:], part[:-1], out=change[1:])
        last = int(part[-1])
        new, distinct = change >= width, change != 0
        if not distinct.all():
            part, new = part[distinct], new[distinct]
        if size != start or len(part) < len(change):
            keys[size : size + len(part)] = part
        first[size : size + len(part)] = new
        size += len(part)
    first[size] = True
    return size, first[: size + 1]
