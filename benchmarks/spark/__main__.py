"""The scale study: the same question in memory, in SQL and on Spark clusters of this machine, and what follows from it.

`python -m benchmarks.spark` asks of 1, 10 and 50 million purchases and writes docs/spark_scale.md; with `--quick` it
asks of 100,000 and 300,000 on one worker, prints the page and writes nothing.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.spark.cluster import Cluster
from benchmarks.spark.page import agreed, page
from benchmarks.spark.runs import MEASURED_PARTS, Run, generate, in_process, in_spark

PAGE = Path(__file__).resolve().parent.parent / "docs" / "spark_scale.md"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and write the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.spark", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, one worker; print, write nothing")
    quick = parser.parse_args(arguments).quick
    sizes = [100_000, 300_000] if quick else [1_000_000, 10_000_000, 50_000_000]
    load, start = os.getloadavg()[0], time.monotonic()
    told(start, f"load average {load:.2f} on {os.cpu_count()} cores")
    with tempfile.TemporaryDirectory(prefix="msd_spark_") as made:
        runs = list(measure(Path(made), sizes, [1] if quick else [1, 2], start))
    text = page(runs, load, time.monotonic() - start)
    if quick:
        print(text)
    else:
        PAGE.write_text(text, encoding="utf-8")
        told(start, f"wrote {PAGE}")
    if not all(agreed(runs).values()):
        sys.exit("Engines picked differently from the same noise.")


def measure(folder: Path, sizes: Sequence[int], clusters: Sequence[int], start: float) -> Iterator[Run]:
    """Every engine on every size, telling of each."""
    files = {}
    for size in sizes:
        told(start, f"{size:>12,} purchases: writing them")
        files[size] = generate(folder, size)
    for size in sizes:
        for engine in ("memory", "sql"):
            told(start, f"{size:>12,} purchases: asking {engine}")
            yield _told(start, in_process(engine, files[size], size))
    for workers in clusters:
        place = folder / f"cluster{workers}"
        place.mkdir()
        told(start, f"starting a cluster: workers {workers}")
        with Cluster(place, workers=workers, cores=1, memory="2600m") as cluster, session(cluster) as spark:
            told(start, "the first question, which starts executors and is not measured")
            in_spark(spark, files[sizes[0]], sizes[0], workers)
            for size in sizes:
                told(start, f"{size:>12,} purchases: asking spark, workers {workers}")
                yield _told(start, in_spark(spark, files[size], size, workers))


@contextmanager
def session(cluster: Cluster) -> Iterator[Any]:
    """Start a driver for a cluster, in this process."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of pandas 3, which Spark is not given
        from pyspark.sql import SparkSession

        settings = {
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.sql.shuffle.partitions": str(MEASURED_PARTS),
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.memory": "1g",
            "spark.executor.memory": "2g",
        }
        builder = SparkSession.builder.master(cluster.url).appName("msd_sql scale study")
        for name, value in settings.items():
            builder = builder.config(name, value)
        spark = builder.getOrCreate()
        spark.sparkContext.setLogLevel("ERROR")
        try:
            yield spark
        finally:
            spark.stop()


def told(start: float, line: str) -> None:
    """Print a line of progress with the seconds since the start."""
    print(f"[{time.monotonic() - start:6.1f} s] {line}", flush=True)


def _told(start: float, run: Run) -> Run:
    told(start, f"{'':>12} prepared in {run.prepare:.1f} s, other rounds {run.rounds:.1f} s; picks {run.picks}")
    return run


if __name__ == "__main__":
    main()
