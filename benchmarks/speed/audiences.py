"""What a new audience costs: the first question about it, beside the first question of all and one that was prepared.

python -m benchmarks.speed.audiences [--rows 2600000] [--turns 4]
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path

import duckdb

import msd_sql
from benchmarks.speed.measure import Timing, race
from msd_sql.registration import instance_of

SHOP = """
CREATE TABLE products AS
SELECT i::INTEGER AS item_id, ['k' || (i % 70), 'b' || (i % 110)] AS categories FROM range(24000) t(i);
CREATE TABLE purchases AS
SELECT {unit} AS user_id, ((hash(i * 7) % 24000) * (hash(i * 13) % 24000) // 24000)::INTEGER AS item_id,
       ['DE', 'FR', 'IT', 'ES', 'PL', 'NL', 'BE', 'AT'][1 + (hash(i * 3) % 8)::INTEGER] AS country,
       DATE '2026-08-01' + (hash(i * 5) % 90)::INTEGER AS day
FROM range({rows}) t(i);
"""
UNITS = {"numbers": "(hash(i) % ({rows} // 2))::INTEGER", "texts": "'user ' || (hash(i) % ({rows} // 2))"}
DECLARE = (
    "SELECT msd_protect('purchases', unit := 'user_id', item := 'item_id', budget := 1e6, delta := 1e-6)",
    "SELECT msd_items('products', key := 'item_id', features := 'categories', reach := 'purchases')",
)
QUESTIONS = {  # in this order, in every turn: what comes first has to read what those after it find prepared
    "the first question, about everybody": None,
    "another one about everybody": None,
    "a new audience: a country": "country = 'DE'",
    "another country": "country = 'FR'",
    "a new audience: a month": "day >= DATE '2026-10-01'",
    "another question about the first country": "country = 'DE'",
}


def measured(path: Path, kind: str, rows: int, turns: int) -> dict[str, Timing]:
    """The processors' seconds of every question, on a shop whose users are named by numbers or by texts."""
    with duckdb.connect(str(path)) as con:
        con.execute(SHOP.format(unit=UNITS[kind].format(rows=rows), rows=rows))
        msd_sql.register(con)
        for declaration in DECLARE:
            con.execute(declaration).fetchall()
        asked = iter(range(1_000_000))

        def ask(among: str | None) -> None:
            option = "" if among is None else f", among := $q${among}$q$"
            k = 4 + next(asked) % 8  # fresh, or else it would be answered from memory
            con.execute(f"SELECT msd_select(item_id, {k}, 0.1, 0.3, fresh := true{option}) FROM products").fetchall()

        def begin(among: str | None) -> None:
            instance_of(con).drop_caches()
            ask(among)

        ask(None)  # what is loaded with the first call is loaded
        first, *others = QUESTIONS.items()
        contestants = {first[0]: lambda: begin(first[1])}
        contestants |= {name: lambda among=among: ask(among) for name, among in others}
        return race(contestants, turns)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what every question takes of the processors, and its share of the first one."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed.audiences", description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=2_600_000, help="purchases; half as many users")
    parser.add_argument("--turns", type=int, default=4)
    options = parser.parse_args(arguments)
    for kind in UNITS:
        with tempfile.TemporaryDirectory() as folder:
            found = measured(Path(folder) / "shop.duckdb", kind, options.rows, options.turns)
        whole = min(next(iter(found.values())).cpu)
        print(f"{options.rows:,} purchases, users named by {kind}:")
        for name, timing in found.items():
            print(f"  {name:42} {min(timing.cpu) * 1000:6.0f} ms  {min(timing.cpu) / whole:.2f}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
