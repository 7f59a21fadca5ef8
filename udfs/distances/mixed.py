"""Mixed: items that differ in several ways at once, each measured by its own distance."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..errors import InputError
from ..types import Distance, FloatArray


class Mixed:
    """The weighted mean of several distances: a pseudometric in [0, 1], because each of them is.

    >>> from .columns import L1, Hamming
    >>> Mixed([Hamming([["tea"], ["tea"], ["mug"]]), L1([1.0, 3.0, 5.0])], [3, 1]).row(0).tolist()
    [0.0, 0.125, 1.0]
    """

    def __init__(self, parts: Sequence[Distance], weights: Sequence[float] | None = None) -> None:
        given = [1.0] * len(parts) if weights is None else [float(weight) for weight in weights]
        if not parts or len({part.n for part in parts}) != 1:
            raise InputError("mixed: at least one distance is needed, and all of them over the same items.")
        if len(given) != len(parts) or not all(np.isfinite(given)) or min(given) < 0 or sum(given) <= 0:
            raise InputError(
                f"mixed: one weight for each of the {len(parts)} features is needed, none below 0 and not all 0; got "
                f"{', '.join(f'{weight:g}' for weight in given)}."
            )
        self.n = parts[0].n
        self.parts = tuple(parts)
        self._weights = [weight / sum(given) for weight in given]

    def row(self, item: int) -> FloatArray:
        """dist(item, v) for every candidate v.

        >>> from .columns import L1
        >>> Mixed([L1([0.0, 1.0])]).row(0).tolist()
        [0.0, 1.0]
        """
        total: FloatArray = np.zeros(self.n)
        for weight, part in zip(self._weights, self.parts, strict=True):
            if weight:
                total += weight * part.row(item)
        return np.minimum(total, 1.0)
