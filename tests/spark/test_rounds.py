"""What a run does on the cluster: few jobs, nothing but integers to the driver, nothing kept when it is over."""

import re
from contextlib import contextmanager

import numpy as np
import pytest

from msd_sql.catalog.declarations import Items
from msd_sql.database.duckdb_host import DuckDBHost
from msd_sql.database.spark_host import SparkHost, spark_sql
from msd_sql.database.sql_text import Name
from msd_sql.engines.build import build
from msd_sql.errors import EngineError
from msd_sql.udfs import L1, Partition, SeededSource, Uniform, plan, select
from tests.engines.conftest import candidates, protected

from .conftest import jobs_of

K, ITEMS, UNITS = 4, 12, 60
PRODUCTS = Items("products", "id", (), None, (), (), None, relation=Name("memory", "main", "products"))

pytestmark = pytest.mark.xdist_group("spark")  # one process of several has Spark


@pytest.fixture(scope="module")
def shop(spark):
    rng = np.random.default_rng(8)
    rows = [(f"user {unit}", int(item), float(item)) for unit, item in rng.integers((0, 0), (UNITS, ITEMS), (400, 2))]
    spark.createDataFrame(rows, "user_id STRING, item_id INT, size DOUBLE").createOrReplaceTempView("shop")
    return spark


def relation(**more):
    found = protected(m=UNITS, **more)
    return type(found)(**{**vars(found), "name": "spark:shop", "relation": None})


def renamed(found, name):
    return type(found)(**{**vars(found), "name": f"spark:{name}"})


MATCH = {"relevance": "best_match", "similarity": "1 / (1 + abs(r.item_id - v.place))"}
RELEVANCES = {
    "coverage": relation(),
    "coverage of items that may be equal": relation(item="size"),
    "best_match": relation(item=None, **MATCH),
    "best_match of rows": relation(unit=None, item=None, **MATCH),
    "best_match of items": relation(**MATCH),
    "best_match of rows with items": relation(unit=None, relevance="best_match", similarity="1"),
}
ADAPTIVE = "spark.sql.adaptive.enabled"
TEMPTING = {
    "spark.sql.autoBroadcastJoinThreshold": "1g",
    "spark.sql.adaptive.autoBroadcastJoinThreshold": "1g",
    "spark.sql.optimizer.runtime.bloomFilter.enabled": "true",
    "spark.sql.optimizer.runtime.bloomFilter.applicationSideScanSizeThreshold": "0",
    "spark.sql.optimizer.runtime.bloomFilter.creationSideThreshold": "1g",
}


def run(relevance, method="greedy", matroid=None):
    matroid = matroid or Uniform(ITEMS, K)
    kind = "best_match" if relevance.bits else "coverage"
    todo = plan(
        n=ITEMS, k=matroid.rank, eps=2.0, delta=1e-6, diversity=0.4, m=UNITS, relevance=kind, method=method,
        gamma=0.1 if method == "local_search" else 0.9,
        matroid=matroid.name,
    )  # fmt: skip
    distance = L1(np.linspace(0, 1, ITEMS)[:, None])
    return todo, select(todo, relevance, distance, matroid, source=SeededSource(5)).picks


def jobs(host):
    return jobs_of(host.session, host.group)


def kept_plan(host, relevance):
    """The physical plan that made what is kept."""
    frame = host.frame(
        spark_sql(relevance.workspace.step("totals", "SELECT COUNT(*) AS units FROM {pairs} AS pairs").sql())
    )
    return frame._jdf.queryExecution().executedPlan().toString()


@contextmanager
def collected(spark, monkeypatch):
    """Every frame whose rows come to the driver: its columns and its physical plan."""
    kind, seen = type(spark.range(1)), []
    real = kind.collect

    def collecting(frame):
        seen.append((frame.schema, frame._jdf.queryExecution().executedPlan().toString()))
        return real(frame)

    def never(*_):
        raise AssertionError("only collect() is used")

    monkeypatch.setattr(kind, "collect", collecting)
    for name in ("toPandas", "toArrow", "toLocalIterator", "take", "head", "first", "tail", "show", "foreach"):
        monkeypatch.setattr(kind, name, never)
    yield seen
    monkeypatch.undo()


@contextmanager
def adaptive(spark, on):
    """The user's own setting, while a host is made."""
    before = spark.conf.get(ADAPTIVE)
    spark.conf.set(ADAPTIVE, str(on).lower())
    yield
    spark.conf.set(ADAPTIVE, before)


@pytest.mark.parametrize(
    ("kind", "on"), [*((kind, True) for kind in RELEVANCES), ("coverage", False), ("best_match", False)]
)
def test_k_greedy_rounds_are_k_plus_one_jobs_in_all(shop, con, kind, on):
    con.execute(f"CREATE TABLE products AS SELECT range AS id, range AS place FROM range({ITEMS})")
    with adaptive(shop, on):
        host = SparkHost(shop)
    public = DuckDBHost(con.cursor())
    relevance = build(host, RELEVANCES[kind], candidates(range(ITEMS)), k=K, items=PRODUCTS, public=public)
    assert jobs(host) == 2  # candidates are handed to the executors; the pass keeps rows and counts the first marginals
    _, picks = run(relevance)
    assert len(set(picks)) == K
    assert jobs(host) == K + 1
    relevance.close()


def test_a_view_that_joins_is_read_adaptively_and_adds_its_own_jobs_only(shop):
    shop.sql("CREATE OR REPLACE TEMP VIEW known AS SELECT DISTINCT user_id AS id FROM shop")
    shop.sql("CREATE OR REPLACE TEMP VIEW joined AS SELECT user_id, item_id FROM shop JOIN known ON user_id = id")
    assert shop.conf.get(ADAPTIVE) == "true"
    host, other = SparkHost(shop), SparkHost(shop)
    relevance = build(host, renamed(relation(), "joined"), candidates(range(ITEMS)), k=K)
    before = jobs(host)
    _, picks = run(relevance)
    assert jobs(host) - before == K - 1
    assert "AdaptiveSparkPlan" in kept_plan(host, relevance)
    plain = build(other, relation(), candidates(range(ITEMS)), k=K)
    assert "AdaptiveSparkPlan" not in kept_plan(other, plain)
    assert run(plain)[1] == picks
    relevance.close()
    plain.close()


@pytest.mark.parametrize("name", ["shop", "joined"])
def test_spark_makes_no_filter_of_units_and_broadcasts_none_of_its_own_choice(shop, monkeypatch, name):
    """Settings of the user's under which Spark would, for tables of any size."""
    shop.sql("CREATE OR REPLACE TEMP VIEW known AS SELECT CONCAT('user ', id) AS id FROM range(40) WHERE id < 30")
    shop.sql("CREATE OR REPLACE TEMP VIEW joined AS SELECT user_id, item_id FROM shop JOIN known ON user_id = id")
    session = shop.newSession()
    for setting, value in TEMPTING.items():
        session.conf.set(setting, value)
    host = SparkHost(session)
    shop.table(name).createOrReplaceGlobalTempView(name)
    with collected(shop, monkeypatch) as seen:
        relevance = build(host, renamed(relation(), f"global_temp.{name}"), candidates(range(ITEMS)), k=K)
        run(relevance)
        relevance.close()
    plans = [text for schema, text in seen if "units" in schema.names]
    assert len(plans) == K
    for text in plans:
        assert "might_contain" not in text
        for broadcast in text.split("BroadcastExchange")[1:]:
            assert re.match(r"[^\n]*\n[^\n]*LocalTableScan", broadcast), text
    shop.catalog.dropGlobalTempView(name)


@pytest.mark.parametrize("method", ["local_search", "sls"])
def test_a_round_of_local_search_is_one_job(shop, method):
    host = SparkHost(shop)
    relevance = build(host, relation(), candidates(range(ITEMS)), k=2)
    prepared = jobs(host)
    todo, picks = run(relevance, method, Partition(np.arange(ITEMS) % 2, [1, 1], 2))
    assert jobs(host) - prepared <= todo.rounds + 1  # and one for the value of the first solution
    assert len(set(picks)) == 2
    relevance.close()


def test_only_integers_of_candidates_come_to_the_driver(shop, con, monkeypatch):
    con.execute(f"CREATE TABLE products AS SELECT range AS id, range AS place FROM range({ITEMS})")
    host = SparkHost(shop)
    match = relation(relevance="best_match", similarity="1 / (1 + abs(r.item_id - v.place))")
    with collected(shop, monkeypatch) as seen:
        for found in (relation(), relation(cap=2), type(match)(**{**vars(match), "item": None})):
            relevance = build(
                host, found, candidates(range(ITEMS)), k=K, items=PRODUCTS, public=DuckDBHost(con.cursor())
            )
            relevance.add(1)
            relevance.gains()
            relevance.add(2)
            assert relevance.value() > 0
            relevance.swap_gains(np.array([3, 4]))
            relevance.swap(0, 5)
            relevance.gains()
            relevance.close()
    counted = [schema for schema, _ in seen if {field.name for field in schema.fields} & {"i", "units", "total"}]
    assert len(counted) == 3 * 4
    for schema in counted:
        assert {field.name for field in schema.fields} <= {"i", "slot", "units", "total", "gain", "back"}
        assert {field.dataType.typeName() for field in schema.fields} <= {"integer", "long"}
    others = [schema for schema, _ in seen if schema not in counted]  # DESCRIBE: names of columns and of their types
    assert all([field.name for field in schema.fields][:2] == ["col_name", "data_type"] for schema in others)


def test_only_public_rows_are_broadcast_and_no_unit_moves_between_rounds(shop, monkeypatch):
    host = SparkHost(shop)
    with collected(shop, monkeypatch) as seen:
        relevance = build(host, relation(), candidates(range(ITEMS)), k=K)
        run(relevance)
        relevance.swap_gains(np.array([0, 3]))
        relevance.close()
    plans = [text for schema, text in seen if "units" in schema.names]
    assert len(plans) == K + 1
    for text in plans:
        for broadcast in text.split("BroadcastExchange")[1:]:
            assert re.match(r"[^\n]*\n[^\n]*LocalTableScan", broadcast), text
        outside = re.sub(r"InMemoryRelation.*?(?=\n\S|\Z)", "", text, flags=re.DOTALL)
        moved = re.findall(r"Exchange hashpartitioning\(([^)]*)\)", outside.split("InMemoryTableScan")[0])
        assert all("unit" not in columns for columns in moved), text


def test_nothing_is_kept_when_it_is_over(shop):
    before = shop.sparkContext._jsc.getPersistentRDDs().size()
    host = SparkHost(shop)
    relevance = build(host, relation(), candidates(range(ITEMS)), k=K)
    assert shop.sparkContext._jsc.getPersistentRDDs().size() == before + 1
    relevance.close()
    assert shop.sparkContext._jsc.getPersistentRDDs().size() == before
    assert not [view for view in host.session.catalog.listTables() if view.name.startswith("_msd_")]
    assert not [view for view in shop.catalog.listTables() if view.name.startswith("_msd_")]


def test_the_users_own_session_is_left_as_it_was(shop):
    names = ("spark.sql.adaptive.enabled", "spark.sql.autoBroadcastJoinThreshold", "spark.sql.shuffle.partitions")
    before = [shop.conf.get(name) for name in names]
    shop.sparkContext.setJobGroup("mine", "my own jobs")
    host = SparkHost(shop)
    build(host, relation(), candidates(range(ITEMS)), k=K).close()
    assert [shop.conf.get(name) for name in names] == before
    assert shop.sparkContext.getLocalProperty("spark.jobGroup.id") == "mine"
    shop.sparkContext.setLocalProperty("spark.jobGroup.id", None)


def test_what_is_not_an_integer_is_never_collected(shop):
    host = SparkHost(shop)
    with pytest.raises(EngineError, match="Only whole numbers may leave Spark"):
        host.integers(host.frame("SELECT user_id FROM shop"))
