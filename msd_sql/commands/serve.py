"""Serve a private database: a process that alone opens it, and answers accounts for it (docs/curator.md).

  msd account shop.duckdb add olga --role owner           first: an owner, whose token is shown once
  msd serve shop.duckdb                                   on this machine alone, in the clear
  msd serve shop.duckdb --host 0.0.0.0 --tls-cert c.pem --tls-key k.pem --page 8080

What analysts may see whole is what the owner has published: SELECT msd_publish('products').
"""

from __future__ import annotations

import argparse
import os


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `msd serve`."""
    parser.add_argument("file", help="the private database; no other process can open it meanwhile")
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on (default: this machine alone)")
    parser.add_argument("--port", type=int, default=8815, help="Arrow Flight SQL (default: 8815)")
    parser.add_argument("--tls-cert", metavar="PEM", help="certificate; needed unless the host is this machine")
    parser.add_argument("--tls-key", metavar="PEM", help="its private key")
    parser.add_argument("--tls-clients", metavar="PEM", help="speak only with clients whose certificate this one has "
                        "signed; asked for before anything is read")  # fmt: skip
    parser.add_argument("--page", type=int, metavar="PORT", help="a page for owner and analysts (extra: server)")
    parser.add_argument("--refresh", type=float, default=60.0, metavar="SECONDS", help="look for changes of what is "
                        "published so often (default: 60)")  # fmt: skip
    parser.add_argument("--answer-every", type=float, default=0.0, metavar="SECONDS", help="answer private questions "
                        "only at multiples of this, so that their time tells less")  # fmt: skip
    parser.add_argument("--log-statements", action="store_true", help="write statements and refusals to the log in "
                        "full, with their literals")  # fmt: skip
    parser.add_argument("--rate", type=float, help="questions a second of one account (default: 100)")
    parser.add_argument("--at-once", type=int, help="questions of one account under way (default: 8)")
    parser.add_argument("--seconds", type=float, help="the longest that a statement may take (default: 60)")
    parser.add_argument("--candidates", type=int, help="candidates of one question (default: 200000)")
    parser.add_argument("--memory", help="memory of an account's database in front (default: 512MB)")
    parser.add_argument("--process-memory", help="memory of the whole process (default: four fifths of the machine's)")


def run(args: argparse.Namespace) -> int:
    """Serve until it is stopped."""
    if not os.path.exists(args.file):
        raise FileNotFoundError(f"There is no database {args.file}. Its owner makes it, and protects what is private.")
    from msd_sql.curator.limits import Limits
    from msd_sql.curator.service import Settings, serve

    names = ("rate", "at_once", "seconds", "candidates", "memory")
    given = {name: getattr(args, name) for name in names if getattr(args, name) is not None}
    settings = Settings(
        file=args.file,
        host=args.host,
        port=args.port,
        certificate=args.tls_cert,
        key=args.tls_key,
        clients=args.tls_clients,
        page=args.page,
        refresh=args.refresh,
        pace=args.answer_every,
        log_statements=args.log_statements,
        process_memory=args.process_memory,
    )
    serve(settings, Limits(**given))
    return 0
