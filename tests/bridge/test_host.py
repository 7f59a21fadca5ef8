"""BridgeHost against DuckDBHost: the same statements through the extension and in process give the same values."""

from __future__ import annotations

import stat
import sys
from pathlib import Path

import duckdb
import pytest

from msd_sql.bridge import build
from msd_sql.bridge.extension_file import behind, footer, target
from msd_sql.database.duckdb_host import DuckDBHost

ECHOES = {
    "echo_lists": "VARCHAR[]",
    "echo_numbers": "BIGINT[]",
    "echo_rows": "STRUCT(a VARCHAR, b BIGINT, c DOUBLE, d BOOLEAN, e TIMESTAMP)[]",
    "echo_nested": "DOUBLE[][]",
}

STATEMENTS = [
    "SELECT 1::TINYINT a, 2::SMALLINT b, 3::INTEGER c, 4::BIGINT d, 5::UBIGINT e, 1.5::FLOAT f, 2.5::DOUBLE g, true h",
    "SELECT 170141183460469231731687303715884105727::HUGEINT a, -5::HUGEINT b, NULL::HUGEINT c",
    "SELECT 1.50::DECIMAL(9, 2) a, -0.000000000000000001::DECIMAL(38, 18) b, 12::DECIMAL(4, 0) c, NULL::DECIMAL(8) d",
    "SELECT 'short' a, 'longer than twelve bytes, with ε' b, '' c, NULL::VARCHAR d, 'abc'::BLOB e",
    "SELECT DATE '2026-11-16' a, TIMESTAMP '2026-11-16 03:04:05.678901' b, TIME '01:02:03' c, NULL::DATE d",
    "SELECT [1, NULL, 3] a, ['x', 'yy'] b, []::INTEGER[] c, NULL::INTEGER[] d, [[1], [], NULL] e",
    "SELECT {'a': 1, 'b': 'x'} a, NULL::STRUCT(a INTEGER) b, [{'k': 1}, NULL] c",
    "SELECT 'b'::ENUM ('a', 'b') a, MAP {'k': 1} b, [1.5, 2.5]::FLOAT[2] c",
    "SELECT uuid a FROM (SELECT '12345678-1234-5678-1234-567812345678'::UUID AS uuid)",
    "SELECT i, CASE WHEN i % 3 = 0 THEN NULL ELSE 'text ' || i END t FROM range(10000) r(i) ORDER BY i",
    "SELECT i FROM range(0) r(i)",
    "CREATE OR REPLACE TABLE made AS SELECT 1 AS i",
    "SELECT INTERVAL '3 days 4 hours' a, to_json({'a': 1}) b",
]
COLUMNS = [
    "SELECT i::INTEGER AS i, i * 0.5 AS x, i::DOUBLE AS d, i % 2 = 0 AS b, 's' || i s FROM range(5000) r(i) ORDER BY 1",
    "SELECT CASE WHEN i % 7 = 0 THEN NULL ELSE i END AS i, i::HUGEINT AS h FROM range(3000) r(i) ORDER BY i",
    "SELECT i, 's' AS s FROM range(0) r(i)",
    "SELECT TIMESTAMP '2026-11-16 03:04:05' AS t, 1.25::DECIMAL(5, 2) AS d, [1, 2] AS l",
]


@pytest.fixture(scope="module")
def told(built, tmp_path_factory):
    """A connection whose function told(how, sql) runs on the other side of the line."""
    folder = tmp_path_factory.mktemp("host")
    script = folder / "python"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{Path(__file__).with_name("host_worker.py")}" "$@"\n')
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    lines = ["told\tSELECT CAST(NULL AS VARCHAR), CAST(NULL AS VARCHAR), CAST(NULL AS VARCHAR)"]
    lines += [f"{name}\tSELECT CAST(NULL AS {kind}), CAST(NULL AS {kind})" for name, kind in ECHOES.items()]
    whole = build._compiled() + behind(str(script), "\n".join(lines)) + footer(target(), "0.0.1")
    (folder / build.NAME).write_bytes(whole)
    con = duckdb.connect(str(folder / "told.duckdb"), config={"allow_unsigned_extensions": "true"})
    con.execute(f"LOAD '{folder / build.NAME}'")
    yield con
    con.close()


def ask(con, how: str, sql: str) -> str:
    return con.execute("SELECT told(?, ?)", [how, sql]).fetchall()[0][0]


@pytest.mark.parametrize("sql", STATEMENTS)
def test_rows_are_the_same_values_through_the_line(told, sql):
    direct = DuckDBHost(told.cursor()).rows(sql)
    told_rows = ask(told, "rows", sql)
    if "[2]" in sql:  # an ARRAY is a tuple in process
        assert eval(told_rows, {}) == [tuple(list(v) if isinstance(v, tuple) else v for v in row) for row in direct]
    else:
        assert told_rows == repr(direct)


@pytest.mark.parametrize("sql", COLUMNS)
def test_columns_are_the_same_arrays_through_the_line(told, sql):
    direct = {
        name: f"{column.dtype}: {column.tolist()}" for name, column in DuckDBHost(told.cursor()).columns(sql).items()
    }
    theirs = eval(ask(told, "columns", sql), {})
    for name, column in direct.items():
        assert theirs[name] == column.replace("array([1, 2], dtype=int32)", "[1, 2]")


def test_a_large_result_comes_in_blocks(told):
    assert sum(eval(ask(told, "blocks", "SELECT i FROM range(600000) r(i)"))) == 600000


def test_a_result_that_nobody_reads_to_its_end_does_not_disturb_the_next(told):
    assert "still works" in ask(told, "half a block", "SELECT i FROM range(900000) r(i)")


def test_public_columns_become_a_table_and_leave_nothing(told):
    sql = "SELECT count(*), count(key), sum(i), sum(x)::INTEGER, count_if(b), max(key) FROM told"
    (inside, left) = eval(ask(told, "table", sql))
    assert inside == [(5000, 4995, 12497500, 2500, 4996, "clé 999")]
    assert left == [(0,)]


def test_a_transaction_commits_or_leaves_nothing(told):
    told.execute("CREATE OR REPLACE TABLE counted(n INTEGER)")
    assert ask(told, "commit", "INSERT INTO told.main.counted VALUES (1)") == "committed"
    assert ask(told, "rollback", "INSERT INTO told.main.counted VALUES (2)") == "rolled back"
    assert told.execute("FROM counted").fetchall() == [(1,)]


def test_it_survives_the_rollback_of_the_caller(told):
    told.execute("CREATE OR REPLACE TABLE kept(n INTEGER)")
    told.execute("BEGIN")
    ask(told, "commit", "INSERT INTO told.main.kept VALUES (7)")
    told.execute("ROLLBACK")
    assert told.execute("FROM kept").fetchall() == [(7,)]


def test_a_lost_race_is_a_conflict(told):
    told.execute("CREATE OR REPLACE TABLE raced AS SELECT 1 AS n")
    assert ask(told, "conflict", "UPDATE told.main.raced SET n = n + 1") == "conflict"


@pytest.mark.parametrize(
    ("sql", "kind"),
    [("SELECT nothing", "BinderException"), ("FROM nowhere", "CatalogException"), ("SELEC", "ParserException"),
     ("SELECT 'x'::INTEGER", "ConversionException")],
)  # fmt: skip
def test_an_error_has_the_kind_that_python_gives_it(told, sql, kind):
    with pytest.raises(duckdb.Error, match=f"HostError of {kind}"):
        ask(told, "rows", sql)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("echo_lists", "['a', NULL, 'longer than twelve bytes']"),
        ("echo_lists", "NULL"),
        ("echo_lists", "[]"),
        ("echo_numbers", "[1, NULL, -3]"),
        ("echo_numbers", "range(100000)"),
        ("echo_numbers", "list_transform(range(5000), lambda x: CASE WHEN x % 3 = 0 THEN NULL ELSE x END)"),
        ("echo_nested", "[[1.5], [], NULL, [2.5, NULL]]"),
        ("echo_rows", "[{'a': 'x', 'b': 1, 'c': 2.5, 'd': true, 'e': TIMESTAMP '2026-11-16 03:04:05.678'}, NULL]"),
        ("echo_rows", "[{'a': NULL, 'b': NULL, 'c': NULL, 'd': NULL, 'e': NULL}]"),
    ],
)
def test_values_come_back_as_they_went(told, name, value):
    assert told.execute(f"SELECT {name}({value}) IS NOT DISTINCT FROM {value}::{ECHOES[name]}").fetchall() == [(True,)]


def test_a_column_of_many_rows_comes_back_as_it_went(told):
    sql = (
        "SELECT count_if(echo_lists(l) IS DISTINCT FROM l), count(*) FROM"
        " (SELECT CASE WHEN i % 5 > 0 THEN ['a' || i, NULL, repeat('b', i % 30)] END AS l FROM range(20000) r(i))"
    )
    assert told.execute(sql).fetchall() == [(0, 20000)]


def test_the_death_of_the_worker_is_an_error_and_the_next_call_works(told):
    with pytest.raises(duckdb.Error, match="worker of msd_sql stopped before it answered"):
        ask(told, "die", "")
    assert ask(told, "rows", "SELECT 1") == "[(1,)]"
