"""An audience in Spark: the same marginals, and the same refusals before anything is charged."""

from dataclasses import replace

import duckdb
import numpy as np
import pytest

import msd_sql
from msd_sql.catalog.declarations import Audience
from msd_sql.question.row_expression import row_expression
from msd_sql.udfs import SeededSource, Uniform, plan, select
from tests.engines.conftest import candidates, protected

AUDIENCE = Audience("(country IN ('DE', 'FR')) AND (CAST(version AS INTEGER) >= 3)", ("country", "version"), "UTC")


def fill(con):
    con.execute(
        "CREATE TABLE purchases AS SELECT user_id, item_id, ['DE', 'FR', 'IT', NULL][1 + (user_id % 4)] AS country, "
        "['1', '4', 'x', NULL, '7'][1 + (user_id + item_id) % 5] AS version "
        "FROM range(40) u(user_id), range(4) i(item_id) WHERE user_id % (item_id + 2) > 0"
    )


@pytest.mark.parametrize(
    "declared",
    [protected(), protected(None), protected(relevance="best_match", similarity="r.item_id / 4")],
    ids=["coverage", "rows", "best_match"],
)
def test_the_engines_agree(con, host, build, declared):
    fill(con)
    found = []
    for engine in ("memory", "sql", "spark"):
        relevance = build(host, replace(declared, audience=AUDIENCE), candidates(range(4)), k=3, engine=engine)
        relevance.add(1)
        relevance.add(3)
        relevance.swap(0, 2)
        swaps = relevance.swap_gains(np.arange(2)).tolist()
        found.append((relevance.gains()[:2].tolist(), swaps, relevance.value()))  # of what is not chosen
    assert found[0] == found[1] == found[2]
    assert found[0][2] > 0


@pytest.mark.parametrize(
    "declared",
    [protected(), protected(cap=2), protected(relevance="best_match", similarity="r.item_id / 4")],
    ids=["coverage", "cap", "best_match"],
)
def test_all_engines_pick_the_same_for_the_same_noise(con, host, build, declared):
    fill(con)
    found = {}
    for engine in ("memory", "sql", "spark"):
        relevance = build(host, replace(declared, audience=AUDIENCE), candidates(range(4)), k=3, engine=engine)
        asked = plan(
            n=4, k=3, eps=0.5, delta=1e-6, diversity=0.0, m=declared.m, cap=declared.cap, relevance=declared.relevance
        )
        found[engine] = [select(asked, relevance, None, Uniform(4, 3), SeededSource(seed)).picks for seed in range(12)]
    assert found["memory"] == found["sql"] == found["spark"]
    assert len(set(found["memory"])) > 3  # noise that decides


@pytest.mark.parametrize(
    "among",
    [
        "CAST(version AS INTEGER) > 3 OR country = 'IT'",
        "CAST(version AS INTEGER) IS NULL",
        "NOT (CAST(version AS INTEGER) > 3)",
        "coalesce(CAST(version AS INTEGER), 9) > 5",
    ],
)
def test_a_cast_that_fails_is_the_same_everywhere(con, host, build, among):
    fill(con)
    columns = {row[0]: row[1] for row in host.rows("DESCRIBE purchases")}
    found = row_expression(host, "among", among, columns, spark=True)
    declared = replace(protected(), audience=Audience(found.sql, found.columns, "UTC"))
    gains = [build(host, declared, candidates(range(4)), k=3, engine=engine).gains().tolist()
             for engine in ("memory", "sql", "spark")]  # fmt: skip
    assert gains[0] == gains[1] == gains[2]
    assert sum(gains[0]) > 0


def test_typed_in_sql(spark):
    with duckdb.connect() as con:
        fill(con)
        rows = [tuple(row) for row in con.execute("FROM purchases").fetchall()]
        kinds = "user_id BIGINT, item_id BIGINT, country STRING, version STRING"
        spark.createDataFrame(rows, kinds).createOrReplaceTempView("bought")
        con.execute("CREATE TABLE products AS SELECT range AS id FROM range(4)")
        msd_sql.register(con, spark=spark)
        con.execute(
            "SELECT msd_protect('spark:bought', unit := 'user_id', item := 'item_id', budget := 1000, delta := 1e-9)"
        ).fetchall()
        truth = con.execute(
            "SELECT count(DISTINCT user_id) FROM purchases WHERE TRY(country = 'DE' AND version::INTEGER > 3)"
        ).fetchall()
        asked = con.execute(
            "SELECT msd_reach(range(4), 40, among := 'country = ''DE'' AND version::INTEGER > 3')"
        ).fetchall()
        assert asked == truth
        for wrong in ("regexp_matches(country, 'D')", "country LIKE 'a\\_%'", "contry = 'DE'", "version"):
            with pytest.raises(duckdb.Error, match=r"among.*Nothing was charged"):
                con.execute("SELECT msd_reach(range(4), 40, among := $1)", [wrong]).fetchall()
