"""One exact draw from the exponential mechanism's weights, by integers only (`docs/privacy.md`, "The sampler").

A weight is the float64 number exp(-eta·(max - score)·2^-20), clamped below at 2^-80. Every such number is a whole
multiple of 2^-132, so it is held exactly as an integer of three 46-bit limbs; sums, the random number and the search
are integer operations, and nothing but the exponential itself is ever rounded.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from ..errors import InputError
from ..types import FRACTION_BITS, BoolArray, FloatArray, IntArray, Source

CLAMP_BITS = 80  # no weight is below 2^-80 of the largest: no candidate is ever impossible
WEIGHT_BITS = 132  # a float64 of at least 2^-80 is a multiple of 2^-(80 + 52)
LIMB_BITS = 46
GROUP = 1 << 9  # weights whose sum is looked at before their own: 2^9 limbs of 46 bits sum to less than 2^55
BLOCK = 1 << 13  # weights worked on at a time, whole groups: temporary arrays stay in the cache of one core
THETA = 2.0**-46  # relative error of one weight; proved in docs/privacy.md

_MASK = (1 << LIMB_BITS) - 1
_HIGH_BITS = WEIGHT_BITS - 2 * LIMB_BITS
_INT64_MAX = (1 << 63) - 1
_PAST_CLAMP = 56.0  # exp(-56) < 2^-80 = exp(-55.45...)


class Limbs(NamedTuple):
    """Integers high·2^92 + middle·2^46 + low, one per candidate."""

    high: IntArray
    middle: IntArray
    low: IntArray


def weights(diff: IntArray, eta: float | FloatArray) -> Limbs:
    """The weights of candidates that are `diff` ≥ 0 steps (of 2^-20 count) below the best one, in units of 2^-132.

    One eta for all, or one for each.

    >>> high, middle, low = weights(np.array([0]), 1.0)
    >>> (int(high[0]) << 92) + (int(middle[0]) << 46) + int(low[0]) == 2**132
    True
    """
    # The product with a power of two is exact, so the exponent has two rounded operations: the conversion of `diff`
    # (exact below 2^53) and the product with eta.
    weight = diff.astype(np.float64)
    weight *= -np.ldexp(eta, -FRACTION_BITS)
    np.exp(weight, out=weight)
    np.maximum(weight, 2.0**-CLAMP_BITS, out=weight)
    weight *= 2.0**_HIGH_BITS
    high = weight.astype(np.int64)  # without its fraction
    weight -= high
    weight *= 2.0**LIMB_BITS
    middle = weight.astype(np.int64)
    weight -= middle
    weight *= 2.0**LIMB_BITS
    return Limbs(high, middle, weight.astype(np.int64))


def draw(scores: IntArray, eta: float, source: Source) -> int:
    """The index of one candidate, drawn with probability proportional to its weight.

    >>> from msd_sql.udfs.privacy.randomness import SecretSource
    >>> draw(np.array([5 << 20, 0]), 100.0, SecretSource())
    0
    """
    blocks = list(_blocks(scores, eta))
    sums = list(accumulate(total for limbs in blocks for total in _totals(limbs)))
    ticket = source.randbelow(sums[-1])
    group = bisect_right(sums, ticket)
    block, place = divmod(group * GROUP, BLOCK)
    part = Limbs(*(limb[place : place + GROUP] for limb in blocks[block]))
    return group * GROUP + _search(part, ticket - (sums[group - 1] if group else 0))


def draw_each(scores: IntArray, sizes: IntArray, etas: FloatArray, source: Source) -> IntArray:
    """For every group one index within it, drawn as `draw` does from the very same weights.

    The groups' scores stand one after the other, `sizes` of each; every group has an eta of its own.

    >>> from msd_sql.udfs.privacy.randomness import SecretSource
    >>> draw_each(np.array([5 << 20, 0, 0, 5 << 20]), np.array([2, 2]), np.array([100.0, 100.0]), SecretSource())
    array([0, 1])
    """
    found = np.empty(len(sizes), np.int64)
    ends = np.cumsum(sizes)
    first = 0
    while first < len(sizes):
        start = int(ends[first] - sizes[first])
        # As many groups as a block holds: running sums of 2^16 limbs of 46 bits stay below 2^63.
        last = int(np.searchsorted(ends, start + BLOCK, side="right"))
        if last <= first:  # one that is larger than a block
            found[first] = draw(scores[start : int(ends[first])], float(etas[first]), source)
            first += 1
            continue
        part = slice(start, int(ends[last - 1]))
        found[first:last] = _draw_block(scores[part], sizes[first:last], etas[first:last], source)
        first = last
    return found


def _draw_block(scores: IntArray, sizes: IntArray, etas: FloatArray, source: Source) -> IntArray:
    if len(sizes) and int(sizes.min()) < 1:
        raise InputError("There is no candidate to draw from.")
    starts = np.cumsum(sizes) - sizes
    best = np.repeat(np.maximum.reduceat(scores, starts), sizes)
    diff = best.view(np.uint64) - np.ascontiguousarray(scores, dtype=np.int64).view(np.uint64)
    by_eta = {eta: _furthest(eta) for eta in set(etas.tolist())}
    furthest = np.array([by_eta[eta] for eta in etas.tolist()], dtype=np.uint64)
    clipped: IntArray = np.minimum(diff, np.repeat(furthest, sizes), out=diff).view(np.int64)
    limbs = weights(clipped, np.repeat(etas, sizes))
    tickets = [source.randbelow(total) for total in _sums(limbs, starts)]
    running = (np.cumsum(limb) for limb in limbs)
    low, middle, high = (
        sums - np.repeat(sums[starts] - limb[starts], sizes)
        for sums, limb in zip(reversed(list(running)), reversed(limbs), strict=True)
    )
    passed = _passed(Limbs(high, middle, low), Limbs(*(np.repeat(limb, sizes) for limb in _split(tickets))))
    counted: IntArray = np.add.reduceat(passed.astype(np.int64), starts)
    return counted


def exact_weights(scores: IntArray, eta: float) -> list[int]:
    """The very integers that `draw` draws from: what the exact audit computes with.

    >>> exact_weights(np.array([3, 3]), 0.1) == [2**132, 2**132]
    True
    """
    return [
        (high << 2 * LIMB_BITS) + (middle << LIMB_BITS) + low
        for limbs in _blocks(scores, eta)
        for high, middle, low in zip(*(limb.tolist() for limb in limbs), strict=True)
    ]


def _blocks(scores: IntArray, eta: float) -> Iterator[Limbs]:
    if len(scores) == 0:
        raise InputError("There is no candidate to draw from.")
    diff = _differences(scores, eta)
    for start in range(0, len(diff), BLOCK):
        yield weights(diff[start : start + BLOCK], eta)


def _differences(scores: IntArray, eta: float) -> IntArray:
    """How far each score is below the best one, clipped as integers where the clamp decides anyway."""
    values = np.ascontiguousarray(scores, dtype=np.int64).view(np.uint64)
    top = np.int64(np.max(scores)).astype(np.uint64)
    # Modulo 2^64 the difference of any two int64 numbers is exact.
    diff = top - values
    clipped: IntArray = np.minimum(diff, np.uint64(_furthest(eta)), out=diff).view(np.int64)
    return clipped


def _furthest(eta: float) -> int:
    """The difference from which on the clamp decides."""
    if not (math.isfinite(eta) and eta > 0):
        raise InputError(f"eta is {eta!r}; it must be a positive finite number.")
    return min(math.ceil(min(_PAST_CLAMP / eta, 2.0**64) * 2.0**FRACTION_BITS), _INT64_MAX)


def _totals(limbs: Limbs) -> list[int]:
    """The sum of every group of weights."""
    return _sums(limbs, np.arange(0, len(limbs.high), GROUP))


def _sums(limbs: Limbs, starts: IntArray) -> list[int]:
    """The sum of the weights from every start to the next one."""
    sums = (np.add.reduceat(limb, starts).tolist() for limb in limbs)
    return [(high << 2 * LIMB_BITS) + (middle << LIMB_BITS) + low for high, middle, low in zip(*sums, strict=True)]


def _search(limbs: Limbs, ticket: int) -> int:
    """How many running sums of a group's weights are at or below the ticket: all are compared, whatever the data."""
    running = Limbs(*(np.cumsum(limb) for limb in limbs))
    return int(np.count_nonzero(_passed(running, _split([ticket]))))


def _split(tickets: list[int]) -> Limbs:
    return Limbs(
        np.array([ticket >> 2 * LIMB_BITS for ticket in tickets], np.int64),
        np.array([(ticket >> LIMB_BITS) & _MASK for ticket in tickets], np.int64),
        np.array([ticket & _MASK for ticket in tickets], np.int64),
    )


def _passed(running: Limbs, ticket: Limbs) -> BoolArray:
    """Which running sums, of limbs that are carried here, are at or below the ticket."""
    low = running.low
    middle = running.middle + (low >> LIMB_BITS)
    high = running.high + (middle >> LIMB_BITS)
    low = low & _MASK
    middle &= _MASK
    passed: BoolArray = (high < ticket.high) | (
        (high == ticket.high) & ((middle < ticket.middle) | ((middle == ticket.middle) & (low <= ticket.low)))
    )
    return passed
