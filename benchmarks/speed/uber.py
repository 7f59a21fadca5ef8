"""Uber pickups: the paper's other application, in a process of its own.

python -m benchmarks.speed.uber   prints one line of JSON
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import count

import duckdb

import msd_sql
from benchmarks.data.files import real
from benchmarks.speed.measure import Figure, Peak, apart, race, said
from msd_sql.registration import instance_of

PICKUPS = "uber_2014_manhattan.parquet"
# The paper's convenience score: 2 - 2 / (1 + e^(-200 |a - b|_1)).
SIMILARITY = "2 - 2 / (1 + exp(-200 * (abs(r.lat - v.lat) + abs(r.lon - v.lon))))"
GRID = """
CREATE TABLE grid AS
SELECT row_number() OVER (ORDER BY a, b) AS id,
       40.70 + 0.18 * (a + 0.5) / 40 AS lat, -74.02 + 0.11 * (b + 0.5) / 25 AS lon
FROM range(40) AS x(a), range(25) AS y(b)
"""


PLAIN = f"SELECT v.id, sum({SIMILARITY}) AS s FROM pickups AS r, grid AS v GROUP BY 1 ORDER BY s DESC LIMIT 20"


def run(*, quick: bool) -> Iterator[Figure]:
    """Measure the first selection and the second beside the plain query over the same pairs."""
    name = "best_match (Uber: 358,473 pickups, 1,000 points), k = 20, {} ÷ plain query over the same pairs"
    if quick or real(PICKUPS) is None:
        why = "left out of the quick form" if quick else "the real data is not there"
        yield Figure(name.format("first"), None, 1.0, 0.4, detail=why)
        return
    with said("Uber pickups"):
        found = apart("benchmarks.speed.uber")
    for turn, now, goal in (("first", 1.0, 0.4), ("second", 0.1, 0.03)):
        yield Figure(
            name.format(turn),
            found[turn] / found["plain"],
            now,
            goal,
            detail=f"{found[turn]:.2f} s against {found['plain']:.2f} s; of the processors "
            f"{found[turn + ' cpu']:.2f} s against {found['plain cpu']:.2f} s; peak {found['peak'] / 1e9:.2f} GB",
        )


def main() -> None:
    """Measure."""
    with duckdb.connect() as con:
        con.execute("SET enable_progress_bar = false")
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
        asked = count(1)

        def ask() -> None:
            con.execute(f"SELECT msd_select(id, 20, 0.1{next(asked):04d}, 0.5) FROM grid").fetchall()

        with Peak() as peak:
            first = race(
                {"first": ask, "plain": lambda: con.execute(PLAIN).fetchall()}, 2, instance_of(con).drop_caches
            )
        ask()
        found = {**first, **race({"second": ask}, 3)}
    told = {name: timing.best for name, timing in found.items()}
    told |= {f"{name} cpu": min(timing.cpu) for name, timing in found.items()}
    print(json.dumps({**told, "peak": peak.highest}))


if __name__ == "__main__":
    main()
