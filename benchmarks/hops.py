"""How far one question walks: the files of the package that it runs through, and the hops from one to another.

`python -m benchmarks.hops` asks one protected question twice over a small shop (once so that everything is imported and
declared, once counted) and prints what was counted.
"""

from __future__ import annotations

import sys
import threading
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

import duckdb

import msd_sql

ROOT = Path(msd_sql.__file__).resolve().parent
QUESTION = "SELECT msd_select(item_id, 6, 0.1, 0.5, fresh := true) FROM products"
SHOP = (
    "CREATE TABLE products AS SELECT i AS item_id, ['a' || i % 5, 'b' || i % 7] AS categories FROM range(60) t(i)",
    "CREATE TABLE purchases AS SELECT hash(i) % 400 AS user_id, hash(i * 7) % 60 AS item_id FROM range(2000) t(i)",
)
DECLARED = (
    "SELECT msd_protect('purchases', unit := 'user_id', item := 'item_id', budget := 10.0)",
    "SELECT msd_items('products', key := 'item_id', features := 'categories', reach := 'purchases')",
)


class Walk:
    """Counts calls from a function of one of our files into one of another."""

    def __init__(self) -> None:
        self.files: set[str] = set()
        self.hops: Counter[tuple[str, str]] = Counter()
        self._names: dict[str, str | None] = {}

    def __call__(self, frame: FrameType, event: str, argument: Any) -> None:
        """Look at one event of the profiler."""
        if event != "call":
            return
        here = self._ours(frame)
        if here is None:
            return
        self.files.add(here)
        outer = frame.f_back
        while outer is not None and self._ours(outer) is None:
            outer = outer.f_back
        there = self._ours(outer) if outer is not None else None
        if there is not None and there != here:
            self.hops[there, here] += 1

    def _ours(self, frame: FrameType) -> str | None:
        name = frame.f_code.co_filename
        if name not in self._names:
            path = Path(name).resolve()
            inside = path.is_relative_to(ROOT) or path.is_relative_to(ROOT / "udfs") or "/udfs/" in path.as_posix()
            self._names[name] = path.as_posix() if inside else None
        return self._names[name]


def walk() -> Walk:
    """One question, counted."""
    counted = Walk()
    with duckdb.connect(config={"threads": 1}) as con:
        for sql in SHOP:
            con.execute(sql)
        msd_sql.register(con)
        for sql in (*DECLARED, QUESTION):
            con.execute(sql).fetchall()
        threading.setprofile(counted)
        sys.setprofile(counted)
        try:
            con.execute(QUESTION).fetchall()
        finally:
            sys.setprofile(None)
            threading.setprofile(None)
    return counted


def main() -> None:
    """Print what one question takes."""
    counted = walk()
    print(f"{len(counted.files)} files, {sum(counted.hops.values())} hops between them")
    for (there, here), times in counted.hops.most_common(12):
        print(f"{times:6d}  {Path(there).stem} -> {Path(here).stem}")


if __name__ == "__main__":
    main()
