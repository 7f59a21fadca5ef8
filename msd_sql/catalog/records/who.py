"""Who asks: an account of a service, or the system's user, and the program that runs; the ledger says it."""

from __future__ import annotations

import getpass
import os
import sys
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True)
class Who:
    """A name to hold somebody to: `name` is an account or the system's user; `program` is a file's name, no path."""

    name: str
    program: str


@lru_cache(maxsize=1)
def system_user() -> Who:
    """The user and the program of this process.

    >>> system_user().program != ""
    True
    """
    try:
        name = getpass.getuser()
    except (ImportError, KeyError, OSError):  # a container may run as a number that has no name
        name = str(os.getuid()) if hasattr(os, "getuid") else "unknown"
    given = sys.argv[0] if sys.argv else ""
    return Who(name, os.path.basename(given) if given not in ("", "-c", "-m") else "python")
