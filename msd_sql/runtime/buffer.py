"""A reusable buffer: memory for one statement after the other; the system gives memory more slowly than we fill it."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.uint8]


class ReusableBuffer:
    """One piece of memory, kept as long as the database; whoever comes while it is in use gets another one.

    >>> buffer = ReusableBuffer()
    >>> part = buffer.borrow(1 << 20)[:8]
    >>> buffer.borrow(1 << 20)[0] = 7  # not the same, as long as a part of it is held
    """

    def __init__(self) -> None:
        self._kept: memoryview | None = None
        self._lent: Callable[[], Bytes | None] = lambda: None
        self._lock = threading.Lock()

    def borrow(self, size: int) -> Bytes:
        """So many bytes, with anything in them; nobody else's until the last view of them is gone."""
        with self._lock:
            if self._lent() is not None:
                return np.empty(size, np.uint8)
            if self._kept is None or len(self._kept) != size:
                self._kept = np.empty(size, np.uint8).data
            # Views of an array that was made of a buffer hold on to that array, and not to the buffer alone.
            lent = np.frombuffer(self._kept, np.uint8)
            self._lent = weakref.ref(lent)
            return lent
