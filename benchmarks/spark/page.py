"""The page docs/spark_scale.md: what was measured, and what that means for a hundred billion purchases."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from benchmarks.spark.runs import ITEMS, MEASURED_PARTS, PER_USER, Run
from benchmarks.spark.runs import K as PICKS

PURCHASES, USERS = 100_000_000_000, 1_000_000_000
CORES, NODES, PARTS = 2_000, 250, 32_000
NETWORK = 10e9 / 8  # bytes a second and node
SCHEDULED = 2_000  # tasks a second


@dataclass(frozen=True)
class Slope:
    """What one more purchase costs: the difference of the two largest runs on one worker, of one core."""

    read: float  # bytes
    shuffled: float
    kept: float
    prepare: float  # core-seconds
    each_round: float


def slope(small: Run, large: Run) -> Slope:
    """Leave out what every run costs, however small it is."""
    more = large.purchases - small.purchases
    return Slope(
        (large.read - small.read) / more,
        (large.shuffled - small.shuffled) / more,
        (large.kept - small.kept) / more,
        (large.prepare_cpu - small.prepare_cpu) / more,
        (large.rounds_cpu - small.rounds_cpu) / (PICKS - 1) / more,
    )


def agreed(runs: Sequence[Run]) -> dict[int, bool]:
    """Tell of every size whether all engines picked the same."""
    sizes = sorted({run.purchases for run in runs})
    return {size: len({run.picks for run in runs if run.purchases == size}) == 1 for size in sizes}


def page(runs: Sequence[Run], load: float, seconds: float) -> str:
    """Write the page; `load` is the machine's load average before the study began."""
    spark = [run for run in runs if run.engine == "spark"]
    one = [run for run in spark if run.workers == 1]
    more = max(run.jobs for run in spark) - PICKS
    return "\n".join(
        [
            "# Spark: time, bytes and a hundred billion purchases",
            "",
            f"Made by `python -m benchmarks.spark` on {date.today().isoformat()}: {os.cpu_count()} cores "
            f"({platform.machine()}) with a load average of {load:.2f} before it began, in {seconds / 60:.0f} minutes. "
            f"One question: {PICKS} of {ITEMS:,} candidates, greedy, ε = 1, diversity 0.3, over Parquet with about "
            f"{PER_USER} purchases a user. A master and workers of one core and 2 GB each run as processes on this "
            "machine, all of whose cores they share with the driver; memory and sql run in one DuckDB process with two "
            "threads.",
            "",
            "## The same noise gives the same picks",
            "",
            *_picks(runs),
            "",
            "## Time and bytes",
            "",
            "*Prepare* reads the relation once, divides the candidates' purchases by user, keeps them and counts the "
            "first marginals. *A round* counts all marginals again after a pick. Seconds are those on the clock, in "
            "brackets those of the executors' processors. *Moved* is Spark's shuffle; *to the driver* is what tasks "
            "sent to it, in a round. Jobs and bytes are Spark's own figures.",
            "",
            "| purchases | engine | prepare | a round | jobs | moved, prepare | kept | moved, a round | to driver |",
            "|---|---|---|---|---|---|---|---|---|",
            *(_line(run) for run in sorted(runs, key=lambda run: run.purchases)),
            "",
            f"With adaptive execution on, as Spark comes, {PICKS} rounds are {PICKS + more} jobs in all: {more} to "
            f"hand the candidates to the executors, and {PICKS} that count, the first of which is also the one pass "
            "over the relation. What a round moves is bounded by candidates times parts, what comes to the driver by "
            "candidates: neither by purchases nor by users.",
            "",
            *_extrapolation(one[-2], one[-1], more),
            "",
        ]
    )


def _picks(runs: Sequence[Run]) -> list[str]:
    lines = ["| purchases | engines | picks (candidate numbers) | |", "|---|---|---|---|"]
    for size, same in agreed(runs).items():
        here = [run for run in runs if run.purchases == size]
        names = "; ".join(_engine(run) for run in here)
        lines.append(
            f"| {size:,} | {names} | {', '.join(map(str, here[0].picks))} | {'equal' if same else '**differ**'} |"
        )
    return lines


def _engine(run: Run) -> str:
    return run.engine + (f", {run.workers} worker{'s' * (run.workers > 1)}" if run.workers else "")


def _line(run: Run) -> str:
    if not run.workers:
        seconds = f"{run.prepare:.1f} s | {run.rounds / (PICKS - 1):.2f} s"
        return f"| {run.purchases:,} | {_engine(run)} | {seconds} | — | — | — | — | — |"
    return (
        f"| {run.purchases:,} | {_engine(run)} | {run.prepare:.1f} s ({run.prepare_cpu:.1f}) | "
        f"{run.rounds / (PICKS - 1):.2f} s ({run.rounds_cpu / (PICKS - 1):.2f}) | {run.jobs} | "
        f"{_bytes(run.shuffled)} | {_bytes(run.kept)} | {_bytes(run.round_shuffled)} | {_bytes(run.round_driver)} |"
    )


def _extrapolation(small: Run, large: Run, more: int) -> list[str]:
    each = slope(small, large)
    prepare, a_round = each.prepare * PURCHASES, each.each_round * PURCHASES
    read, moved, kept = each.read * PURCHASES, each.shuffled * PURCHASES, each.kept * PURCHASES
    waiting = PARTS / SCHEDULED
    integers = large.round_shuffled / MEASURED_PARTS * PARTS
    return [
        f"## {PURCHASES // 10**9} billion purchases of {USERS // 10**9} billion users",
        "",
        f"Computed, not measured: what one purchase more costs, from the runs of {small.purchases:,} and "
        f"{large.purchases:,} purchases on one worker, in processor time.",
        "",
        "| | per purchase | at 100 billion |",
        "|---|---|---|",
        f"| read (Parquet) | {each.read:.1f} B | {_bytes(read)}, once |",
        f"| moved between executors, once | {each.shuffled:.1f} B | {_bytes(moved)}: "
        f"{_time(moved / (NODES * NETWORK))} at 10 Gbit/s a node |",
        f"| kept in memory or on disks there | {each.kept:.1f} B | {_bytes(kept)}, {_bytes(kept / NODES)} a node |",
        f"| prepare | {each.prepare * 1e9:,.0f} ns of a core | {prepare / 3600:,.0f} core hours: "
        f"{_time(prepare / CORES)} on {CORES:,} cores |",
        f"| a round | {each.each_round * 1e9:,.0f} ns of a core | {a_round / 3600:,.1f} core hours: "
        f"{_time(a_round / CORES)} on {CORES:,} cores |",
        f"| moved, a round | — | {_bytes(integers)} in all: at most {ITEMS:,} integers from each of {PARTS:,} parts |",
        f"| to the driver, a round | — | {_bytes(large.round_driver)}: one integer a candidate |",
        f"| jobs, k = {PICKS} and k = 20 | — | {PICKS + more} and {20 + more} |",
        f"| tasks, a round | — | {PARTS:,}: {_time(waiting)} for the driver to hand out |",
        f"| in all, k = {PICKS} | | {_time((prepare + (PICKS - 1) * a_round) / CORES + (PICKS + 1) * waiting)} |",
        "",
        "Assumptions:",
        "",
        f"- {CORES:,} cores on {NODES} nodes with 10 Gbit/s each, and `spark.sql.shuffle.partitions` = {PARTS:,}, so "
        f"that a part holds {PURCHASES // PARTS:,} purchases, as in the larger run.",
        "- Work per purchase does not depend on how many there are: parts are as large as measured, and a round moves "
        "integers only. Reading keeps up, which object storage has to be wide enough for.",
        f"- A driver hands out {SCHEDULED:,} tasks a second. Fewer, larger parts make that cheaper and memory dearer.",
        "- Every purchase is of a candidate. With fewer candidates only their purchases are moved and kept.",
        f"- {PURCHASES // USERS} purchases a user instead of {PER_USER}: rows are what is read, moved and kept; fewer "
        "users make fewer, longer groups of the same rows. Users are spread over the parts by a hash, and nobody has "
        f"more than {ITEMS:,} rows, one a candidate.",
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
