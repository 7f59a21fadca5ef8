"""The users that an answer will reach, beside random picks and the exact answer, before spending anything.

From public figures alone: how many items and users there are, the largest share of the users that an item has (head),
and how many items a user has. No private data is read. It is about diversity 0: an answer with more diversity reaches
so many users at most (docs/forecast.md).

  msd forecast --items 3000 --users 1200000 --head 0.02 --items-per-user 4 -k 6 -k 20 --plot forecast.png

The first three as they are declared in a database, with head as msd_protect(…, head := 0.02) said it:

  msd forecast shop.duckdb products

For the owner, on the real rows; the figures are exact facts of them, and the ledger records it as ε = infinity:

  msd forecast shop.duckdb products --as-owner -k 6 --among "country = 'DE'"
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from msd_sql.studies.forecast import Forecast


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `msd forecast`."""
    parser.add_argument("file", nargs="?", help="database file, with declarations in it")
    parser.add_argument("relation", nargs="?", help="the declared items relation in it")
    parser.add_argument("--as-owner", action="store_true", help="run on the real rows; recorded as ε = infinity")
    parser.add_argument("--items", type=int, help="n, the number of candidates (default: declared, else 3000)")
    parser.add_argument("--users", type=int, help="m, the number of users (default: declared, else 200000)")
    parser.add_argument(
        "--head", type=float, help="share of the users of the largest item (default: declared, else 0.02)"
    )
    parser.add_argument(
        "--items-per-user", type=float, help="items that a user has (default: 3, or less with few items)"
    )
    parser.add_argument("-k", type=int, action="append", help="items to choose; repeatable (default 6 and 20)")
    parser.add_argument("--eps", type=float, action="append", help="ε; repeatable (default 0.01 to 1)")
    parser.add_argument("--diversity", type=float, default=0.0, help="λ in [0, 1], with --as-owner (default 0)")
    parser.add_argument(
        "--among", help="part of the people, with --as-owner: SQL over the protected relation's columns"
    )
    parser.add_argument("--delta", type=float, help="δ of the release (default: users^-1.5)")
    parser.add_argument("--runs", type=int, default=20, help="runs for every ε and k (default 20)")
    parser.add_argument("--plot", metavar="FILE", help="write a picture, .png or .svg (extra: plots)")


def run(args: argparse.Namespace) -> int:
    """Print the table, and draw it."""
    made = _made(args)
    print(made.label)
    print(f"{'ε':>6}  {'k':>4}  {'reached':>10}  {'of ten answers nine':>23}  {'random':>8}  {'exact':>10}  "
          f"{'noise':>7}  {'lead needed':>11}")  # fmt: skip
    for cell in made.cells:
        band = f"{cell.low:,.0f} to {cell.high:,.0f}"
        print(f"{cell.eps:>6g}  {cell.k:>4}  {cell.reached:>10,.0f}  {band:>23}  {cell.random:>8,.0f}  "
              f"{cell.best:>10,.0f}  {cell.noise:>7,.0f}  {cell.lead:>11,.0f}  {cell.verdict}")  # fmt: skip
    print("All figures are users. An item that leads all others by the lead needed is chosen with 95 % in a round.")
    if args.plot:
        from msd_sql.plots import plot_forecast, save

        print(f"Written: {save(plot_forecast(made), args.plot)}")
    return 0


def _made(args: argparse.Namespace) -> Forecast:
    from dataclasses import replace

    from msd_sql.errors import InputError
    from msd_sql.studies.declared_figures import Figures
    from msd_sql.studies.forecast import forecast

    chosen = {name: values for name, values in {"ks": args.k, "epsilons": args.eps}.items() if values}
    if (args.file is None) != (args.relation is None) or (args.as_owner and args.file is None):
        raise InputError(
            "Name a database file and a declared items relation in it, which --as-owner needs; or neither, and give "
            "--items, --users and --head."
        )
    known = Figures(3_000, 200_000, None)
    if args.file is not None:
        import msd_sql
        from msd_sql.database.open_file import connect
        from msd_sql.studies.declared_figures import declared_figures
        from msd_sql.studies.owner_forecast import owner_forecast

        with connect(args.file, read_only=not args.as_owner) as con:
            msd_sql.register(con)
            if args.as_owner:
                return owner_forecast(
                    con, args.relation, diversity=args.diversity, delta=args.delta, among=args.among, runs=args.runs,
                    **chosen,
                )  # fmt: skip
            known = declared_figures(con, args.relation)
    n = known.n if args.items is None else args.items
    m = known.m if args.users is None else args.users
    head = next(share for share in (args.head, known.head, 0.02) if share is not None)
    made = forecast(n, m, head=head, items_per_user=args.items_per_user, delta=args.delta, runs=args.runs, **chosen)
    known_head = args.head if args.head is not None else known.head
    guessed = [
        name for name, one in {"--head": known_head, "--items-per-user": args.items_per_user}.items() if one is None
    ]
    return replace(made, label=f"{made.label} Guesses: {', '.join(guessed)}, which decide a lot.") if guessed else made
