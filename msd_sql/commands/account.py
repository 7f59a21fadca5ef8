"""Accounts of a curator: who may ask, and how much of a budget each may spend.

  msd account shop.duckdb add olga --role owner
  msd account shop.duckdb add ana --relation purchases --budget 0.5 --days 90
  msd account shop.duckdb grant ana --relation purchases --budget 0.8
  msd account shop.duckdb revoke ana
  msd account shop.duckdb list

While `msd serve` runs, the file is its own: give its address in place of the file, and an owner's token in MSD_TOKEN.

  msd account grpc+tls://host:8815 list
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from msd_sql.remote.wire import Door

ACTS = {"add": "account add", "grant": "account grant", "revoke": "account revoke", "list": "accounts"}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `msd account`."""
    parser.add_argument("where", help="the database file, or the address of a curator that runs")
    parser.add_argument("act", choices=ACTS, help="what to do")
    parser.add_argument("name", nargs="?", help="the account")
    parser.add_argument("--role", choices=("analyst", "owner"), default="analyst", help="of a new account")
    parser.add_argument("--days", type=float, help="how long a new account lasts (default: until it is revoked)")
    parser.add_argument("--relation", action="append", default=[], help="a protected relation; repeatable")
    parser.add_argument("--budget", action="append", default=[], help="the ε of it that may be spent; one a relation")
    parser.add_argument("--delta", action="append", default=[], help="the δ of it (default: in proportion)")
    parser.add_argument("--token-file", metavar="FILE", help="write a new token to this new file and do not show it")
    parser.add_argument("--tls-roots", metavar="PEM", help="certificates to trust beside the system's")


def run(args: argparse.Namespace) -> int:
    """Do it, and print what holds now."""
    from msd_sql.errors import InputError
    from msd_sql.remote.wire import Asked

    if args.act != "list" and not args.name:
        raise InputError(f"msd account {args.where} {args.act} needs the name of an account.")
    if len(args.relation) != len(args.budget) or len(args.delta) > len(args.budget):
        raise InputError("Give one --budget for every --relation, in the same order.")
    deltas = [*args.delta, *[None] * (len(args.budget) - len(args.delta))]
    shares = [
        {"relation": relation, "budget": budget, "delta": delta}
        for relation, budget, delta in zip(args.relation, args.budget, deltas, strict=True)
    ]
    given = {"name": args.name, "role": args.role, "days": args.days, "shares": shares}
    if args.token_file and os.path.exists(args.token_file):
        raise InputError(f"{args.token_file} is there already: a token is written to a new file.")
    with _door(args.where, args.tls_roots) as door:
        told = door.ask(Asked(ACTS[args.act], given)).values
    for account in told.get("accounts") or [told["account"]]:
        print(shown(account))
    if "token" in told and args.token_file:
        with open(os.open(args.token_file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(told["token"])
    elif "token" in told:
        print(f"token (shown once): {told['token']}")
    return 0


def shown(account: dict[str, Any]) -> str:
    """One account as a line.

    >>> shown({"name": "ana", "role": "analyst", "state": "active", "expires": None, "shares": []})
    'ana  analyst  active'
    """
    shares = [
        f"{one['relation']}: ε {one['left']:g} left of {one['budget']:g} ({one['answers']} answers)"
        for one in account["shares"]
    ]
    until = [f"until {account['expires']}"] if account["expires"] else []
    return "  ".join([account["name"], account["role"], account["state"], *until, *shares])


@contextmanager
def _door(where: str, roots: str | None) -> Iterator[Door]:
    from msd_sql.remote.flight_door import open_door

    if "://" in where:
        door = open_door(where, None, roots)
        try:
            yield door
        finally:
            door.close()
        return
    if not os.path.exists(where):
        raise FileNotFoundError(f"There is no database {where}.")
    from msd_sql.curator.local_owner import local_owner

    with local_owner(where) as owner:
        yield owner
