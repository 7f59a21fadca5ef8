"""The memory of a process that serves for months: what is freed is used again, and what is not used is given back."""

from __future__ import annotations

import ctypes
import os
import re
import sys

from msd_sql.errors import InputError

_UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_PART = 0.8  # of the machine's memory
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


def give_back() -> bool:
    """Give the system back what was freed; whether there was any, and the C library does that.

    glibc gives back by itself only what lies at the end of a pool: a few small things that live on behind the messages
    of one large question would keep all of it for good.

    >>> give_back() in (True, False)
    True
    """
    if not sys.platform.startswith("linux"):
        return False
    try:
        return bool(ctypes.CDLL(None).malloc_trim(0))
    except (OSError, AttributeError):  # another C library
        return False


def bound_memory(text: str | None) -> int | None:
    """Let the process take so much memory and no more, by default four fifths of the machine's; None where it cannot.

    DuckDB counts the memory of tables, sorts and joins, and not that of one long string: SELECT repeat('x', 4000000000)
    of an analyst is refused by the system then, and not paid for by all others.

    >>> size("1.5GB")
    1500000000
    """
    try:
        import resource

        most = size(text) if text else int(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") * _PART)
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(resource.RLIMIT_DATA, (most, hard))
    except (ImportError, ValueError, OSError):  # not on this system
        return None
    return most


def size(text: str) -> int:
    """A number of bytes, as DuckDB writes them.

    >>> size("512MB"), size("4 gb")
    (512000000, 4000000000)
    """
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?B)?\s*", text, re.IGNORECASE)
    if found is None:
        raise InputError(f"An amount of memory looks like 4GB or 512MB; got '{text[:40]}'.")
    return int(float(found[1]) * _UNITS[(found[2] or "").upper()])
