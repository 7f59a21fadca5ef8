"""Many charges at once, from several processes that share one ledger file: exactly the affordable number succeed.

python -m tests.catalog.journal.concurrent --charges 10000 --processes 4 --threads 16
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import threading
import time
from decimal import Decimal
from pathlib import Path

import duckdb

from msd_sql.catalog.catalog import Catalog
from msd_sql.catalog.journal.check import examine
from msd_sql.catalog.ledger import Ledger
from msd_sql.catalog.places.ledger_file import ledger_file
from msd_sql.catalog.records.lines import Answer, Entry
from msd_sql.database.duckdb_host import DuckDBHost
from msd_sql.errors import BudgetError
from tests.support.shop_file import LOAD

EPS = Decimal("0.01")


def main(arguments: list[str] | None = None) -> int:
    """Start the processes, wait for them and compare; the exit code tells whether all was well."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--charges", type=int, default=10_000, help="how many are tried; half of them are affordable")
    parser.add_argument("--processes", type=int, default=4)
    parser.add_argument("--threads", type=int, default=16, help="of all processes together")
    parser.add_argument("--child", nargs=3, help=argparse.SUPPRESS)
    args = parser.parse_args(arguments)
    if args.child:
        return charge_many(Path(args.child[0]), int(args.child[1]), int(args.child[2]))
    with tempfile.TemporaryDirectory() as folder:
        return run(Path(folder), args.charges, args.processes, args.threads)


def run(folder: Path, charges: int, processes: int, threads: int) -> int:
    """Let so many processes charge one budget."""
    affordable = charges // 2
    with duckdb.connect(str(folder / "data.duckdb")) as con:
        con.execute(LOAD)
    with duckdb.connect(str(folder / "data.duckdb"), read_only=True) as con:
        # Without δ only the sums count, so that the affordable number is a plain division.
        _catalog(con, folder).protect(
            "purchases", unit="user_id", item="item_id", budget=affordable * EPS, delta=0, users=100
        )
    started = time.monotonic()
    child = ["--child", str(folder), str(charges // processes), str(max(1, threads // processes))]
    command = [sys.executable, "-m", "tests.catalog.journal.concurrent", *child]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(processes)]
    told = [json.loads(process.communicate()[0] or "{}") for process in running]
    seconds = time.monotonic() - started
    charged, refused, failed = (sum(one.get(name, 0) for one in told) for name in ("charged", "refused", "failed"))
    path = ledger_file(str(folder / "ledger.duckdb"), "msd_ledger")
    with path.opened() as host:
        spent = host.rows("SELECT spent, answers FROM msd_ledger.msd.protected")[0]
        lines = host.rows("SELECT count(*) FROM msd_ledger.msd.ledger WHERE kind = 'select'")[0][0]
        agree = all(finding.holds for finding in examine(host, "msd_ledger", path.path))
    print(
        f"{processes} processes, {threads} threads: {charged} charged, {refused} refused, {failed} failed of "
        f"{charged + refused + failed} in {seconds:.0f} s; affordable {affordable}; row {spent[0]:f} of "
        f"{affordable * EPS}, {spent[1]} answers, {lines} lines; row, lines and journal agree: {agree}"
    )
    right = charged == affordable == lines == spent[1] and spent[0] == affordable * EPS and not failed and agree
    return int(not right)


def charge_many(folder: Path, charges: int, threads: int) -> int:
    """Charge from several threads, each on a connection of its own; say how many were charged and refused."""
    counts = {"charged": 0, "refused": 0, "failed": 0}
    lock = threading.Lock()
    todo = iter(range(charges))
    con = duckdb.connect(str(folder / "data.duckdb"), read_only=True)

    def work() -> None:
        with con.cursor() as cursor:
            catalog = _catalog(cursor, folder)
            purchases = catalog.need("purchases")
            ledger = Ledger(DuckDBHost(cursor), ledger_file=_file(folder))
            while True:
                with lock:
                    if next(todo, None) is None:
                        return
                try:
                    ledger.charge(purchases, Entry("select"), [Answer(EPS)])
                    outcome = "charged"
                except BudgetError:
                    outcome = "refused"
                except Exception as error:
                    print(f"{type(error).__name__}: {error}", file=sys.stderr)
                    outcome = "failed"
                with lock:
                    counts[outcome] += 1

    workers = [threading.Thread(target=work) for _ in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    print(json.dumps(counts))
    return 0


def _file(folder: Path):
    return ledger_file(str(folder / "ledger.duckdb"), "msd_ledger")


def _catalog(con, folder: Path) -> Catalog:
    return Catalog(DuckDBHost(con.cursor()), "msd_ledger", ledger_file=_file(folder))


if __name__ == "__main__":
    sys.exit(main())
