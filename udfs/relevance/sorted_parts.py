"""Sorted parts: packed keys cut where no user is in two parts, so that threads can sort them and go on by themselves.

numpy lets go of the interpreter while it sorts, takes and counts.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from ..types import IntArray
from .csr_rows import Codes

T = TypeVar("T")
R = TypeVar("R")

LARGE = 1 << 20  # entries worth a second thread
_MOST = 8  # threads: each has room of its own
_SMALL = 1 << 16  # keys not worth being parted any more
_SHORT = 1 << 32  # what 32 bits hold
_COPIED = 1 << 22  # keys that a thread sorts as such numbers at once
_PIECE = 1 << 14  # keys sorted together where users come in order
_PIECES = 7  # such pieces that are handed on together


def threads(entries: int) -> int:
    """How many threads are worth it for so many entries: a power of two.

    >>> threads(1000)
    1
    """
    if entries < LARGE:
        return 1
    return 1 << (min(_cores(), _MOST).bit_length() - 1)


def in_threads(work: Callable[[T], R], parts: Sequence[T], several: int) -> list[R]:
    """Do the work for every part in so many threads, which have ended when this returns or raises.

    >>> in_threads(len, ["a", "bcd"], 2)
    [1, 3]
    """
    if several < 2 or len(parts) < 2:
        return [work(part) for part in parts]
    with ThreadPoolExecutor(min(several, len(parts))) as pool:
        return list(pool.map(work, parts))


def sort(keys: IntArray, bits: int) -> None:
    """Sort in place.

    >>> keys = np.array([9, 4, 5])
    >>> sort(keys, 2)
    >>> keys.tolist()
    [4, 5, 9]
    """

    def put_back(place: IntArray, part: Codes, low: int) -> None:
        if part is not place:
            np.add(part, np.int64(low), out=place)

    of_sorted_parts(keys, bits, put_back)


def of_sorted_parts(keys: IntArray, bits: int, work: Callable[[IntArray, Codes, int], R]) -> list[R]:
    """Do the work for every part of the keys, in the order of their users; no user is in two of them.

    The work is told where the part's keys were, which it may write to, the part sorted, and what its numbers lack: a
    user's first key where they are numbers of 32 bits, which are gone when it returns, else 0 and they are that place.

    >>> of_sorted_parts(np.array([9, 4, 5]), 2, lambda place, part, low: (part.tolist(), int(low)))
    [([0, 1, 5], 4)]
    """
    several = threads(len(keys))
    found = _in_order(keys, bits, several)
    if not found:
        halves = [keys]
        while len(halves) < several:
            pairs = in_threads(lambda half: halved(half, bits), halves, len(halves))
            halves = [half for pair in pairs for half in pair]
        found = [[(half, [])] for half in halves]
    # In one piece, which goes back to the system: what a thread makes for itself might stay with it.
    rooms = np.empty((len(found), min(len(keys), _COPIED)), np.uint32)

    def work_through(place: int) -> list[R]:
        room = rooms[place]
        return [work(*part) for piece, inside in found[place] for part in _sorted_parts(piece, bits, room, inside)]

    return [result for results in in_threads(work_through, range(len(found)), several) for result in results]


def cuts(keys: IntArray, bits: int) -> list[int]:
    """Where to cut the keys so that no user is in two pieces, if users come in order; nowhere if they do not.

    Tables are often stored so, and nothing has to be moved from one end to the other then.

    >>> cuts(np.array([9, 8, 11]), 2), cuts(np.array([9, 4, 5]), 2)
    ([0], [])
    """
    found: list[int] = []
    last = -1
    for start in range(0, len(keys), _PIECE):
        users = keys[start : start + _PIECE] >> bits
        if users[0] < last or (users[1:] < users[:-1]).any():
            return []
        before, last = last, int(users[-1])
        place = int(np.searchsorted(users, last))
        if place or last > before:  # else this user began earlier
            found.append(start + place)
    return found


def halved(keys: IntArray, bits: int) -> tuple[IntArray, IntArray]:
    """Move the keys of the lower users to the front, in place: about half of them, none where one user has most.

    >>> [sorted(half.tolist()) for half in halved(np.array([9, 5, 0, 4]), 2)]
    [[0], [4, 5, 9]]
    """
    middle = len(keys) // 2
    if not middle:
        return keys[:0], keys
    keys.partition(middle)  # a sixth of the time of a sort
    first = (keys[middle] >> bits) << bits  # of the user in the middle, who may be on both sides
    late = np.flatnonzero(keys[:middle] >= first)
    cut = middle - len(late)
    tail = keys[cut:middle]
    early = np.flatnonzero(tail < first)
    late = late[: len(early)]  # the others are in the tail already
    moved = keys.take(late)
    keys[late] = tail.take(early)
    tail[early] = moved
    return keys[:cut], keys[cut:]


def _in_order(keys: IntArray, bits: int, several: int) -> list[list[tuple[IntArray, list[int]]]]:
    """For every thread parts of the keys, and where to cut these, if users come in order; none if they do not."""
    places = cuts(keys, bits)
    if not places:
        return []
    ends = [*places[_PIECES::_PIECES], len(keys)]
    starts = [0, *ends[:-1]]
    parts = [
        (keys[start:end], [place - start for place in places if start < place < end])
        for start, end in zip(starts, ends, strict=True)
    ]
    each = -(-len(parts) // several)
    return [parts[start : start + each] for start in range(0, len(parts), each)]


def _sorted_parts(
    keys: IntArray, bits: int, room: npt.NDArray[np.uint32], inside: list[int]
) -> Iterator[tuple[IntArray, Codes, int]]:
    """Sort what is between the cuts; keys that lie close together as numbers of 32 bits, which takes half the time."""
    if not len(keys):
        return
    low = (int(keys[keys.argmin()]) >> bits) << bits
    wide = (int(keys[keys.argmax()]) - low) // _SHORT
    if not wide and len(keys) <= len(room):
        short = room[: len(keys)]
        for place, piece in zip(np.split(keys, inside), np.split(short, inside), strict=True):
            np.subtract(place, low, out=piece, casting="unsafe")
            piece.sort()
        yield keys, short, low
        return
    if not inside and wide * _SMALL <= len(keys):
        lower, upper = halved(keys, bits)
        if len(lower):
            yield from _sorted_parts(lower, bits, room, [])
            yield from _sorted_parts(upper, bits, room, [])
            return
    for place in np.split(keys, inside):
        place.sort()
    yield keys, keys, 0


def _cores() -> int:
    """Cores that this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
