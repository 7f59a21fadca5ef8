"""The index behind best_match: how similar each unit is to its items, and when it pays, the other way round."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..errors import InputError
from ..types import FRACTION_BITS, ONE, IntArray
from .csr_rows import Codes, Rows
from .packed_pairs import VALUE_BITS, item_bits, unpack_similar
from .two_way_rows import TwoWays


class BestMatchIndex:
    """Similarities above 0. A unit similar to one item only is a sum of that item's: it never competes.

    >>> index = BestMatchIndex.from_triples([0, 0, 1], [0, 1, 1], [1 << 20, 1 << 19, 1 << 18], n=2)
    >>> index.total.tolist(), index.alone.tolist()
    ([1048576, 786432], [0, 262144])
    """

    def __init__(self, n: int, items_of: Rows, weights: IntArray, alone: IntArray) -> None:
        self.n = n
        self.items_of = items_of  # of a unit that is similar to two or more, with the similarity
        self.weights = weights  # how many equal units each one stands for
        self.alone = alone  # per item: similarities of the units that are similar to no other
        self.total: IntArray = alone + items_of.column_sums(weights, n)  # per item: all its similarities
        self._both = TwoWays(items_of, n)

    @classmethod
    def from_triples(
        cls,
        units: npt.ArrayLike,
        items: npt.ArrayLike,
        similarities: npt.ArrayLike,
        n: int,
        weights: npt.ArrayLike | None = None,
    ) -> BestMatchIndex:
        """Index (unit code, item code, similarity in multiples of 2^-20).

        Of a pair that comes twice the highest similarity counts; zeros are dropped. `weights[x]` is how many equal
        units the code x stands for, by default 1.
        """
        unit_codes, item_codes = np.asarray(units, np.int64), np.asarray(items, np.int64)
        similar = np.asarray(similarities)
        if not unit_codes.shape == item_codes.shape == similar.shape or unit_codes.ndim != 1:
            raise InputError("Units, items and similarities must be three flat arrays of the same length.")
        if len(item_codes) and not 0 <= item_codes.min() <= item_codes.max() < n:
            raise InputError(f"Item codes must be in 0..{n - 1}.")
        if len(unit_codes) and not 0 <= unit_codes.min() <= unit_codes.max() < unit_room(n):
            raise InputError(f"Unit codes must be in 0..{unit_room(n) - 1}.")
        # Says nothing of the values: they are private.
        if len(similar) and (similar.dtype.kind not in "iu" or not 0 <= similar.min() <= similar.max() <= ONE):
            raise InputError(f"Similarities must be whole multiples of 2^-{FRACTION_BITS}, from 0 to 1.")
        weight = None if weights is None else np.asarray(weights, np.int64)
        count = int(unit_codes.max()) + 1 if len(unit_codes) else 0
        if weight is not None and (len(weight) < count or (len(weight) and weight.min() < 1)):
            raise InputError("Every unit code needs a weight of at least 1.")
        keys = ((unit_codes << item_bits(n)) | item_codes) << VALUE_BITS | similar.astype(np.int64)
        return cls.from_keys(keys[similar > 0], n, weight)

    @classmethod
    def from_keys(cls, keys: IntArray, n: int, weights: IntArray | None = None) -> BestMatchIndex:
        """Index keys (unit · 2^item_bits(n) + item) · 2^21 + similarity, none with 0; the array is used up."""
        rows, weight, alone = unpack_similar(keys, n, weights)
        return cls(n, rows, weight, alone)

    @property
    def nbytes(self) -> int:
        """What the index may come to take, the other way round included."""
        return int(self._both.nbytes + self.weights.nbytes + self.alone.nbytes + self.total.nbytes)

    def units(self, item: int) -> tuple[Codes, Codes]:
        """Find the units that are similar to the item and to another one, and how similar; none are to item -1."""
        return self._both.column(item)

    def turn_round(self) -> None:
        """Prepare for thousands of questions about the units of an item, as local search has them."""
        self._both.turn_round()


def unit_room(n: int) -> int:
    """How many units can be told apart beside n items and their similarities.

    >>> unit_room(1000) == 1 << 32
    True
    """
    return 1 << (63 - VALUE_BITS - item_bits(n))
