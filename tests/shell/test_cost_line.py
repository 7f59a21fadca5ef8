"""The cost line: what this session has just asked, and never the history that a database brings along."""

import re

import duckdb
import pytest

import msd_sql
from msd_sql.shell.budget import Budgets

SHOP = """
CREATE TABLE {0}.products AS SELECT i AS item_id FROM range(50) t(i);
CREATE TABLE {0}.purchases AS SELECT i % 300 AS user_id, (i * i) % 50 AS item_id FROM range(2000) t(i);
"""


def declare(con, place):
    con.execute(SHOP.format(place))
    for sql in (
        f"SELECT msd_protect('{place}.purchases', unit := 'user_id', item := 'item_id', budget := 1)",
        f"SELECT msd_items('{place}.products', key := 'item_id', reach := '{place}.purchases')",
    ):
        con.execute(sql).fetchall()


@pytest.fixture
def history(tmp_path):
    """A file in which something was asked before."""
    path = tmp_path / "old.duckdb"
    with duckdb.connect(str(path)) as con:
        msd_sql.register(con)
        declare(con, "old.main")
        con.execute("SELECT msd_select(item_id, 3, 0.2, 0) FROM products").fetchall()
    return path


def test_what_was_asked_is_told_with_its_noise():
    with duckdb.connect() as con:
        msd_sql.register(con)
        seen = Budgets()
        seen.start(con)
        declare(con, "memory.main")
        assert not seen.news(con)
        con.execute("SELECT msd_select(item_id, 3, 0.2, 0) FROM products").fetchall()
        (line,) = seen.news(con)
        assert line.startswith("purchases: charged ε 0.2, δ ")
        assert re.search(r"; noise 19 users, a lead of 13\d is nearly sure to win · spent ε 0.2 of 1", line)
        assert not seen.news(con)
        con.execute("SELECT msd_reach([1], 0.1)").fetchall()
        assert "noise" not in seen.news(con)[0]


def test_several_answers_are_told_apart_from_what_all_come_to():
    """Added up they may be more than the budget, because together they come to less."""
    with duckdb.connect() as con:
        msd_sql.register(con)
        seen = Budgets()
        declare(con, "memory.main")
        groups = "SELECT item_id % 5, msd_select(item_id, 2, {}, 0, fresh := true) FROM products GROUP BY 1"
        con.execute(groups.format(0.02)).fetchall()
        (line,) = seen.news(con)
        assert re.match(r"purchases: 5 answers of ε 0\.02 \(added up ε 0\.1, δ \S+\); noise ", line)
        assert " · all so far come to ε 0.1 of 1 after 5 answers; " in line
        con.execute("SELECT msd_reach([1], 0.1)").fetchall()
        assert re.match(r"purchases: charged ε 0\.1, δ 0 · spent ε 0\.2 of 1 after 6 answers; ", seen.news(con)[0])
        con.execute("SELECT msd_reach([2], 0.1)").fetchall()
        con.execute("SELECT msd_reach([3], 0.2)").fetchall()
        assert seen.news(con)[0].startswith("purchases: 2 answers (added up ε 0.3, δ 0) · all so far come to ε 0.5 of")


def test_it_says_where_an_answer_is_mostly_noise_once_a_head_is_declared():
    with duckdb.connect() as con:
        msd_sql.register(con)
        seen = Budgets()
        declare(con, "memory.main")
        named = "unit := 'user_id', item := 'item_id', budget := 1, replace := true"
        sql = f"SELECT msd_protect('purchases', {named}, head := {{}})"
        con.execute(sql.format(0.1)).fetchall()
        con.execute("SELECT msd_select(item_id, 3, 0.2, 0) FROM products").fetchall()
        (line,) = seen.news(con)
        assert (
            "is nearly sure to win; mostly noise: no item is expected to have more than 30 users (head 0.1) ·" in line
        )
        assert "300 users, of whom an item has at most 0.1" in seen.lines(con)[0]
        con.execute("SELECT msd_select(item_id, 3, 0.2, 0, users := 5000) FROM products").fetchall()
        assert "mostly noise" not in seen.news(con)[0]
        con.execute(sql.format(0.9)).fetchall()
        con.execute("SELECT msd_select(item_id, 4, 0.2, 0) FROM products").fetchall()
        assert "mostly noise" not in seen.news(con)[0]


def test_the_history_of_an_attached_database_is_no_news(history):
    with duckdb.connect() as con:
        msd_sql.register(con)
        seen = Budgets()
        seen.start(con)
        con.execute(f"ATTACH '{history}' AS old")
        assert not seen.news(con)
        con.execute("SELECT msd_select(item_id, 2, 0.1, 0) FROM old.products").fetchall()
        (line,) = seen.news(con)
        assert line.startswith("purchases: charged ε 0.1,")
        con.execute("DETACH old")
        assert not seen.news(con)
        con.execute(f"ATTACH '{history}' AS old")
        assert not seen.news(con)


def test_two_ledgers_are_told_apart(history):
    with duckdb.connect() as con:
        msd_sql.register(con)
        seen = Budgets()
        seen.start(con)
        declare(con, "memory.main")
        con.execute(f"ATTACH '{history}' AS old")
        seen.news(con)
        con.execute("SELECT msd_select(item_id, 2, 0.1, 0) FROM old.products").fetchall()
        con.execute("SELECT msd_select(item_id, 2, 0.05, 0) FROM memory.main.products").fetchall()
        lines = sorted(seen.news(con))
        assert [line.partition(", δ")[0] for line in lines] == [
            "purchases: charged ε 0.05",
            "purchases: charged ε 0.1",
        ]
        assert "of 1 after 1 answer;" in lines[0]
        assert "of 1 after 2 answers;" in lines[1]
