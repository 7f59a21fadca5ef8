"""Options: those of `msd_select` as Python types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict

Counts = int | Sequence[int] | Mapping[str, int]


class Options(TypedDict, total=False):
    """The options of `msd_select` by the same names; each is described in docs/sql.md.

    >>> Options(method="greedy", fresh=True)
    {'method': 'greedy', 'fresh': True}
    """

    method: str | None
    gamma: float | None
    delta: float | str | None
    distance: str | None
    scale: float | Sequence[float] | None
    weights: Sequence[float] | Mapping[str, float] | None
    quota_cap: Counts | None
    quota_min: Counts | None
    include: Sequence[Any] | None
    exclude: Sequence[Any] | None
    apart: float | None
    cap: int | None
    reach: str | None
    among: str | None
    users: int | None
    fresh: bool
    exact: bool
    public: bool
    engine: Literal["auto", "memory", "sql", "spark"] | None
