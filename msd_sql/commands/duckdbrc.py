"""The lines that load our functions into the real duckdb shell, for your own ~/.duckdbrc."""

from __future__ import annotations

import argparse


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `msd duckdbrc`: none."""


def run(args: argparse.Namespace) -> int:
    """Print the lines."""
    from msd_sql.bridge.launch import rc

    print(rc(), end="")
    return 0
