"""Every engine gives the marginals of coverage exactly, whatever was picked and swapped before."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from msd_sql.engines.build import build
from msd_sql.udfs import L1, Partition, SeededSource, Uniform, plan, select

from .conftest import ENGINES, Recount, candidates, protected, purchases

ITEMS = 6
shops = st.lists(
    st.tuples(st.one_of(st.none(), st.integers(-3, 8)), st.one_of(st.none(), st.integers(0, ITEMS))), max_size=40
)
moves = st.lists(st.tuples(st.booleans(), st.integers(0, 10), st.integers(0, 10)), max_size=6)
quick = settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def check(relevance, model):
    outside = np.array(sorted(model.gains()), dtype=np.int64)
    assert relevance.value() == model.value()
    assert dict(zip(outside.tolist(), relevance.gains()[outside].tolist(), strict=True)) == model.gains()
    if model.picks and len(outside):
        table = relevance.swap_gains(outside)
        assert table.shape == (len(model.picks), len(outside))
        found = {(s, v): int(table[s, at]) for s in range(len(table)) for at, v in enumerate(outside.tolist())}
        assert found == model.swap_gains()


def play(relevance, model, steps):
    """Add and swap as told, as far as there is anything left to add, checking after every move."""
    check(relevance, model)
    for swapping, where, which in steps:
        outside = sorted(model.gains())
        if not outside:
            return
        item = outside[which % len(outside)]
        if swapping and model.picks:
            slot = where % len(model.picks)
            relevance.swap(slot, item)
            model.picks[slot] = item
        else:
            relevance.add(item)
            model.picks.append(item)
        check(relevance, model)


@quick
@given(rows=shops, steps=moves, cap=st.integers(1, 3), gap=st.sampled_from([1, 2, 1000]))
def test_marginals_and_swaps_equal_a_recount(engine, con, host, rows, steps, cap, gap):
    rows = [(unit, None if item is None else gap * item) for unit, item in rows]
    purchases(con, rows)
    keys = range(0, gap * ITEMS, gap)
    relevance = build(host, protected(), candidates(keys), k=ITEMS, cap=cap, engine=engine)
    model = Recount(rows, keys, cap)
    assert (relevance.n, relevance.bits, relevance.units, relevance.cap) == (ITEMS, 0, 10 * cap, cap)
    assert relevance.private
    assert relevance.binary == (cap == 1)
    play(relevance, model, steps)
    relevance.clear()
    model.picks.clear()
    play(relevance, model, steps[:2])


@pytest.mark.parametrize("unit_type", ["VARCHAR", "SMALLINT", "INTEGER", "HUGEINT", "DOUBLE", "DATE"])
def test_units_of_any_type(engine, con, host, unit_type):
    rows = [(1, 0), (2, 0), (2, 1), (3, 1), (3, 1), (3, 2), (4, 2)]
    con.execute("CREATE TABLE numbers AS SELECT unnest([1, 2, 2, 3, 3, 3, 4]) AS u, unnest([0, 0, 1, 1, 1, 2, 2]) AS i")
    unit = "DATE '2026-01-01' + u::INTEGER" if unit_type == "DATE" else f"u::{unit_type}"
    con.execute(f"CREATE TABLE purchases AS SELECT {unit} AS user_id, i AS item_id FROM numbers")
    relevance = build(host, protected(), candidates(range(3)), k=3, engine=engine)
    play(relevance, Recount(rows, range(3), 1), [(False, 0, 1), (True, 0, 0), (False, 0, 0)])


def test_integer_units_at_the_ends_of_their_range_stay_apart(engine, con, host):
    units = [-(2**63), -1, 0, 1, 2**31, 2**50, 2**51, 2**62, 2**63 - 1]
    purchases(con, [(unit, 0) for unit in units] + [(unit, 1) for unit in units[::2]])
    relevance = build(host, protected(m=9), candidates(range(2)), k=2, engine=engine)
    assert relevance.gains().tolist() == [9, 5]
    relevance.add(1)
    assert relevance.gains()[0] == 4


def test_smallest_integers_of_every_width(engine, con, host):
    for kind, low, high in [("TINYINT", -128, 127), ("INTEGER", -(2**31), 2**31 - 1), ("UBIGINT", 0, 2**64 - 1)]:
        purchases(con, [(low, 0), (high, 0), (high, 1)], unit_type=kind)
        relevance = build(host, protected(m=2), candidates(range(2)), k=2, engine=engine)
        relevance.add(1)
        assert relevance.gains()[0] == 1


def test_rows_without_a_unit_or_an_item_are_ignored(engine, con, host):
    purchases(con, [(None, 0), (None, 0), (1, None), (1, 0)])
    assert build(host, protected(), candidates([0]), k=1, engine=engine).gains().tolist() == [1]


def test_without_a_unit_column_every_row_is_a_unit(engine, con, host):
    purchases(con, [(1, 0), (1, 0), (1, 1), (None, 1), (None, 1)])
    relevance = build(host, protected(unit=None), candidates(range(3)), k=3, engine=engine)
    assert relevance.gains().tolist() == [2, 3, 0]
    relevance.add(1)
    assert relevance.gains()[0] == 2
    assert relevance.value() == 3
    assert relevance.swap_gains(np.array([0, 2])).tolist() == [[-1, -3]]


def test_items_that_nobody_has_gain_nothing(engine, con, host):
    purchases(con, [(1, 5)])
    relevance = build(host, protected(), candidates([4, 5, 6]), k=2, engine=engine)
    assert relevance.gains().tolist() == [0, 1, 0]
    relevance.add(0)
    assert relevance.value() == 0


def test_an_empty_relation(engine, con, host):
    purchases(con, [])
    relevance = build(host, protected(), candidates([4, 5]), k=2, engine=engine)
    relevance.add(1)
    assert relevance.gains()[0] == 0
    assert relevance.value() == 0


@pytest.mark.parametrize(
    ("kind", "keys", "item_type", "units"),
    [
        ("BIGINT", ["1", "2"], "VARCHAR", [1, 1]),
        ("VARCHAR", ["01", "1", "x"], "INTEGER", [0, 1, 0]),
        ("DOUBLE", ["1.0", "1.5", "2.0"], "INTEGER", [1, 0, 1]),
        ("DECIMAL(9,2)", ["1.00", "2.00"], "BIGINT", [1, 1]),
        ("UUID", ["3fa85f64-5717-4562-b3fc-2c963f66afa6"], "BIGINT", [0]),
        ("VARCHAR", ["1", "3"], "ENUM('1', '2')", [1, 0]),
        ("ENUM('1', '2')", ["1", "2"], "VARCHAR", [1, 1]),
        ("BIGINT", ["1", "99999999999999999999"], "TINYINT", [1, 0]),
    ],
)
def test_candidates_join_in_the_relations_own_type(engine, con, host, kind, keys, item_type, units):
    purchases(con, [(7, "1"), (8, "2")], item_type=item_type)
    relevance = build(host, protected(), candidates(keys, kind), k=1, engine=engine)
    assert relevance.gains().tolist() == units


def test_names_are_quoted(engine, con, host):
    con.execute("""CREATE TABLE "pur""chases; --" ("user id" INTEGER, "select" INTEGER)""")
    con.execute("""INSERT INTO "pur""chases; --" VALUES (1, 0), (2, 0)""")
    found = protected("user id", "select", relation='pur"chases; --')
    assert build(host, found, candidates([0, 1]), k=1, engine=engine).gains().tolist() == [2, 0]


@pytest.mark.parametrize(
    ("method", "matroid", "cap"),
    [
        ("greedy", Uniform(30, 6), 1),
        ("nosg", Uniform(30, 6), 2),
        ("osg", Uniform(30, 6), 1),
        ("local_search", Partition(np.arange(30) % 3, [1, 1, 1], 3), 1),
        ("local_search", Uniform(30, 4), 2),
        ("sls", Partition(np.arange(30) % 3, [1, 1, 1], 3), 1),
        ("sls", Uniform(30, 2), 2),
    ],
)
def test_the_same_noise_gives_the_same_picks(con, host, method, matroid, cap):
    rng = np.random.default_rng(3)
    purchases(con, np.column_stack([rng.integers(0, 300, 1500), rng.integers(0, 30, 1500)]).tolist())
    todo = plan(
        n=30, k=matroid.rank, eps=5.0, delta=1e-6, diversity=0.3, m=300, cap=cap, relevance="coverage",
        method=method, gamma=0.1 if method == "local_search" else 0.9, matroid=matroid.name,
    )  # fmt: skip
    picked = []
    for engine in ENGINES:
        relevance = build(host, protected(m=300), candidates(range(30)), k=6, cap=cap, engine=engine)
        distance = L1(np.linspace(0, 1, 30)[:, None])
        picked.append(select(todo, relevance, distance, matroid, source=SeededSource(11)).picks)
    assert all(picks == picked[0] for picks in picked)
    assert len(set(picked[0])) == matroid.rank
