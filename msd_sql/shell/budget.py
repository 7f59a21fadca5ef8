"""What the shell says of the budget: after a release what it cost and what is left, from the public ledger alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal

import duckdb

from msd_sql.catalog.amounts import brief, shown
from msd_sql.catalog.catalog import Catalog
from msd_sql.catalog.declarations import Protected
from msd_sql.catalog.homes import databases
from msd_sql.database.duckdb_host import DuckDBHost
from msd_sql.database.host import Host, HostError
from msd_sql.database.sql_text import statement

Connection = duckdb.DuckDBPyConnection
_NEW = """
SELECT relation, count(*), sum(charged_eps), sum(charged_delta), count(*) FILTER (replayed), count(*) FILTER (exact)
FROM msd.ledger WHERE time > $since AND kind IN ('select', 'reach', 'exact', 'replay') GROUP BY 1 ORDER BY 1
"""


@dataclass
class Budgets:
    """What was last seen of the ledgers in sight."""

    since: datetime | None = None
    prompt: str = ""  # what is left of the relation that was last charged, for the prompt

    def news(self, con: Connection) -> list[str]:
        """Tell what was recorded since the last look, a line for every relation."""
        since = self.since or datetime(1970, 1, 1, tzinfo=UTC)
        with _looking(con) as host:
            known = {protected.stored_name: protected for protected in _protected(host)}
            rows = [row for home in _homes(host) for row in host.rows(statement(_NEW, home, since=since))]
            self.look(host)
        lines = []
        for key, count, eps, delta, replayed, exact in rows:
            name = _short(known[key]) if key in known else str(key)
            lines.append(_told(name, count, eps, delta, replayed, exact, known.get(key)))
            if key in known:
                self.prompt = f"{name} ε {shown(known[key].remaining)} left"
        return lines

    def look(self, host: Host) -> None:
        """Remember the time of the last line, so that the next look starts there."""
        found = [host.rows(statement("SELECT max(time) FROM msd.ledger", home))[0][0] for home in _homes(host)]
        times = [at.replace(tzinfo=UTC) for at in found if at is not None]
        self.since = max(times, default=self.since)

    def start(self, con: Connection) -> None:
        """Start at what the ledgers already hold."""
        with suppress(HostError), _looking(con) as host:
            self.look(host)

    def lines(self, con: Connection) -> list[str]:
        """Tell what is protected, what was spent and what is left."""
        with _looking(con) as host:
            found = _protected(host)
        if not found:
            return [
                "Nothing is protected here. An owner says: SELECT msd_protect('purchases', unit := …, budget := …);"
            ]
        return [
            f"{_short(one)}: ε {brief(one.remaining)} of {shown(one.budget)} left, δ {brief(one.remaining_delta)} of "
            f"{shown(one.delta)} left ({one.m:,} {'users' if one.unit else 'rows'})"
            for one in found
        ]


@contextmanager
def _looking(con: Connection) -> Iterator[Host]:
    cursor = con.cursor()
    try:
        yield DuckDBHost(cursor)
    finally:
        cursor.close()


def _homes(host: Host) -> list[str]:
    return [database.name for database in databases(host).values() if database.home]


def _protected(host: Host) -> list[Protected]:
    return Catalog(host).all_protected()


def _short(protected: Protected) -> str:
    return protected.relation.name if protected.relation else protected.name


def _told(
    name: str, count: int, eps: Decimal, delta: Decimal, replayed: int, exact: int, known: Protected | None
) -> str:
    left = f" · ε {brief(known.remaining)} of {shown(known.budget)} left" if known else ""
    if exact and exact + replayed == count:
        return f"{name}: exact answer, no privacy, recorded as ε infinity{left}"
    if replayed == count:
        return f"{name}: the recorded answer again, nothing charged{left}"
    releases = f" for {count - replayed} releases" if count - replayed > 1 else ""
    return f"{name}: charged ε {brief(eps)}, δ {brief(delta)}{releases}{left}"
