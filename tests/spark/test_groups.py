"""The groups of a statement in Spark: one projection for all, one job a round, the picks of the other engines."""

import numpy as np
import pytest

import msd_sql
from msd_sql.database.spark_host import SparkHost
from msd_sql.engines.build import build, build_groups
from msd_sql.udfs import L1, SeededSource, plan
from msd_sql.udfs.selection_of_groups import select_groups
from tests.engines.conftest import candidates, protected, purchases

from .conftest import jobs_of, move

K, SIZE, GROUPS, UNITS = 3, 5, 40, 80

pytestmark = pytest.mark.xdist_group("spark")  # one process of several has Spark


@pytest.fixture(scope="module")
def bought():
    rng = np.random.default_rng(8)
    found = [(int(unit), int(item)) for unit, item in rng.integers((0, 0), (UNITS, SIZE * GROUPS), (3000, 2))]
    return [*found, (None, 2), (3, None)]


@pytest.fixture
def groups():
    keys = [list(range(start, start + SIZE)) for start in range(0, SIZE * GROUPS, SIZE)]
    keys[1][0] = 0  # an item of two groups
    keys[2][4] = 9999  # one that nobody has
    return [candidates(sorted(group)) for group in keys]


def chosen(relevance, groups, cap):
    plans = [plan(n=group.n, k=K, eps=2.0, delta=1e-6, diversity=0.3, m=UNITS, cap=cap) for group in groups]
    distances = [L1(np.linspace(0, 1, group.n)[:, None]) for group in groups]
    return [outcome.picks for outcome in select_groups(plans, relevance, distances, SeededSource(5))]


@pytest.mark.parametrize("cap", [1, 2])
def test_many_groups_are_k_plus_one_jobs_and_choose_as_in_the_other_engines(spark, con, host, bought, groups, cap):
    purchases(con, bought)
    found = protected(m=UNITS, cap=cap)
    picks = [chosen(build_groups(host, found, groups, engine=engine), groups, cap) for engine in ("memory", "sql")]
    there = SparkHost(spark)
    relevance = build_groups(there, move(spark, host, found), groups)
    picks.append(chosen(relevance, groups, cap))
    assert jobs_of(there.session, there.group) == K + 1
    relevance.close()
    assert picks[0] == picks[1] == picks[2]
    assert not [view for view in there.session.catalog.listTables() if view.name.startswith("_msd_")]


def test_marginals_are_those_of_each_group_alone(spark, con, host, bought, groups):
    purchases(con, bought, "VARCHAR", "BIGINT")
    there, found = SparkHost(spark), move(spark, host, protected(m=UNITS))
    relevance = build_groups(there, found, groups[:3])
    relevance.add_each(np.array([1, SIZE + 2, 2 * SIZE]))
    together = relevance.gains()
    for at, (group, pick) in enumerate(zip(groups[:3], (1, 2, 0), strict=True)):
        alone = build(there, found, group, k=K)
        alone.add(pick)
        expected = alone.gains()
        outside = [item for item in range(SIZE) if item != pick]
        assert together[at * SIZE : (at + 1) * SIZE][outside].tolist() == expected[outside].tolist()
        alone.close()
    relevance.close()


def test_rows_that_are_units_are_counted_in_one_pass(spark, con, host, bought, groups):
    purchases(con, bought)
    there, one, found = SparkHost(spark), SparkHost(spark), protected(unit=None, m=UNITS)
    moved = move(spark, host, found)
    relevance = build_groups(there, moved, groups)
    build(one, moved, groups[0], k=K)
    assert jobs_of(there.session, there.group) == jobs_of(one.session, one.group)
    assert relevance.gains().tolist() == build_groups(host, found, groups).gains().tolist()


def test_a_statement_of_many_groups_is_k_plus_one_jobs(spark, con, host, bought):
    purchases(con, bought)
    spark_name = move(spark, host, protected()).name
    con.execute(f"CREATE TABLE products AS SELECT i AS item_id, i // {SIZE} AS shelf FROM range({SIZE * GROUPS}) t(i)")
    con.execute("DROP TABLE purchases")
    msd_sql.register(con, spark=spark)
    con.execute(
        f"SELECT msd_protect('{spark_name}', unit := 'user_id', item := 'item_id', users := {UNITS}, budget := 1e9,"
        " delta := 1e-3)"
    ).fetchall()

    def ask(eps, more=""):
        options = f"delta := 1e-9, reach := '{spark_name}'"
        sql = f"SELECT shelf, msd_select(item_id, {K}, {eps}, 0.0, {options}) FROM products {more} GROUP BY shelf"
        before = jobs_of(spark)
        rows = con.execute(sql).fetchall()
        return dict(rows), jobs_of(spark) - before

    _, one_group = ask(0.5, "WHERE shelf = 0")
    found, all_groups = ask(1e7)
    assert len(found) == GROUPS
    assert all_groups == one_group
    counts = {item: len({unit for unit, other in bought if other == item}) for item in range(SIZE * GROUPS)}
    for shelf, items in found.items():
        assert counts[items[0]] == max(counts[item] for item in range(shelf * SIZE, (shelf + 1) * SIZE))
