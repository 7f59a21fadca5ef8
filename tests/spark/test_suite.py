"""The engines' shared suite, over Spark: the tests of tests/engines with their tables held by a real session."""

import numpy as np
import pytest

from msd_sql.engines.candidates import Candidates
from tests.engines import test_best_match as best_match
from tests.engines import test_coverage as coverage
from tests.engines.conftest import Recount, candidates, protected, purchases
from tests.engines.test_best_match import (  # noqa: F401 - collected here
    test_a_row_that_the_similarity_fails_on_counts_nothing,
    test_a_similarity_of_item_columns_needs_declared_items,
    test_a_weight_column_of_rows_that_name_their_item,
    test_an_item_on_several_public_rows_counts_once,
    test_equal_private_rows_collapse_and_keep_their_weight,
    test_private_columns_may_have_any_name,
    test_similarities_are_rounded_and_kept_in_range,
    test_weights_may_depend_on_the_item_row_too,
)
from tests.engines.test_coverage import (  # noqa: F401 - collected here
    test_an_empty_relation,
    test_candidates_join_in_the_relations_own_type,
    test_integer_units_at_the_ends_of_their_range_stay_apart,
    test_items_that_nobody_has_gain_nothing,
    test_names_are_quoted,
    test_rows_without_a_unit_or_an_item_are_ignored,
    test_smallest_integers_of_every_width,
    test_the_same_noise_gives_the_same_picks,
    test_units_of_any_type,
    test_without_a_unit_column_every_row_is_a_unit,
)

pytestmark = pytest.mark.xdist_group("spark")  # one process of several has Spark


@pytest.fixture
def engine():
    return "spark"


@pytest.fixture(autouse=True)
def on_spark(monkeypatch, build):
    monkeypatch.setattr(coverage, "build", build)
    monkeypatch.setattr(coverage, "ENGINES", ["memory", "sql", "spark"])
    monkeypatch.setattr(best_match, "build", build)


@pytest.mark.parametrize(("seed", "cap"), [(1, 1), (2, 2), (3, 3)])
def test_marginals_and_swaps_equal_a_recount(con, host, build, seed, cap):
    rng = np.random.default_rng(seed)
    rows = [(int(unit) if unit >= 0 else None, int(item)) for unit, item in rng.integers((-1, 0), (8, 7), (40, 2))]
    purchases(con, rows)
    relevance = build(host, protected(), candidates(range(coverage.ITEMS)), k=6, cap=cap, engine="spark")
    model = Recount(rows, range(coverage.ITEMS), cap)
    moves = [(bool(swap), int(where), int(which)) for swap, where, which in rng.integers(0, (2, 9, 9), (4, 3))]
    coverage.play(relevance, model, moves)
    relevance.clear()
    model.picks.clear()
    coverage.play(relevance, model, moves[:1])
    relevance.close()


@pytest.mark.parametrize(("seed", "unit"), [(4, None), (5, "user_id")])
def test_best_matches_and_swaps_equal_a_recount(con, host, build, seed, unit):
    rng = np.random.default_rng(seed)
    rows = [(int(user), int(place)) for user, place in rng.integers((0, -1), (6, 7), (25, 2))]
    rows += [(None, 2), (3, None)]
    best_match.places(con)
    best_match.fill(con, rows)
    found = protected(unit, None, relation="visits", relevance="best_match", similarity=best_match.NEAR)
    relevance = build(host, found, candidates(range(best_match.N)), k=5, engine="spark", items=best_match.PRODUCTS)
    model = best_match.Recount(best_match.by_definition(rows, unit))
    moves = [(bool(swap), int(where), int(which)) for swap, where, which in rng.integers(0, (2, 9, 9), (3, 3))]
    best_match.play(relevance, model, moves)
    relevance.close()


@pytest.mark.parametrize("unit", [None, "user_id"])
@pytest.mark.parametrize("more", [{}, {"relevance": "best_match", "similarity": "1"}])
@pytest.mark.parametrize(("keys", "kind"), [(["-0.0", "0.0"], "DOUBLE"), (["-0.0", "0", "0.0"], "VARCHAR")])
def test_a_row_has_one_candidate_at_most(con, host, build, unit, more, keys, kind):
    purchases(con, [(1, "-0.0"), (2, "0.0"), (2, "-0.0")], item_type="DOUBLE")
    relevance = build(host, protected(unit, **more), Candidates(keys, kind), k=2, engine="spark")
    one = 1 << relevance.bits
    assert relevance.gains().sum() == (2 if unit else 3) * one
    relevance.add(int(np.argmax(relevance.gains())))
    assert relevance.value() == (2 if unit else 3) * one


def test_a_row_that_only_equals_others_does_not_stand_for_them(con, host, build):
    con.execute("CREATE TABLE products AS SELECT 0 AS id")
    found = protected(
        None, None, relation="visits", relevance="best_match", similarity="(r.place::VARCHAR = '-0.0')::INTEGER"
    )
    for rows in (["-0.0"] + ["0.0"] * 9, ["0.0"] * 9 + ["-0.0"]):
        con.execute(f"CREATE OR REPLACE TABLE visits AS SELECT unnest({rows}::VARCHAR[])::DOUBLE AS place")
        relevance = build(host, found, candidates([0]), k=1, engine="spark", items=best_match.PRODUCTS)
        assert relevance.gains()[0] <= 1 << relevance.bits
