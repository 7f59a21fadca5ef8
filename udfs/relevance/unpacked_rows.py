"""Rows unpacked from packed pairs: what every user has, rows of few codes by length, each part of them by a thread.

Block by block everything stays in the processor's cache, and what is found takes the place of the keys it was made of:
at 10^8 pairs nothing else of their size fits beside them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from ..types import IntArray
from .csr_rows import REGULAR, Codes, Rows, count_codes
from .packed_pairs import code_type, item_bits, let_go
from .sorted_parts import of_sorted_parts

_BLOCK = 1 << 17  # entries worked on at a time
_LENGTHS = range(2, REGULAR + 1)


@dataclass(frozen=True)
class _Block:
    """The codes of users who have 1, 2, … codes, how many users that are, and last of those who have more."""

    codes: Codes
    users: list[int]
    more: Codes  # how many codes each of the last has

    @property
    def ends(self) -> list[int]:
        """Where the codes of users with 1, 2, … end."""
        return list(accumulate(length * users for length, users in enumerate(self.users, 1)))


def unpack(keys: IntArray, n: int) -> tuple[Rows, IntArray]:
    """Give the items of every user who has two or more, and per item how many users have it alone.

    Where most entries are of rows of few codes, these rows come first and by length: as the rows of a table they are
    taken faster. The keys are used up.

    >>> rows, alone = unpack(np.array([5 << 1 | 1, 7 << 1 | 0, 5 << 1 | 0, 5 << 1 | 1]), n=2)
    >>> rows.codes.tolist(), rows.bounds.tolist(), alone.tolist()
    ([0, 1], [0, 2], [1, 0])
    """
    kind = np.int32 if len(keys) < 1 << 31 else np.int64
    unpacked = partial(_unpacked, bits=item_bits(n), kind=code_type(n))
    blocks = [block for part in of_sorted_parts(keys, item_bits(n), unpacked) for block in part]
    ends = [block.ends for block in blocks]
    users = np.array([block.users for block in blocks], np.int64).reshape(-1, REGULAR).sum(axis=0).tolist()
    alone = count_codes((block.codes[: end[0]] for block, end in zip(blocks, ends, strict=True)), n)
    short = sum(length * users[length - 1] for length in _LENGTHS)
    size = sum(len(block.codes) - end[0] for block, end in zip(blocks, ends, strict=True))
    if 2 * short < size:
        found = [block.codes[end[0] :] for block, end in zip(blocks, ends, strict=True)]
        lengths = [part for block in blocks for part in (np.repeat(_LENGTHS, block.users[1:]), block.more)]
        sizes = []
    else:
        found = [
            block.codes[end[place - 1] : end[place]]
            for place in range(1, REGULAR)
            for block, end in zip(blocks, ends, strict=True)
        ]
        found += [block.codes[end[-1] :] for block, end in zip(blocks, ends, strict=True)]
        lengths = [block.more for block in blocks]
        sizes = users[1:]
    codes = np.concatenate([np.empty(0, code_type(n)), *found])
    del blocks, found  # they lie where the keys were
    let_go(keys)
    return Rows(_bounds(sizes, lengths, kind), codes, sizes=tuple(sizes)), alone


def _bounds(sizes: list[int], lengths: list[Codes], kind: npt.DTypeLike) -> Codes:
    """The bounds of so many rows of 2, 3, … codes, and of others of these lengths."""
    bounds = np.empty(1 + sum(sizes) + sum(map(len, lengths)), kind)
    bounds[0] = filled = at = 0
    for length, rows in enumerate(sizes, 2):
        stop = filled + length * rows
        bounds[at + 1 : at + rows + 1] = np.arange(filled + length, stop + 1, length)
        filled, at = stop, at + rows
    for part in lengths:
        rest = bounds[at + 1 : at + len(part) + 1]
        np.cumsum(part, out=rest)
        rest += filled
        filled, at = int(bounds[at + len(part)]), at + len(part)
    return bounds


def _unpacked(place: IntArray, keys: Codes, _low: int, *, bits: int, kind: npt.DTypeLike) -> list[_Block]:
    """Unpack sorted keys into the place of a part's keys, of which they may be the same array."""
    room = place.view(kind)
    each = place.itemsize // room.itemsize
    mask = keys.dtype.type((1 << bits) - 1)
    blocks = []
    for start, part in _blocks(keys, mask):
        end = np.empty(len(part), np.bool_)
        end[-1] = True
        change = part[1:] ^ part[:-1]
        if not change.all():  # a pair once more
            part = np.append(part[:-1].compress(change != 0), part[-1:])
            end = end[: len(part)]
            end[-1] = True
            change = part[1:] ^ part[:-1]
        np.greater(change, mask, out=end[:-1])
        items = (part & mask).astype(kind)
        blocks.append(_by_length(items, np.flatnonzero(end), room[each * start :]))
    return blocks


def _blocks(keys: Codes, mask: np.integer) -> Iterator[tuple[int, Codes]]:
    """Where every block begins, and its keys: all that a user has, and those of as many users as fit."""
    start, size = 0, _BLOCK
    while start < len(keys):
        part = keys[start : start + size]
        if start + size < len(keys):
            stop = int(np.searchsorted(part, keys[start + size] & ~mask))
            if not stop:  # one user has more than fit
                size *= 2
                continue
            part = part[:stop]
        yield start, part
        start += len(part)
        size = _BLOCK


def _by_length(items: Codes, last: IntArray, room: Codes) -> _Block:
    """Write the items of users, given where each user's last one is, by how many there are."""
    starts = np.empty(len(last), np.int64)
    starts[0] = 0
    np.add(last[:-1], 1, out=starts[1:])
    lengths = last - starts
    lengths += 1
    kinds = np.minimum(lengths, REGULAR + 1).astype(np.uint8)
    users = [int(np.count_nonzero(kinds == length)) for length in range(1, REGULAR + 1)]
    if 2 * sum(length * users[length - 1] for length in _LENGTHS) < len(items) - users[0]:
        users[1:] = [0] * (REGULAR - 1)
        kinds[kinds > 1] = REGULAR + 1
    order = np.argsort(kinds, kind="stable")
    starts = starts.take(order)
    filled = at = 0
    for length, several in enumerate(users, 1):
        rows = starts[at : at + several]
        table = room[filled : filled + several * length].reshape(several, length)
        for place in range(length):  # column by column: rows are too short for numpy
            table[:, place] = items[place:].take(rows)
        filled, at = filled + several * length, at + several
    more = lengths.take(order[at:])
    if len(more):
        # np.repeat would not let other threads run.
        inside = np.zeros(len(items) + 1, np.int8)
        inside[starts[at:]] = 1
        inside[starts[at:] + more] -= 1
        taken = items.compress(np.cumsum(inside[:-1], dtype=np.int8).view(np.bool_))
        room[filled : filled + len(taken)] = taken
        filled += len(taken)
    return _Block(room[:filled], users, more.astype(np.int32))
