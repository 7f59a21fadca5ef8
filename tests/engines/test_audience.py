"""An audience in every engine: the same marginals as of a relation that holds its rows only, and one unit's share."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from msd_sql.catalog.declarations import Audience, Items
from msd_sql.database.sql_text import Name
from msd_sql.engines.build import Indexes, build
from msd_sql.engines.describe import describe
from msd_sql.udfs import SeededSource, Uniform, plan, select
from msd_sql.udfs.types import ONE

from .conftest import candidates, protected

AUDIENCE = Audience("CAST(version AS INTEGER) / (item_id % 2) > 3", ("version", "item_id"))
PRODUCTS = Items("memory.main.products", "id", (), None, (), (), None, relation=Name("memory", "main", "products"))
KEYS = candidates(range(4))


def fill(con, rows):
    con.execute("CREATE OR REPLACE TABLE purchases (user_id BIGINT, item_id BIGINT, version VARCHAR)")
    if rows:
        con.executemany("INSERT INTO purchases VALUES (?, ?, ?)", rows)
    con.execute("CREATE TABLE IF NOT EXISTS products AS SELECT range AS id, range AS place FROM range(4)")


def play(relevance):
    relevance.add(1)
    relevance.add(3)
    relevance.swap(0, 2)
    return relevance.gains().tolist(), relevance.swap_gains(np.arange(4)).tolist(), relevance.value()


def kinds():
    return [
        protected(),
        protected(cap=2),
        protected(None),
        protected(relevance="best_match", similarity="r.item_id / 4"),
        protected(item=None, relevance="best_match", similarity="1 - abs(r.item_id - v.place) / 4"),
        protected(None, None, relevance="best_match", similarity="1 - abs(r.item_id - v.place) / 4"),
    ]


@pytest.mark.parametrize("declared", kinds(), ids=range(6))
def test_it_is_as_if_the_relation_held_its_rows_only(engine, con, host, declared):
    versions = ["1", "4", "5", "x", None, "900000000000"]
    rows = [
        (user, item, versions[(user * 3 + item) % 6]) for user in range(40) for item in range(4) if user % (item + 2)
    ]
    fill(con, rows)
    con.execute("CREATE TABLE inside AS SELECT * FROM purchases WHERE TRY(version::INTEGER / (item_id % 2) > 3)")
    assert con.execute("SELECT count(*) FROM inside").fetchall()[0][0] > 5
    part = build(host, replace(declared, audience=AUDIENCE), KEYS, k=3, engine=engine, items=PRODUCTS)
    alone = build(
        host, replace(declared, relation=Name("memory", "main", "inside")), KEYS, k=3, engine=engine, items=PRODUCTS
    )
    assert play(part) == play(alone)


@pytest.mark.parametrize("declared", [kinds()[0], kinds()[1], kinds()[3]], ids=["coverage", "cap", "best_match"])
def test_both_engines_pick_the_same_for_the_same_noise(con, host, declared):
    versions = ["1", "4", "5", "x", None]
    fill(con, [(user, item, versions[(user * 3 + item) % 5]) for user in range(40) for item in range(4) if user % 3])
    facts = {"m": declared.m, "cap": declared.cap, "relevance": declared.relevance}
    asked = plan(n=len(KEYS.keys), k=3, eps=0.5, delta=1e-6, diversity=0.0, **facts)
    found = []
    for engine in ("memory", "sql"):
        part = build(host, replace(declared, audience=AUDIENCE), KEYS, k=3, engine=engine, items=PRODUCTS)
        found.append([select(asked, part, None, Uniform(asked.n, 3), SeededSource(seed)).picks for seed in range(12)])
    assert found[0] == found[1]
    assert len(set(found[0])) > 3  # noise that decides


# What a user may have of an item: nothing, a row inside, outside, one on which the expression fails, NULL.
STATES = [None, "7", "1", "seven", ""]


@pytest.mark.parametrize("declared", [kinds()[0], kinds()[3]], ids=["coverage", "best_match"])
def test_who_enters_or_leaves_moves_a_score_by_one_count_at_most(engine, con, host, declared):
    """Every user over two items, alone and beside others, in place of every other one."""
    found = []
    for states in itertools.product(STATES, repeat=2):
        own = [(1, item, state or None) for item, state in zip((1, 3), states, strict=True) if state is not None]
        fill(con, [(2, 1, "9"), (3, 3, "9"), (3, 1, "x"), *own])
        relevance = build(host, replace(declared, audience=AUDIENCE), KEYS, k=2, engine=engine, items=PRODUCTS)
        scores = [relevance.gains()]
        relevance.add(1)
        scores.append(relevance.gains())
        found.append(np.concatenate(scores))
    unit = 1 << relevance.bits
    assert unit in (1, ONE)
    assert max(np.abs(one - other).max() for one, other in itertools.combinations(found, 2)) == (
        unit if declared.relevance == "coverage" else unit * 3 // 4
    )


def test_an_index_is_of_one_audience(con, host):
    fill(con, [(user, user % 4, str(user % 9)) for user in range(60)])
    indexes = Indexes()
    audiences = [None, Audience("version = '3'", ("version",)), Audience("version = '4'", ("version",))]
    found = []
    for audience in audiences * 2:
        declared = replace(protected(), audience=audience)
        made = build(
            host, declared, KEYS, k=2, engine="memory", indexes=indexes, content=lambda a=audience: str(a and a.columns)
        )
        found.append(made.gains().tolist())
    assert found[:3] == found[3:]
    assert [sum(gains) for gains in found[:3]] == [60, 7, 7]
    assert len(indexes) == 3  # the rows' fingerprint of one set of columns does not let go of another's


def test_what_is_explained_is_what_is_run(engine, con, host):
    fill(con, [])
    steps = describe(host, replace(protected(), audience=AUDIENCE), KEYS, engine=engine).steps
    assert any("TRY(CAST(version AS INTEGER) / (item_id % 2) > 3)" in step.sql() for step in steps)
