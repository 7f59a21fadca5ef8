"""The groups of a statement side by side, in every engine: the marginals of each are those that it has alone."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from msd_sql.engines import build as engines
from msd_sql.engines.build import build, build_groups
from msd_sql.engines.candidates import whole_candidates, whole_groups
from msd_sql.errors import InputError
from msd_sql.udfs import SeededSource, plan
from msd_sql.udfs.relevance.coverage_of_groups import CoverageOfGroups
from msd_sql.udfs.selection_of_groups import select_groups

from .conftest import ENGINES, Recount, candidates, protected, purchases

GROUPS = [[0, 1, 2, 7], [3, 4, 8], [2, 5, 6, 99]]  # item 2 is in two of them, and nobody has item 99


def rows(seed, users=9, items=9, size=60):
    rng = np.random.default_rng(seed)
    found = [(int(user), int(item)) for user, item in rng.integers((0, 0), (users, items), (size, 2))]
    return [*found, (None, 2), (3, None)]


@settings(deadline=None)
@given(st.lists(st.lists(st.integers(-5, 5), max_size=9), max_size=6))
def test_the_keys_of_many_groups_are_sorted_and_told_once_as_those_of_each(groups):
    given_groups = [(np.array(keys, dtype=np.int64), "BIGINT") for keys in groups]
    for group, found in zip(given_groups, whole_groups(given_groups), strict=True):
        alone = whole_candidates(*group)
        assert (found, found.rows.tolist()) == (alone, alone.rows.tolist())


def test_a_null_among_the_keys_of_many_groups_is_told_of_its_own_group():
    groups = [(np.array([3, 4]), "BIGINT"), (np.array([1.0, np.nan, 2.0]), "BIGINT")]
    with pytest.raises(InputError, match="1 of 3 keys are NULL"):
        whole_groups(groups)


@pytest.mark.parametrize("cap", [1, 2])
@pytest.mark.parametrize("seed", range(3))
def test_marginals_of_all_groups_are_those_of_each(engine, con, host, seed, cap):
    bought = rows(seed)
    purchases(con, bought)
    together = build_groups(host, protected(cap=cap), [candidates(keys) for keys in GROUPS], engine=engine)
    assert together is not None
    models = [Recount(bought, keys, cap) for keys in GROUPS]
    starts = np.array([0, 4, 7])
    for picks in ([1, 0, 0], [3, 1, 2]):
        assert _outside(together.gains(), starts, models) == [model.gains() for model in models]
        together.add_each(starts + picks)
        for model, pick in zip(models, picks, strict=True):
            model.picks.append(pick)
    assert _outside(together.gains(), starts, models) == [model.gains() for model in models]


def _outside(gains, starts, models):
    """The marginals of what is not picked yet, by group."""
    return [{v: gains[start + v] for v in model.gains()} for start, model in zip(starts, models, strict=True)]


@pytest.mark.parametrize(
    ("unit_type", "item_type"), [("VARCHAR", "VARCHAR"), ("DOUBLE", "DOUBLE"), ("BIGINT", "VARCHAR")]
)
def test_engines_choose_alike_for_the_same_noise(con, host, unit_type, item_type):
    purchases(con, rows(5), unit_type, item_type)
    groups = [candidates(keys) for keys in GROUPS]
    plans = [plan(n=len(keys), k=2, eps=1.0, diversity=0.0, m=10) for keys in GROUPS]
    found = []
    for engine in ENGINES:
        relevance = build_groups(host, protected(), groups, engine=engine)
        found.append([one.picks for one in select_groups(plans, relevance, [None] * 3, SeededSource(3))])
    assert found[0] == found[1]


def test_of_equal_candidates_the_first_of_each_group_stands_for_all(con, host):
    """0.0 and -0.0 are two texts and one DOUBLE: a row must not count for both, nor for another group's alone."""
    purchases(con, [(1, 0.0), (2, 0.0), (2, 5.0)], item_type="DOUBLE")
    groups = [candidates(["0.0", "5.0"], "VARCHAR"), candidates(["-0.0", "0.0"], "VARCHAR")]
    together = build_groups(host, protected(), groups, engine="sql")
    alone = [build(host, protected(), group, k=1, engine="sql").gains().tolist() for group in groups]
    assert together.gains().tolist() == alone[0] + alone[1]


def test_rows_that_are_units_are_counted_once_for_all_groups(engine, con, host):
    purchases(con, rows(1))
    together = build_groups(host, protected(unit=None), [candidates(keys) for keys in GROUPS], engine=engine)
    assert isinstance(together, CoverageOfGroups)
    alone = [build(host, protected(unit=None), candidates(keys), k=1, engine=engine).gains() for keys in GROUPS]
    assert together.gains().tolist() == np.concatenate(alone).tolist()


def test_groups_that_share_most_items_stay_apart_in_the_database(con, host):
    purchases(con, rows(1))
    same = [candidates(range(8))] * (engines._SHARED + 1)
    assert build_groups(host, protected(), same, engine="sql") is None
    assert build_groups(host, protected(), same[:-1], engine="sql") is not None


def test_a_question_of_many_groups_is_three_statements_a_round(con, host):
    purchases(con, rows(2, items=80, size=600))
    groups = [candidates(range(start, start + 4)) for start in range(0, 80, 4)]
    relevance = build_groups(host, protected(), groups, engine="sql")
    ran = []
    for name in ("rows", "columns", "run"):
        real = getattr(host, name)
        setattr(host, name, lambda sql, real=real: (ran.append(sql), real(sql))[1])
    plans = [plan(n=4, k=3, eps=1.0, diversity=0.0, m=10) for _ in groups]
    select_groups(plans, relevance, [None] * len(groups), SeededSource(1))
    statements = [sql for sql in ran if not sql.startswith("DROP")]
    assert len(statements) == 2 * 3  # two rounds after the first: chosen, full, losses
