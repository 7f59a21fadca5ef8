"""`python -m msd_sql [FILE] …` is `msd shell [FILE] …`; with the name of a command it is that command."""

from __future__ import annotations

import sys

from msd_sql.cli import COMMANDS, main


def run(argv: list[str]) -> int:
    """Start the shell unless a command is named.

    >>> run(["functions", "msd_remaining"])
    msd_remaining...
    0
    """
    named = bool(argv) and (argv[0] in COMMANDS or argv[0] in ("-h", "--help", "--version"))
    return main(argv if named else ["shell", *argv])


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
