"""See the point in one command, on an embedded synthetic shop (seeded, invented; no real person).

Shows the plain top 6 by reach, a private and diverse six with the SQL that chose it, a private estimate of the users
it reaches, a leak that is refused, and the budget that is left.
"""

from __future__ import annotations

import argparse
from pathlib import Path


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `msd demo`."""
    parser.add_argument(
        "--keep", metavar="FILE", type=Path, help="write the shop to this new database file, to play with"
    )
    parser.add_argument("--html", metavar="FILE", type=Path, help="write the same as a page")
    parser.add_argument("--svg", metavar="FILE", type=Path, help="write the same as a picture (needs rich)")


def run(args: argparse.Namespace) -> int:
    """Run the demo."""
    import duckdb

    from msd_sql.demo import view
    from msd_sql.demo.story import story
    from msd_sql.errors import InputError

    if args.keep is not None and args.keep.exists():
        raise InputError(f"{args.keep} exists already; --keep wants the name of a new file.")
    # A file that 2.x writes by default is one that a duckdb shell of 1.5 cannot open.
    old_enough: dict[str, str | bool | int | float | list[str]] = {"storage_compatibility_version": "v1.5.0"}
    con = duckdb.connect(str(args.keep), config=old_enough) if args.keep is not None else duckdb.connect()
    try:
        made = story(con)
    finally:
        con.close()
    view.show(made, args.keep)
    if args.html is not None:
        args.html.write_text(view.page(made), "utf-8")
        print(f"Written: {args.html}")
    if args.svg is not None:
        view.svg(made, args.svg)
        print(f"Written: {args.svg}")
    return 0
