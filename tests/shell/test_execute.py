from __future__ import annotations

import duckdb
import pytest

import msd_sql
from msd_sql.shell.execute import held, records, run
from msd_sql.shell.render import MODES, render


@pytest.fixture
def con():
    con = duckdb.connect()
    con.execute("CREATE SEQUENCE runs").fetchall()
    yield con
    con.close()


def test_a_lazy_relation_is_drawn_once(con: duckdb.DuckDBPyConnection) -> None:
    for mode in MODES:
        before = con.execute("SELECT nextval('runs')").fetchall()[0][0]
        render(run(con, "SELECT nextval('runs') AS run"), mode)
        assert con.execute("SELECT nextval('runs')").fetchall()[0][0] == before + 2


def test_a_statement_that_records_runs_once_and_in_its_own_words(con: duckdb.DuckDBPyConnection) -> None:
    said: list[str] = []

    def msd_reach(text: str) -> int:
        said.append(text)
        return len(said)

    con.create_function("heard", msd_reach, ["VARCHAR"], "BIGINT", side_effects=True)  # type: ignore[list-item, arg-type]
    con.execute("CREATE TEMP MACRO msd_reach() AS heard(current_query())").fetchall()
    result = run(con, "SELECT msd_reach() AS users")
    assert result is not None
    for mode in MODES:
        assert "1" in render(result, mode)
    assert said == ["SELECT msd_reach() AS users"]


def test_only_some_functions_record() -> None:
    assert records("select MSD_SELECT(a, 1, 1, 1) FROM t")
    assert not records("FROM msd_explain(t, 1, 1, 1)")
    assert not records("SELECT my_msd_selection FROM t")


@pytest.mark.parametrize(
    "sql",
    ["CREATE TABLE t (a INTEGER)", "BEGIN", "SET threads = 1", "CREATE OR REPLACE TEMP MACRO m() AS 1"],
)
def test_what_gives_no_rows_shows_nothing(con: duckdb.DuckDBPyConnection, sql: str) -> None:
    assert run(con, sql) is None


@pytest.mark.parametrize(
    ("sql", "shown"),
    [
        ("SHOW TABLES", "numbers"),
        ("DESCRIBE numbers", "INTEGER"),
        ("INSERT INTO numbers VALUES (77) RETURNING a", "77"),
        ("EXPLAIN FROM numbers", "numbers"),
        ("SELECT INTERVAL 1 MONTH AS length", "1 month"),
        ("SELECT now() AS later", "20"),
        ("SELECT MAP {'a': 1} AS pairs", "{a=1}"),
        ("EXECUTE answer", "42"),
    ],
)
def test_everything_that_gives_rows_is_shown(con: duckdb.DuckDBPyConnection, sql: str, shown: str) -> None:
    con.execute("CREATE TABLE numbers (a INTEGER)").fetchall()
    con.execute("PREPARE answer AS SELECT 42").fetchall()
    result = run(con, sql)
    assert result is not None
    assert shown in render(result, "box")


def test_rows_that_were_fetched_keep_their_types() -> None:
    names, types = ["a", "a", "s"], ["INTEGER[]", "DECIMAL(6,2)", "STRUCT(x INTEGER)"]
    box = render(held(names, types, [([1, 2], "3.50", {"x": 1})]), "box")
    assert "int32[]" in box
    assert "decimal(6,2)" in box
    assert "{'x': 1}" in box


def test_a_type_that_python_cannot_give_back_is_shown_as_text() -> None:
    assert "what" in render(held(["a"], ["INTEGER"], [("what",)]), "box")


def test_an_error_points_at_the_offending_text(con: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(duckdb.BinderException, match=r"LINE 1: SELECT nothing\n +\^"):
        run(con, "SELECT nothing")


def test_a_name_never_means_a_python_variable() -> None:
    from msd_sql.shell.session import Session

    numbers = [1, 2]  # noqa: F841 - DuckDB would read it
    session = Session.open()
    with pytest.raises(duckdb.CatalogException):
        run(session.con, "FROM numbers")
    session.close()


def test_the_shell_registers_our_functions() -> None:
    assert "register" in msd_sql.__all__
    from msd_sql.shell.session import Session

    session = Session.open()
    assert session.con.execute("SELECT count(*) FROM msd_ledger()").fetchall() == [(0,)]
    session.close()
