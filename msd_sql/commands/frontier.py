"""How much reach a selection gives up for diversity, λ from 0 to 1, as a table and a picture.

The label says where the figures come from:
  msd frontier                                                    the synthetic shop, exact
  msd frontier hits.duckdb hits --score bm25                      a public score, exact, nothing charged
  msd frontier shop.duckdb products --eps 0.02 --reach-eps 0.01   private estimates; says what they cost and asks
"""

from __future__ import annotations

import argparse
import sys


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `msd frontier`."""
    parser.add_argument("file", nargs="?", help="database file (without one: the synthetic shop)")
    parser.add_argument("items", nargs="?", help="a table, a view or a SELECT")
    parser.add_argument("-k", type=int, default=20, help="items to choose (default 20)")
    parser.add_argument("--steps", type=int, help="values of λ (default 11; 5 for private estimates)")
    parser.add_argument("--score", metavar="COLUMN", help="a public score of the items")
    parser.add_argument("--eps", type=float, help="ε of every selection")
    parser.add_argument("--reach-eps", type=float, help="ε of every estimate of the users reached")
    parser.add_argument("--yes", action="store_true", help="spend the budget without asking")
    parser.add_argument("--plot", metavar="FILE", help="write a picture, .png or .svg (extra: plots)")


def run(args: argparse.Namespace) -> int:
    """Compute the frontier, print it, and draw it."""
    from msd_sql.errors import InputError
    from msd_sql.studies import frontier

    if args.file is None:
        made = frontier.synthetic(args.k, args.steps or 11)
    elif args.items is None or (args.score is None and (args.eps is None or args.reach_eps is None)):
        raise InputError("With a database, name the items, and either --score or both --eps and --reach-eps.")
    else:
        import msd_sql
        from msd_sql.database.open_file import connect

        con = connect(args.file, read_only=args.score is not None)
        try:
            msd_sql.register(con)
            if args.score is not None:
                made = frontier.public(con, args.items, args.score, k=args.k, steps=args.steps or 11)
            else:
                steps = args.steps or 5
                if not (args.yes or _agreed(str(frontier.cost(args.eps, args.reach_eps, steps)))):
                    print("Nothing was charged.")
                    return 1
                made = frontier.private(con, args.items, eps=args.eps, reach_eps=args.reach_eps, k=args.k, steps=steps)
        finally:
            con.close()
    print(made.label)
    print(f"{'λ':>5}  {'mean distance':>13}  {made.relevance}")
    for point in made.points:
        print(f"{point.diversity:>5.3g}  {point.distance:>13.3f}  {point.relevance:,.6g}")
    if args.plot:
        from msd_sql.plots import plot_frontier, save

        print(f"Written: {save(plot_frontier(made), args.plot)}")
    return 0


def _agreed(eps: str) -> bool:
    if not sys.stdin.isatty():
        print(f"This would spend ε {eps} of the budget; add --yes to do it.", file=sys.stderr)
        return False
    return input(f"This spends ε {eps} of the budget. Go on? [y/N] ").strip().lower() in ("y", "yes")
