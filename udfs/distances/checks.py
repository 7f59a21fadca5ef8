"""What every distance asks of its public input before it measures anything (they are listed in distances.py)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ..errors import InputError
from ..types import FloatArray

Scale: TypeAlias = float | Sequence[float] | FloatArray | None


def rectangle(name: str, rows: npt.ArrayLike | Sequence[Sequence[object]]) -> npt.NDArray[np.generic]:
    """Make one rectangular array of the rows, with at least one column; a single column may be given flat.

    >>> rectangle("l1", [3, 5]).shape
    (2, 1)
    """
    if not isinstance(rows, np.ndarray):
        lengths = {len(row) if hasattr(row, "__len__") and not isinstance(row, str) else 1 for row in rows}  # type: ignore[union-attr, arg-type]
        if len(lengths) > 1:
            raise InputError(
                f"{name}: every item needs the same number of values; {min(lengths)} and {max(lengths)} were given."
            )
    table = np.asarray(rows)
    if table.ndim == 1:
        table = table[:, None]
    if table.ndim != 2:
        raise InputError(
            f"{name}: a table of items by values is needed; an array of {table.ndim} dimensions was given."
        )
    if table.shape[1] == 0:
        raise InputError(f"{name}: at least one value per item is needed; none was given.")
    return table


def finite(name: str, rows: npt.ArrayLike | Sequence[Sequence[object]]) -> FloatArray:
    """Make float64 of the rows, without NaN, infinity, NULL or text.

    >>> finite("l2", [[1, 2], [3, 4]]).dtype
    dtype('float64')
    """
    table = rectangle(name, rows)
    try:
        numbers = table.astype(np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name}: the values must be numbers without NULL; something else was given.") from None
    if not np.isfinite(numbers).all():
        row = int(np.argmin(np.isfinite(numbers).all(axis=1)))
        raise InputError(f"{name}: the values must be finite; item {row} (counted from 0) holds NaN, NULL or infinity.")
    return numbers


def positive(name: str, what: str, value: float) -> float:
    """Return `value` if it is a positive finite number, else an error that names it.

    >>> positive("haversine", "scale", 10)
    10.0
    """
    if not (np.isfinite(value) and value > 0):
        raise InputError(f"{name}: {what} must be a positive finite number; {value} was given.")
    return float(value)
