"""Names of temp relations: ours by their prefix, one question's by its serial number."""

from __future__ import annotations

from itertools import count

PREFIX = "_msd_"  # of every temp relation
_SERIAL = count(1)


def next_serial() -> int:
    """A number that no other question of this process has."""
    return next(_SERIAL)


def temp_name(serial: int, name: str, version: int = 0) -> str:
    """Name a temp relation; `serial` tells one question's from another's on the same connection.

    >>> temp_name(3, "chosen", 2)
    '_msd_3_chosen_2'
    """
    return f"{PREFIX}{serial}_{name}" + (f"_{version}" if version else "")
