"""The benchmarks: ratios against a plain count(DISTINCT) top-k and other libraries, measured in one run.

They belong to the source tree and are not part of the installed package; run this inside of a checkout.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare no arguments: what follows is passed on as it stands."""


def run(args: argparse.Namespace) -> int:
    """Run the benchmarks of the checkout, if there is one."""
    tree = checkout()
    if tree is None:
        print("msd: the benchmarks are in the source tree, and this is an installed package. Get the source, then:\n"
              "  python3 dev.py bench", file=sys.stderr)  # fmt: skip
        return 1
    return subprocess.run([sys.executable, "-m", "benchmarks", *args.rest], cwd=tree, check=False).returncode


def checkout() -> Path | None:
    """Find the source tree that holds the benchmarks: the working directory, or where this package is."""
    for tree in (Path.cwd(), Path(__file__).resolve().parents[2]):
        if (tree / "benchmarks" / "__main__.py").is_file() and (tree / "pyproject.toml").is_file():
            return tree
    return None
