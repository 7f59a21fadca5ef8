"""The memory of a process that serves for months: few pools of the C library, so that what is freed is used again."""

from __future__ import annotations

import ctypes
import sys

_ARENA_MAX = -8  # M_ARENA_MAX of glibc's mallopt
_ARENAS = 2


def few_arenas() -> bool:
    """Let all threads share two pools of memory; whether the C library does that.

    glibc gives every thread a pool of its own, up to eight for a processor. A question frees in one pool what the next
    one asks another for: under load such holes took as much memory again as everything that was in use.

    >>> few_arenas() in (True, False)
    True
    """
    if not sys.platform.startswith("linux"):
        return False
    try:
        return bool(ctypes.CDLL(None).mallopt(_ARENA_MAX, _ARENAS))
    except (OSError, AttributeError):  # another C library
        return False
