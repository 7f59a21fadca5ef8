"""A curator under load: second questions a second with 1, 4 and 16 clients, against the same in process.

python -m benchmarks.curator        an hour of steady load: benchmarks/curator_soak.py

A second question asks for other candidates of a relation whose index is in memory: what a team does all day.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

import msd_sql

PRODUCTS, USERS, PURCHASES = 3_000, 20_000, 200_000
ASKED = "SELECT msd_select(item_id, 10, 0.0001, 0.5) FROM products WHERE item_id <> {}"
Ask = Any


def make_shop(path: Path) -> dict[str, str]:
    """A shop with a large budget, and the tokens of two accounts."""
    from msd_sql.curator.local_owner import local_owner
    from msd_sql.remote.wire import Asked

    with duckdb.connect(str(path)) as con:
        msd_sql.register(con)
        con.execute(
            f"CREATE TABLE purchases AS SELECT (hash(i) % {USERS})::INTEGER AS user_id, "
            f"((hash(i * 31) % 10000)^2 / 1e8 * {PRODUCTS})::INTEGER AS item_id FROM range({PURCHASES}) t(i)"
        )
        con.execute(
            "CREATE TABLE products AS SELECT i::INTEGER AS item_id, [i % 97, 100 + i % 53, 200 + i % 11] AS categories "
            f"FROM range({PRODUCTS + 1}) t(i)"
        )
        con.execute("SELECT msd_protect('purchases', unit := 'user_id', item := 'item_id', budget := 1000)").fetchall()
        con.execute("SELECT msd_items('products', key := 'item_id', features := 'categories', reach := 'purchases')")
        con.execute("SELECT msd_publish('products')").fetchall()
    with local_owner(str(path)) as door:
        shares = [{"relation": "purchases", "budget": "900"}]
        given: list[dict[str, Any]] = [{"name": "ana", "shares": shares}, {"name": "olga", "role": "owner"}]
        return {one["name"]: str(door.ask(Asked("account add", one)).values["token"]) for one in given}


class Served:
    """`msd serve` as a process."""

    def __init__(self, path: Path) -> None:
        options = ["--port", "0", "--rate", "1000000", "--at-once", "64"]
        command = [sys.executable, "-m", "msd_sql.cli", "serve", str(path), *options]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        assert self.process.stderr is not None
        for line in self.process.stderr:
            told = json.loads(line)
            if told["event"] == "serving":
                self.address = told["address"]
                break
        self._drain = threading.Thread(target=self._drained, daemon=True)
        self._drain.start()

    def _drained(self) -> None:
        for line in self.process.stderr or ():
            if not line.startswith("{"):  # a line of the log is; what is said of a crash is not
                print(line, end="", file=sys.stderr, flush=True)

    def memory(self) -> float:
        """Resident megabytes."""
        fields = Path(f"/proc/{self.process.pid}/statm").read_text().split()
        return int(fields[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6

    def processor_seconds(self) -> float:
        """What it has used of the processors."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def stop(self) -> None:
        """Stop it."""
        self.process.terminate()
        self.process.wait(60)
        self._drain.join(60)
        if self.process.stderr is not None:
            self.process.stderr.close()


def in_process(path: Path) -> tuple[list[Ask], Any]:
    """Sixteen cursors on the file itself."""
    con = msd_sql.register(duckdb.connect(str(path)))
    cursors = [msd_sql.register(con.cursor()) for _ in range(16)]
    return [lambda sql, own=own: own.execute(sql).fetchall() for own in cursors], con.close


def own_databases(address: str, token: str, count: int = 16) -> tuple[list[Ask], Any]:
    """So many DuckDB databases that ask a curator."""
    asks = []
    for _ in range(count):
        con = msd_sql.register(duckdb.connect(), curator=address, token=token)
        con.execute("SELECT msd_pull('products')").fetchall()
        asks.append(lambda sql, own=con: own.execute(sql).fetchall())
    return asks, lambda: None


def adbc(address: str, token: str, count: int = 16) -> tuple[list[Ask], Any]:
    """So many Flight SQL connections."""
    import adbc_driver_flightsql.dbapi as dbapi

    options = {"adbc.flight.sql.authorization_header": f"Bearer {token}"}
    connections = [dbapi.connect(address, db_kwargs=options, autocommit=True) for _ in range(count)]

    def ask(sql: str, own: Any) -> Any:
        with own.cursor() as cursor:
            cursor.execute(sql)
            return cursor.fetchall()

    def close() -> None:
        for own in connections:
            own.close()

    return [lambda sql, own=own: ask(sql, own) for own in connections], close


_next = iter(range(10**9))


def load(asks: list[Ask], seconds: float) -> list[float]:
    """Let every client ask one question after the other; how long each took."""
    took: list[float] = []
    end = time.monotonic() + seconds

    def client(ask: Ask) -> None:
        while time.monotonic() < end:
            begun = time.perf_counter()
            ask(ASKED.format(next(_next)))
            took.append(time.perf_counter() - begun)

    threads = [threading.Thread(target=client, args=(ask,)) for ask in asks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return took


def table(seconds: float) -> None:
    """Print questions a second."""
    print(f"{PURCHASES:,} purchases, {PRODUCTS:,} candidates, k = 10; second questions, {seconds:g} s each")
    print(f"{'':34}{'1 client':>10}{'4 clients':>11}{'16 clients':>12}   p50 ms of 1")
    with tempfile.TemporaryDirectory() as folder:
        for name in ("in process", "own DuckDB, curator", "ADBC Flight SQL, curator"):
            path = Path(folder) / f"{name[:3].strip()}.duckdb"
            held = make_shop(path)
            served = None if name == "in process" else Served(path)
            if served is None:
                asks, close = in_process(path)
            else:
                asks, close = (own_databases if name.startswith("own") else adbc)(served.address, held["ana"])
            asks[0](ASKED.format(-1))  # of all candidates: it reads the relation for every later question
            cells, median = [], 0.0
            for clients in (1, 4, 16):
                took = load(asks[:clients], seconds)
                median = median or float(np.median(took)) * 1e3
                cells.append(len(took) / seconds)
            close()
            if served is not None:
                served.stop()
            print(f"{name:34}{cells[0]:10.1f}{cells[1]:11.1f}{cells[2]:12.1f}   {median:.0f}", flush=True)


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=10.0, help="for each cell of the table")
    table(parser.parse_args().seconds)


if __name__ == "__main__":
    main()
