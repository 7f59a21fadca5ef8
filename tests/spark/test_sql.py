"""The same SQL over a relation of Spark: declared, counted, charged, selected, replayed and refused as any other."""

import logging
import shutil
import threading
import time
from contextlib import contextmanager

import duckdb
import pytest

import msd_sql
from msd_sql.database.host import Interrupted
from msd_sql.database.spark_host import SparkHost
from msd_sql.demo.shop import shop, write

from .conftest import jobs_of

PROTECT = (
    "SELECT msd_protect('spark:lake.purchases', unit := 'user_id', item := 'item_id', budget := 1.0, delta := 1e-9)"
)
ITEMS = "SELECT msd_items('products', key := 'item_id', features := 'categories', reach := 'spark:lake.purchases')"
ASK = "SELECT msd_select(item_id, 3, 0.1, 0.5) FROM products"

pytestmark = pytest.mark.xdist_group("spark")  # one process of several has Spark


@pytest.fixture(scope="module")
def lake(spark, tmp_path_factory):
    """The purchases of the synthetic shop as a table of Spark over Parquet; DuckDB keeps the products only."""
    folder = tmp_path_factory.mktemp("lake")
    with duckdb.connect(str(folder / "shop.duckdb")) as con:
        write(con, shop(products=60, users=500))
        con.execute(f"COPY purchases TO '{folder}/purchases.parquet'")
        con.execute("DROP TABLE purchases")
    spark.sql("CREATE DATABASE IF NOT EXISTS lake")
    spark.sql("DROP TABLE IF EXISTS lake.purchases")
    spark.sql(f"CREATE TABLE lake.purchases USING parquet LOCATION '{folder}/purchases.parquet'")
    spark.catalog.setCurrentDatabase("default")
    return folder


@contextmanager
def connected(database, spark, folder):
    shutil.copyfile(database, folder / "shop.duckdb")
    with duckdb.connect(str(folder / "shop.duckdb")) as connection:
        msd_sql.register(connection, spark=spark)
        yield connection


@pytest.fixture
def con(lake, spark, tmp_path):
    with connected(lake / "shop.duckdb", spark, tmp_path) as connection:
        yield connection


@pytest.fixture
def protected(con):
    """The same after its owner has declared."""
    con.execute(PROTECT)
    con.execute(ITEMS)
    return con


def one(con, sql):
    return con.execute(sql).fetchall()[0][0]


def test_units_are_counted_by_spark_and_columns_spelled_as_spark_does(con):
    told = one(con, PROTECT.replace("user_id", "USER_ID"))
    assert "500" in told.replace(",", "")
    assert "user_id" in told


def test_a_selection_is_charged_once_and_replayed(protected):
    picks = one(protected, ASK)
    assert len(set(picks)) == 3
    assert one(protected, "SELECT msd_remaining('spark:lake.purchases')") == pytest.approx(0.9)
    assert one(protected, ASK) == picks
    assert one(protected, "SELECT msd_remaining('spark:lake.purchases')") == pytest.approx(0.9)


def test_a_question_is_a_look_for_changes_and_k_plus_one_jobs(protected, spark):
    before = jobs_of(spark)
    one(protected, ASK)
    asked = jobs_of(spark)
    one(protected, ASK)
    looked = jobs_of(spark) - asked
    assert looked == 2  # of the same statement: adaptive execution makes a job of its exchange
    assert asked - before == looked + 3 + 1


def test_an_exact_selection_is_what_the_memory_engine_selects(protected, lake):
    ask = "SELECT msd_select(item_id, 3, NULL, 0.0, exact := true) FROM products"
    found = one(protected, ask)
    protected.execute(f"CREATE TABLE purchases AS FROM '{lake}/purchases.parquet'")
    protected.execute("SELECT msd_protect('purchases', unit := 'user_id', item := 'item_id', budget := 1.0)")
    assert found == one(protected, ask.replace("exact", "reach := 'purchases', exact"))


def test_explaining_shows_spark_sql_and_runs_no_job(protected, spark):
    before = jobs_of(spark)
    lines = dict(protected.execute("FROM msd_explain(products, 3, 0.1, 0.5)").fetchall())
    assert lines["engine"] == "spark"
    assert "r.`user_id`" in lines["step 1: bought"]
    assert "step 4: at_cap" in lines
    assert jobs_of(spark) == before


def test_reach_is_estimated_over_spark(protected):
    assert 0 <= one(protected, "SELECT msd_reach([1, 2, 3], 0.5)") <= 500


@pytest.mark.parametrize("engine", ["memory", "sql"])
def test_another_engine_is_refused_before_the_charge(protected, engine):
    with pytest.raises(duckdb.Error, match=r"lives in Spark.*Nothing was charged"):
        protected.execute(ASK.replace("0.5)", f"0.5, engine := '{engine}')"))
    assert one(protected, "SELECT msd_remaining('spark:lake.purchases')") == 1.0


def test_the_spark_engine_is_refused_for_a_relation_of_duckdb(con, lake):
    con.execute(f"CREATE TABLE purchases AS FROM '{lake}/purchases.parquet'")
    con.execute("SELECT msd_protect('purchases', unit := 'user_id', item := 'item_id', budget := 1.0)")
    with pytest.raises(duckdb.Error, match=r"lives in DuckDB.*Nothing was charged"):
        con.execute("SELECT msd_select(item_id, 3, 0.1, 0, reach := 'purchases', engine := 'spark') FROM products")


@pytest.mark.parametrize(
    ("sql", "why"),
    [
        (PROTECT.replace("lake.purchases", "lake.nothing"), "Spark knows no relation 'lake.nothing'"),
        (PROTECT.replace("user_id", "usr_id"), "Did you mean 'user_id'"),
        (PROTECT.replace("lake.purchases", "lake.1 2"), "Spark knows no relation"),
    ],
)
def test_a_wrong_declaration_is_refused(con, sql, why):
    with pytest.raises(duckdb.Error, match=why):
        con.execute(sql)


def test_candidates_of_unknown_origin_are_refused_as_for_any_protected_relation(protected):
    protected.execute("CREATE TEMP TABLE best AS SELECT 1 AS item_id")
    with pytest.raises(duckdb.Error, match="nothing tells what it was filled from"):
        protected.execute("SELECT msd_select(item_id, 1, 0.1, 0, reach := 'spark:lake.purchases') FROM best")


def test_without_a_session_nothing_is_charged(protected, tmp_path):
    protected.close()
    with duckdb.connect(str(tmp_path / "shop.duckdb")) as again:
        msd_sql.register(again)
        with pytest.raises(duckdb.Error, match=r"no Spark session is registered.*Nothing was charged"):
            again.execute(ASK)
        assert one(again, "SELECT msd_remaining('spark:lake.purchases')") == 1.0


def test_what_is_no_session_of_this_process_is_refused(con):
    with pytest.raises(msd_sql.errors.InputError, match="SparkSession whose driver is this process"):
        msd_sql.register(con, spark=object())


def test_changed_rows_are_asked_and_charged_anew(con, spark):
    spark.sql("DROP TABLE IF EXISTS lake.growing")
    spark.sql("CREATE TABLE lake.growing USING parquet AS SELECT * FROM lake.purchases")
    con.execute(PROTECT.replace("lake.purchases", "lake.growing"))
    ask = "SELECT msd_select(item_id, 2, 0.1, 0, reach := 'spark:lake.growing') FROM products"
    left = "SELECT msd_remaining('spark:lake.growing')"
    assert one(con, ask) == one(con, ask)
    assert one(con, left) == pytest.approx(0.9)
    spark.sql("INSERT INTO lake.growing VALUES (1, 1)")
    one(con, ask)
    assert one(con, left) == pytest.approx(0.8)


def test_an_error_carries_no_value_in_its_text_and_none_to_the_log(con, spark, capfd, caplog):
    spark.sql("CREATE OR REPLACE TEMP VIEW diary AS SELECT 'dear diary' AS text, 1 AS item_id")
    spark.sql("CREATE OR REPLACE TEMP VIEW bad AS SELECT CAST(text AS INT) AS user_id, item_id FROM diary")
    con.execute("SELECT msd_protect('spark:bad', unit := 'user_id', item := 'item_id', budget := 1, users := 5)")
    with caplog.at_level(logging.DEBUG), pytest.raises(duckdb.Error) as caught:
        con.execute("SELECT msd_select(item_id, 3, 0.1, 0, reach := 'spark:bad') FROM products")
    assert "CAST_INVALID_INPUT" in str(caught.value)
    written = capfd.readouterr()
    for text in (str(caught.value), caplog.text, written.out, written.err):
        assert "dear diary" not in text


def test_an_interrupt_cancels_the_jobs(con, spark):
    spark.range(10**13).selectExpr("id AS user_id", "id % 7 AS item_id").createOrReplaceTempView("endless")
    con.execute("SELECT msd_protect('spark:endless', unit := 'user_id', item := 'item_id', budget := 1, users := 9)")
    tracker = spark.sparkContext.statusTracker()

    def stop():
        while not tracker.getActiveJobsIds():
            time.sleep(0.05)
        con.interrupt()

    stopping = threading.Thread(target=stop)
    stopping.start()
    with pytest.raises(duckdb.Error, match=r"[Ii]nterrupt"):
        con.execute("SELECT msd_select(item_id, 2, 0.1, 0, reach := 'spark:endless') FROM products").fetchall()
    stopping.join()
    for _ in range(1200):  # Spark is told at once, and ends a job's tasks in its own time
        if not tracker.getActiveJobsIds():
            break
        time.sleep(0.05)
    assert not tracker.getActiveJobsIds()


def test_a_stopped_host_runs_nothing_more(spark):
    host = SparkHost(spark)
    host.interrupt()
    with pytest.raises(Interrupted):
        host.rows("SELECT 1")
