"""A real cluster: a master and two workers as processes; one is killed in mid-run, and then the driver itself."""

import json
import os
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

import msd_sql
from benchmarks.spark.cluster import Cluster
from msd_sql.demo.shop import shop, write
from msd_sql.udfs import SeededSource, selection

from .conftest import need_spark

DRIVER = Path(__file__).with_name("driver.py")
ROOT = Path(__file__).resolve().parents[2]
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark")]  # one process of several has Spark


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """One for both tests; the one that kills a worker comes last."""
    need_spark()
    with Cluster(tmp_path_factory.mktemp("cluster")) as started:
        yield started


@pytest.fixture
def files(tmp_path):
    """A database with products only, and the purchases as Parquet."""
    with duckdb.connect(str(tmp_path / "shop.duckdb")) as con:
        write(con, shop(products=60, users=2_000))
        con.execute(f"COPY purchases TO '{tmp_path}/purchases.parquet'")
        con.execute("DROP TABLE purchases")
    return tmp_path


def drive(cluster, files, method, *victim):
    arguments = [cluster.url, str(files / "shop.duckdb"), str(files / "purchases.parquet"), method, *victim]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "SPARK_LOCAL_IP": "127.0.0.1"}
    return subprocess.run(
        [sys.executable, str(DRIVER), *arguments], capture_output=True, text=True, env=environment, timeout=500
    )


def expected(files, monkeypatch, method):
    """The same noise and the same question, in memory."""
    monkeypatch.setattr(selection, "SecretSource", lambda: SeededSource(17))
    with duckdb.connect() as con:
        con.execute(f"ATTACH '{files}/shop.duckdb' AS shop (READ_ONLY)")
        con.execute("CREATE TABLE products AS FROM shop.products")
        con.execute(f"CREATE TABLE purchases AS FROM '{files}/purchases.parquet'")
        con.execute("DETACH shop")
        msd_sql.register(con)
        con.execute("SELECT msd_protect('purchases', unit := 'user_id', item := 'item_id', budget := 1.0)")
        return con.execute(
            "SELECT msd_select(item_id, 5, 0.5, 0.3, features := categories, reach := 'purchases', "
            f"method := '{method}', gamma := 0.9, engine := 'memory') FROM products"
        ).fetchall()[0][0]


def spent(files):
    with duckdb.connect(str(files / "shop.duckdb")) as con:
        msd_sql.register(con)
        kinds = [row[0] for row in con.execute("SELECT kind FROM msd_ledger() ORDER BY ALL").fetchall()]
        return kinds, 1.0 - con.execute("SELECT msd_remaining('spark:purchases')").fetchall()[0][0]


def test_a_dead_driver_leaves_the_charge(cluster, files):
    ran = drive(cluster, files, "greedy", "driver")
    assert ran.returncode == -9
    assert ran.stdout == ""
    assert spent(files) == (["protect", "select"], pytest.approx(0.5))


def test_a_worker_killed_in_mid_run_changes_neither_the_picks_nor_the_charge(cluster, files, monkeypatch):
    ran = drive(cluster, files, "greedy", str(cluster.workers[0].pid))
    assert ran.returncode == 0, ran.stderr
    told = json.loads(ran.stdout.splitlines()[-1])
    assert told["executors"] == 2
    assert "Lost executor" in ran.stderr
    assert cluster.workers[0].wait(timeout=10) == -9
    assert spent(files) == (["protect", "select"], pytest.approx(0.5))
    assert told["picks"] == expected(files, monkeypatch, "greedy")
    print(
        f"killed worker {cluster.workers[0].pid} after 3 statements; picks {told['picks']}, as in memory; charged 0.5"
    )
