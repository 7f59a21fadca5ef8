"""One question of one size on one engine, measured: seconds, jobs, what moved between executors and to the driver."""

from __future__ import annotations

import time
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from msd_sql.catalog.declarations import Protected
from msd_sql.database.duckdb_host import DuckDBHost
from msd_sql.database.spark_host import SparkHost
from msd_sql.database.sql_text import Name
from msd_sql.engines.build import build
from msd_sql.engines.candidates import Candidates
from msd_sql.udfs import L1, SeededSource, Uniform, plan, select

ITEMS, K, EPS, DIVERSITY = 3_000, 6, 1.0, 0.3
PER_USER = 2.2  # purchases
FILES = 8
MEASURED_PARTS = 16  # of the clusters here


@dataclass(frozen=True)
class Run:
    """What was measured. Bytes and jobs are Spark's own figures; 0 for the engines in this process."""

    engine: str
    purchases: int
    workers: int
    picks: tuple[int, ...]
    prepare: float  # seconds: the pass over the relation, and the first marginals
    rounds: float  # seconds: the other k - 1 rounds
    prepare_cpu: float = 0.0  # seconds of a core, of all executors together: what a busy machine does not change
    rounds_cpu: float = 0.0
    jobs: int = 0
    read: int = 0  # bytes of Parquet
    shuffled: int = 0  # bytes between executors, while preparing
    kept: int = 0  # bytes of the cached projection
    round_shuffled: int = 0  # bytes between executors, per round
    round_driver: int = 0  # bytes to the driver, per round


def users(purchases: int) -> int:
    """The number of users of a shop of that size."""
    return int(purchases / PER_USER)


def generate(folder: Path, purchases: int) -> Path:
    """Write a seeded shop as Parquet files: uniform users, items about Zipf."""
    target = folder / f"purchases_{purchases}"
    target.mkdir(parents=True, exist_ok=True)
    with duckdb.connect() as con:
        con.execute("SET threads = 2")
        for part in range(FILES):
            first, last = purchases * part // FILES, purchases * (part + 1) // FILES
            con.execute(
                f"COPY (SELECT (hash(range) % {users(purchases)})::BIGINT AS user_id, "
                f"least(floor(pow({ITEMS}, hash(range + 1e12::BIGINT) / 18446744073709551616.0)), {ITEMS})::INTEGER "
                f"AS item_id FROM range({first}, {last})) TO '{target}/part{part}.parquet'"
            )
    return target


def in_process(engine: str, folder: Path, purchases: int) -> Run:
    """Ask in this process, with DuckDB over the same files."""
    with duckdb.connect() as con:
        con.execute("SET threads = 2")
        con.execute(f"CREATE VIEW purchases AS FROM read_parquet('{folder}/*.parquet')")
        found = _declared("memory.main.purchases", purchases, Name("memory", "main", "purchases"))
        start = time.perf_counter()
        relevance = build(DuckDBHost(con.cursor()), found, _candidates(), k=K, engine=engine)
        prepared = time.perf_counter()
        picks = _select(relevance, purchases)
        return Run(engine, purchases, 0, picks, prepared - start, time.perf_counter() - prepared)


def in_spark(session: Any, folder: Path, purchases: int, workers: int) -> Run:
    """Ask a cluster."""
    session.read.parquet(str(folder)).createOrReplaceTempView("purchases")
    host = SparkHost(session)
    start = time.perf_counter()
    relevance: Any = build(host, _declared("spark:purchases", purchases, None), _candidates(), k=K)
    prepared = time.perf_counter()
    first = _jobs(session, host)
    kept = _kept(session)
    picks = _select(relevance, purchases)
    end = time.perf_counter()
    later = _jobs(session, host) - first
    preparing, counting = _figures(session, first), _figures(session, later)
    relevance.close()
    rounds = max(len(later), 1)
    return Run(
        "spark", purchases, workers, picks, prepared - start, end - prepared,
        preparing["cpu"] / 1e9, counting["cpu"] / 1e9, len(first) + len(later),
        _size(folder), preparing["shuffled"], kept, counting["shuffled"] // rounds, counting["result"] // rounds,
    )  # fmt: skip


def _select(relevance: Any, purchases: int) -> tuple[int, ...]:
    todo = plan(n=ITEMS, k=K, eps=EPS, delta=1e-12, diversity=DIVERSITY, m=users(purchases), relevance="coverage")
    places = L1(np.random.default_rng(1).random((ITEMS, 1)))
    return select(todo, relevance, places, Uniform(ITEMS, K), source=SeededSource(7)).picks


def _candidates() -> Candidates:
    return Candidates([str(item) for item in range(1, ITEMS + 1)], "INTEGER")


def _declared(name: str, purchases: int, relation: Name | None) -> Protected:
    return Protected(
        name, "user_id", "item_id", "coverage", None, 1, users(purchases), Decimal(1), Decimal("1e-12"),
        relation=relation,
    )  # fmt: skip


def _jobs(session: Any, host: SparkHost) -> set[int]:
    return set(session.sparkContext.statusTracker().getJobIdsForGroup(host.group))


def _figures(session: Any, jobs: set[int]) -> dict[str, int]:
    """Add up what Spark counted of the stages of some jobs."""
    tracker, store = session.sparkContext.statusTracker(), session.sparkContext._jsc.sc().statusStore()
    found = {"shuffled": 0, "result": 0, "cpu": 0}
    time.sleep(0.5)  # the store follows the events of the cluster a little later
    for number in {stage for job in jobs for stage in tracker.getJobInfo(job).stageIds}:
        stage = store.lastStageAttempt(number)
        if stage.status().toString() == "COMPLETE":  # a stage whose result is still there is skipped
            found["cpu"] += stage.executorCpuTime()
            found["shuffled"] += stage.shuffleWriteBytes()
            found["result"] += stage.resultSize() if not stage.shuffleWriteBytes() else 0
    return found


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.glob("*.parquet"))


def _kept(session: Any) -> int:
    infos = session.sparkContext._jsc.sc().getRDDStorageInfo()
    return sum(info.memSize() + info.diskSize() for info in infos)
