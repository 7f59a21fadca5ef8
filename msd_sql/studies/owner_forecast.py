"""The owner's forecast: what answers would reach, run on the real rows. It is for the owner's eyes, and recorded.

The figures are exact facts of private rows. The ledger gets a line of ε = infinity before a row is read, as it does for
every exact answer; nothing is taken from the budget.
"""

from __future__ import annotations

from collections.abc import Sequence

import duckdb
import numpy as np

from msd_sql.actions.release import withholding_unexpected
from msd_sql.api.declarations import calling
from msd_sql.catalog.declarations import Protected
from msd_sql.catalog.records.lines import Answer, Entry
from msd_sql.engines.build import build
from msd_sql.errors import InputError, uncharged
from msd_sql.question.audience import audience
from msd_sql.question.features import declared_values
from msd_sql.question.ground import probed
from msd_sql.question.item_columns import all_keys, column_types
from msd_sql.question.measured import measure
from msd_sql.studies.declared_figures import declared_items
from msd_sql.studies.forecast import EPSILONS, Cell, Forecast, cell, default_delta
from msd_sql.udfs import Plan, SeededSource, Uniform, evaluate, plan, select
from msd_sql.udfs.privacy.renyi import UNBOUNDED
from msd_sql.udfs.types import Distance, Relevance


def owner_forecast(
    con: duckdb.DuckDBPyConnection,
    items: str,
    *,
    ks: Sequence[int] = (6, 20),
    epsilons: Sequence[float] = EPSILONS,
    diversity: float = 0.0,
    delta: float | None = None,
    among: str | None = None,
    runs: int = 20,
) -> Forecast:
    """Run every ε and k on the real rows behind a declared items relation.

    >>> owner_forecast(con, "products", ks=[3], epsilons=[1.0], runs=2).cells[0].best > 0
    True
    """
    with calling(con, "msd forecast --as-owner") as call:
        with uncharged():
            declared = declared_items(call, items)
            protected = audience(call, call.need(str(declared.reach)), among)
            probed(call, protected, declared)
            found = all_keys(call, declared, column_types(call, declared)[declared.key_column])
            if found is None or any(not 1 <= k < found.n for k in ks) or runs < 1:
                raise InputError(f"Every k must be below the number of items, and runs at least 1; got k = {list(ks)}.")
            distance = None
            if diversity > 0 and declared.features and declared.distance != "precomputed":
                mixed = declared.distance == "mixed"
                (values,) = declared_values(call, declared, [found], declared.features, mixed=mixed)
                distance = measure(values, declared.distance)
        said = f"forecast for the owner: {found.n:,} items, k {list(ks)}, ε {list(epsilons)}{protected.among}"
        answer = Answer(divergence=UNBOUNDED, n=found.n, k=max(ks), method="greedy")
        call.ledger.note(protected, Entry("exact", statement=call.context.statement, what=said, exact=True), [answer])
        with withholding_unexpected():
            relevance = build(
                call.holder(protected), protected, found, k=max(ks), engine="auto", items=declared, public=call.host
            )
            cells = [
                one
                for k in ks
                for one in _cells(protected, relevance, distance, found.n, k, epsilons, diversity, delta, runs)
            ]
    users = "users" if protected.relevance == "coverage" else "users' worth of similarity"
    label = (
        f"For the owner only: {users} of {protected.name}{protected.among}, {runs} runs on the real rows, diversity "
        f"{diversity:g}. Recorded in the ledger as ε = infinity."
    )
    return Forecast(label, protected.m, tuple(cells))


def _cells(
    protected: Protected,
    relevance: Relevance,
    distance: Distance | None,
    n: int,
    k: int,
    epsilons: Sequence[float],
    diversity: float,
    delta: float | None,
    runs: int,
) -> list[Cell]:
    share = default_delta(protected.m) if delta is None else delta

    def made(eps: float | None) -> Plan:
        return plan(
            n=n, k=k, eps=eps, delta=share if eps else 0.0, diversity=diversity if distance else 0.0, m=protected.m,
            cap=protected.cap, relevance=protected.relevance, method="greedy",
        )  # fmt: skip

    def reached(picks: Sequence[int]) -> float:
        return evaluate(relevance, None, picks, diversity=0.0).relevance * protected.m

    def run(asked: Plan, seed: int) -> float:
        return reached(select(asked, relevance, distance, Uniform(n, k), SeededSource(seed)).picks)

    rng = np.random.default_rng(7)
    by_chance = float(np.mean([reached(rng.choice(n, k, replace=False).tolist()) for _ in range(runs)]))
    best = run(made(None), 0)
    found = []
    for eps in epsilons:
        noisy = made(eps)
        assert noisy.calibration is not None
        values = np.array([run(noisy, seed) for seed in range(runs)])
        found.append(
            cell(noisy.calibration.bound, n, eps, k, noisy.calibration.eta, values, best, by_chance, 1.0, protected.m)
        )
    return found
