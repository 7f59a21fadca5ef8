"""Released answers are kept in the file: another process that asks the same of the same rows gets the same, free."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pytest

import msd_sql
from msd_sql.catalog.records.answers import find_answers
from msd_sql.database.duckdb_host import DuckDBHost
from tests.support.processes import answers_elsewhere as elsewhere
from tests.support.shop import declare, kinds, one, spent

ASK = "SELECT msd_select(item_id, 6, 0.1, 0.5) FROM products"
GROUPS = "SELECT category, msd_select(item_id, 4, 0.05, 0.5) FROM products GROUP BY category ORDER BY category"
REACH = "SELECT msd_reach([1, 2, 3], 0.05)"


@pytest.fixture
def declared(file):
    with duckdb.connect(file) as con:
        msd_sql.register(con)
        declare(con)
    return file


def test_a_second_process_gets_the_same_answers_for_nothing(declared):
    asked = (ASK, GROUPS, REACH)
    first = elsewhere(declared, *asked)
    assert elsewhere(declared, *asked) == first
    with duckdb.connect(declared) as con:
        msd_sql.register(con)
        assert str([con.execute(sql).fetchall() for sql in asked]) == first
        assert kinds(con)[2:] == ["select", "select", "reach"] + ["replay"] * 6
        assert spent(con) == 0.3
        again = "SELECT repeated, parameters->>'of' FROM msd_ledger() WHERE kind = 'replay' ORDER BY time LIMIT 2"
        ids = con.execute("SELECT id FROM msd_ledger() WHERE kind = 'select' ORDER BY time").fetchall()
        assert con.execute(again).fetchall() == [(1, ids[0][0]), (3, ids[1][0])]
        selection = msd_sql.select(con.table("products"), k=6, eps=0.1, diversity=0.5)
        assert str(list(selection.items)) in first
        assert selection.receipt.bound == "covering"
        assert selection.entry == ids[0][0]


def test_questions_about_parts_of_the_people_do_not_drop_each_other(declared):
    with duckdb.connect(declared) as con:
        con.execute("ALTER TABLE purchases ADD COLUMN country VARCHAR DEFAULT 'SE'")
    swedes = "SELECT msd_select(item_id, 6, 0.1, 0.5, among := 'country = ''SE''') FROM products"
    asked = (ASK, swedes, REACH)
    first = elsewhere(declared, *asked)
    assert elsewhere(declared, *asked) == first
    with duckdb.connect(declared) as con:
        msd_sql.register(con)
        assert kinds(con)[2:] == ["select", "select", "reach"] + ["replay"] * 3
        con.execute("DELETE FROM purchases WHERE user_id = 7")
        con.execute(ASK).fetchall()
        assert one(con, "SELECT count(*) FROM msd.kept_answers") == 1  # nothing tells of rows that are gone


@pytest.mark.parametrize(
    ("asked", "again"),
    [
        ("", "distance := 'jaccard'"),
        ("features := price", "features := price, distance := 'L1'"),
        ("features := name", "features := name, distance := 'hamming'"),
        ("", "gamma := 0.2"),  # greedy has none
        ("quota := category", "quota := category, quota_cap := {cap}"),
    ],
)
def test_the_same_question_in_other_words_is_told_again(declared, asked, again):
    with duckdb.connect(declared) as con:
        msd_sql.register(con)
        cap = -(-6 // one(con, "SELECT count(DISTINCT category) FROM products"))
        first, second = (", ".join(["item_id, 6, 0.1, 0.5", *filter(None, [more])]) for more in (asked, again))
        chosen = one(con, f"SELECT msd_select({first}) FROM products")
        assert one(con, f"SELECT msd_select({second.format(cap=cap)}) FROM products") == chosen
        assert kinds(con)[2:] == ["select", "replay"]


@pytest.mark.parametrize(
    ("asked", "other"),
    [
        ("method := 'nosg', gamma := 0.3", "method := 'nosg', gamma := 0.1"),
        ("quota := category, quota_cap := 2", "quota := category, quota_cap := 3"),
        ("quota := category, quota_min := 1", "quota := category, quota_min := 2"),
        ("features := price", "features := price, scale := 9"),
        ("features := price", "features := price, distance := 'l2'"),
    ],
)
def test_another_question_is_asked(declared, asked, other):
    with duckdb.connect(declared) as con:
        msd_sql.register(con)
        for said in (asked, other):
            one(con, f"SELECT msd_select(item_id, 6, 0.01, 0.5, {said}) FROM products")
        assert kinds(con)[2:] == ["select", "select"]


def test_fresh_asks_again_and_is_told_from_then_on(declared):
    elsewhere(declared, ASK)
    fresh = elsewhere(declared, ASK.replace("0.5)", "0.5, fresh := true)"))
    assert elsewhere(declared, ASK) == fresh
    with duckdb.connect(declared) as con:
        msd_sql.register(con)
        assert spent(con) == 0.2


@pytest.mark.parametrize(
    "change",
    [
        "INSERT INTO purchases VALUES (1, 59)",
        "DELETE FROM purchases WHERE user_id = 7",
        "UPDATE purchases SET item_id = 3 WHERE user_id = 7",
        "CREATE OR REPLACE TABLE purchases AS SELECT user_id, (item_id + 1) % 60 AS item_id FROM purchases",
        "UPDATE products SET categories = ['z'] WHERE item_id = 3",
        "DELETE FROM products WHERE item_id = 3",
    ],
)
def test_a_change_is_noticed(declared, change):
    elsewhere(declared, ASK)
    with duckdb.connect(declared) as con:
        con.execute(change)
    elsewhere(declared, ASK)
    with duckdb.connect(declared) as con:
        msd_sql.register(con)
        assert kinds(con)[2:] == ["select", "select"]


def test_the_same_rows_in_another_order_are_the_same(declared):
    first = elsewhere(declared, ASK)
    with duckdb.connect(declared) as con:
        con.execute("CREATE OR REPLACE TABLE purchases AS SELECT * FROM purchases ORDER BY hash(user_id, item_id)")
    assert elsewhere(declared, ASK) == first


def test_another_declaration_is_another_question(declared):
    elsewhere(declared, ASK)
    protect = "SELECT msd_protect('purchases', unit := 'user_id', item := 'item_id', budget := 1, delta := 1e-9, {})"
    elsewhere(declared, protect.format("users := 1000, replace := true"), ASK)
    with duckdb.connect(declared) as con:
        msd_sql.register(con)
        assert spent(con) == 0.2


def test_answers_about_rows_that_are_gone_are_forgotten(declared):
    elsewhere(declared, ASK, GROUPS)
    with duckdb.connect(declared) as con:
        assert one(con, "SELECT count(*) FROM msd.kept_answers") == 4
        con.execute("INSERT INTO purchases VALUES (1, 59)")
    elsewhere(declared, ASK)
    with duckdb.connect(declared) as con:
        assert one(con, "SELECT count(*) FROM msd.kept_answers") == 1


def test_only_what_was_released_is_kept(declared):
    """The columns that are kept: hashes, ids, and the picks as places among the public candidates."""
    elsewhere(declared, ASK)
    with duckdb.connect(declared) as con:
        msd_sql.register(con)
        question, content, relation, release, picks, diversity = con.execute("FROM msd.kept_answers").fetchall()[0]
        items = one(con, ASK)
        assert json.loads(picks) == [sorted(range(60)).index(item) for item in items]
        assert relation == "main.purchases"
        assert str(release) == one(con, "SELECT id FROM msd_releases()")
        assert 0 <= diversity <= 1
        assert (len(question), len(content)) == (32, 16 + 64)
        for text in (question, content):
            assert set(text) <= set("0123456789abcdef")
        assert str(one(con, "SELECT count(*) FROM purchases")) != content


def test_an_answer_that_was_kept_under_its_whole_hash_is_told_again(declared):
    """As an older version kept it; whether one question is asked for or more than a statement names."""
    elsewhere(declared, ASK)
    with duckdb.connect(declared) as con:
        (question,), (relation,) = con.execute(
            "SELECT question FROM msd.kept_answers UNION ALL SELECT relation FROM msd.kept_answers"
        ).fetchall()
        rest = "e" * 32
        con.execute("UPDATE msd.kept_answers SET question = question || $1", [rest])
        host = DuckDBHost(con.cursor(), own=True)
        for more in ([], [f"{place:064x}" for place in range(100)]):
            found = find_answers(host, "shop", relation, [question + rest, *more])
            assert list(found) == [question + rest]
        con.execute(
            "INSERT INTO msd.kept_answers BY NAME "
            "SELECT * REPLACE (left(question, 32) AS question, 0.25 AS diversity) FROM msd.kept_answers"
        )
        assert find_answers(host, "shop", relation, [question + rest])[question + rest].diversity == 0.25


def test_rows_that_lie_elsewhere_leave_no_trace_in_a_ledger(file, tmp_path):
    """A ledger in another file may be shown to others: not even a hash of the rows is kept there."""
    ledger = str(tmp_path / "ledger.duckdb")
    with duckdb.connect(file, read_only=True) as con:
        msd_sql.register(con, ledger=ledger)
        declare(con)
        first = one(con, ASK)
        assert one(con, ASK) == first  # this process remembers
        assert spent(con) == 0.1
    with duckdb.connect(ledger, read_only=True) as con:
        assert one(con, "SELECT count(*) FROM msd.kept_answers") == 0


def test_a_view_over_a_file_leaves_no_trace_either(tmp_path, file):
    with duckdb.connect(file) as con:
        con.execute(f"COPY purchases TO '{tmp_path}/purchases.parquet'")
        con.execute("DROP TABLE purchases")
        con.execute(f"CREATE VIEW purchases AS FROM '{tmp_path}/purchases.parquet'")
        msd_sql.register(con)
        declare(con)
        one(con, ASK)
        assert one(con, "SELECT count(*) FROM msd.kept_answers") == 0


def test_an_exact_answer_is_kept_too(declared):
    exact = "SELECT msd_select(item_id, 3, NULL, 0.5, exact := true) FROM products"
    assert elsewhere(declared, exact) == elsewhere(declared, exact)
    with duckdb.connect(declared) as con:
        msd_sql.register(con)
        assert kinds(con)[2:] == ["exact", "replay"]
        assert con.execute("SELECT eps, charged_eps FROM msd_ledger() WHERE exact").fetchall() == [(float("inf"), 0)]


def test_what_an_answer_writes_does_not_grow_with_those_before(declared):
    """DuckDB writes a list that is added into the log together with those of the 2,047 rows before it."""
    log = Path(f"{declared}.wal")
    grown = []
    with duckdb.connect(declared) as con:
        con.execute("SET checkpoint_threshold = '1GB'")
        msd_sql.register(con)
        for first in (0, 1000):
            con.execute(
                "INSERT INTO msd.kept_answers "
                f"SELECT i::VARCHAR, 'x', 'y', uuid(), '[1, 2, 3, 4]', 0.5 FROM range({first}, {first} + 1000) t(i)"
            )
            before = log.stat().st_size
            one(con, "SELECT msd_select(item_id, 6, 0.01, 0.5, fresh := true) FROM products")
            grown.append(log.stat().st_size - before)
    assert max(grown) < 8000
    assert grown[1] < 1.5 * grown[0]


def test_what_is_kept_is_found_by_an_index_however_much_there_is(declared):
    said = []

    class Listening(DuckDBHost):
        def rows(self, sql):
            said.append(sql)
            return super().rows(sql)

    with duckdb.connect(declared) as con:
        msd_sql.register(con)
        con.execute(ASK).fetchall()
        [(question, relation)] = con.execute("SELECT question, relation FROM msd.kept_answers").fetchall()
        con.execute(
            "INSERT INTO msd.kept_answers BY NAME SELECT * EXCLUDE (i) REPLACE (question || i AS question) "
            "FROM msd.kept_answers, range(30_000) t(i)"
        )
        con.execute(
            "INSERT INTO msd.releases BY NAME SELECT * EXCLUDE (i) REPLACE (uuid() AS id) "
            "FROM msd.releases, range(30_000) t(i)"
        )
        con.execute("CHECKPOINT")
        found = find_answers(Listening(con.cursor()), "shop", relation, [question, "another"])
        assert list(found) == [question]
        assert find_answers(DuckDBHost(con.cursor()), "shop", "main.other", [question]) == {}
        plans = [con.execute(f"EXPLAIN ANALYZE {sql}").fetchall()[0][1] for sql in said]
        assert ["Index Scan" in plan for plan in plans] == [True, True], said
