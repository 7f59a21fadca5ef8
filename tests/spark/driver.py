"""A driver of its own: asks one seeded question of a cluster, and may be told whom to kill in the middle of it.

    python driver.py MASTER DATABASE PARQUET METHOD [--worker GROUP | --driver]

Prints the picks as JSON.
"""

import json
import os
import signal
import sys
import warnings

warnings.simplefilter("ignore")

import duckdb  # noqa: E402
from pyspark.sql import SparkSession  # noqa: E402

import msd_sql  # noqa: E402
from msd_sql.database.spark_host import SparkHost  # noqa: E402
from msd_sql.udfs import SeededSource, selection  # noqa: E402

MIDDLE = 3  # statements that have given integers before it happens


def main(master, database, parquet, method, victim=None):
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "4",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.memory": "512m",
        "spark.executor.memory": "512m",
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.cores.max": "1" if victim == "driver" else "2",
        "spark.scheduler.minRegisteredResourcesRatio": "1.0",  # of those: both workers, so that both hold a part
        "spark.scheduler.maxRegisteredResourcesWaitingTime": "60s",
    }
    builder = SparkSession.builder.master(master).appName("msd_sql cluster test")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("WARN")
    session.read.schema("user_id INT, item_id INT").parquet(parquet).createOrReplaceTempView("purchases")
    selection.SecretSource = lambda: SeededSource(17)
    watch(victim)
    with duckdb.connect(database) as con:
        msd_sql.register(con, spark=session)
        con.execute("SELECT msd_protect('spark:purchases', unit := 'user_id', item := 'item_id', budget := 1.0)")
        executors = session.sparkContext._jsc.sc().getExecutorMemoryStatus().size() - 1  # the driver is among them
        picks = con.execute(
            "SELECT msd_select(item_id, 5, 0.5, 0.3, features := categories, reach := 'spark:purchases', "
            f"method := '{method}', gamma := 0.9) FROM products"
        ).fetchall()[0][0]
    print(json.dumps({"picks": picks, "executors": executors}))
    session.stop()


def watch(victim):
    """Kill in the middle: after some rounds, before the next one."""
    counted, real = [0], SparkHost.integers

    def integers(host, frame):
        counted[0] += 1
        if counted[0] == MIDDLE + 1 and victim:
            if victim == "driver":
                os.kill(os.getpid(), signal.SIGKILL)
            os.killpg(int(victim), signal.SIGKILL)
        return real(host, frame)

    SparkHost.integers = integers


if __name__ == "__main__":
    main(*sys.argv[1:])
