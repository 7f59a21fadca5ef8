"""Check the privacy claims exactly: every output probability of every small database, for every pair of neighbours.

Nothing is sampled and nothing is assumed. Takes a while; prints what was checked and the largest loss found.
"""

from __future__ import annotations

import argparse


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare no arguments: what follows is passed on as it stands."""


def run(args: argparse.Namespace) -> int:
    """Run the audit."""
    from msd_sql.audit import main

    return main(args.rest)
