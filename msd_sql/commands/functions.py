"""The SQL functions, one line each, or one of them in full; the same text that docs/sql.md is made from."""

from __future__ import annotations

import argparse


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `msd functions`."""
    parser.add_argument("name", nargs="?", help="a function, for instance msd_select")
    parser.add_argument("--markdown", action="store_true", help="the whole reference as Markdown (docs/sql.md)")


def run(args: argparse.Namespace) -> int:
    """Print the reference."""
    from msd_sql.surface.functions import FUNCTIONS, function_named
    from msd_sql.surface.reference import card, markdown, overview

    if args.markdown:
        print(markdown(), end="")
    else:
        print(card(function_named(args.name)) if args.name else overview(FUNCTIONS.values()), end="")
    return 0
