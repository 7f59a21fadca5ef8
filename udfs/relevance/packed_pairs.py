"""Packed pairs: (user, item) as one integer, user · 2^b + item, so that one sort in place groups and merges them.

A pair may carry a value in the lowest bits; of equal pairs the one with the highest value counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..types import FRACTION_BITS, BoolArray, IntArray
from .csr_rows import Codes, Rows
from .sorted_parts import sort

VALUE_BITS = FRACTION_BITS + 1  # of a similarity in 0..2^20

_BLOCK = 1 << 16  # entries worked on at a time: temporary arrays stay in the processor's cache


def item_bits(n: int) -> int:
    """How many bits hold an item of 0..n-1.

    >>> item_bits(3000)
    12
    """
    return max(n - 1, 1).bit_length()


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
    codes, values = np.empty(size, code_type(n)), np.empty(size, np.int32)
    alone = np.zeros(n, np.int64)
    heavy: list[IntArray] = []
    ends_of: list[Codes] = []
    for part in _parts(keys, ends, n):
        items = ((part.keys >> VALUE_BITS) & ((1 << bits) - 1)).astype(codes.dtype)
        similar = (part.keys & ((1 << VALUE_BITS) - 1)).astype(np.int32)
        units = part.keys >> (bits + VALUE_BITS)
        weight = np.ones_like(units) if weights is None else weights[units]
        np.add.at(alone, items[part.single], weight[part.single] * similar[part.single])
        codes[part.place], values[part.place] = items[part.several], similar[part.several]
        heavy.append(weight[part.several[part.last]])
        ends_of.append(part.bounds)
    let_go(keys)
    bounds = _joined(ends_of)
    rows = Rows(bounds, _trimmed(codes, bounds), _trimmed(values, bounds))
    return rows, np.concatenate([*heavy, np.empty(0, np.int64)]), alone


@dataclass(frozen=True)
class _Part:
    keys: IntArray
    single: IntArray  # those that are the only one of their user (places are found and taken faster than by a mask)
    several: IntArray  # the others
    last: IntArray  # of these, the last one of every user
    place: slice  # where they go
    bounds: Codes  # where their users end there


def _merge(keys: IntArray, bits: int, value_bits: int) -> tuple[int, BoolArray]:
    """Sort, and move the last one of every pair to the front; how many there are, and which ends a user.

    ends[j + 1] belongs to the key at j; ends[0] is the end of what comes before the first user.
    """
    sort(keys, bits + value_bits)
    ends = np.empty(len(keys) + 1, np.bool_)
    ends[0] = True
    size = 0
    for part, change in _changes(keys):
        last, end = change >= 1 << value_bits, change >= 1 << (bits + value_bits)
        if not last.all():
            kept = np.flatnonzero(last)
            part, end = part.take(kept), end.take(kept)
        keys[size : size + len(part)] = part
        ends[size + 1 : size + 1 + len(part)] = end
        size += len(part)
    return size, ends[: size + 1]


def _changes(keys: IntArray) -> Iterator[tuple[IntArray, IntArray]]:
    """The sorted keys block by block, each with the bits in which the next key differs."""
    for start in range(0, len(keys), _BLOCK):
        part = keys[start : start + _BLOCK]
        change = np.full_like(part, np.iinfo(np.int64).max)  # the very last key ends everything
        following = keys[start + 1 : start + 1 + len(part)]
        np.bitwise_xor(part[: len(following)], following, out=change[: len(following)])
        yield part, change


def _parts(keys: IntArray, ends: BoolArray, n: int) -> Iterator[_Part]:
    place = 0
    block = max(_BLOCK, n)
    size = len(ends) - 1
    kind = np.int32 if size < 1 << 31 else np.int64
    for start in range(0, size, block):
        stop = min(start + block, size)
        end = ends[start + 1 : stop + 1]
        alone = ends[start:stop] & end
        several = np.flatnonzero(~alone)
        last = np.flatnonzero(end.take(several))
        filled = slice(place, place + len(several))
        yield _Part(keys[start:stop], np.flatnonzero(alone), several, last, filled, (last + (place + 1)).astype(kind))
        place = filled.stop


def _joined(parts: list[Codes]) -> Codes:
    """Where the users with two or more begin, and where the last one ends: behind all that was filled."""
    return np.concatenate([np.zeros(1, parts[0].dtype if parts else np.int64), *parts])


def _trimmed(entries: npt.NDArray[Any], bounds: Codes) -> npt.NDArray[Any]:
    """Only the entries that were filled; a copy where that frees a good part of the memory."""
    filled = int(bounds[-1])
    return entries[:filled].copy() if 4 * filled < 3 * len(entries) else entries[:filled]


def let_go(keys: IntArray) -> None:
    """Free the keys' memory even though callers still hold the array: what comes next must not add to it.

    >>> keys = np.array([1, 2])
    >>> let_go(keys)
    >>> len(keys)
    0
    """
    if keys.flags.owndata:
        keys.resize(0, refcheck=False)


def code_type(n: int) -> npt.DTypeLike:
    """The type that holds an item of 0..n-1.

    >>> code_type(3000)
    <class 'numpy.uint16'>
    """
    return np.uint16 if n <= 1 << 16 else np.int32
