"""What a selection would do and cost, without running it: method, rounds, bound, ε a round, noise, budget after.

ITEMS is a table, a view, or a SELECT that gives the candidates. Nothing is charged and nothing private is read.

  msd explain shop.duckdb products 6 0.1 0.5
  msd explain shop.duckdb "SELECT * FROM products WHERE category = 'Health Care'" 6 0.1 0.5 --set quota=price_bin
"""

from __future__ import annotations

import argparse
import re

from msd_sql.commands.shell import MODES


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `msd explain`."""
    parser.add_argument("file", help="database file")
    parser.add_argument("items", help="a table, a view, or a SELECT")
    parser.add_argument("k", type=int, help="how many items")
    parser.add_argument("eps", help="ε, or NULL")
    parser.add_argument("diversity", type=float, help="λ in [0, 1]")
    parser.add_argument("--set", dest="options", metavar="NAME=VALUE", action="append", default=[],
                        help="a further argument of msd_explain, as SQL; repeatable")  # fmt: skip
    parser.add_argument("--mode", choices=MODES, default="box", help="output format (default: box)")


def run(args: argparse.Namespace) -> int:
    """Run msd_explain."""
    from msd_sql.shell.session import Session

    session = Session.open(args.file, read_only=True)
    session.mode = args.mode
    try:
        session.statement(statement(args.items, args.k, args.eps, args.diversity, args.options))
        return int(session.failed)
    finally:
        session.close()


def statement(items: str, k: int, eps: str, diversity: float, options: list[str]) -> str:
    """Write the SQL that asks it.

    >>> statement("products", 6, "0.1", 0.5, ["method='nosg'"])
    "FROM msd_explain(products, 6, 0.1, 0.5, method := 'nosg')"
    """
    query = re.match(r"\s*(SELECT|FROM|WITH)\b", items, re.IGNORECASE) is not None
    named = [f"{name.strip()} := {value.strip()}" for name, _, value in (option.partition("=") for option in options)]
    given = ", ".join(["candidates" if query else items, str(k), eps, str(diversity), *named])
    return f"{f'WITH candidates AS ({items}) ' if query else ''}FROM msd_explain({given})"
