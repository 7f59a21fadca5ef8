"""Score: relevance from a public column, the mean over the k slots of a score in [0, 1]. Nothing private."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..errors import InputError
from ..types import FRACTION_BITS, IntArray


class Score:
    """Modular relevance: every item adds its own score, whatever else is picked.

    A count is 2^-20 of a score (so `units` is k·2^20): public scores deserve a finer grain than noise would leave.

    >>> Score([0.25, 1.0], k=2).gains().tolist() == [1 << 38, 1 << 40]
    True
    """

    bits = FRACTION_BITS
    cap = 1
    private = False
    binary = False

    def __init__(self, scores: npt.ArrayLike, k: int) -> None:
        values = np.asarray(scores, dtype=np.float64)
        if values.ndim != 1 or k < 1:
            raise InputError(f"Scores must be one number per candidate and k at least 1; k = {k} was given.")
        # The place of an extreme is found faster than its value; NaN counts as one, and fails.
        if len(values) and not (values[values.argmin()] >= 0.0 and values[values.argmax()] <= 1.0):
            raise InputError("Every score must be a number in [0, 1]; scale the column first.")
        self.n = len(values)
        self.units = k << FRACTION_BITS
        self._gain: IntArray = np.rint(values * float(1 << 2 * FRACTION_BITS)).astype(np.int64)
        self._picks: list[int] = []

    def gains(self) -> IntArray:
        """Score of every candidate."""
        return self._gain.copy()

    def add(self, item: int) -> None:
        """Append a pick."""
        self._picks.append(int(item))

    def value(self) -> int:
        """Sum of the scores of the picks."""
        return int(self._gain[self._picks].sum())

    def swap_gains(self, sample: IntArray) -> IntArray:
        """Difference of the two scores, by slot and candidate."""
        return self._gain[sample][None, :] - self._gain[self._picks][:, None]

    def swap(self, slot: int, item: int) -> None:
        """Replace one pick."""
        self._picks[slot] = int(item)

    def clear(self) -> None:
        """Forget the picks."""
        self._picks = []
