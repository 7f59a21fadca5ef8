"""The loss to expect at an ε and k, before spending anything.

Simulated on a synthetic shop with your number of items and users; both are public, and no private data is read.
The loss is 1 - φ(private)/φ(without noise), in percent.

  msd forecast --items 3000 --users 1200000 -k 6 -k 20 --plot forecast.png
"""

from __future__ import annotations

import argparse


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `msd forecast`."""
    parser.add_argument("--items", type=int, default=3_000, help="n, the number of candidates (default 3000)")
    parser.add_argument("--users", type=int, default=200_000, help="m, the number of users (default 200000)")
    parser.add_argument("-k", type=int, action="append", help="items to choose; repeatable (default 6 and 20)")
    parser.add_argument("--eps", type=float, action="append", help="ε; repeatable (default 0.01 to 1)")
    parser.add_argument("--diversity", type=float, default=0.5, help="λ in [0, 1] (default 0.5)")
    parser.add_argument("--delta", type=float, help="δ of the release (default: users^-1.5)")
    parser.add_argument("--runs", type=int, default=5, help="runs to average over (default 5)")
    parser.add_argument("--plot", metavar="FILE", help="write a picture, .png or .svg (extra: plots)")


def run(args: argparse.Namespace) -> int:
    """Print the table, and draw it."""
    from msd_sql.studies.forecast import forecast

    given = {"ks": args.k, "epsilons": args.eps}
    chosen = {name: values for name, values in given.items() if values}
    made = forecast(args.items, args.users, diversity=args.diversity, delta=args.delta, runs=args.runs, **chosen)
    print(made.label)
    print(f"{'ε':>8}  {'k':>5}  {'loss':>7}  {'noise':>12}  bound")
    for cell in made.cells:
        print(f"{cell.eps:>8g}  {cell.k:>5}  {round(cell.loss, 3) + 0.0:>7.1%}  {cell.noise:>6.0f} users  {cell.bound}")
    if args.plot:
        from msd_sql.plots import plot_forecast, save

        print(f"Written: {save(plot_forecast(made), args.plot)}")
    return 0
