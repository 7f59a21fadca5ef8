"""A server for assistants (Model Context Protocol) over standard input and output: pip install 'msd-sql[mcp]'.

Tools: tables, explain, select, remaining. There is no tool for SQL, and no answer beyond the budget of the ledger.

  msd mcp shop.duckdb --max-eps 0.1
"""

from __future__ import annotations

import argparse


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `msd mcp`."""
    parser.add_argument("file", help="database file")
    parser.add_argument("--ledger", help="a DuckDB file that keeps declarations and ledger, for read-only data")
    parser.add_argument("--read-only", action="store_true", help="open the file for reading only (with --ledger)")
    parser.add_argument("--max-eps", type=float, default=0.1, help="the most ε of one answer (default: 0.1)")


def run(args: argparse.Namespace) -> int:
    """Serve until the assistant leaves."""
    from msd_sql.api.connection import connect
    from msd_sql.errors import InputError

    try:
        from msd_sql.integrations.mcp_server import server
    except ImportError:
        raise InputError("msd mcp needs the package mcp: pip install 'msd-sql[mcp]'.") from None
    with connect(args.file, read_only=args.read_only, ledger=args.ledger) as con:
        server(con, most_eps=args.max_eps).run()
    return 0
