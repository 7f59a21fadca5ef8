"""The selection rule c·(1-λ)·f(S) + λ·2/(k(k-1))·d(S) as integer scores for a mechanism (docs/algorithms.md).

The diversity is public, so it enters as an offset in counts, pub/Δ with Δ = c(1-λ)/units: one unit moves a score by
what it moves the relevance by, whatever λ is (docs/privacy.md).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..errors import InputError
from ..types import FRACTION_BITS, BoolArray, Distance, FloatArray, IntArray, Relevance

# Offsets further than this below the best one are cut off there. With fewer units than that a candidate cut off
# can never be the best, and an int64 holds the sum. The offsets are public, so cutting them costs no privacy.
FURTHEST = float(1 << 40)
PUBLIC_STEPS = float(1 << 40)  # resolution of the scores when only the diversity counts

Standing = tuple[int, float]  # a solution's relevance in 2**-bits of a count, and its sum of distances


class Objective:
    """Relevance and distance of the growing (or swapped) picks, as the scores of what could come next.

    `k` is the number of slots, `weight` the c of the method. `clear` leaves the pinned items of `start` as the first
    picks: a distance to them counts like relevance, with the weight c, so that the method keeps its guarantee
    (docs/constraints.md). Relevance is never touched when diversity = 1, distances never when diversity = 0 or k = 1.
    Every candidate scored counts as one oracle call, as in the paper.

    >>> from msd_sql.udfs.relevance.score import Score
    >>> Objective(Score([0.25, 1.0], k=1), None, k=1, diversity=0.0, weight=1.0).marginals(np.array([0, 1])).argmax()
    np.int64(1)
    """

    def __init__(
        self,
        relevance: Relevance,
        distance: Distance | None,
        k: int,
        diversity: float,
        weight: float,
        start: Sequence[int] = (),
    ) -> None:
        self._touched = diversity < 1.0
        self._pair = diversity * 2.0 / (k * (k - 1)) if k > 1 else 0.0
        if self._pair and distance is None:
            raise InputError(f"diversity = {diversity} needs a distance between the items; none was given.")
        if relevance.units >= FURTHEST:
            raise InputError(f"{relevance.units} units are more than the {FURTHEST:.0f} that scores can hold.")
        self.relevance, self.distance = relevance, distance
        self.n = relevance.n
        self.picks: list[int] = []
        self.calls = 0
        self._start, self._weight = tuple(start), weight
        self._unit = weight * (1.0 - diversity) / relevance.units  # Δ: what one count is worth
        self._near: FloatArray = np.zeros(self.n)  # sum of distances to the picks, but for the one that is due
        self._due: int | None = None  # the last pick: its row is not needed if there is no next round
        self._spread = 0.0  # sum of distances among the picks
        self._withheld: FloatArray | None = None  # of the distances to the pinned items, what `_near` leaves out
        self._rows: FloatArray | None = None  # the picks' rows, one a slot; kept only when there are swaps

    def marginals(self, candidates: IntArray) -> IntArray:
        """Score adding each of the candidates."""
        self.calls += len(candidates)
        self._catch_up()
        gains = self.relevance.gains().take(candidates) if self._touched else None
        near = self._near.take(candidates)
        near *= self._pair
        return self._scores(gains, near)

    def add(self, item: int) -> None:
        """Append an item to the picks."""
        if self._touched:
            self.relevance.add(item)
        if self._pair:
            self._catch_up()
            self._spread += float(self._near[item])
            if self._withheld is not None:
                self._spread += float(self._withheld[item])
            self._due = int(item)
            self._rows = None
        self.picks.append(int(item))

    def swaps(self, sample: IntArray, feasible: BoolArray) -> IntArray:
        """Score every feasible swap (slot by slot, in the order of the sample), and last the dummy: no swap."""
        ends = np.cumsum(np.count_nonzero(feasible, axis=1))
        size = int(ends[-1]) if len(ends) else 0
        self.calls += size
        table = self.relevance.swap_gains(sample) if self._touched else None
        gains = np.zeros(size + 1, np.int64)
        public = np.zeros(size + 1)
        every = len(sample) == self.n  # then they are in order
        near, rows = (self._all_near(), self._slot_rows()) if self._pair else (None, None)
        if near is not None and not every:
            near = near.take(sample)
        # Slot by slot: with a million candidates whole tables would be written and read from memory several times.
        for slot, (end, able) in enumerate(zip(ends.tolist(), feasible, strict=True)):
            place = slice(end - int(np.count_nonzero(able)), end)
            if table is not None:
                gains[place] = table[slot][able]
            if near is not None and rows is not None:
                apart = near - (rows[slot] if every else rows[slot].take(sample))
                apart -= float(rows[slot].take(self.picks).sum())
                public[place] = apart[able]
        public *= self._pair
        return self._scores(gains if table is not None else None, public)

    def swap(self, slot: int, item: int) -> None:
        """Put an item in the place of a pick."""
        if self._touched:
            self.relevance.swap(slot, item)
        if self._pair:
            self._catch_up()
            rows = self._slot_rows()  # of the picks as they were
            self._near -= rows[slot]
            rows[slot] = self._row(item)
            self._near += rows[slot]
        self.picks[slot] = int(item)
        if self._pair:
            self._spread = float(self._slot_rows()[:, self.picks].sum()) / 2.0

    def standing(self) -> Standing:
        """Return what `compare` needs to remember of the present picks."""
        return (self.relevance.value() if self._touched else 0), self._spread

    def compare(self, standings: Sequence[Standing]) -> IntArray:
        """Score whole solutions against each other."""
        gains = np.array([value for value, _ in standings], dtype=np.int64) if self._touched else None
        return self._scores(gains, self._pair * np.array([spread for _, spread in standings]))

    def value(self) -> float:
        """Exact value of the rule for the present picks: private, never to be released."""
        value, spread = self.standing()
        return self._unit * value / (1 << self.relevance.bits) + self._pair * spread

    def mean_distance(self) -> float | None:
        """Mean distance of the picks' pairs, a public fact; None where it was not kept track of."""
        pairs = len(self.picks) * (len(self.picks) - 1) / 2
        return self._spread / pairs if self._pair and pairs else None

    def clear(self) -> None:
        """Forget the picks but for the pinned ones (and keep counting the calls)."""
        if self._touched:
            self.relevance.clear()
        self.picks = []
        self._near[:] = 0.0
        self._due = None
        self._spread = 0.0
        self._rows = None
        self._withheld = None
        if self._start:
            for item in self._start:
                self.add(item)
            self._catch_up()
            self._withheld = self._near * (1.0 - self._weight)
            self._near -= self._withheld

    def _scores(self, gains: IntArray | None, public: FloatArray) -> IntArray:
        """Scores from the two parts; the arrays are used up."""
        public -= public.max(initial=-np.inf)
        if gains is None:
            public *= PUBLIC_STEPS
            return _integers(public)
        return in_counts(gains, public, self._unit, self.relevance.bits)

    def _catch_up(self) -> None:
        if self._due is not None:
            self._near += self._row(self._due)
            self._due = None

    def _row(self, item: int) -> FloatArray:
        assert self.distance is not None  # the constructor saw to it
        return self.distance.row(item)

    def _all_near(self) -> FloatArray:
        """Sum of distances to all picks, the pinned ones in full."""
        self._catch_up()
        return self._near if self._withheld is None else self._near + self._withheld

    def _slot_rows(self) -> FloatArray:
        if self._rows is None:
            self._rows = np.empty((len(self.picks), self.n))
            for slot, item in enumerate(self.picks):  # np.stack would hold all of them twice
                self._rows[slot] = self._row(item)
        return self._rows


def in_counts(gains: IntArray, public: FloatArray, unit: float, bits: int) -> IntArray:
    """Integer scores from gains in 2**-bits of a count and what `public` lies below the best; both are used up.

    >>> in_counts(np.array([3]), np.array([-0.5]), unit=0.5, bits=0) == (3 - 1) << FRACTION_BITS
    array([ True])
    """
    public /= unit / (1 << FRACTION_BITS)  # a power of two: as exact as dividing first
    np.maximum(public, -FURTHEST * (1 << FRACTION_BITS), out=public)
    offset = _integers(public)
    gains <<= FRACTION_BITS - bits
    offset += gains
    return offset


def _integers(numbers: FloatArray) -> IntArray:
    """Round in place and convert."""
    return np.rint(numbers, out=numbers).astype(np.int64)
