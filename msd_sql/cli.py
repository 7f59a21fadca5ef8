"""`msd`: the command line. Every command is a module of `msd_sql.commands`, imported when it is asked for or helped."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Protocol, cast

from msd_sql import __version__

# What `msd --help` says of each; the modules themselves are only imported when their command is given.
COMMANDS = {
    "demo": "see the point in one command: a synthetic shop, its redundant top 6, and a private, diverse six",
    "shell": "a DuckDB shell with our functions (also: python -m msd_sql)",
    "serve": "answer for a private database: accounts, shares, Arrow Flight SQL",
    "account": "who may ask a curator, and how much of a budget each may spend",
    "ledger": "what was declared, asked and spent in a database",
    "explain": "what a selection would do and cost, without running it",
    "functions": "the SQL reference, or one function in full",
    "frontier": "diversity against reach for λ from 0 to 1, as a table and a picture",
    "forecast": "the users that an answer will reach at an ε and k, beside random picks and the exact answer",
    "audit": "check the privacy claims exactly, on every small database",
    "bench": "the benchmarks of the source tree",
    "duckdb": "the real duckdb shell with our functions loaded",
    "duckdbrc": "the lines for your own ~/.duckdbrc",
    "dbt": "check a dbt project: are the candidates of its private selections public?",
    "mcp": "a server for assistants (Model Context Protocol): explain, select, what is left; no SQL",
    "completion": "a completion script for bash, zsh or fish",
}
# Commands beside the tool that they are for.
ELSEWHERE = {"dbt": "msd_sql.integrations.dbt_command", "mcp": "msd_sql.integrations.mcp_command"}
PASSING = ("audit", "bench", "duckdb")  # their options, --help among them, are those of the program behind them
DESCRIPTION = "A relevant and diverse top-k, released under differential privacy, as a SQL expression for DuckDB."
EPILOG = """\
start here:
  msd demo                      the point, in ten seconds
  msd demo --keep shop.duckdb   the same, and the shop to play with
  msd shell shop.duckdb         ask your own questions
  msd COMMAND --help            everything about one command
"""


class Command(Protocol):
    """What a module of `msd_sql.commands` offers."""

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the command's arguments."""
        ...

    def run(self, args: argparse.Namespace) -> int:
        """Do it; the exit code."""
        ...


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command line; the exit code: 0 done, 1 failed, 2 not understood, 130 interrupted.

    >>> main(["functions", "msd_nothing"])
    1
    """
    given = list(sys.argv[1:] if argv is None else argv)
    name = given[0] if given and given[0] in COMMANDS else None
    try:
        if name in PASSING:
            return _command(name).run(argparse.Namespace(rest=given[1:]))
        parser = _parser(name)
        args = parser.parse_args(given)
        if args.command is None:
            parser.print_help()
            return 0
        return _command(args.command).run(args)
    except SystemExit as leave:  # argparse has said why
        return leave.code if isinstance(leave.code, int) else 1
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader of our output left: nothing to say, and nobody to say it to
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except Exception as error:
        if not _expected(error):
            raise
        from msd_sql.shell.messages import told

        print(f"msd: {told(error)}", file=sys.stderr)
        return 1


def _parser(name: str | None) -> argparse.ArgumentParser:
    layout = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser("msd", description=DESCRIPTION, epilog=EPILOG, formatter_class=layout)
    parser.add_argument("--version", action="version", version=f"msd_sql {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    for command, what in COMMANDS.items():
        module = _command(command) if command == name else None
        sub = commands.add_parser(
            command,
            help=what,
            description=(module.__doc__ if module else what),
            formatter_class=layout,
            allow_abbrev=False,
        )
        if module:
            module.arguments(sub)
    return parser


def _command(name: str) -> Command:
    return cast("Command", import_module(ELSEWHERE.get(name, f"msd_sql.commands.{name}")))


def _expected(error: Exception) -> bool:
    """Tell an error for the user from a bug of ours."""
    import duckdb

    from msd_sql.errors import MsdError

    return isinstance(error, (MsdError, duckdb.Error, OSError))


if __name__ == "__main__":
    sys.exit(main())
