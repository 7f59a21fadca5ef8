"""The users that an answer will reach, beside random picks and the exact answer, before spending anything.

From public figures alone: how many items and users there are, the largest share of the users that an item has (head),
and how many items a user has. No private data is read. Diversity decides nothing here: all items are equally far apart.

  msd forecast --items 3000 --users 1200000 --head 0.02 --items-per-user 4 -k 6 -k 20 --plot forecast.png

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
    parser.add_argument("file", nargs="?", help="database file, with --as-owner")
    parser.add_argument("relation", nargs="?", help="the declared items relation, with --as-owner")
    parser.add_argument("--as-owner", action="store_true", help="run on the real rows; recorded as ε = infinity")
    parser.add_argument("--items", type=int, default=3_000, help="n, the number of candidates (default 3000)")
    parser.add_argument("--users", type=int, default=200_000, help="m, the number of users (default 200000)")
    parser.add_argument(
        "--head", type=float, default=0.02, help="share of the users of the largest item (default 0.02)"
    )
    parser.add_argument("--items-per-user", type=float, help="items that a user has (default 3)")
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
    from msd_sql.errors import InputError

    chosen = {name: values for name, values in {"ks": args.k, "epsilons": args.eps}.items() if values}
    if args.as_owner != (args.relation is not None) or (args.file is not None and not args.as_owner):
        raise InputError(
            "With --as-owner name a database file and a declared items relation in it; without it, neither."
        )
    if not args.as_owner:
        from msd_sql.studies.forecast import forecast

        known = {"head": args.head, "items_per_user": args.items_per_user}
        return forecast(args.items, args.users, delta=args.delta, runs=args.runs, **known, **chosen)
    import duckdb

    import msd_sql
    from msd_sql.studies.owner_forecast import owner_forecast

    with duckdb.connect(args.file) as con:
        msd_sql.register(con)
        return owner_forecast(
            con, args.relation, diversity=args.diversity, delta=args.delta, among=args.among, runs=args.runs, **chosen
        )
