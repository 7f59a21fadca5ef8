"""Sources of randomness: the operating system's for a private release, a seeded one for tests (`docs/privacy.md`)."""

from __future__ import annotations

import random
import secrets

import numpy as np

from ..errors import InputError
from ..types import IntArray


class SecretSource:
    """Uniform integers from the operating system's generator: the only source of a private release.

    >>> SecretSource().randbelow(1)
    0
    """

    private = True

    def randbelow(self, n: int) -> int:
        """A uniform integer of 0..n-1, for any size of n.

        >>> 0 <= SecretSource().randbelow(2**200) < 2**200
        True
        """
        return secrets.randbelow(n)

    def sample(self, n: int, size: int) -> IntArray:
        """A uniform subset of 0..n-1, sorted.

        Subsets are public randomness: the privacy proofs hold conditionally on them, so a fast generator may draw
        them. It is seeded afresh, so that no subset is shared between two releases.

        >>> SecretSource().sample(3, 3).tolist()
        [0, 1, 2]
        """
        return _subset(np.random.default_rng(secrets.randbits(128)), n, size)


class SeededSource:
    """A repeatable source for tests and benchmarks: `private` is False, so no release of it counts as private.

    >>> SeededSource(7).randbelow(100) == SeededSource(7).randbelow(100)
    True
    """

    private = False

    def __init__(self, seed: int) -> None:
        self._integers = random.Random(seed)
        self._subsets = np.random.default_rng(seed)

    def randbelow(self, n: int) -> int:
        """A repeatable integer of 0..n-1, for any size of n."""
        return self._integers.randrange(n)

    def sample(self, n: int, size: int) -> IntArray:
        """A repeatable subset of 0..n-1, sorted."""
        return _subset(self._subsets, n, size)


def _subset(generator: np.random.Generator, n: int, size: int) -> IntArray:
    if not 0 <= size <= n:
        raise InputError(f"A sample of {size} candidates was asked for, but there are {n}.")
    if size == n:
        return np.arange(n, dtype=np.int64)
    return np.sort(generator.choice(n, size, replace=False, shuffle=False)).astype(np.int64, copy=False)
