"""Replay: one question is paid once, however many threads ask it, until the private rows change."""

from __future__ import annotations

import threading
from dataclasses import replace

import duckdb
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from msd_sql.catalog.catalog import Catalog
from msd_sql.catalog.homes import identity
from msd_sql.database.duckdb_host import DuckDBHost
from msd_sql.errors import EngineError
from msd_sql.runtime.release_memory import Fingerprints, Memory, Release, content_fingerprint, encoded, fingerprint
from msd_sql.udfs.receipt import Receipt

ANSWER = Release((12, 40, 7), Receipt(method="greedy", n=60, k=3, diversity=0.5, m=400), "line", "answer")


@pytest.fixture
def con():
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE purchases AS SELECT i % 100 AS user_id, i % 7 AS item_id FROM range(1000) t(i)"
        )
        yield connection


@pytest.fixture
def host(con):
    return DuckDBHost(con.cursor())


@pytest.fixture
def purchases(host):
    return Catalog(host).protect("purchases", unit="user_id", item="item_id", budget=1)


def rows():
    return "rows"


def test_a_question_is_answered_once():
    memory = Memory()
    assert memory.told("shop", "q", rows) is None
    memory.keep("shop", "q", "rows", ANSWER)
    assert memory.told("shop", "q", rows) == ANSWER
    assert memory.told("other", "q", rows) is None
    assert memory.told("shop", "q", lambda: "other rows") is None


def test_nobody_waits_for_the_rows_where_nothing_is_kept():
    def fail():
        raise ZeroDivisionError

    assert Memory().told("shop", "q", fail) is None


def test_what_is_kept_last_is_told():
    memory = Memory()
    other = replace(ANSWER, picks=(1,), answer="second")
    memory.keep("shop", "q", "rows", ANSWER)
    memory.keep("shop", "q", "rows", other)
    assert memory.told("shop", "q", rows) == other


def test_a_failure_lets_others_ask():
    memory = Memory()

    def fail():
        with memory.asking("shop", ["q", "r"]):
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    with memory.asking("shop", ["q"]):
        assert memory.told("shop", "q", rows) is None
    assert memory._asking == {}
    assert len(memory) == 0


def test_threads_that_ask_the_same_pay_once():
    """Each asks two of three questions, in either order: nobody waits for ever, and each question is paid once."""
    memory = Memory()
    paid, told = [], []
    start = threading.Barrier(12)

    def ask(questions):
        start.wait()
        with memory.asking("shop", questions):
            for question in questions:
                known = memory.told("shop", question, rows)
                if known is None:
                    paid.append(question)
                    memory.keep("shop", question, "rows", replace(ANSWER, line=question))
                else:
                    told.append(known.line)

    pairs = [("q0", "q1"), ("q1", "q0"), ("q2", "q1"), ("q0", "q2")]
    threads = [threading.Thread(target=ask, args=(pairs[i % 4],)) for i in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(paid) == ["q0", "q1", "q2"]
    assert len(told) == 21
    assert memory._asking == {}


def test_another_question_does_not_wait():
    memory = Memory()
    with memory.asking("shop", ["slow"]), memory.asking("shop", ["quick"]):
        assert memory.told("shop", "quick", rows) is None


def test_the_least_recently_told_is_forgotten_first():
    memory = Memory(capacity=2)
    for question in ("a", "b", "a", "c"):
        memory.keep("shop", question, "rows", ANSWER)
    told = {question: memory.told("shop", question, rows) is not None for question in ("a", "b", "c")}
    assert told == {"a": True, "b": False, "c": True}


def test_one_database_can_be_forgotten():
    memory = Memory()
    for database in ("shop", "other"):
        memory.keep(database, "q", "rows", ANSWER)
    memory.forget("shop")
    assert len(memory) == 1
    memory.forget()
    assert len(memory) == 0


KEYS, SETS = np.array([3, 5, 8]), [None, None, (1.0, 2.0), "sets", np.array([0, 1, 2, 4]), np.array([0, 1, 0, 2])]
COMMON = {
    "relation": "main.purchases",
    "declared": "2026-11-18 10:00:00+00:00",
    "audience": "None",
    "type": "BIGINT",
    "plan": {"method": "greedy", "n": 3, "k": 2, "eps": 0.1, "matroid": "uniform"},
}


def test_a_fingerprint_finds_the_answers_that_older_versions_kept():
    kept = "98d0e9a6f8e16e4b41325b586cdd2b3136172e3a1f625a28d0031cc00d98a87e"
    assert fingerprint(**COMMON, keys=KEYS, public=[*SETS, "pinned", 2]) == kept
    assert fingerprint(**COMMON, keys=KEYS, public=[*encoded(SETS), "pinned", 2]) == kept
    assert Fingerprints(["keys", "public"], **COMMON).of(KEYS, [*encoded(SETS), "pinned", 2]) == kept


@given(st.lists(st.text(), min_size=1), st.lists(st.one_of(st.none(), st.integers(), st.text(), st.floats())))
def test_the_fingerprints_of_many_questions_are_those_of_each(keys, facts):
    told = Fingerprints(["public", "keys"], **COMMON)
    for public in (facts, [*encoded(facts), "pinned"], [*facts, "pinned"]):
        assert told.of(public, keys) == fingerprint(**COMMON, keys=keys, public=public)
    assert fingerprint(x=[*encoded(facts), "pinned", 1]) == fingerprint(x=[*facts, "pinned", 1])


def test_a_fingerprint_tells_types_and_shapes_apart():
    questions = [
        fingerprint(k=6),
        fingerprint(k="6"),
        fingerprint(k=6.0),
        fingerprint(k=None),
        fingerprint(k=[6]),
        fingerprint(k=["6", "1"]),
        fingerprint(k=["61"]),
        fingerprint(k=["6", ["1"]]),
        fingerprint(k=np.array([[1, 2], [3, 4]])),
        fingerprint(k=np.array([1, 2, 3, 4])),
        fingerprint(k=np.array([1, 2, 3, 4], dtype=np.float32)),
        fingerprint(k=np.array(["1", None], dtype=object)),
        fingerprint(j=6),
    ]
    assert len(set(questions)) == len(questions)


@given(st.dictionaries(st.text(max_size=4), st.lists(st.integers() | st.text(max_size=3) | st.none()), max_size=4))
def test_a_fingerprint_does_not_depend_on_the_order_of_names(facts):
    assert fingerprint(f=facts) == fingerprint(f=dict(reversed(list(facts.items()))))


def test_rows_in_another_order_are_the_same_content(con, host, purchases):
    before = content_fingerprint(host, purchases)
    con.execute("CREATE OR REPLACE TABLE purchases AS SELECT * FROM purchases ORDER BY hash(user_id, item_id)")
    assert content_fingerprint(host, purchases) == before


@pytest.mark.parametrize(
    "change",
    [
        "INSERT INTO purchases VALUES (1, 1)",
        "DELETE FROM purchases WHERE user_id = 1",
        "UPDATE purchases SET item_id = 6 WHERE user_id = 1",
        "UPDATE purchases SET user_id = item_id, item_id = user_id WHERE user_id = 3",
        "INSERT INTO purchases VALUES (NULL, 1)",
        "DELETE FROM purchases",
    ],
)
def test_changed_rows_are_another_content(con, host, purchases, change):
    before = content_fingerprint(host, purchases)
    con.execute(change)
    assert content_fingerprint(host, purchases) != before


def test_uncommitted_rows_do_not_count_yet(con, host, purchases):
    before = content_fingerprint(host, purchases)
    con.execute("BEGIN")
    con.execute("INSERT INTO purchases VALUES (1, 1)")
    assert content_fingerprint(host, purchases) == before
    con.execute("COMMIT")
    assert content_fingerprint(host, purchases) != before


def test_best_match_depends_on_what_its_similarity_reads(con, host):
    con.execute("CREATE TABLE pickups AS SELECT i AS lat, 'x' AS note FROM range(50) t(i)")
    pickups = Catalog(host).protect("pickups", budget=1, relevance="best_match", similarity="1 - abs(r.lat - v.lat)")
    before = content_fingerprint(host, pickups)
    con.execute("UPDATE pickups SET note = 'y'")
    assert content_fingerprint(host, pickups) == before
    con.execute("UPDATE pickups SET lat = 7 WHERE lat = 8")
    assert content_fingerprint(host, pickups) != before


def test_a_similarity_that_reads_nothing_depends_on_the_count(con, host):
    constant = Catalog(host).protect("purchases", budget=1, relevance="best_match", similarity="v.w")
    before = content_fingerprint(host, constant)
    con.execute("INSERT INTO purchases VALUES (1, 1)")
    assert content_fingerprint(host, constant) != before


def test_a_relation_that_cannot_be_read_says_so_without_its_rows(con, host, purchases):
    con.execute("DROP TABLE purchases")
    with pytest.raises(EngineError, match=r"memory\.main\.purchases failed"):
        content_fingerprint(host, purchases)


def test_databases_in_memory_have_identities_of_their_own(host, purchases):
    with duckdb.connect() as other:
        other.execute("CREATE TABLE purchases AS SELECT 1 AS user_id, 1 AS item_id")
        there = DuckDBHost(other.cursor())
        Catalog(there).protect("purchases", unit="user_id", item="item_id", budget=1, delta=0)
        assert identity(there, "memory") != identity(host, "memory")
    assert identity(host, "memory") == identity(host, "memory")


def test_a_copied_file_has_an_identity_of_its_own(tmp_path):
    def mark(file):
        with duckdb.connect(file) as con:
            host = DuckDBHost(con.cursor())
            found = identity(host, file.stem)
            host.close()
            return found

    original = tmp_path / "one.duckdb"
    with duckdb.connect(original) as con:
        con.execute("CREATE TABLE purchases AS SELECT 1 AS user_id, 1 AS item_id")
        host = DuckDBHost(con.cursor())
        Catalog(host).protect("purchases", unit="user_id", item="item_id", budget=1, delta=0)
        host.close()
    copy = tmp_path / "two.duckdb"
    copy.write_bytes(original.read_bytes())
    assert mark(original) == mark(original)
    assert mark(copy) != mark(original)


def test_what_is_missing_is_not_what_lies_under_it():
    missing = np.ma.MaskedArray([0, 5], mask=[True, False])
    assert fingerprint(a=missing) != fingerprint(a=np.array([0, 5]))
    assert fingerprint(a=missing) == fingerprint(a=np.ma.MaskedArray([9, 5], mask=[True, False]))
