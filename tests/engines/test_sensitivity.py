"""One unit moves a score by one count at most, whatever is equal to what in the database."""

import numpy as np
import pytest

from msd_sql.catalog.declarations import Items
from msd_sql.database.duckdb_host import DuckDBHost
from msd_sql.database.sql_text import Name
from msd_sql.engines.build import build
from msd_sql.engines.candidates import Candidates, candidates
from msd_sql.udfs.types import ONE

from .conftest import protected, purchases

PRODUCTS = Items("memory.main.products", "id", (), None, (), (), None, relation=Name("memory", "main", "products"))
EQUAL = [
    ("DOUBLE", ["-0.0", "0.0"]),
    ("FLOAT", ["-0.0", "0.0"]),
    ("DOUBLE", ["-nan", "nan"]),
    ("INTERVAL", ["1 month", "30 days", "720:00:00"]),
    ("DOUBLE[]", ["[-0.0]", "[0.0]"]),
    ("INTERVAL[]", ["[1 month]", "[30 days]"]),
    ("STRUCT(a DOUBLE)", ["{'a': -0.0}", "{'a': 0.0}"]),
    ("DECIMAL(9,2)", ["1", " 1.00"]),  # as a client of a curator can spell them
    ("DATE", ["2026-01-01", " 2026-01-01"]),
    ("BOOLEAN", ["true", "t"]),
    ("UHUGEINT", ["7", "07"]),
]


@pytest.mark.parametrize(("kind", "keys"), EQUAL)
@pytest.mark.parametrize("unit", [None, "user_id"])
def test_a_row_has_one_candidate_at_most(engine, con, host, kind, keys, unit):
    purchases(con, [(1, keys[0]), (2, keys[1]), (2, keys[0])], item_type=kind)
    relevance = build(host, protected(unit), Candidates(keys, kind), k=2, engine=engine)
    assert relevance.gains().sum() == (2 if unit else 3)
    relevance.add(int(np.argmax(relevance.gains())))
    assert relevance.value() == (2 if unit else 3)


@pytest.mark.parametrize(("kind", "keys"), EQUAL)
@pytest.mark.parametrize("unit", [None, "user_id"])
def test_a_row_matches_one_candidate_at_most(engine, con, host, kind, keys, unit):
    purchases(con, [(1, keys[0]), (2, keys[1]), (2, keys[0])], item_type=kind)
    found = protected(unit, relevance="best_match", similarity="1")
    relevance = build(host, found, Candidates(keys, kind), k=2, engine=engine)
    assert relevance.gains().sum() == (2 if unit else 3) * ONE


def test_texts_are_compared_with_texts_that_become_equal_numbers(engine, con, host):
    purchases(con, [(1, 0.0), (2, 0.0)], item_type="DOUBLE")
    relevance = build(host, protected(None), Candidates(["-0.0", "0", "0.0"], "VARCHAR"), k=2, engine=engine)
    assert relevance.gains().sum() == 2


@pytest.mark.parametrize(
    ("kind", "one", "other", "similarity"),
    [
        ("DOUBLE", "0.0", "-0.0", "(r.place::VARCHAR = '-0.0')::INTEGER"),
        ("FLOAT", "0.0", "-0.0", "1 / r.place < 0"),
        ("INTERVAL", "30 days", "1 month", "extract(month FROM r.place)"),
        ("DOUBLE[]", "[0.0]", "[-0.0]", "1 / r.place[1] < 0"),
    ],
)
def test_a_row_that_only_equals_others_does_not_stand_for_them(engine, con, host, kind, one, other, similarity):
    """Whichever of the rows comes first: it is compared for itself, and not for all."""
    con.execute("CREATE TABLE products AS SELECT 0 AS id")
    found = protected(None, None, relation="visits", relevance="best_match", similarity=similarity)
    for first, *rest in ([one] * 50, [other] + [one] * 49, [one] * 49 + [other]):
        con.execute(f"CREATE OR REPLACE TABLE visits AS SELECT unnest({[first, *rest]}::VARCHAR[])::{kind} AS place")
        relevance = build(host, found, Candidates(["0"], "BIGINT"), k=1, engine=engine, items=PRODUCTS)
        assert relevance.gains()[0] <= ONE


def test_duplicate_candidates_are_found_wherever_they_stand():
    found = candidates(["apple", "Apple", "apple", "Apple"], [1, 2, 3, 4], "VARCHAR")  # as an order without case would
    assert (found.keys, found.rows.tolist()) == (["apple", "Apple"], [0, 1])


HIDING = ["least(a, b) AS a", "greatest(a, b) AS b", "count(a) AS 7", "count_star() AS 7", "sum(a) AS 7", "max(a) AS 7",
          "min(a) AS 0", "hash(a) AS 5", "round(a) AS 3", "row_number() AS 1", "coalesce(a, b) AS 9", "abs(a) AS 0",
          '"*"(a, b) AS 0', '"+"(a, b) AS 0', '"-"(a) AS 0, (a, b) AS 0', '">>"(a, b) AS 0']  # fmt: skip


def test_a_users_macro_hides_nothing_from_our_connections(engine, con):
    purchases(con, [(str(unit), unit % 7) for unit in range(60)], unit_type="VARCHAR")
    con.execute("CREATE TABLE products AS SELECT range AS id, range AS place FROM range(7)")
    match = protected(relevance="best_match", item=None, similarity="1 - abs(r.item_id - v.place) / 4")
    asked = Candidates([str(key) for key in range(7)], "BIGINT")

    def play(found):
        with con.cursor() as cursor:
            host = DuckDBHost(cursor, own=True)
            relevance = build(host, found, asked, k=3, engine=engine, items=PRODUCTS)
            relevance.add(3)
            relevance.add(4)
            relevance.swap(0, 2)
            return relevance.gains().tolist(), relevance.swap_gains(np.arange(4, 7)).tolist(), relevance.value()

    before = [play(protected()), play(match)]
    for macro in HIDING:
        con.execute(f"CREATE MACRO {macro}")
    assert con.execute("SELECT least(3, 1), 1 + 1").fetchall() == [(3, 0)]
    assert [play(protected()), play(match)] == before
