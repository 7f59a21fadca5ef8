"""The large shops, each in a process of its own so that its peak memory is its own.

python -m benchmarks.speed.large FILE USERS ENGINE LIMIT   prints one line of JSON
"""

from __future__ import annotations

import importlib
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.data.files import shop_file
from benchmarks.speed.asking import Asking, opened
from benchmarks.speed.measure import Figure, Peak, apart, race, said, slope

MODULE = "benchmarks.speed.large"


def run(*, quick: bool) -> Iterator[Figure]:
    """Measure growth up to 10^8 purchases, memory, and the sql engine under a tight limit."""
    sizes = (100_000, 1_000_000, 4_000_000) if quick else (1_000_000, 10_000_000, 100_000_000)
    limits = ("1GB", "256MB") if quick else ("8GB", "2GB")
    points = []
    found: dict[str, Any] = {}
    path = Path()
    for purchases in sizes:
        path = shop_file(purchases, purchases // 5)
        with said(f"{purchases:,} purchases in memory"):
            found = apart(MODULE, str(path), str(purchases // 5), "memory", limits[0])
        points.append((float(purchases), float(found["first"])))
        if purchases == sizes[1]:
            yield Figure(
                f"second question on the prepared index ÷ plain query, {purchases:,} purchases",
                found["second"] / found["plain"],
                detail=f"{found['second']:.3f} s against {found['plain']:.2f} s: what does not depend on the purchases "
                "weighs less",
            )
    shape = f"{sizes[-1]:,} purchases, {sizes[-1] // 5:,} users, 3,000 items"
    yield Figure(
        f"{shape}: first ÷ plain query, {limits[0]} limit",
        found["first"] / found["plain"],
        2.0,
        1.0,
        detail=f"{found['first']:.2f} s against {found['plain']:.2f} s; peak {found['peak'] / 1e9:.2f} GB",
    )
    yield Figure(
        "memory engine: peak extra memory per purchase",
        found["extra"] / sizes[-1],
        24.0,
        12.0,
        unit=" bytes",
        detail=f"{found['extra'] / 1e6:.0f} MB above what the process held once the table was read, {shape}",
    )
    yield Figure(
        f"growth of time from {sizes[0]:,} to {sizes[-1]:,} purchases (log-log slope)",
        slope(points),
        1.05,
        1.0,
        unit="",
        detail=", ".join(f"{int(size):,}: {seconds:.2f} s" for size, seconds in points),
        points=points,
    )
    with said(f"{sizes[-1]:,} purchases in SQL"):
        found = apart(MODULE, str(path), str(sizes[-1] // 5), "sql", limits[1])
    yield Figure(
        f"{shape}: sql engine under a {limits[1]} limit, peak memory",
        found["peak"] / 1e9,
        4.0,
        3.0,
        unit=" GB",
        detail=f"finishes in {found['first']:.1f} s; the plain query takes {found['plain']:.1f} s under the same limit",
    )


def main(file: str, users: str, engine: str, limit: str) -> None:
    """Measure one file with one engine: memory first, while DuckDB holds little more than the table itself."""
    with opened(Path(file), limit) as con:
        shop = Asking(con, users=int(users))
        more = f", engine := '{engine}'"
        importlib.import_module("pandas")  # what any first question loads is no memory of the purchases
        importlib.import_module("pyarrow.compute")
        con.execute("SELECT max(hash(user_id)), max(hash(item_id)) FROM purchases").fetchall()  # reads every block
        with Peak() as peak:
            start = time.perf_counter()
            shop.select(20, more)
            first = time.perf_counter() - start
        plain = race({"plain": shop.plain}, 1)["plain"].best
        second = first
        if engine == "memory":
            second = race({"ours": lambda: shop.select(20, more)}, 3)["ours"].best
            again = race({"plain": shop.plain, "ours": lambda: shop.select(20, more)}, 2, shop.forget)
            first, plain = min(first, again["ours"].best), min(plain, again["plain"].best)
    told = {"plain": plain, "first": first, "second": second, "extra": peak.above, "peak": peak.highest}
    print(json.dumps(told))


if __name__ == "__main__":
    main(*sys.argv[1:])
