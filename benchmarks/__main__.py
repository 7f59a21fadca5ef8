"""Measure everything side by side and write docs/benchmarks.md.

python -m benchmarks            the whole table, about a quarter of an hour on two cores
python -m benchmarks --quick    smaller data, under two minutes; prints the table, writes no page
python -m benchmarks --only large --only uber
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from benchmarks.speed import against_libraries, against_literal, against_plain, cold, groups, large, page, uber
from benchmarks.speed.measure import ROOT, Figure, load

GROUPS = {
    "plain": against_plain.run,
    "groups": groups.run,
    "large": large.run,
    "literal": against_literal.run,
    "libraries": against_libraries.run,
    "uber": uber.run,
    "cold": cold.run,
}


def main() -> int:
    """Run the groups that were asked for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="smaller data, under two minutes, no page")
    parser.add_argument("--only", action="append", choices=list(GROUPS), help="one group; may be given several times")
    parser.add_argument("--out", type=Path, help="folder of the page (default: docs, for the whole table only)")
    asked = parser.parse_args()
    if load() > 0.5:
        print(f"The machine is busy (load {load():.1f}): expect noise.", file=sys.stderr)
    start = time.monotonic()
    figures: list[Figure] = []
    for name in asked.only or GROUPS:
        for figure in GROUPS[name](quick=asked.quick):
            figures.append(figure)
            print(f"{figure.name}: {page.shown(figure)}  [{figure.verdict}]  {figure.detail}", flush=True)
    print(f"\n{page.table(figures)}\n\n{time.monotonic() - start:.0f} s", flush=True)
    out = asked.out or (None if asked.quick or asked.only else ROOT / "docs")
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        print(f"written: {page.write(figures, out, quick=asked.quick)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
