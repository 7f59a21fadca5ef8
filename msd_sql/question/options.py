"""Options: what was asked, read from the text of SQL arguments into checked and typed values (docs/sql.md).

Options arrive as text so that NULL, NaN, 'abc' and 3.7 get an error that says what was given and what is allowed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

from msd_sql.catalog.amounts import delta_charge, eps_charge
from msd_sql.errors import InputError, suggest
from msd_sql.udfs.distances import distance_kind
from msd_sql.udfs.methods import METHODS

AUTO = "auto"
ENGINES = (AUTO, "memory", "sql", "spark")
K_LARGEST = 1_000_000
_TRUTH = {"true": True, "t": True, "1": True, "yes": True, "false": False, "f": False, "0": False, "no": False}


@dataclass(frozen=True)
class Request:
    """The arguments of one selection, checked; None where nothing was given."""

    k: int
    eps: Decimal | None
    diversity: float
    method: str = AUTO
    gamma: float | None = None
    delta: Decimal | None = None
    distance: str | None = None
    scale: float | tuple[float, ...] | None = None
    quota_cap: tuple[int, ...] = ()
    cap: int | None = None
    reach: str | None = None
    fresh: bool = False
    exact: bool = False
    public: bool = False
    engine: str = AUTO

    @property
    def parameters(self) -> dict[str, Any]:
        """What the ledger keeps of it: everything that was given, as plain values."""
        given = {name: value for name, value in vars(self).items() if value not in (None, (), False, AUTO)}
        return {name: str(value) if isinstance(value, Decimal) else value for name, value in given.items()}


def request(options: Mapping[str, str | None]) -> Request:
    """Read the options of a call.

    >>> request({"k": "6", "eps": "0.1", "diversity": "0.5"}).eps
    Decimal('0.10000000000000000000')
    """
    k = whole("k", options.get("k"), most=K_LARGEST)
    if k is None:
        raise InputError(f"k is NULL; it must be a whole number from 1 to {K_LARGEST}.")
    diversity = number("diversity", options.get("diversity"), low=0.0, high=1.0)
    if diversity is None:
        raise InputError("diversity is NULL; it must be a number from 0 (relevance only) to 1 (diversity only).")
    eps, delta = options.get("eps"), options.get("delta")
    gamma = number("gamma", options.get("gamma"), low=0.0, high=1.0)
    if gamma in (0.0, 1.0):
        raise InputError(f"gamma must lie between 0 and 1, both excluded; got {gamma}.")
    distance = options.get("distance")
    return Request(
        k=k,
        eps=None if eps is None else _charge("eps", eps),
        diversity=diversity,
        method=one_of("method", options.get("method") or AUTO, (AUTO, *METHODS)),
        gamma=gamma,
        delta=None if delta is None else _charge("delta", delta),
        distance=None if distance is None else distance_kind(distance.strip().lower()).name,
        scale=_scale(options.get("scale")),
        quota_cap=caps(options.get("quota_cap")),
        cap=whole("cap", options.get("cap"), most=K_LARGEST),
        reach=options.get("reach"),
        fresh=truth("fresh", options.get("fresh")),
        exact=truth("exact", options.get("exact")),
        public=truth("public", options.get("public")),
        engine=one_of("engine", options.get("engine") or AUTO, ENGINES),
    )


def whole(name: str, text: str | None, *, least: int = 1, most: int) -> int | None:
    """A whole number, None where nothing was given.

    >>> whole("k", "3.7", most=10)
    Traceback (most recent call last):
    msd_sql.udfs.errors.InputError: k must be a whole number from 1 to 10; got 3.7.
    """
    if text is None:
        return None
    value = _decimal(text)
    if value is None or value != value.to_integral_value() or not least <= value <= most:
        raise InputError(f"{name} must be a whole number from {least} to {most}; got {_told(text)}.")
    return int(value)


def number(name: str, text: str | None, *, low: float, high: float) -> float | None:
    """A number in [low, high], None where nothing was given.

    >>> number("diversity", "0.5", low=0, high=1)
    0.5
    """
    if text is None:
        return None
    value = _decimal(text)
    if value is None or not low <= value <= high:
        raise InputError(f"{name} must be a number from {low:g} to {high:g}; got {_told(text)}.")
    return float(value)


def truth(name: str, text: str | None) -> bool:
    """True or false; NULL is false.

    >>> truth("fresh", "true")
    True
    """
    if text is None:
        return False
    value = _TRUTH.get(text.strip().lower())
    if value is None:
        raise InputError(f"{name} must be true or false; got {_told(text)}.")
    return value


def asserted_public(options: Mapping[str, str | None]) -> bool:
    """Whether the call says public := true, before anything of it is checked: what is not plainly true is false.

    >>> asserted_public({"public": "true"}), asserted_public({"public": "perhaps"})
    (True, False)
    """
    return _TRUTH.get((options.get("public") or "").strip().lower(), False)


def one_of(name: str, text: str, allowed: tuple[str, ...]) -> str:
    """One of a few names, in any case.

    >>> one_of("engine", "Memory", ENGINES)
    'memory'
    """
    found = text.strip().lower()
    if found not in allowed:
        raise InputError(f"{suggest(name, text, allowed)}")
    return found


def caps(text: str | None) -> tuple[int, ...]:
    """The caps of a quota: one whole number, or a list of them for nested quotas.

    >>> caps("[3, 1]")
    (3, 1)
    """
    if text is None:
        return ()
    values = text.strip().removeprefix("[").removesuffix("]").split(",")
    found = [whole("quota_cap", value.strip(), least=0, most=K_LARGEST) for value in values]
    return tuple(value for value in found if value is not None)


def record(text: str | None) -> list[Any]:
    """The values of a record that DuckDB wrote as JSON: an array (2.x), or an object whose names may repeat (1.5).

    >>> record('{"":"a","":2}')
    ['a', 2]
    """
    if text is None:
        return [None]
    found = json.loads(text, object_pairs_hook=lambda pairs: [value for _, value in pairs])
    return list(found) if isinstance(found, list) else [found]


def _scale(text: str | None) -> float | tuple[float, ...] | None:
    if text is None:
        return None
    values = [_decimal(part.strip()) for part in text.strip().removeprefix("[").removesuffix("]").split(",")]
    numbers = [float(value) for value in values if value is not None and value > 0]
    if len(numbers) != len(values):
        raise InputError(
            f"scale must be a positive number, or a list of them, one for each feature; got {_told(text)}."
        )
    return tuple(numbers) if text.strip().startswith("[") else numbers[0]


def charged_eps(text: str) -> Decimal:
    """An ε that was asked for, exact.

    >>> charged_eps("0.05")
    Decimal('0.05000000000000000000')
    """
    return _charge("eps", text)


def _charge(name: str, text: str) -> Decimal:
    if _decimal(text) is None:
        raise InputError(f"{name} must be a finite number above 0; got {_told(text)}.")
    return eps_charge(text.strip()) if name == "eps" else delta_charge(text.strip())


def _decimal(text: str) -> Decimal | None:
    try:
        value = Decimal(text.strip())
    except InvalidOperation:
        return None
    if "_" in text:  # Python reads 1_0 as 10, SQL does not
        return None
    return value if value.is_finite() else None


def _told(text: str) -> str:
    return text if _number_like(text) else f"'{text}'"


def _number_like(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
