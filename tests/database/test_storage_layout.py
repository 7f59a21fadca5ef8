"""How a table lies in its file: while that is the same, so are its rows; where that could be wrong, they are read."""

import os
import random

import duckdb
import pytest

import msd_sql
import msd_sql.actions.rows_content
from msd_sql.database.duckdb_host import DuckDBHost
from msd_sql.database.sql_text import Name
from msd_sql.database.storage_layout import Layouts, Table, storage_fingerprint
from tests.support.shop import one

LONG_AGO = 1_000_000_000
CREATE = "CREATE OR REPLACE TABLE t AS SELECT range::INTEGER AS u, 'user ' || range AS s FROM range({})"
CHANGES = {
    "insert": ["INSERT INTO t VALUES (-1, 'new')"],
    "insert and checkpoint": ["INSERT INTO t VALUES (-1, 'new')", "CHECKPOINT"],
    "update": ["UPDATE t SET u = -1 WHERE rowid = 7"],
    "update to NULL": ["UPDATE t SET u = NULL WHERE rowid = 7"],
    "update of a text": ["UPDATE t SET s = 'x' WHERE rowid = 7"],
    "update and checkpoint": ["UPDATE t SET u = -1 WHERE rowid = 7", "CHECKPOINT"],
    "update twice, with checkpoints": [
        "UPDATE t SET u = -1 WHERE rowid = 7", "CHECKPOINT", "UPDATE t SET u = -2 WHERE rowid = 8", "CHECKPOINT",
    ],
    "delete": ["DELETE FROM t WHERE rowid = 7"],
    "delete one, insert another": ["DELETE FROM t WHERE rowid = 7", "INSERT INTO t VALUES (-1, 'new')"],
    "delete one, insert another, checkpoint": [
        "DELETE FROM t WHERE rowid = 7", "INSERT INTO t VALUES (-1, 'new')", "CHECKPOINT",
    ],
    "other rows in its place": [
        "CREATE TEMP TABLE old AS FROM t", "TRUNCATE t", "INSERT INTO t SELECT u + 1, s FROM old ORDER BY u",
    ],
    "other rows in its place, checkpoint": [
        "CREATE TEMP TABLE old AS FROM t", "TRUNCATE t", "INSERT INTO t SELECT u + 1, s FROM old ORDER BY u",
        "CHECKPOINT",
    ],
    "another table in its place": [
        "CREATE OR REPLACE TABLE t AS SELECT u + 1 AS u, s FROM t ORDER BY u", "CHECKPOINT",
    ],
    "names exchanged": [
        "ALTER TABLE t ADD COLUMN v INTEGER DEFAULT 5", "ALTER TABLE t RENAME u TO w", "ALTER TABLE t RENAME v TO u",
    ],
    "another type": ["ALTER TABLE t ALTER u TYPE BIGINT USING u + 1"],
}  # fmt: skip


class Shelf:
    """A table in a file. A file that was written to is given a time of its own, long ago, as if that had passed."""

    def __init__(self, path):
        self.path = str(path)
        self.con = duckdb.connect(self.path)
        self._writes, self._seen = 0, None

    def settle(self):
        if os.stat(self.path).st_mtime_ns != self._seen:
            self._writes += 1
            os.utime(self.path, ns=(0, (LONG_AGO + self._writes) * 10**9))
            self._seen = os.stat(self.path).st_mtime_ns

    def stored_as(self, columns=("u", "s")):
        name = Name("shelf", "main", "t")
        with self.con.cursor() as cursor:
            found = cursor.execute("SELECT table_oid::VARCHAR FROM duckdb_tables() WHERE table_name = 't'").fetchall()
            cursor.execute("BEGIN")
            return storage_fingerprint(DuckDBHost(cursor), Table(name, found[0][0], self.path), columns)

    def rows(self):
        return self.con.execute("SELECT * FROM t ORDER BY ALL").fetchall()


@pytest.fixture
def shelf(tmp_path):
    shelf = Shelf(tmp_path / "shelf.duckdb")
    shelf.con.execute(CREATE.format(5000))
    shelf.con.execute("CHECKPOINT")
    shelf.settle()
    yield shelf
    shelf.con.close()


def test_it_stays_the_same_while_nothing_or_something_else_happens(shelf):
    before = shelf.stored_as()
    assert before is not None
    for sql in ("SELECT sum(u) FROM t", "CREATE TABLE other AS SELECT 1 AS a", "INSERT INTO other VALUES (2)",
                "BEGIN", "UPDATE other SET a = 3", "COMMIT"):  # fmt: skip
        shelf.con.execute(sql)
        assert shelf.stored_as() == before


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
@pytest.mark.parametrize("size", [5000, 130_000])
def test_whatever_changes_the_rows_changes_it(shelf, change, size):
    shelf.con.execute(CREATE.format(size))
    shelf.con.execute("CHECKPOINT")
    shelf.settle()
    before, rows = shelf.stored_as(), shelf.rows()
    assert before is not None
    for sql in change:
        shelf.con.execute(sql)
    shelf.settle()
    assert shelf.rows() != rows
    assert shelf.stored_as() != before


def test_what_is_rolled_back_is_not_taken_for_what_was_committed(shelf):
    before = shelf.stored_as()
    shelf.con.execute("BEGIN")
    shelf.con.execute("UPDATE t SET u = -1 WHERE rowid = 7")
    assert shelf.stored_as() is None  # somebody changes it at this moment
    shelf.con.execute("ROLLBACK")
    assert shelf.stored_as() in (None, before)


def test_no_two_contents_lie_alike_however_they_came_about(shelf):
    choose = random.Random(4)
    known, again = {}, 0
    for step in range(300):
        row = choose.randrange(5000)
        for sql in choose.choice([
            [f"UPDATE t SET u = {step} WHERE rowid = {row}"],
            [f"UPDATE t SET s = 'user {step}' WHERE rowid = {row}", "CHECKPOINT"],
            [f"DELETE FROM t WHERE rowid = {row}"],
            [f"DELETE FROM t WHERE rowid = {row}", f"INSERT INTO t VALUES ({row}, 'back')", "CHECKPOINT"],
            [f"INSERT INTO t VALUES ({step}, 'more')"],
            ["BEGIN", f"INSERT INTO t VALUES ({step}, 'never')", "ROLLBACK"],
            ["BEGIN", "DELETE FROM t", CREATE.format(5000 + step % 3), "ROLLBACK"],
            [CREATE.format(5000 + step % 3)],
            ["CHECKPOINT"], ["CHECKPOINT"], ["CHECKPOINT"], ["SELECT 1"], ["SELECT 2"], ["SELECT 3"],
        ]):  # fmt: skip
            shelf.con.execute(sql)
        shelf.settle()
        stored_as, rows = shelf.stored_as(), shelf.rows()
        if stored_as is not None:
            again += stored_as in known
            assert known.setdefault(stored_as, rows) == rows
    assert again > 10  # or nothing was tried


@pytest.mark.parametrize("change", ["SET l = [9]", "SET r = {'a': 9}", "SET r = NULL", "SET a = [9, 9]::FLOAT[2]"])
def test_what_changes_inside_of_nested_values_changes_it(shelf, change):
    shelf.con.execute(
        "CREATE OR REPLACE TABLE t AS SELECT range::INTEGER AS u, [range] AS l, {'a': range} AS r, "
        "[range, 1]::FLOAT[2] AS a FROM range(5000)"
    )
    shelf.con.execute("CHECKPOINT")
    shelf.settle()
    before = shelf.stored_as(["u", "l", "r", "a"])
    assert before is not None
    shelf.con.execute(f"UPDATE t {change} WHERE u = 7")
    assert shelf.stored_as(["u", "l", "r", "a"]) != before
    shelf.con.execute("CHECKPOINT")
    shelf.settle()
    assert shelf.stored_as(["u", "l", "r", "a"]) != before


def test_a_file_that_was_written_to_just_now_is_not_trusted(shelf, monkeypatch):
    written = os.stat(shelf.path).st_mtime_ns
    for passed, trusted in ((-(10**12), False), (0, False), (1_999_999_999, False), (2_000_000_000, True)):
        monkeypatch.setattr("msd_sql.database.storage_layout.time.time_ns", lambda passed=passed: written + passed)
        assert (shelf.stored_as() is not None) == trusted


def test_a_column_that_is_computed_does_not_lie_anywhere(shelf):
    shelf.con.execute("CREATE OR REPLACE TABLE t (u INTEGER, s VARCHAR, twice INTEGER GENERATED ALWAYS AS (u * 2))")
    shelf.con.execute("INSERT INTO t SELECT range, 'user' FROM range(100)")
    shelf.con.execute("CHECKPOINT")
    shelf.settle()
    assert shelf.stored_as() is not None
    assert shelf.stored_as(["twice"]) is None


def test_names_that_need_quotes(shelf):
    table = Table(Name("shelf", "a.b", "it's t"), "1", shelf.path)
    shelf.con.execute('CREATE SCHEMA "a.b"')
    shelf.con.execute(f'CREATE TABLE {table.name.sql} AS SELECT range AS "u u" FROM range(9)')
    shelf.con.execute("CHECKPOINT")
    shelf.settle()
    assert storage_fingerprint(DuckDBHost(shelf.con), table, ["u u"]) is not None
    quoted = Table(Name("shelf", "main", 'a "t"'), "1", shelf.path)
    shelf.con.execute(f"CREATE TABLE {quoted.name.sql} AS SELECT 1 AS u")
    assert storage_fingerprint(DuckDBHost(shelf.con), quoted, ["u"]) is None  # DuckDB 1.5 cannot be asked about it


def test_a_table_in_memory_lies_nowhere():
    with duckdb.connect() as con:
        con.execute(CREATE.format(10))
        assert storage_fingerprint(DuckDBHost(con), Table(Name("memory", "main", "t"), "1", None), ["u"]) is None
        assert (
            storage_fingerprint(DuckDBHost(con), Table(Name("memory", "main", "t"), "1", "/no/such/file"), ["u"])
            is None
        )


def test_of_each_table_only_the_last_layout_is_known():
    layouts = Layouts()
    contents = iter("abcd")

    def ask(stored_as):
        return layouts.content("t", stored_as, lambda: next(contents))

    assert [ask("here"), ask("here"), ask("there"), ask("here"), ask(None)] == ["a", "a", "b", "c", "d"]


def test_a_second_question_reads_no_purchases_and_a_changed_table_is_read_again(settled, monkeypatch):
    read = []
    original = msd_sql.actions.rows_content.content_fingerprint
    monkeypatch.setattr(msd_sql.actions.rows_content, "content_fingerprint", lambda *a: read.append(1) or original(*a))
    with duckdb.connect(str(settled)) as con:
        msd_sql.register(con)

        def ask(k, eps=0.1):
            return one(con, f"SELECT msd_select(item_id, {k}, {eps}, 0.5) FROM products")

        first = ask(3)
        assert len(read) == 1
        assert len(ask(4)) == 4
        assert ask(3) == first  # told again
        assert len(read) == 1
        con.execute("UPDATE purchases SET item_id = 59")
        assert one(con, "SELECT msd_select(item_id, 1, NULL, 0, exact := true) FROM products") == [59]
        assert len(read) == 2
