"""How one candidate is chosen by its integer score: the exponential mechanism, or the best one (no privacy)."""

from __future__ import annotations

import math

from ..errors import InputError
from ..types import IntArray, Source
from .sampler import draw


class ExponentialMechanism:
    """Draws a candidate with probability ∝ exp(eta·score), eta per count of 2^20 steps (`docs/privacy.md`).

    >>> import numpy as np
    >>> from msd_sql.udfs.privacy.randomness import SecretSource
    >>> ExponentialMechanism(100.0, SecretSource()).choose(np.array([0, 5 << 20]))
    1
    """

    def __init__(self, eta: float, source: Source) -> None:
        if not (math.isfinite(eta) and eta > 0):
            raise InputError(f"eta is {eta!r}; it must be a positive finite number.")
        self.eta = eta
        self.source = source

    def choose(self, scores: IntArray) -> int:
        """The index of the drawn score."""
        return draw(scores, self.eta, self.source)


class Argmax:
    """Takes the best candidate, the first in key order among equals: the non-private form of every method.

    >>> import numpy as np
    >>> Argmax().choose(np.array([1, 7, 7]))
    1
    """

    def choose(self, scores: IntArray) -> int:
        """The index of the first of the best scores."""
        if len(scores) == 0:
            raise InputError("There is no candidate to choose from.")
        return int(scores.argmax())
