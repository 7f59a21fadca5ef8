"""`python -m msd_sql.bridge build`: make the extension now, and say where it is."""

from __future__ import annotations

import sys

from msd_sql.bridge.build import extension


def main(arguments: list[str]) -> int:
    """Build, or say what there is to say."""
    if arguments != ["build"]:
        print("usage: python -m msd_sql.bridge build", file=sys.stderr)
        return 2
    print(extension())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
