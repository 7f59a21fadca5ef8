"""One small Spark session for all tests, and a way to hold a DuckDB table of a test in it."""

import os
import shutil
import warnings
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec

import duckdb
import pytest

from msd_sql.database.duckdb_host import DuckDBHost
from msd_sql.database.spark_host import SparkHost
from msd_sql.engines import build as engines
from msd_sql.engines.spark.key_types import spark_type

JAVA = shutil.which("java") or os.environ.get("JAVA_HOME")


def need_spark():
    if not JAVA:
        pytest.skip("Spark needs Java 17 or newer; there is none here")
    if find_spec("pyspark") is None:
        if os.environ.get("CI"):
            pytest.fail("CI has Java and must run the Spark tests: install the extra `spark`")
        pytest.skip("pyspark is not installed: pip install 'msd-sql[spark]'")


@contextmanager
def quietly():
    """Spark warns of pandas 3, which we do not give it; our tests make errors of warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.fixture(scope="session")
def spark(tmp_path_factory):
    need_spark()
    with quietly():
        from pyspark.sql import SparkSession

        settings = {
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.sql.shuffle.partitions": "2",
            "spark.sql.codegen.wholeStage": "false",  # compiling takes longer than tiny data; the cluster test compiles
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.memory": "1g",
            "spark.sql.warehouse.dir": str(tmp_path_factory.mktemp("warehouse")),
            # The program is short: compile it once, lightly.
            "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        }
        builder = SparkSession.builder.master("local[2]").appName("msd_sql tests")
        for name, value in settings.items():
            builder = builder.config(name, value)
        session = builder.getOrCreate()
        session.sparkContext.setLogLevel("OFF")
    yield session
    with quietly():
        session.stop()


@pytest.fixture(autouse=True)
def no_warnings_of_spark():
    with quietly():
        yield


@pytest.fixture
def con():
    with duckdb.connect() as connection:
        yield connection


@pytest.fixture
def host(con):
    with con.cursor() as cursor:
        yield DuckDBHost(cursor)


@pytest.fixture
def build(spark):
    """`engines.build`; for the spark engine, the table that a test has filled in DuckDB is held by Spark."""

    def building(host, found, asked, *, engine, **more):
        if engine != "spark":
            return engines.build(host, found, asked, engine=engine, **more)
        moved = move(spark, host, found)
        return engines.build(SparkHost(spark), moved, asked, engine=engine, public=host, **more)

    return building


def jobs_of(spark, group=None):
    """How many jobs there have been, of one group or in all; Spark's books are brought up to date first."""
    context = spark.sparkContext._jsc.sc()
    context.listenerBus().waitUntilEmpty()
    if group is None:
        return context.statusStore().jobsList(None).size()
    return len(spark.sparkContext.statusTracker().getJobIdsForGroup(group))


def move(spark, host, found):
    """A view of Spark with the rows of a DuckDB relation, and its declaration as a relation of Spark."""
    table = found.relation
    columns = {row[0]: row[1] for row in host.rows(f"DESCRIBE SELECT * FROM {table.sql}")}
    kinds = [spark_type(kind, name).replace("DECIMAL(20, 0)", "DECIMAL(38, 0)") for name, kind in columns.items()]
    texts = ", ".join(f"CAST({quoted(name, chr(34))} AS VARCHAR)" for name in columns)
    rows = host.rows(f"SELECT {texts} FROM {table.sql}")
    names = [quoted(name, "`") for name in columns]
    frame = spark.createDataFrame(rows, ", ".join(f"{name} STRING" for name in names))
    typed = frame.selectExpr(*(f"CAST({n} AS {kind}) AS {n}" for n, kind in zip(names, kinds, strict=True)))
    typed.createOrReplaceTempView(quoted(table.name, "`"))
    return replace(found, name=f"spark:{quoted(table.name, chr(34))}", relation=None)


def quoted(name, mark):
    return mark + name.replace(mark, mark * 2) + mark
