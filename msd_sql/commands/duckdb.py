"""The real duckdb shell with our functions loaded: msd duckdb [FILE] [duckdb's own options]."""

from __future__ import annotations

import argparse


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `msd duckdb`: they are duckdb's own."""
    parser.add_argument("rest", nargs=argparse.REMAINDER, help="database file and options of the duckdb shell")


def run(args: argparse.Namespace) -> int:
    """Start the real shell."""
    from msd_sql.bridge.launch import main

    return main(args.rest)
