"""Uber pickups: the paper's other application, in a process of its own.

python -m benchmarks.speed.uber   prints one line of JSON
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator

import duckdb

import msd_sql
from benchmarks.data.files import real
from benchmarks.speed.measure import Figure, Peak, apart, said

PICKUPS = "uber_2014_manhattan.parquet"
# The paper's convenience score: 2 - 2 / (1 + e^(-200 |a - b|_1)).
SIMILARITY = "2 - 2 / (1 + exp(-200 * (abs(r.lat - v.lat) + abs(r.lon - v.lon))))"
GRID = """
CREATE TABLE grid AS
SELECT row_number() OVER (ORDER BY a, b) AS id,
       40.70 + 0.18 * (a + 0.5) / 40 AS lat, -74.02 + 0.11 * (b + 0.5) / 25 AS lon
FROM range(40) AS x(a), range(25) AS y(b)
"""


def run(*, quick: bool) -> Iterator[Figure]:
    """Measure the first selection; there is nothing to compare it with."""
    name = "Uber (358,473 pickups, 1,000 grid points), k = 20, first selection"
    if quick:
        yield Figure(name, None, unit=" s", detail="left out of the quick form")
    elif real(PICKUPS) is None:
        yield Figure(name, None, unit=" s", detail="the real data is not there")
    else:
        with said("Uber pickups"):
            found = apart("benchmarks.speed.uber")
        yield Figure(
            name,
            found["first"],
            unit=" s",
            detail=f"second question {found['second']:.2f} s; peak memory {found['peak'] / 1e9:.2f} GB",
        )


def main() -> None:
    """Measure."""
    with duckdb.connect() as con:
        con.execute(f"CREATE TABLE pickups AS SELECT lat, lon FROM '{real(PICKUPS)}'")
        con.execute(GRID)
        msd_sql.register(con)
        con.execute(
            "SELECT msd_protect('pickups', relevance := 'best_match', budget := 100, delta := 1e-6, "
            f"similarity := '{SIMILARITY}')"
        ).fetchall()
        con.execute(
            "SELECT msd_items('grid', key := 'id', features := ['lat', 'lon'], distance := 'l1', reach := 'pickups')"
        ).fetchall()
        seconds = []
        with Peak() as peak:
            for eps in (0.1, 0.11):
                start = time.perf_counter()
                con.execute(f"SELECT msd_select(id, 20, {eps}, 0.5) FROM grid").fetchall()
                seconds.append(time.perf_counter() - start)
    print(json.dumps({"first": seconds[0], "second": seconds[1], "peak": peak.highest}))


if __name__ == "__main__":
    main()
