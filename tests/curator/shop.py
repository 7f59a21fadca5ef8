"""A small private shop, and a curator of it as a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb

import msd_sql

ITEMS = 60


def make_shop(path: Path, *, budget: float = 1.0, users: int = 400) -> Path:
    """A database with private purchases, a private table that nobody declared, and published products."""
    with duckdb.connect(str(path)) as con:
        msd_sql.register(con)
        con.execute(f"""
            CREATE TABLE purchases AS
            SELECT (hash(i) % {users})::INTEGER AS user_id, ((hash(i * 31) % 1000)^2 / 1e6 * {ITEMS})::INTEGER item_id
            FROM range(4000) t(i)""")
        con.execute(f"""
            CREATE TABLE products AS
            SELECT i::INTEGER AS item_id, 'product ' || i AS title, [i % 7, 100 + i % 5] AS categories,
                (i * 1.5)::DECIMAL(9, 2) AS price, i % 4 AS shelf, uuid() AS code, i::HUGEINT AS big
            FROM range({ITEMS + 1}) t(i)""")
        con.execute("CREATE TABLE salaries AS SELECT i AS person, 1000 * i AS salary FROM range(5) t(i)")
        con.execute("CREATE TABLE pairs AS SELECT 1 AS a, 2 AS b, 0.5 AS d")
        con.execute(
            "SELECT msd_protect('purchases', unit := 'user_id', item := 'item_id', budget := $1, delta := 1e-6)",
            [budget],
        ).fetchall()
        con.execute("SELECT msd_items('products', key := 'item_id', features := 'categories', reach := 'purchases')")
        con.execute("SELECT msd_publish('products')").fetchall()
    return path


def add_account(path: Path, name: str, **given: Any) -> str:
    """Add an account at the file; its token."""
    return add_accounts(path, {name: given})[name]


def add_accounts(path: Path, people: dict[str, dict[str, Any]]) -> dict[str, str]:
    """Add accounts at the file, which is opened once for all of them; their tokens."""
    from msd_sql.curator.local_owner import local_owner
    from msd_sql.remote.wire import Asked

    with local_owner(str(path)) as door:
        asked = {name: Asked("account add", {"name": name, **given}) for name, given in people.items()}
        return {name: str(door.ask(one).values["token"]) for name, one in asked.items()}


def share(budget: float | str, relation: str = "purchases") -> list[dict[str, Any]]:
    return [{"relation": relation, "budget": str(budget)}]


def spent(path: Path) -> tuple[float, int]:
    """The ε by sum and the number of answers that the budget of purchases knows of."""
    with duckdb.connect(str(path)) as con:
        msd_sql.register(con)
        con.execute("SELECT msd_remaining('purchases')").fetchall()  # brings the rows up to the journal
        eps, answers = con.execute("SELECT spent, answers FROM msd.protected WHERE key = 'main.purchases'").fetchall()[
            0
        ]
    return float(eps), int(answers)


@dataclass
class Server:
    """`msd serve` as a process."""

    process: subprocess.Popen[str]
    address: str
    page: str | None
    log: list[dict[str, Any]] = field(default_factory=list)
    follower: threading.Thread | None = None

    def stop(self) -> int:
        self.process.terminate()
        return self._ended()

    def kill(self) -> None:
        self.process.kill()
        self._ended()

    def _ended(self) -> int:
        code = self.process.wait(30)
        assert self.follower is not None
        self.follower.join(30)
        assert self.process.stderr is not None
        self.process.stderr.close()
        return code


def serve(path: Path, *options: str, **more: str) -> Server:
    command = [sys.executable, "-m", "msd_sql.cli", "serve", str(path), "--port", "0", *options]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={**os.environ, **more})
    assert process.stderr is not None
    lines: list[str] = []
    for line in process.stderr:
        lines.append(line)
        told = json.loads(line) if line.startswith("{") else {}
        if told.get("event") == "serving":
            server = Server(process, told["address"], told["page"])
            server.follower = threading.Thread(target=_follow, args=(server,), daemon=True)
            server.follower.start()
            return server
    raise RuntimeError(f"msd serve ended: {''.join(lines)}")


def _follow(server: Server) -> None:
    assert server.process.stderr is not None
    for line in server.process.stderr:
        server.log.append(json.loads(line) if line.startswith("{") else {"event": "noise", "text": line})
