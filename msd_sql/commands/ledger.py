"""What was declared, asked and spent in a database: its budgets and every line of its ledger, oldest first.

Only public facts: the ledger holds no private value. The database is opened for reading.
"""

from __future__ import annotations

import argparse

from msd_sql.commands.shell import MODES

COLUMNS = """strftime(time, '%Y-%m-%d %H:%M:%S') AS time_utc, relation, kind, k, n, method, bound, eps, delta,
concat_ws(', ', CASE WHEN exact THEN 'exact' END, CASE WHEN asserted_public THEN 'asserted public' END,
CASE WHEN replayed THEN 'replayed' END) AS remarks"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `msd ledger`."""
    parser.add_argument("file", help="database file")
    parser.add_argument("--relation", help="only the lines of this protected relation")
    parser.add_argument("--full", action="store_true", help="every column, with statement, parameters and receipt")
    parser.add_argument("--mode", choices=MODES, default="box", help="output format (default: box)")


def run(args: argparse.Namespace) -> int:
    """Print the budgets, then the ledger."""
    from msd_sql.shell.session import Session

    session = Session.open(args.file, read_only=True)
    session.mode, session.max_rows = args.mode, 1_000
    try:
        if args.mode == "box":
            session.command(".budget")
        where = ""
        if args.relation:
            name = args.relation.replace("'", "''")
            where = f" WHERE relation = '{name}' OR relation LIKE '%.{name}'"
        session.statement(f"SELECT {'*' if args.full else COLUMNS} FROM msd_ledger(){where}")
        return int(session.failed)
    finally:
        session.close()
