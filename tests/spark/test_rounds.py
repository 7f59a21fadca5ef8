"""What a run does on the cluster: few jobs, nothing but integers to the driver, nothing kept when it is over."""

import re
from contextlib import contextmanager

import numpy as np
import pytest
from msd_sql.udfs import L1, Partition, SeededSource, Uniform, plan, select

from msd_sql.declarations import Items
from msd_sql.engines import build
from msd_sql.errors import EngineError
from msd_sql.host import DuckDBHost
from msd_sql.spark.host import SparkHost
from msd_sql.sqltext import Name
from tests.engines.conftest import candidates, protected

K, ITEMS, UNITS = 4, 12, 60
PRODUCTS = Items("products", "id", (), None, (), (), None, relation=Name("memory", "main", "products"))

pytestmark = pytest.mark.xdist_group("spark")  # one process of several has Spark


@pytest.fixture(scope="module")
def shop(spark):
    rng = np.random.default_rng(8)
    rows = [(f"user {unit}", int(item)) for unit, item in rng.integers((0, 0), (UNITS, ITEMS), (400, 2))]
    spark.createDataFrame(rows, "user_id STRING, item_id INT").createOrReplaceTempView("shop")
    return spark


def relation(**more):
    found = protected(m=UNITS, **more)
    return type(found)(**{**vars(found), "name": "spark:shop", "relation": None})


def run(relevance, method="greedy", matroid=None):
    matroid = matroid or Uniform(ITEMS, K)
    todo = plan(
        n=ITEMS, k=matroid.rank, eps=2.0, delta=1e-6, diversity=0.4, m=UNITS, relevance="coverage", method=method,
        gamma=0.9, matroid=matroid.name,
    )  # fmt: skip
    distance = L1(np.linspace(0, 1, ITEMS)[:, None])
    return todo, select(todo, relevance, distance, matroid, source=SeededSource(5)).picks


def jobs(host):
    return len(host.session.sparkContext.statusTracker().getJobIdsForGroup(host.group))


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


def test_k_rounds_are_one_pass_and_k_plus_one_small_jobs(shop):
    host = SparkHost(shop)
    assert host.session.conf.get("spark.sql.adaptive.enabled") == "true"
    relevance = build(host, relation(), candidates(range(ITEMS)), k=K)
    # With adaptive execution the pass over the relation is a job of its own, before the one that counts what it kept;
    # the third one hands the candidates to the executors.
    assert jobs(host) == 3
    run(relevance)
    assert jobs(host) == 1 + (K + 1)
    relevance.close()


def test_k_rounds_are_k_plus_one_jobs_in_all_without_adaptive_execution(shop):
    session = shop.newSession()
    session.conf.set("spark.sql.adaptive.enabled", "false")
    shop.table("shop").createOrReplaceGlobalTempView("shop")
    host = SparkHost(session)
    found = type(relation())(**{**vars(relation()), "name": "spark:global_temp.shop"})
    relevance = build(host, found, candidates(range(ITEMS)), k=K)
    run(relevance)
    assert jobs(host) == K + 1
    relevance.close()
    shop.catalog.dropGlobalTempView("shop")


def test_a_round_of_local_search_is_one_job(shop):
    host = SparkHost(shop)
    relevance = build(host, relation(), candidates(range(ITEMS)), k=2)
    prepared = jobs(host)
    todo, picks = run(relevance, "local_search", Partition(np.arange(ITEMS) % 2, [1, 1], 2))
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
