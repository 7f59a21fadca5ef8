"""Every engine gives the marginals of best_match exactly, in multiples of 2^-20, whatever was picked before."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from msd_sql.catalog.declarations import Items
from msd_sql.database.sql_text import Name
from msd_sql.engines.build import build
from msd_sql.errors import EngineError
from msd_sql.udfs.types import ONE

from .conftest import ENGINES, candidates, protected

PRODUCTS = Items("memory.main.products", "id", (), None, (), (), None, relation=Name("memory", "main", "products"))
NEAR = "1 - abs(r.place - v.place) / 4"
N = 5
quick = settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
visits = st.lists(
    st.tuples(st.one_of(st.none(), st.integers(0, 5)), st.one_of(st.none(), st.integers(-1, 6))), max_size=25
)
moves = st.lists(st.tuples(st.booleans(), st.integers(0, 9), st.integers(0, 9)), max_size=5)


class Recount:
    """best_match by definition, over rounded similarities."""

    def __init__(self, units):
        self.units, self.picks = units, []  # one row of similarities a unit

    def value(self, picks=None):
        chosen = self.picks if picks is None else picks
        return sum(max((row[v] for v in chosen), default=0) for row in self.units)

    def outside(self):
        return [v for v in range(N) if v not in self.picks]

    def gains(self):
        return [self.value([*self.picks, v]) - self.value() for v in self.outside()]

    def swap_gains(self):
        swapped = [[*self.picks[:s], None, *self.picks[s + 1 :]] for s in range(len(self.picks))]
        return [
            [self.value([v if p is None else p for p in S]) - self.value() for v in self.outside()] for S in swapped
        ]


def rounded(similarity):
    return 0 if similarity is None else min(max(round(similarity * ONE), 0), ONE)


def places(con):
    con.execute("CREATE OR REPLACE TABLE products AS SELECT range AS id, range AS place FROM range(5)")


def fill(con, rows):
    con.execute("CREATE OR REPLACE TABLE visits (user_id INTEGER, place INTEGER)")
    if rows:
        con.executemany("INSERT INTO visits VALUES (?, ?)", rows)


def by_definition(rows, unit):
    key_table = [[rounded(None if place is None else 1 - abs(place - v) / 4) for v in range(N)] for _, place in rows]
    if not unit:
        return key_table
    users = sorted({user for user, _ in rows if user is not None})
    return [
        [max(key_table[at][v] for at, row in enumerate(rows) if row[0] == user) for v in range(N)] for user in users
    ]


def check(relevance, model):
    outside = np.array(model.outside())
    assert relevance.value() == model.value()
    assert relevance.gains()[outside].tolist() == model.gains()
    if model.picks:
        assert relevance.swap_gains(outside).tolist() == model.swap_gains()


def play(relevance, model, steps):
    check(relevance, model)
    for swapping, where, which in steps[: N - 1]:
        item = model.outside()[which % len(model.outside())]
        if swapping and model.picks:
            slot = where % len(model.picks)
            relevance.swap(slot, item)
            model.picks[slot] = item
        else:
            relevance.add(item)
            model.picks.append(item)
        check(relevance, model)


@quick
@given(rows=visits, steps=moves, unit=st.sampled_from([None, "user_id"]))
def test_marginals_and_swaps_equal_a_recount(engine, con, host, rows, steps, unit):
    places(con)
    fill(con, rows)
    found = protected(unit, None, relation="visits", relevance="best_match", similarity=NEAR)
    relevance = build(host, found, candidates(range(N)), k=N, engine=engine, items=PRODUCTS)
    assert (relevance.n, relevance.bits, relevance.units, relevance.cap) == (N, 20, 10, 1)
    assert not relevance.binary
    model = Recount(by_definition(rows, unit))
    play(relevance, model, steps)
    relevance.clear()
    model.picks.clear()
    play(relevance, model, steps[:2])


@pytest.mark.parametrize(
    ("similarity", "expected"),
    [
        ("CASE WHEN r.place = 1 THEN 'nan'::DOUBLE ELSE 0.5 END", ONE // 2),
        ("CASE WHEN r.place = 1 THEN NULL ELSE 0.5 END", ONE // 2),
        ("CASE WHEN r.place = 1 THEN 7 ELSE -3 END", ONE),
        ("CASE WHEN r.place = 1 THEN '-inf'::DOUBLE ELSE 1e-9 END", 0),
        ("CASE WHEN r.place = 1 THEN 'inf'::DOUBLE ELSE -1e300 END", ONE),
        ("CASE WHEN r.place = 1 THEN 1e300 ELSE 'nan'::DOUBLE END", ONE),
        ("r.place = 1", ONE),
        ("0.25::DECIMAL(18, 17)", ONE // 2),
        ("1e-6", 2),
    ],
)
def test_similarities_are_rounded_and_kept_in_range(engine, con, host, similarity, expected):
    places(con)
    fill(con, [(1, 1), (2, 2)])
    found = protected(None, None, relation="visits", relevance="best_match", similarity=similarity)
    relevance = build(host, found, candidates([0]), k=1, engine=engine, items=PRODUCTS)
    assert relevance.gains().tolist() == [expected]


def test_equal_private_rows_collapse_and_keep_their_weight(engine, con, host):
    places(con)
    fill(con, [(user, 2) for user in range(1000)] + [(user, 3) for user in range(500)])
    found = protected(None, None, relation="visits", relevance="best_match", similarity=NEAR)
    relevance = build(host, found, candidates(range(N)), k=2, engine=engine, items=PRODUCTS)
    assert relevance.gains()[2] == 1000 * ONE + 500 * ONE * 3 // 4
    relevance.add(2)
    assert relevance.gains()[3] == 500 * ONE // 4


@pytest.mark.parametrize("unit", [None, "user_id"])
def test_a_weight_column_of_rows_that_name_their_item(engine, con, host, unit):
    con.execute("CREATE TABLE ratings AS SELECT * FROM (VALUES (1, 'a', 0.5), (1, 'a', 1.0), (1, 'b', 0.75), "
                "(2, 'b', 0.25), (3, 'z', 1.0), (NULL, 'b', 1.0)) AS t(user_id, item_id, stars)")  # fmt: skip
    found = protected(unit, "item_id", relation="ratings", relevance="best_match", similarity="r.stars")
    relevance = build(host, found, candidates(["a", "b", "c"], "VARCHAR"), k=2, engine=engine)
    a, b = (ONE, ONE) if unit else (ONE * 3 // 2, ONE * 2)
    assert relevance.gains().tolist() == [a, b, 0]
    relevance.add(0)
    assert relevance.gains()[1] == (ONE // 4 if unit else b)


def test_weights_may_depend_on_the_item_row_too(engine, con, host):
    places(con)
    con.execute("CREATE TABLE ratings AS SELECT 1 AS user_id, '3' AS item_id, 0.25 AS stars")
    found = protected("user_id", "item_id", relation="ratings", relevance="best_match", similarity="r.stars * v.place")
    relevance = build(host, found, candidates(range(N)), k=1, engine=engine, items=PRODUCTS)
    assert relevance.gains().tolist() == [0, 0, 0, ONE * 3 // 4, 0]


def test_an_item_on_several_public_rows_counts_once(engine, con, host):
    con.execute("CREATE TABLE products AS SELECT * FROM (VALUES (0, 3), (0, 2), (1, 1)) AS t(id, place)")
    fill(con, [(1, 2), (2, 2)])
    found = protected(None, None, relation="visits", relevance="best_match", similarity=NEAR)
    relevance = build(host, found, candidates([0, 1]), k=1, engine=engine, items=PRODUCTS)
    assert relevance.gains().tolist() == [2 * ONE, 2 * ONE * 3 // 4]


def test_a_similarity_of_item_columns_needs_declared_items(engine, con, host):
    fill(con, [(1, 2)])
    found = protected(None, None, relation="visits", relevance="best_match", similarity=NEAR)
    with pytest.raises(EngineError, match="msd_items"):
        build(host, found, candidates([0]), k=1, engine=engine)


def test_a_row_that_the_similarity_fails_on_counts_nothing(engine, con, host):
    places(con)
    con.execute("CREATE TABLE visits AS SELECT * FROM (VALUES ('secret diary'), ('1'), ('2'), ('')) AS t(place)")
    found = protected(None, None, relation="visits", relevance="best_match", similarity="r.place::INTEGER / 4")
    relevance = build(host, found, candidates([0]), k=1, engine=engine, items=PRODUCTS)
    assert relevance.gains().tolist() == [3 * ONE // 4]


def test_private_columns_may_have_any_name(engine, con, host):
    names = ["x", "w", "i", "q", "c0", "nth", "unit", "slot", "key", "r", "v"]
    ours = ", ".join(f"{at} AS {name}" for at, name in enumerate(names))
    con.execute(f"CREATE TABLE products AS SELECT 0 AS id, {ours}")
    con.execute(f"CREATE TABLE visits AS SELECT 1 AS user_id, 0 AS item_id, {ours}")
    same = " + ".join(f"(r.{name} = {at} AND v.{name} = {at})::INTEGER" for at, name in enumerate(names))
    for unit, item in (("user_id", None), (None, None), ("user_id", "item_id"), (None, "item_id"), ("x", "i")):
        found = protected(unit, item, relation="visits", relevance="best_match", similarity=f"({same}) / {len(names)}")
        asked = candidates([0] if item != "i" else [2])
        if item == "i":
            con.execute("UPDATE products SET id = 2")
        relevance = build(host, found, asked, k=1, engine=engine, items=PRODUCTS)
        assert relevance.gains().tolist() == [ONE], (unit, item)


@pytest.mark.parametrize(
    "similarity", ["1 - abs(r.place - v.place) / 400", "1 - abs(r.place - v.place) / (1 + r.place)"]
)
def test_the_engines_agree_where_alike_rows_are_put_side_by_side(con, host, similarity):
    many = 300  # enough items for it
    con.execute(f"CREATE TABLE products AS SELECT range AS id, (range * 7) % {many} AS place FROM range({many})")
    con.execute("CREATE TABLE visits AS SELECT (hash(i) % 700)::INTEGER - 50 AS place FROM range(3000) t(i)")
    con.execute("INSERT INTO visits SELECT NULL FROM range(3)")
    found = protected(None, None, relation="visits", relevance="best_match", similarity=similarity)
    one, other = (build(host, found, candidates(range(many)), k=4, engine=engine, items=PRODUCTS) for engine in ENGINES)
    for pick in (12, 250, 3, 77):
        assert one.gains().tolist() == other.gains().tolist()
        assert one.value() == other.value()
        one.add(pick)
        other.add(pick)
    assert one.value() == other.value() > 0
