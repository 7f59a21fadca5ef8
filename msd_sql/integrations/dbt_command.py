"""Check a dbt project: does a private selection take candidates from a table that was made of protected rows?

The guard sees the views of one statement, but not what a table was filled from. The manifest of dbt does:

  dbt build && msd dbt check target/manifest.json      exit code 1 if a selection leaks, with the way
  msd dbt check target/manifest.json --protected orders
"""

from __future__ import annotations

import argparse
import sys


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `msd dbt`."""
    parser.add_argument("task", choices=["check"], help="what to do")
    parser.add_argument("manifest", help="target/manifest.json of the project")
    parser.add_argument(
        "--protected", action="append", default=[], metavar="NAME", help="a further private model or source"
    )


def run(args: argparse.Namespace) -> int:
    """Print every leak; 1 if there is one."""
    from msd_sql.integrations.dbt_manifest import leaks

    found = leaks(args.manifest, args.protected)
    for leak in found:
        print(leak, file=sys.stderr)
    if found:
        print(
            "Select from models that are not made of private rows, or mark what is public in truth with "
            "meta: {msd_public: true}.",
            file=sys.stderr,
        )
        return 1
    print("No private selection of this project takes candidates from protected rows.")
    return 0
