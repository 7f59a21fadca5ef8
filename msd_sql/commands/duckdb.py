"""The real duckdb shell with our functions loaded: msd duckdb [FILE] [duckdb's own options]."""

from __future__ import annotations

import argparse


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare no arguments: what follows is passed on as it stands."""


def run(args: argparse.Namespace) -> int:
    """Start the real shell."""
    from msd_sql.bridge.launch import main

    return main(args.rest)
