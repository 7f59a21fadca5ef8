"""A prepared index is reused while nothing has changed, and only then; its memory is bounded."""

from functools import partial

import pytest

from msd_sql.database.duckdb_host import DuckDBHost
from msd_sql.engines.build import Indexes, build
from msd_sql.errors import EngineError
from msd_sql.runtime.release_memory import content_fingerprint

from .conftest import candidates, protected, purchases
from .test_best_match import NEAR, PRODUCTS, fill, places

ROWS = [(1, 0), (2, 0), (2, 1), (3, 2), (4, 2), (4, 3)]


class Watched(DuckDBHost):
    """A host that remembers how often rows were streamed out of the protected relation."""

    def __init__(self, cursor):
        super().__init__(cursor)
        self.loads = 0

    def blocks(self, sql):
        self.loads += 1
        return super().blocks(sql)


@pytest.fixture
def watched(con):
    with con.cursor() as cursor:
        yield Watched(cursor)


@pytest.fixture
def ask(con, watched):
    purchases(con, ROWS)
    session = Indexes()

    def asking(keys, found=None, kind="BIGINT", **more):
        found = found or protected()
        content = partial(content_fingerprint, watched, found)
        return build(
            watched, found, candidates(keys, kind), k=2, engine="memory", indexes=session, content=content, **more
        )

    asking.session = session
    return asking


def test_the_same_candidates_are_read_once(ask, watched):
    assert ask(range(4)).gains().tolist() == ask(range(4)).gains().tolist() == [2, 1, 2, 1]
    assert watched.loads == 1


def test_fewer_candidates_are_served_in_their_own_order(ask, watched):
    ask(range(4))
    relevance = ask([1, 2])
    assert relevance.gains().tolist() == [1, 2]
    assert relevance.n == 2
    assert watched.loads == 1


def test_another_cap_uses_the_same_index(ask, watched):
    ask(range(4))
    assert ask(range(4), cap=2).units == 20
    assert watched.loads == 1


def test_one_question_leaves_no_picks_to_the_next(ask):
    ask(range(4)).add(0)
    assert ask(range(4)).gains().tolist() == [2, 1, 2, 1]


def test_more_candidates_are_read_again_and_replace_the_smaller_index(ask, watched):
    ask([1, 2])
    assert ask(range(4)).gains().tolist() == [2, 1, 2, 1]
    assert watched.loads == 2
    assert len(ask.session) == 1


@pytest.mark.parametrize(
    "change",
    [
        "INSERT INTO purchases VALUES (9, 1)",
        "DELETE FROM purchases WHERE user_id = 2 AND item_id = 1",
        "UPDATE purchases SET item_id = 1 WHERE user_id = 1",
        "UPDATE purchases SET user_id = 1 WHERE user_id = 2 AND item_id = 0",
    ],
)
def test_a_changed_relation_is_read_again_and_the_old_index_let_go(ask, con, watched, change):
    before = ask(range(4)).gains().tolist()
    con.execute(change)
    after = ask(range(4)).gains().tolist()
    assert watched.loads == 2
    assert before != after
    assert len(ask.session) == 1


def test_keys_of_another_type_do_not_meet(ask, watched):
    ask(range(4))
    assert ask(["0", "1"], kind="VARCHAR").gains().tolist() == [2, 1]
    assert watched.loads == 2


def test_another_unit_or_item_column_is_another_index(ask, watched):
    ask(range(4))
    assert ask([1, 2], protected("item_id", "user_id")).gains().tolist() == [1, 2]
    assert watched.loads == 2


def test_without_a_session_nothing_is_kept(con, watched):
    purchases(con, ROWS)
    for _ in range(2):
        build(watched, protected(), candidates(range(4)), k=2, engine="memory")
    assert watched.loads == 2


def test_the_least_recently_used_index_goes_first(ask, con, watched):
    other = protected(relation="others")
    con.execute("CREATE TABLE others AS FROM purchases")
    ask(range(4))
    size = ask.session.held
    assert size > 0
    ask.session.limit = 2 * size
    ask([0], other)  # a second, smaller one
    ask(range(4))  # the first one is the most recently used now
    ask.session.limit = size
    assert ask.session.held <= size
    loads = watched.loads
    ask(range(4))
    assert watched.loads == loads
    ask([0], other)
    assert watched.loads == loads + 1


def test_an_index_beyond_the_bound_is_used_once_and_not_kept(ask, watched):
    ask.session.limit = 10
    assert ask(range(4)).gains().tolist() == [2, 1, 2, 1]
    assert ask.session.held == len(ask.session) == 0


def test_forgetting_frees_everything(ask):
    ask(range(4))
    ask.session.forget()
    assert ask.session.held == 0


def test_similarities_are_reused_until_the_public_rows_change(con, watched):
    places(con)
    fill(con, [(1, 1), (2, 2)])
    found = protected(None, None, relation="visits", relevance="best_match", similarity=NEAR)
    session = Indexes()

    def ask():
        return build(
            watched, found, candidates(range(5)), k=2, engine="memory", indexes=session, items=PRODUCTS,
            content=partial(content_fingerprint, watched, found),
        ).gains().tolist()  # fmt: skip

    first = ask()
    assert ask() == first
    assert watched.loads == 1
    con.execute("UPDATE products SET place = 2 WHERE id = 0")
    assert ask() != first
    assert watched.loads == 2


def test_a_row_that_names_another_item_changes_the_similarities(con, watched):
    con.execute("CREATE TABLE ratings AS SELECT 1 AS user_id, 0 AS item_id, 0.5 AS stars")
    found = protected("user_id", "item_id", relation="ratings", relevance="best_match", similarity="r.stars")
    before = content_fingerprint(watched, found)
    con.execute("UPDATE ratings SET item_id = 1")
    assert content_fingerprint(watched, found) != before


@pytest.mark.parametrize("item_type", ["BIGINT", "VARCHAR"])
@pytest.mark.parametrize(
    ("unit_type", "units", "loads"),
    [
        ("BIGINT", [0, 1, 2, 7], 1),
        ("INTEGER", [0, 1, 2, 2**31 - 1], 1),
        ("BIGINT", [0, 1, 2, -1], 2),
        ("BIGINT", [0, 1, -(2**63), 2**63 - 1], 2),
        ("TINYINT", [0, 1, -1, -128], 2),
        ("UBIGINT", [0, 1, 2**63, 2**64 - 1], 2),
        ("HUGEINT", [0, 1, 2**100, -(2**100)], 2),
        ("VARCHAR", ["0", "1", "x", "-1"], 1),
    ],
)
def test_units_that_have_no_plain_code_are_read_again_and_stay_apart(con, watched, item_type, unit_type, units, loads):
    rows = [(unit, item) for at, unit in enumerate(units) for item in range(at + 1)]
    purchases(con, rows * 2, unit_type=unit_type, item_type=item_type)
    relevance = build(watched, protected(), candidates(range(4), item_type), k=2, engine="memory")
    assert watched.loads == loads
    assert relevance.gains().tolist() == [4, 3, 2, 1]
    relevance.add(2)
    assert relevance.gains().tolist() == [2, 1, 0, 0]


def test_a_relation_that_fails_to_be_read_fails_both_ways_and_says_nothing(con, watched):
    con.execute("CREATE TABLE raw AS SELECT 1 AS user_id, 'secret' AS item")
    con.execute("CREATE VIEW failing AS SELECT user_id, item::INTEGER AS item_id FROM raw")
    with pytest.raises(EngineError, match="ConversionException") as failure:
        build(watched, protected(relation="failing"), candidates(range(4)), k=2, engine="memory")
    assert watched.loads == 2
    assert "secret" not in str(failure.value)
    assert failure.value.__context__ is None or "secret" not in str(failure.value.__context__)
