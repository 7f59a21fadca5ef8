"""Packed pairs: (user, item) as one integer, user · 2^b + item, so that one sort in place groups and merges them.

A pair may carry a value in the lowest bits; of equal pairs the one with the highest value counts.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .incidence import Codes, Rows
from .types import FRACTION_BITS, BoolArray, IntArray

VALUE_BITS = FRACTION_BITS + 1  # of a similarity in 0..2^20

_LARGE = 1 << 20  # keys worth a second thread
_BLOCK = 1 << 16  # entries worked on at a time: temporary arrays stay in the processor's cache


def item_bits(n: int) -> int:
    """How many bits hold an item of 0..n-1.

    >>> item_bits(3000)
    12
    """
    return max(n - 1, 1).bit_length()


def unpack(keys: IntArray, n: int) -> tuple[Rows, IntArray]:
    """Give the items of every user who has two or more, and per item how many users have it alone.

    The keys are sorted in place and used up: at 10^8 of them nothing else of their size fits beside them.

    >>> rows, alone = unpack(np.array([5 << 1 | 1, 7 << 1 | 0, 5 << 1 | 0, 5 << 1 | 1]), n=2)
    >>> rows.codes.tolist(), rows.bounds.tolist(), alone.tolist()
    ([0, 1], [0, 2], [1, 0])
    """
    bits = item_bits(n)
    size, ends = _merge(keys, bits, 0)
    codes = np.empty(size, _code_type(n))
    alone = np.zeros(n, np.int64)
    for part in _parts(keys, ends, n):
        items = (part.keys & ((1 << bits) - 1)).astype(codes.dtype)
        alone += np.bincount(items[part.single], minlength=n)
        codes[part.place] = items[~part.single]
    _let_go(keys)
    return Rows(_bounds(ends), _trimmed(codes, ends)), alone


def unpack_similar(keys: IntArray, n: int, weights: IntArray | None) -> tuple[Rows, IntArray, IntArray]:
    """Give the similarities of every unit with two or more, those units' weights, and per item the others' sum.

    A key is (unit · 2^b + item) · 2^21 + similarity.

    >>> keys = np.array([(0 << 1 | 0) << 21 | 9, (0 << 1 | 1) << 21 | 5, (1 << 1 | 1) << 21 | 7])
    >>> rows, weights, alone = unpack_similar(keys, 2, np.array([1, 3]))
    >>> rows.values.tolist(), weights.tolist(), alone.tolist()
    ([9, 5], [1], [0, 21])
    """
    bits = item_bits(n)
    size, ends = _merge(keys, bits, VALUE_BITS)
    codes, values = np.empty(size, _code_type(n)), np.empty(size, np.int32)
    alone = np.zeros(n, np.int64)
    heavy: list[IntArray] = []
    for part in _parts(keys, ends, n):
        items = ((part.keys >> VALUE_BITS) & ((1 << bits) - 1)).astype(codes.dtype)
        similar = (part.keys & ((1 << VALUE_BITS) - 1)).astype(np.int32)
        units = part.keys >> (bits + VALUE_BITS)
        weight = np.ones_like(units) if weights is None else weights[units]
        np.add.at(alone, items[part.single], weight[part.single] * similar[part.single])
        several = ~part.single
        codes[part.place], values[part.place] = items[several], similar[several]
        heavy.append(weight[several & part.ends])
    _let_go(keys)
    rows = Rows(_bounds(ends), _trimmed(codes, ends), _trimmed(values, ends))
    return rows, np.concatenate([*heavy, np.empty(0, np.int64)]), alone


@dataclass(frozen=True)
class _Part:
    keys: IntArray
    ends: BoolArray  # is it the last one of its user?
    single: BoolArray  # is it the only one of its user?
    place: slice  # where those that are not go


def _merge(keys: IntArray, bits: int, value_bits: int) -> tuple[int, BoolArray]:
    """Sort, and move the last one of every pair to the front; how many there are, and which ends a user.

    ends[j + 1] belongs to the key at j; ends[0] is the end of what comes before the first user.
    """
    _sort(keys)
    ends = np.empty(len(keys) + 1, np.bool_)
    ends[0] = True
    size = 0
    for start in range(0, len(keys), _BLOCK):
        part = keys[start : start + _BLOCK]
        change = np.full_like(part, np.iinfo(np.int64).max)  # the very last key ends everything
        following = keys[start + 1 : start + 1 + len(part)]
        np.bitwise_xor(part[: len(following)], following, out=change[: len(following)])
        last, end = change >= 1 << value_bits, change >= 1 << (bits + value_bits)
        if not last.all():
            part, end = part[last], end[last]
        if size != start or len(part) < len(last):
            keys[size : size + len(part)] = part
        ends[size + 1 : size + 1 + len(part)] = end
        size += len(part)
    return size, ends[: size + 1]


def _sort(keys: IntArray) -> None:
    """Sort in place, large arrays in two threads: numpy lets go of the interpreter while it sorts."""
    if len(keys) < _LARGE or (os.cpu_count() or 1) < 2:
        keys.sort()
        return
    middle = len(keys) // 2
    keys.partition(middle)  # a sixth of the time of a sort
    with ThreadPoolExecutor(2) as threads:
        list(threads.map(np.ndarray.sort, (keys[:middle], keys[middle:])))


def _parts(keys: IntArray, ends: BoolArray, n: int) -> Iterator[_Part]:
    place = 0
    block = max(_BLOCK, n)
    size = len(ends) - 1
    for start in range(0, size, block):
        stop = min(start + block, size)
        single = ends[start:stop] & ends[start + 1 : stop + 1]
        several = stop - start - int(np.count_nonzero(single))
        yield _Part(keys[start:stop], ends[start + 1 : stop + 1], single, slice(place, place + several))
        place += several


def _bounds(ends: BoolArray) -> Codes:
    """Where the users with two or more begin, once those with one are taken out."""
    found: list[npt.NDArray[Any]] = [np.zeros(1, np.int64)]
    place = 0
    for start in range(0, len(ends) - 1, _BLOCK):
        before, here = ends[:-1][start : start + _BLOCK], ends[1:][start : start + _BLOCK]
        mine = here[~(before & here)]
        found.append(np.flatnonzero(mine) + (place + 1))
        if len(ends) < 1 << 31:
            found[-1] = found[-1].astype(np.int32)
        place += len(mine)
    found[0] = found[0].astype(found[-1].dtype)
    return np.concatenate(found)


def _trimmed(entries: npt.NDArray[Any], ends: BoolArray) -> npt.NDArray[Any]:
    """Only the entries that were filled; a copy where that frees a good part of the memory."""
    filled = len(entries) - int(np.count_nonzero(ends[:-1] & ends[1:]))
    return entries[:filled].copy() if 4 * filled < 3 * len(entries) else entries[:filled]


def _let_go(keys: IntArray) -> None:
    """Free the keys' memory even though callers still hold the array: what comes next must not add to it."""
    if keys.flags.owndata:
        keys.resize(0, refcheck=False)


def _code_type(n: int) -> npt.DTypeLike:
    return np.uint16 if n <= 1 << 16 else np.int32
