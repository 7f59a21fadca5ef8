"""A DuckDB shell with our functions registered.

At a terminal: SQL over several lines ending in a semicolon, history across sessions, colours, completion (Tab) of
keywords, tables, columns and our functions with their arguments. Ctrl-C cancels the query, Ctrl-D leaves.
With -c, -f or a pipe: a script. It stops at the first error and exits with 1 (.bail off goes on).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

MODES = ("box", "csv", "json", "jsonlines", "line", "list", "markdown")


class _InOrder(argparse.Action):
    """Keeps -c and -f in the order they were given."""

    def __call__(
        self, parser: argparse.ArgumentParser, space: argparse.Namespace, value: Any, option: Any = None
    ) -> None:
        space.script = [*(space.script or []), (self.dest, value)]


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `msd shell`; long options take one dash, as DuckDB's own do, or two."""
    parser.add_argument("file", nargs="?", default=":memory:", help="database file (in memory by default)")
    parser.add_argument(
        "-c", "-cmd", "--command", dest="sql", metavar="SQL", action=_InOrder, help="run SQL; repeatable"
    )
    parser.add_argument(
        "-f", "-file", "--file", dest="path", metavar="FILE", action=_InOrder, help="run a file; repeatable"
    )
    parser.add_argument("-readonly", "--readonly", action="store_true", help="open the database for reading only")
    parser.add_argument("-ledger", "--ledger", metavar="FILE", help="keep declarations and ledger in this other file")
    parser.add_argument("-curator", "--curator", metavar="ADDRESS", help="ask this curator, such as "
                        "grpc+tls://host:8815, with the token in $MSD_TOKEN")  # fmt: skip
    parser.add_argument("--tls-roots", metavar="PEM", help="certificates to trust beside the system's")
    parser.add_argument("-init", "--init", metavar="FILE", help="run this file first (default: $MSD_INIT, or "
                        "msd/init.sql in the configuration directory; '' for none)")  # fmt: skip
    for mode in MODES:
        parser.add_argument(
            f"-{mode}", f"--{mode}", dest="mode", action="store_const", const=mode, help=f"output as {mode}"
        )
    parser.set_defaults(script=None, mode="box")


def run(args: argparse.Namespace) -> int:
    """Open the database, then run the script or talk to the person at the terminal."""
    from msd_sql.shell.session import Leave, Session, Stop
    from msd_sql.shell.user_files import init_file

    session = Session.open(
        args.file,
        read_only=args.readonly,
        ledger=args.ledger,
        curator=args.curator,
        tls_roots=args.tls_roots,
        late=bool(args.script) or not sys.stdin.isatty(),
    )
    session.mode = args.mode
    session.bail = True
    if session.registered:
        session.budgets.start(session.con)
    try:
        init = Path(args.init) if args.init else init_file() if args.init is None else None
        if init is not None:
            session.read(init)
        if args.script:
            return _script(session, args.script)
        if sys.stdin.isatty():
            from msd_sql.shell.terminal import interact

            return interact(session)
        return _script(session, [("sql", sys.stdin.read())])
    except Stop as stop:
        return stop.code
    except Leave:
        return int(session.failed)
    finally:
        session.close()


def _script(session: Any, script: Sequence[tuple[str, str]]) -> int:
    for kind, text in script:
        if kind == "path":
            session.read(Path(text))
        else:
            rest = session.feed(text)
            if rest:
                session.statement(rest.strip())
    return int(session.failed)
