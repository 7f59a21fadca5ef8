"""The root of the error tree and the one helper that suggests a name that was probably meant."""

from __future__ import annotations

from collections.abc import Iterable


class MsdError(Exception):
    """The root of every error that msd_sql raises on purpose."""


class InputError(MsdError, ValueError):
    """An argument is outside of what is allowed: nothing was run, nothing was charged."""


class PrivacyError(MsdError, PermissionError):
    """The request is understood but may not be answered under the privacy rules."""


def suggest(kind: str, given: object, allowed: Iterable[str]) -> str:
    """Say that `given` is not a known `kind`, what is allowed, and the nearest allowed name.

    >>> suggest("method", "gredy", ["greedy", "nosg"])
    "Unknown method 'gredy'. Did you mean 'greedy'? Allowed: greedy, nosg."
    """
    names = list(allowed)
    meant = nearest(given, names)
    hint = f" Did you mean '{meant}'?" if meant is not None else ""
    return f"Unknown {kind} '{given}'.{hint} Allowed: {', '.join(names)}."


def nearest(given: object, allowed: Iterable[str]) -> str | None:
    """The name that was probably meant; None where none is like it.

    >>> nearest("gredy", ["greedy", "nosg"])
    'greedy'
    """
    from difflib import get_close_matches  # not every program makes a mistake

    by_folded = {name.lower(): name for name in allowed}
    near = get_close_matches(str(given).lower(), list(by_folded), n=1, cutoff=0.5)
    return by_folded[near[0]] if near else None
