"""What becomes protected while a statement runs is protected for its answer: the guard looks after the scan."""

from __future__ import annotations

import threading

import duckdb
import pytest

import msd_sql
from tests.support.shop import kinds, one

CALL = "msd_select(item_id, 3, 0.1, 0, reach := 'purchases')"
PROTECT = "msd_protect('visits', unit := 'user_id', item := 'item_id', budget := 1)"
TOP = "GROUP BY 1 ORDER BY count(*) DESC LIMIT 20"


@pytest.fixture
def visited(shop):
    shop.execute("CREATE TABLE visits AS SELECT i % 300 AS user_id, i % 40 AS item_id FROM range(3000) t(i)")
    return shop


def test_a_relation_that_is_protected_during_the_scan(visited):
    begun, go_on = threading.Event(), threading.Event()

    def slow(item: int) -> int:
        begun.set()
        go_on.wait()
        return item

    visited.create_function("slow", slow, ["BIGINT"], "BIGINT", side_effects=True)
    owner = msd_sql.register(visited.cursor())
    told: list[str] = []

    def ask() -> None:
        rows = f"SELECT slow(item_id) AS item_id FROM visits {TOP}"
        try:
            told.append(str(visited.execute(f"SELECT {CALL} FROM ({rows})").fetchall()))
        except duckdb.Error as error:
            told.append(str(error))

    asking = threading.Thread(target=ask)
    asking.start()
    begun.wait()
    one(owner, f"SELECT {PROTECT}")
    go_on.set()
    asking.join()
    assert "LeakError" in told[0]
    assert kinds(owner) == ["protect", "items", "protect"]


def test_a_relation_that_is_protected_by_the_statement_itself(visited):
    with pytest.raises(duckdb.Error, match="LeakError"):
        visited.execute(
            f"WITH a AS MATERIALIZED (SELECT {PROTECT} AS x) "
            f"SELECT {CALL} FROM (SELECT item_id FROM visits, a WHERE length(x) > 3 {TOP})"
        ).fetchall()
    assert kinds(visited) == ["protect", "items", "protect"]
