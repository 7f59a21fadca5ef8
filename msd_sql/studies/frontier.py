"""Frontier: how much reach a selection gives up for diversity, λ from 0 to 1.

Three kinds, and the label always says which: exact on the synthetic shop, exact on a public score, or private
estimates of protected data that are paid for.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from statistics import fmean

import duckdb
import numpy as np

from msd_sql.api.ask import select
from msd_sql.errors import InputError
from msd_sql.studies.simulation import Simulation
from msd_sql.udfs import plan

# At λ = 0 distances are not looked at, so that none could be told; this much changes no choice but of exact equals.
_HARDLY = 1e-9


@dataclass(frozen=True)
class Point:
    """One selection: its λ, the mean distance of its items, and its relevance."""

    diversity: float
    distance: float
    relevance: float


@dataclass(frozen=True)
class Frontier:
    """The points from λ = 0 to 1, what the relevance is, and where the figures come from."""

    label: str
    relevance: str
    points: tuple[Point, ...]


def lambdas(steps: int) -> list[float]:
    """Spread λ evenly from 0 to 1.

    >>> lambdas(3)
    [0.0, 0.5, 1.0]
    """
    if steps < 2:
        raise InputError(f"A frontier needs at least 2 steps; got {steps}.")
    return [round(float(share), 6) for share in np.linspace(0.0, 1.0, steps)]


def synthetic(k: int = 20, steps: int = 11, users: int = 50_000) -> Frontier:
    """Draw the frontier of the synthetic shop, exactly.

    >>> [point.diversity for point in synthetic(k=3, steps=2, users=500).points]
    [0.0, 1.0]
    """
    shop = Simulation.make(users=users)
    points = []
    for share in lambdas(steps):
        values = shop.run(plan(n=shop.n, k=k, eps=None, diversity=share, m=users, method="greedy"), users=users, seed=0)
        points.append(Point(share, values.diversity, values.relevance))
    return Frontier(f"Synthetic shop, k = {k}: exact, no private data", "share of users reached", tuple(points))


def public(con: duckdb.DuckDBPyConnection, items: str, score: str, *, k: int = 20, steps: int = 11) -> Frontier:
    """Draw the frontier of a public score: `items` is a table, a view or a SELECT. Nothing private, nothing charged.

    >>> public(con, "products", "score", k=3, steps=2).relevance
    'mean score of the chosen'
    """
    points = []
    for share in lambdas(steps):
        found = select(_source(con, items), k=k, eps=None, diversity=max(share, _HARDLY), score=score)
        points.append(Point(share, found.diversity or 0.0, fmean(float(value) for value in found.rows[score])))
    return Frontier(f"{_short(items)}, k = {k}: exact, public scores", f"mean {score} of the chosen", tuple(points))


def cost(eps: float, reach_eps: float, steps: int) -> Decimal:
    """Add up the ε that a private frontier spends: λ = 1 selects from public data alone, and every reach is paid for.

    >>> cost(0.05, 0.01, 3)
    Decimal('0.13')
    """
    return (steps - 1) * Decimal(str(eps)) + steps * Decimal(str(reach_eps))


def private(
    con: duckdb.DuckDBPyConnection, items: str, *, eps: float, reach_eps: float, k: int = 20, steps: int = 5
) -> Frontier:
    """Draw the frontier of protected data from private estimates, charged to its budget: see `cost`.

    >>> private(con, "products", eps=0.05, reach_eps=0.01, k=5, steps=3).label
    'products, k = 5: private estimates, ε 0.13 spent'
    """
    relation = _reached(con, items, k, eps)
    reach = "SELECT msd_reach($1, $2, relation := $3)"
    points = []
    for share in lambdas(steps):
        found = select(_source(con, items), k=k, eps=eps, diversity=max(share, _HARDLY), reach=relation)
        reached = con.execute(reach, [list(found.items), reach_eps, relation]).fetchall()[0][0]
        points.append(Point(share, found.diversity or 0.0, float(reached)))
    label = f"{_short(items)}, k = {k}: private estimates, ε {cost(eps, reach_eps, steps)} spent"
    return Frontier(label, "users reached (private estimate)", tuple(points))


def _reached(con: duckdb.DuckDBPyConnection, items: str, k: int, eps: float) -> str:
    """The protected relation that the items reach: all questions are of one, and it is known before any is charged."""
    given = f"FROM ({items})" if " " in items.strip() else f"FROM {items}"
    told = con.execute(f"WITH _items AS ({given}) FROM msd_explain(_items, {k:d}, {eps!r}, 0.5)").fetchall()
    found = [value for name, value in told if name == "protected relation"]
    if not found:
        raise InputError(
            f"A private frontier needs items that reach a protected relation, and more than k = {k} of them."
        )
    return str(found[0])


def _source(con: duckdb.DuckDBPyConnection, items: str) -> duckdb.DuckDBPyRelation:
    return con.sql(items if " " in items.strip() else f"FROM {items}")


def _short(items: str) -> str:
    return items if len(items) <= 40 else f"{items[:39]}…"
