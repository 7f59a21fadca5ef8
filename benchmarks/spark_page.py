"""The page docs/spark_scale.md: what was measured, and what that means for a hundred billion purchases."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from .spark_runs import ITEMS, PER_USER, Run
from .spark_runs import K as PICKS

PURCHASES, USERS = 100_000_000_000, 1_000_000_000
CORES, NODES, PARTS = 2_000, 250, 20_000
NETWORK = 10e9 / 8  # bytes a second and node


@dataclass(frozen=True)
class Scaled:
    """A run at another size: everything that grows with the purchases grows in proportion."""

    read: float
    shuffled: float
    kept: float
    prepare: float  # core-seconds
    each_round: float  # core-seconds
    round_shuffled: float
    round_driver: float


def scaled(run: Run) -> Scaled:
    """Scale the largest run of one worker (of one core) up; a round's integers come from every part, not every row."""
    times = PURCHASES / run.purchases
    return Scaled(
        run.read * times,
        run.shuffled * times,
        run.kept * times,
        run.prepare * times,
        run.rounds / (PICKS - 1) * times,
        run.round_shuffled * PARTS / 16,
        run.round_driver,
    )


def page(runs: Sequence[Run]) -> str:
    """Write the page."""
    spark = [run for run in runs if run.engine == "spark"]
    one = [run for run in spark if run.workers == 1]
    return "\n".join(
        [
            "# Spark: time, bytes and a hundred billion purchases",
            "",
            f"Made by `python -m benchmarks.spark` on {date.today().isoformat()}: {os.cpu_count()} cores "
            f"({platform.machine()}), shared with other work, so that seconds are generous; bytes and jobs are exact. "
            f"One question: {PICKS} of {ITEMS:,} candidates, greedy, ε = 1, diversity 0.3, over Parquet with about "
            f"{PER_USER} purchases a user. A master and workers of one core and 2 GB each run as processes on this "
            "machine; memory and sql run in one DuckDB process with two threads.",
            "",
            "## The same noise gives the same picks",
            "",
            *_picks(runs),
            "",
            "## Time and bytes",
            "",
            "*Prepare* reads the relation once, divides the candidates' purchases by user, keeps them and counts the "
            "first marginals. *A round* counts all marginals again after a pick. *Moved* is Spark's shuffle; *to the "
            "driver* is what tasks sent to it, in a round.",
            "",
            "| purchases | workers | prepare | a round | jobs | moved, prepare | kept | moved, a round | to the driver, a round |",
            "|---|---|---|---|---|---|---|---|---|",
            *(_line(run) for run in spark),
            "",
            f"{PICKS} rounds are one pass over the relation and {PICKS + 1} small jobs: one that hands the candidates to "
            f"the executors and {PICKS} that count. What a round moves and what comes to the driver depends on the "
            "number of candidates and of parts, not on purchases or users.",
            "",
            *_extrapolation(one[-1]),
            "",
        ]
    )


def _picks(runs: Sequence[Run]) -> list[str]:
    lines = ["| purchases | engines | picks (candidate numbers) | |", "|---|---|---|---|"]
    for size in sorted({run.purchases for run in runs}):
        here = [run for run in runs if run.purchases == size]
        same = len({run.picks for run in here}) == 1
        names = ", ".join(run.engine + (f" ({run.workers})" if run.workers else "") for run in here)
        lines.append(
            f"| {size:,} | {names} | {', '.join(map(str, here[0].picks))} | {'equal' if same else '**differ**'} |"
        )
    return lines


def _line(run: Run) -> str:
    return (
        f"| {run.purchases:,} | {run.workers} | {run.prepare:.1f} s | {run.rounds / (PICKS - 1):.2f} s | {run.jobs} | "
        f"{_bytes(run.shuffled)} | {_bytes(run.kept)} | {_bytes(run.round_shuffled)} | {_bytes(run.round_driver)} |"
    )


def _extrapolation(run: Run) -> list[str]:
    found = scaled(run)
    moving = found.shuffled / (NODES * NETWORK)
    prepare, each = found.prepare / CORES, found.each_round / CORES
    return [
        f"## {PURCHASES // 10**9} billion purchases of {USERS // 10**9} billion users",
        "",
        f"Computed from the run of {run.purchases:,} purchases on one worker (one core), not measured.",
        "",
        "| | per purchase, measured | at 100 billion |",
        "|---|---|---|",
        f"| read (two columns of Parquet) | {run.read / run.purchases:.1f} B | {_bytes(found.read)}, once |",
        f"| moved between executors, once | {run.shuffled / run.purchases:.1f} B | {_bytes(found.shuffled)} |",
        f"| kept in memory or on executors' disks | {run.kept / run.purchases:.1f} B | {_bytes(found.kept)}, "
        f"{_bytes(found.kept / NODES)} a node |",
        f"| prepare | {run.prepare / run.purchases * 1e9:,.0f} ns of a core | {found.prepare / 3600:,.0f} core hours: "
        f"{_time(prepare)} on {CORES:,} cores; moving alone {_time(moving)} |",
        f"| a round | {run.rounds / (PICKS - 1) / run.purchases * 1e9:,.0f} ns of a core | "
        f"{found.each_round / 3600:,.1f} core hours: {_time(each)} on {CORES:,} cores |",
        f"| moved, a round | | {_bytes(found.round_shuffled)} in all ({PARTS:,} parts × {ITEMS:,} candidates at most) |",
        f"| to the driver, a round | | {_bytes(found.round_driver)} |",
        f"| jobs for k = {PICKS}, 20 | | {PICKS + 2}, 22 |",
        f"| in all, k = {PICKS} | | {_time(prepare + (PICKS - 1) * each)} |",
        "",
        "Assumptions:",
        "",
        "- Work per purchase stays what it was in the run above, which holds as long as a part fits an executor: "
        f"{PARTS:,} parts of {PURCHASES // PARTS:,} purchases each (`spark.sql.shuffle.partitions`), "
        f"{CORES:,} cores on {NODES} nodes with 10 Gbit/s each.",
        "- Every purchase is of a candidate. With fewer candidates only their purchases are moved and kept.",
        "- Users are spread evenly over the parts, as a hash does; a user counts once per candidate, so that no part is "
        f"larger than its users times {ITEMS:,}. A billion users instead of {int(PURCHASES / PER_USER) // 10**9} billion "
        "at the same number of purchases only makes for fewer, longer groups: rows are what is read and moved.",
        "- Reading is bounded by object storage as much as by cores; the time to open files is not in it.",
        "- The fingerprint that tells whether the relation has changed since the last question reads the two columns "
        "once more.",
    ]


def _bytes(number: float) -> str:
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if number < 1000 or unit == "TB":
            return f"{number:.0f} {unit}" if unit == "B" else f"{number:.3g} {unit}"
        number /= 1000
    raise AssertionError("unreachable")


def _time(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"
