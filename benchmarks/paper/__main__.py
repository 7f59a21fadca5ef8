"""`python -m benchmarks.paper`: run what is missing, then draw the figures and write the page."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.paper.cells import FULL, QUICK, Cell, Size, cells, runs_of
from benchmarks.paper.matching import matched_cells
from benchmarks.paper.page import write_page
from benchmarks.paper.progress import watched
from benchmarks.paper.results import Results, Row
from benchmarks.paper.run import run
from benchmarks.paper.tasks.places import DataMissingError
from benchmarks.paper.tasks.task import NAMES, task
from benchmarks.paper.through_sql import Comparison, compare, statements

CHECKOUT = Path(__file__).resolve().parents[2]


def arguments() -> argparse.ArgumentParser:
    """Describe the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.paper", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small instances and few runs: a minute, not the page")
    parser.add_argument("--tasks", default=",".join(NAMES), help=f"comma-separated, of {', '.join(NAMES)}")
    parser.add_argument("--amazon", type=Path, help="folder with the real reviews.csv and meta.jsonl")
    parser.add_argument("--results", type=Path, help="folder of results.csv (default: benchmarks/paper/results)")
    parser.add_argument("--page", type=Path, help="where to write the page (default: docs/experiments.md)")
    parser.add_argument("--fresh", action="store_true", help="forget earlier results instead of going on from them")
    parser.add_argument("--page-only", action="store_true", help="write the page from the results there are")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; 0 when all of it was done, 1 when data were missing."""
    given = arguments().parse_args(argv)
    size = QUICK if given.quick else FULL
    kept_apart = ["quick"] * given.quick + ["amazon"] * (given.amazon is not None)  # cells of the same name, other data
    folder = given.results or CHECKOUT.joinpath("benchmarks", "paper", "results", *kept_apart)
    page = given.page or (folder / "experiments.md" if given.quick else CHECKOUT / "docs" / "experiments.md")
    if given.fresh:
        for name in ("results.csv", "through_sql.csv"):
            (folder / name).unlink(missing_ok=True)
    results, asked = Results(folder / "results.csv", Row), Results(folder / "through_sql.csv", Comparison)
    wanted = [name for name in given.tasks.split(",") if name]
    unknown = sorted(set(wanted) - set(NAMES))
    if unknown:
        print(f"Unknown task {unknown[0]}; allowed: {', '.join(NAMES)}.", file=sys.stderr)
        return 2
    missing = False
    for name in wanted if not given.page_only else []:
        try:
            task(name, *size.base[name.split("_")[0]], given.amazon)
        except DataMissingError as error:
            print(f"{name} is left out: {error}", file=sys.stderr)
            wanted, missing = [other for other in wanted if other != name], True
    if not given.page_only:
        todo = [cell for cell in cells(size, wanted) if not results.has(cell)]
        todo += [cell for cell in _matched(wanted, size, given.amazon) if not results.has(cell)]
        for cell in watched(todo):
            results.add(list(run(cell, runs_of(cell, size), given.amazon)))
        for name in wanted:
            instance = size.sql[name.split("_")[0]]
            if not all(asked.has(cell) for cell in statements(name, *instance)):
                asked.add(list(compare(name, *instance)))
    if not results.path.is_file():
        print("There are no results to write a page from.", file=sys.stderr)
        return 1
    write_page(results.frame(), asked.frame(), page, size, real_amazon=given.amazon is not None)
    print(f"{results.path} and {page} are written.")
    return 1 if missing else 0


def _matched(wanted: Sequence[str], size: Size, folder: Path | None) -> list[Cell]:
    found: list[Cell] = []
    for name in wanted:
        n, m = size.base[name.split("_")[0]]
        found += matched_cells(name, task(name, n, m, folder), n, m)
    return found


if __name__ == "__main__":
    sys.exit(main())
