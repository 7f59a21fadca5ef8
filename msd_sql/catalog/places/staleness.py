"""Staleness: when an owner should look at a declaration again, said where budgets are shown."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from msd_sql.catalog.declarations import Protected
from msd_sql.database.sql_text import fold

VARIABLE = "MSD_RECOUNT_DAYS"
_DAYS = 365


def warnings(
    protected: Protected, declared: Sequence[str] | None, columns: Sequence[str], now: datetime | None = None
) -> list[str]:
    """What an owner should know of a declaration: that m is old, or that the table is not the one it was.

    `declared` are the columns when it was declared and `columns` those of now, as 'name TYPE'.

    >>> warnings(purchases, ["user_id INTEGER"], ["user_id INTEGER", "price DOUBLE"])
    ['The columns of shop.main.purchases are not those it was declared with (now also price DOUBLE): ...']
    """
    found = []
    days, then = _patience(), protected.declared_at
    if days and then is not None and (now or datetime.now(UTC)) - then > timedelta(days=days):
        found.append(
            f"m = {protected.m:,} of {protected.name} is from {then:%Y-%m-%d}: if it has grown, renew it with "
            f"SELECT msd_recount('{protected.name}', 0.01), or users := n, replace := true in msd_protect."
        )
    if declared is not None and columns:
        before, after = ({fold(column): column for column in some} for some in (declared, columns))
        more = [column for key, column in after.items() if key not in before]
        less = [column for key, column in before.items() if key not in after]
        if more or less:
            told = [f"now also {', '.join(more)}"] if more else []
            told += [f"no longer {', '.join(less)}"] if less else []
            found.append(
                f"The columns of {protected.name} are not those it was declared with ({'; '.join(told)}): if it is "
                "another table, declare it anew with replace := true."
            )
    return found


def _patience() -> int:
    """The days after which m is old; 0 for never."""
    given = os.environ.get(VARIABLE, "")
    return int(given) if given.isdecimal() else _DAYS
