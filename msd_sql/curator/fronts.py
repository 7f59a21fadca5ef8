"""Fronts: one database in front for every account that has asked lately, all showing what is published now."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager

from msd_sql.catalog.accounts.account import Account
from msd_sql.curator.behind import Behind
from msd_sql.curator.front import DoorFor, Front
from msd_sql.curator.limits import Limits
from msd_sql.curator.published import Published, read_published
from msd_sql.database.sql_text import Name


class Fronts:
    """The databases in front, by account; the least recently used idle one is closed when there are too many."""

    def __init__(self, limits: Limits, door: DoorFor) -> None:
        self._limits, self._door = limits, door
        self._published: dict[Name, Published] = {}
        self._open: OrderedDict[str, Front] = OrderedDict()
        self._used: dict[str, int] = {}
        self._lock = threading.Lock()

    @contextmanager
    def of(self, account: Account) -> Iterator[Front]:
        """The database of an account, for as long as it is used."""
        with self._lock:
            front = self._open.pop(account.name, None) or self._made()
            self._open[account.name] = front
            self._used[account.name] = self._used.get(account.name, 0) + 1
        try:
            yield front
        finally:
            with self._lock:
                self._used[account.name] -= 1
                idle = [name for name in self._open if not self._used.get(name)]
                for name in idle[: max(len(self._open) - self._limits.fronts, 0)]:
                    self._open.pop(name).close()

    def refresh(self, behind: Behind) -> list[str]:
        """Read what is published and has changed, and show it to every account; the names of what has changed."""
        before = self._published
        found = read_published(behind, before)
        with self._lock:
            self._published = found
            fronts = list(self._open.values())
        for front in fronts:
            front.show(found)
        changed = [name for name in {**before, **found} if found.get(name) is not before.get(name)]
        return [f"{name.schema}.{name.name}" for name in changed]

    def close(self) -> None:
        """Close all of them."""
        with self._lock:
            for front in self._open.values():
                front.close()
            self._open.clear()

    def _made(self) -> Front:
        front = Front(self._limits, self._door)
        front.show(self._published)
        return front
