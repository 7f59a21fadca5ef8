"""Options: the texts of SQL arguments, read into checked and typed values as surface/functions.py describes them.

Options arrive as text so that NULL, NaN, 'abc' and 3.7 get an error that says what was given and what is allowed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Any, TypeAlias

from msd_sql.catalog.amounts import delta_charge, eps_charge
from msd_sql.database.sql_text import quote
from msd_sql.errors import InputError, suggest
from msd_sql.surface.description import Argument, Kind
from msd_sql.surface.functions import FUNCTIONS, SELECTION_OPTIONS
from msd_sql.udfs.distances import OTHER_NAMES

Counts: TypeAlias = Mapping[str, int] | tuple[int, ...]  # by value, or by level of nested quotas
AUTO = "auto"
_KEPT = 50  # keys in a line of the ledger
_TRUTH = {"true": True, "t": True, "1": True, "yes": True, "false": False, "f": False, "0": False, "no": False}


@dataclass(frozen=True)
class Request:
    """The options of one selection, checked (described in surface/functions.py); None where nothing was given."""

    k: int
    diversity: float
    eps: Decimal | None = None
    method: str = AUTO
    gamma: float | None = None
    delta: Decimal | None = None
    distance: str | None = None
    scale: float | tuple[float, ...] | None = None
    weights: float | tuple[float, ...] | None = None
    quota_cap: Counts = ()
    quota_min: Counts = ()
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    apart: float = 0.0
    cap: int | None = None
    among: str | None = None
    users: int | None = None
    reach: str | None = None
    fresh: bool = False
    exact: bool = False
    public: bool = False
    engine: str = AUTO
    head: float | None = None  # of msd_explain: the largest share of the users that an item is expected to have
    groups: int = 1  # of msd_explain: how many such answers one statement asks for

    @property
    def parameters(self) -> dict[str, Any]:
        """What the ledger keeps of it: everything that was given, as plain values."""
        given = {name: value for name, value in vars(self).items() if value not in (None, (), False, AUTO)}
        given.pop("groups")
        given.pop("head", None)
        return {name: _plain(value) for name, value in given.items()}


def request(options: Mapping[str, str | None]) -> Request:
    """Read the options of a selection.

    >>> request({"k": "6", "eps": "0.1", "diversity": "0.5"}).eps
    Decimal('0.10000000000000000000')
    """
    return _request(tuple(options.items()))


@lru_cache(maxsize=256)  # the groups of a statement ask with the same options, nearly always
def _request(options: tuple[tuple[str, str | None], ...]) -> Request:
    return Request(**read((option for option in SELECTION_OPTIONS if option.name != "key"), dict(options)))


def read(arguments: Iterable[Argument], given: Mapping[str, str | None]) -> dict[str, Any]:
    """The values of what was given, by name; without those that are NULL.

    >>> read(FUNCTIONS["msd_budget"].options, {"relation": "purchases", "budget": "2.0", "delta": None})
    {'relation': 'purchases', 'budget': '2.0'}
    """
    found = {}
    for argument in arguments:
        text = given.get(argument.name)
        if text is not None:
            found[argument.name] = _READERS[argument.kind](argument, text)
        elif argument.required and not argument.nullable:
            raise InputError(f"{argument.name} is NULL; it must be {argument.must_be}.")
    return found


def read_python(function: str, **given: Any) -> dict[str, Any]:
    """The values of Python arguments of a SQL function, by the same rules as in SQL.

    >>> read_python("msd_items", relation="products", key="item_id", quota_cap=(2, 1), distance="Jaccard")
    {'relation': 'products', 'key': 'item_id', 'distance': 'jaccard', 'quota_cap': (2, 1)}
    """
    return read(FUNCTIONS[function].options, {name: _python_text(value) for name, value in given.items()})


def _python_text(value: Any) -> str | None:
    if value is None:
        return None
    if isinstance(value, list | tuple):
        return f"[{', '.join(_python_name(one) for one in value)}]"
    return str(value)


def _python_name(one: Any) -> str:
    """One of a list; a name that a comma would cut in two is quoted."""
    text = str(one)
    return quote(text) if "," in text and not text.startswith('"') else text


def asserted_public(options: Mapping[str, str | None]) -> bool:
    """Whether the call says public := true, before anything of it is checked: what is not plainly true is false.

    >>> asserted_public({"public": "true"}), asserted_public({"public": "perhaps"})
    (True, False)
    """
    return _TRUTH.get((options.get("public") or "").strip().lower(), False)


def record(text: str | None) -> list[Any]:
    """The values of a record that DuckDB wrote as JSON: an array (2.x), or an object whose names may repeat (1.5).

    >>> record('{"":"a","":2}')
    ['a', 2]
    """
    if text is None:
        return [None]
    found = json.loads(text, object_pairs_hook=lambda pairs: [value for _, value in pairs])
    return list(found) if isinstance(found, list) else [found]


def _whole(argument: Argument, text: str) -> int:
    value = _decimal(text)
    if value is None or value != value.to_integral_value() or not _within(argument, value):
        raise InputError(f"{argument.name} must be {argument.must_be}; got {_told(text)}.")
    return int(value)


def _wholes(argument: Argument, text: str) -> tuple[int, ...]:
    return tuple(_whole(argument, part) for part in _parts(text))


def _counts(argument: Argument, text: str) -> Counts:
    found = json.loads(text, parse_int=str, parse_float=str, parse_constant=str)
    parts = list(found.values()) if isinstance(found, dict) else found if isinstance(found, list) else [found]
    if not all(isinstance(part, str) for part in parts):
        raise InputError(f"{argument.name} must be {argument.must_be}; got {text}.")
    numbers = tuple(_whole(argument, part) for part in parts)
    return dict(zip(found, numbers, strict=True)) if isinstance(found, dict) else numbers


def _number(argument: Argument, text: str) -> float:
    value = _decimal(text)
    if value is None or not _within(argument, value):
        raise InputError(f"{argument.name} must be {argument.must_be}; got {_told(text)}.")
    return float(value)


def _numbers(argument: Argument, text: str) -> float | tuple[float, ...]:
    values = [_decimal(part) for part in _parts(text)]
    numbers = [float(value) for value in values if value is not None and value > 0]
    if len(numbers) != len(values):
        raise InputError(f"{argument.name} must be {argument.must_be}; got {_told(text)}.")
    return tuple(numbers) if text.strip().startswith("[") else numbers[0]


def _keys(argument: Argument, text: str) -> tuple[str, ...]:
    try:
        found = json.loads(text, parse_int=str, parse_float=str)
    except ValueError:
        found = None
    if not isinstance(found, list) or not all(isinstance(key, str) for key in found):
        raise InputError(f"{argument.name} must be {argument.must_be}; got {_told(text)}.")
    return tuple(found)


def _eps(argument: Argument, text: str) -> Decimal:
    return eps_charge(_amount(argument, text))


def _delta(argument: Argument, text: str) -> Decimal:
    return delta_charge(_amount(argument, text))


def _amount(argument: Argument, text: str) -> str:
    if _decimal(text) is None:
        raise InputError(f"{argument.name} must be {argument.must_be}; got {_told(text)}.")
    return text.strip()


def _declared_amount(argument: Argument, text: str) -> str:
    return text  # the catalog reads it: what is granted is rounded another way than what is asked for


def _name(argument: Argument, text: str) -> str:
    if not argument.allowed:
        return text
    found = text.strip().lower()
    found = OTHER_NAMES.get(found, found) if argument.name == "distance" else found
    if found not in argument.allowed:
        raise InputError(suggest(argument.name, text, argument.allowed))
    return found


def _names(argument: Argument, text: str) -> tuple[str, ...]:
    """Column names, from 'a, b' or from a SQL list; a name with a comma in it stands in double quotes."""
    inside = text.strip().removeprefix("[").removesuffix("]")
    found, quoted = [""], False
    for letter in inside:
        quoted ^= letter == '"'
        if letter == "," and not quoted:
            found.append("")
        else:
            found[-1] += letter
    return tuple(name.strip() for name in found if name.strip())


def _flag(argument: Argument, text: str) -> bool:
    value = _TRUTH.get(text.strip().lower())
    if value is None:
        raise InputError(f"{argument.name} must be {argument.must_be}; got {_told(text)}.")
    return value


_READERS: Mapping[Kind, Callable[[Argument, str], Any]] = {
    Kind.WHOLE: _whole,
    Kind.WHOLES: _wholes,
    Kind.COUNTS: _counts,
    Kind.NUMBER: _number,
    Kind.NUMBERS: _numbers,
    Kind.KEYS: _keys,
    Kind.EPS: _eps,
    Kind.DELTA: _delta,
    Kind.AMOUNT: _declared_amount,
    Kind.TEXT: _name,
    Kind.NAMES: _names,
    Kind.FLAG: _flag,
}


def _plain(value: Any) -> Any:
    """A value for the ledger; of very many keys their number is enough."""
    if isinstance(value, tuple) and len(value) > _KEPT:
        return f"{len(value)} keys"
    return str(value) if isinstance(value, Decimal) else value


def _within(argument: Argument, value: Decimal) -> bool:
    low, high = argument.least, argument.most
    above = low < value if argument.inside or argument.above else low <= value
    return above and (value < high if argument.inside else value <= high)


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.strip().removeprefix("[").removesuffix("]").split(",")]


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
