"""Keys that a call names: the candidates that are pinned, and those that are taken out."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

import numpy as np

from msd_sql.database.host import Host
from msd_sql.engines.candidates import Candidates, Whole
from msd_sql.errors import InputError
from msd_sql.surface.column_types import KEY_INTEGERS
from msd_sql.udfs.types import IntArray

_FEW = 10_000  # candidates among which a similar key is looked for
_SHOWN = 3
_NAMED = "_msd_named_keys"


def without(host: Host, candidates: Candidates, keys: Sequence[str]) -> Candidates:
    """The candidates but for these keys, as if a WHERE had left them out; a key that is no candidate does nothing.

    >>> without(host, Candidates(["1", "2"], "INTEGER", np.arange(2)), ["2", "7"]).keys
    ['1']
    """
    if not keys:
        return candidates
    kept = np.ones(candidates.n, dtype=np.bool_)
    places = _places(host, candidates, keys)
    kept[places[places >= 0]] = False
    rest = np.flatnonzero(kept)
    texts = candidates.keys
    return Candidates(
        Whole(texts.numbers[rest]) if isinstance(texts, Whole) else [texts[place] for place in rest.tolist()],
        candidates.type,
        candidates.rows[rest],
    )


def pinned(host: Host, candidates: Candidates, keys: Sequence[str], excluded: Sequence[str] = ()) -> list[int]:
    """Which candidates these keys are, in the order given and each once; refused if one is none.

    >>> pinned(host, Candidates(["a", "b"], "VARCHAR"), ["b"])
    [1]
    """
    both = [key for key in keys if key in set(excluded)]
    if both:
        raise InputError(f"{_listed(both)} is in include and in exclude; leave it out of one of them.")
    if not keys:
        return []
    places = _places(host, candidates, keys)
    absent = [key for key, place in zip(keys, places.tolist(), strict=True) if place < 0]
    if absent:
        raise InputError(
            f"include names {_listed(absent)}, which {'is' if len(absent) == 1 else 'are'} not among the "
            f"{candidates.n} candidates.{_similar(candidates, absent[0])} Only a candidate can be pinned: a WHERE or "
            "an exclude may have left it out. In a GROUP BY every group needs keys of its own, such as "
            "include := list(key) FILTER (WHERE featured)."
        )
    return list(dict.fromkeys(places.tolist()))


def _places(host: Host, candidates: Candidates, keys: Sequence[str]) -> IntArray:
    """The place of every key among the candidates; -1 where it is none."""
    if isinstance(candidates.keys, Whole):
        numbers = candidates.keys.numbers
        wanted = [_whole(key) for key in keys]
        index = {number: place for place, number in enumerate(numbers.tolist())}
        return np.array([-1 if number is None else index.get(number, -1) for number in wanted], dtype=np.int64)
    texts = {text: place for place, text in enumerate(candidates.keys)}
    found = [texts.get(key, -1) for key in keys]
    if min(found) < 0 and candidates.type not in ("VARCHAR", *KEY_INTEGERS):
        # 1.5 is 1.50 and a date may be written in several ways: as DuckDB itself writes a value of this type.
        with host.table(_NAMED, {"i": np.arange(len(keys)), "key": list(keys)}):
            written = f"CAST(TRY_CAST(key AS {candidates.type}) AS VARCHAR)"
            rows = host.rows(f"SELECT {written} FROM {_NAMED} ORDER BY i")
        found = [place if place >= 0 else texts.get(row[0], -1) for place, row in zip(found, rows, strict=True)]
    return np.array(found, dtype=np.int64)


def _whole(key: str) -> int | None:
    try:
        number = float(key)
        return int(key) if key.lstrip("+-").isdecimal() else int(number) if number.is_integer() else None
    except (ValueError, OverflowError):
        return None


def _listed(keys: Sequence[str]) -> str:
    return ", ".join(f"'{key}'" for key in keys[:_SHOWN]) + (f" and {len(keys) - _SHOWN} more" * (len(keys) > _SHOWN))


def _similar(candidates: Candidates, key: str) -> str:
    if candidates.n > _FEW:
        return ""
    near = difflib.get_close_matches(key, list(candidates.keys), n=1)
    return f" Did you mean '{near[0]}'?" if near else ""
