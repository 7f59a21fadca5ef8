"""What the shell says of the budget: after a release what it cost and what is left, from the public ledger alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import duckdb

from msd_sql.catalog.amounts import brief, shown
from msd_sql.database.host import HostError, Row
from msd_sql.database.sql_text import Value, statement

if TYPE_CHECKING:  # they load what a shell that declares nothing does not wait for
    from msd_sql.catalog.budget_filter import Loss
    from msd_sql.catalog.catalog import Catalog
    from msd_sql.catalog.declarations import Protected

Connection = duckdb.DuckDBPyConnection
Home: TypeAlias = tuple[str, str | None]
_HOMES = "SELECT 1 FROM duckdb_schemas() WHERE schema_name = 'msd' LIMIT 1"
_NEW = """
SELECT relation, sum(releases), sum(repeated), sum(charged_eps), sum(charged_delta), sum(releases) FILTER (exact)
FROM msd.ledger WHERE time > $since AND kind IN ('select', 'reach', 'recount', 'exact', 'replay') GROUP BY 1 ORDER BY 1
"""
# Of new answers: do all have one ε? And the noise of selections: the smallest exponent per count, the most candidates,
# and the most users they count.
_WORTH = """
SELECT l.relation, min(r.eps) = max(r.eps), min(CAST(r.receipt ->> 'eta' AS DOUBLE)) FILTER (l.kind = 'select'),
  max(r.n) FILTER (l.kind = 'select'), max(CAST(r.receipt ->> 'm' AS BIGINT)) FILTER (l.kind = 'select')
FROM msd.ledger AS l JOIN msd.releases AS r ON r.line = l.id WHERE l.time > $since GROUP BY 1
"""
_LAST = """
SELECT charged_to, arg_max(charged_eps / releases, time), arg_max(charged_delta / releases, time),
  arg_max(charged_renyi / releases, time), arg_max(charged_clamp / releases, time)
FROM msd.ledger WHERE charged_eps > 0 AND releases > 0 GROUP BY 1
"""


@dataclass
class Budgets:
    """What was last seen of the ledgers in sight."""

    seen: dict[Home, datetime] = field(default_factory=dict)  # the time of the last line that was seen of each ledger
    began: datetime = field(default_factory=lambda: datetime.now(UTC))
    prompt: str = ""  # what is left of the relation that was last charged, for the prompt

    def news(self, con: Connection) -> list[str]:
        """Tell what was recorded since the last look, a line for every relation."""
        with _looking(con) as catalog:
            known = {(protected.home, protected.stored_name): protected for protected in catalog.all_protected()}
            rows: list[tuple[str, Row]] = []
            worth: dict[tuple[str, str], Row] = {}
            for home in _homes(catalog):
                since = self._since(catalog, home)
                new = _rows(catalog, home, _NEW, since=since)
                rows += [(home[0], row) for row in new]
                worth |= (
                    {(home[0], row[0]): row[1:] for row in _rows(catalog, home, _WORTH, since=since)} if new else {}
                )
            last = _last_prices(catalog) if rows else {}
            self.look(catalog)
        lines = []
        for place, (key, *counts) in rows:
            found = known.get((place, key))
            name = _short(found) if found else str(key)
            alike, *noise = worth.get((place, key), (False, None))
            told = _told(name, *counts, alike=alike) + _worth(noise, found)
            many = counts[0] > 1
            lines.append(told + (f" · {_state(found, last, many=many)}" if found else ""))
            if found:
                self.prompt = f"{name} ε {_short_number(found.remaining)} left"
        return lines

    def _since(self, catalog: Catalog, home: Home) -> datetime:
        """Where to begin with a ledger: where we were; at its first line if that is of this session, else at its last.

        A database that is attached in the middle of a session brings its history along, which is no news.
        """
        if home in self.seen:
            return self.seen[home]
        first, last = _rows(catalog, home, "SELECT min(time), max(time) FROM msd.ledger")[0]
        if first is None or first.replace(tzinfo=UTC) >= self.began:
            return datetime(1970, 1, 1, tzinfo=UTC)
        return cast("datetime", last).replace(tzinfo=UTC)

    def look(self, catalog: Catalog) -> None:
        """Remember the time of every ledger's last line, so that the next look starts there."""
        for home in _homes(catalog):
            at = _rows(catalog, home, "SELECT max(time) FROM msd.ledger")[0][0]
            if at is not None:
                self.seen[home] = at.replace(tzinfo=UTC)

    def start(self, con: Connection) -> None:
        """Start at what the ledgers already hold, if there are any."""
        from msd_sql.registration import instance_of

        if instance_of(con).ledger_file is None and not con.cursor().execute(_HOMES).fetchall():
            return
        with suppress(HostError), _looking(con) as catalog:
            self.look(catalog)

    def lines(self, con: Connection) -> list[str]:
        """Tell what is protected, what was spent and what is left."""
        with _looking(con) as catalog:
            found = catalog.all_protected()
            last = _last_prices(catalog)
            notes = [f"  {note}" for one in found for note in catalog.warnings(one)]
        if not found:
            return [
                "Nothing is protected here. An owner says: SELECT msd_protect('purchases', unit := …, budget := …);"
            ]
        return [
            f"{_short(one)}: {_state(one, last)} (δ {shown(one.delta)}, {one.m:,} {'users' if one.unit else 'rows'}"
            + (f", of whom an item has at most {one.head:g}" if one.head is not None else "")
            + (f", order α = {shown(one.alpha)}" if one.alpha is not None else "")
            + (f", shares the budget of {one.shares}" if one.shares else "")
            + ")"
            for one in found
        ] + notes


@contextmanager
def _looking(con: Connection) -> Iterator[Catalog]:
    from msd_sql.catalog.catalog import Catalog
    from msd_sql.database.duckdb_host import DuckDBHost
    from msd_sql.registration import instance_of

    instance = instance_of(con)
    cursor = con.cursor()
    try:
        catalog = Catalog(DuckDBHost(cursor), instance.home, ledger_file=instance.ledger_file)
        with catalog.home_hosts.opened():
            yield catalog
    finally:
        cursor.close()


def _homes(catalog: Catalog) -> list[Home]:
    """The databases in sight that have a ledger, each by its name and its file."""
    return [(one.name, one.path) for one in catalog.home_hosts.databases().values() if one.home]


def _rows(catalog: Catalog, home: Home, sql: str, **values: Value) -> list[Row]:
    return catalog.home_hosts.at(home[0]).rows(statement(sql, home[0], **values))


def _last_prices(catalog: Catalog) -> dict[tuple[str, str], Loss]:
    """What an answer cost the last time, by home and relation; of several in one statement, their mean."""
    from msd_sql.catalog.budget_filter import Loss

    return {
        (home[0], row[0]): Loss(*(Decimal(repr(float(part))) for part in row[1:]))
        for home in _homes(catalog)
        for row in _rows(catalog, home, _LAST)
    }


def _short(protected: Protected) -> str:
    return protected.relation.name if protected.relation else protected.name


def _state(one: Protected, last: dict[tuple[str, str], Loss], *, many: bool = False) -> str:
    """Such as: spent ε 0.56 of 1 after 10 answers; 46 more like the last one.

    `many`: it stands beside a sum of several answers, which may be more than all of them come to.
    """
    spent = one.limits.composed(one.loss)
    answers = f" after {one.answers:,} answer{'s' if one.answers != 1 else ''}" if one.answers else ""
    said = f"{'all so far come to' if many else 'spent'} ε {_short_number(spent)} of {shown(one.budget)}{answers}"
    price = last.get((one.home, one.charged_to))
    return said if price is None else f"{said}; {one.limits.how_many(one.loss, price):,} more like the last one"


def _short_number(amount: Decimal) -> str:
    """An amount in at most four digits, for people who read it at a glance."""
    return f"{float(amount):.4g}"


def _worth(facts: Sequence[Any], about: Protected | None) -> str:
    """Such as: ; noise 68 users, a lead of 749 is nearly sure to win; and whether an item can have so many."""
    if not facts[0]:
        return ""
    from msd_sql.actions.explaining.lead import lead_needed, mostly_noise

    eta, n, m = facts
    lead = lead_needed(n, eta)
    said = f"; noise {1 / eta:,.0f} users, a lead of {lead:,.0f} is nearly sure to win"
    if about is None or about.head is None or lead <= about.head * m:
        return said
    return f"{said}; {mostly_noise(about.head * m, about.head)}"


def _told(
    name: str, releases: int, repeated: int, eps: Decimal, delta: Decimal, exact: int | None, *, alike: bool
) -> str:
    if exact and exact == releases:
        return f"{name}: exact answer, no privacy, recorded as ε infinity"
    if not releases:
        return f"{name}: the recorded answer again, nothing charged"
    again = f" ({repeated:,} told again for nothing)" if repeated else ""
    if releases == 1:
        return f"{name}: charged ε {brief(eps)}, δ {brief(delta)}{again}"
    each = f" of ε {brief(eps / releases)}" if alike else ""
    return f"{name}: {releases:,} answers{each} (added up ε {brief(eps)}, δ {brief(delta)}){again}"
