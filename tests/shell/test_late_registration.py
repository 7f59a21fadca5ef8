"""A script of plain SQL waits for nothing of ours; a statement that can need our functions finds them."""

from __future__ import annotations

import subprocess
import sys

import duckdb
import pytest

from msd_sql.shell.session import Session, Stop

HEAVY = "{'numpy', 'pyarrow', 'pandas', 'sqlglot', 'msd_sql.registration', 'msd_sql.udfs.planning'} & set(sys.modules)"


def loaded(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()[-1]


def test_a_script_of_plain_sql_loads_nothing_of_ours():
    run = "main(['shell', '-init', '', '-csv', '-c', 'SELECT 42 AS answer'])"
    assert loaded(f"import sys; from msd_sql.cli import main; {run}; print(sorted({HEAVY}))") == "[]"


def test_to_register_loads_no_algorithm():
    code = "import sys, duckdb, msd_sql; msd_sql.register(duckdb.connect())"
    assert loaded(f"{code}; print(sorted({HEAVY}))") == "['msd_sql.registration', 'numpy']"


def test_a_later_statement_of_the_same_script_finds_the_functions(capsys):
    session = Session.open(late=True)
    session.bail = True
    session.mode = "csv"
    session.feed("CREATE TABLE hits AS SELECT i AS id, i / 10 AS score FROM range(5) t(i);")
    assert not session.registered
    session.feed("SELECT msd_select(id, 2, NULL, 0, score := score) AS chosen FROM hits;")
    assert session.registered
    assert "[4, 3]" in capsys.readouterr().out
    session.close()


def test_a_dot_command_finds_them(capsys):
    session = Session.open(late=True)
    session.feed(".budget\n")
    assert "Nothing is protected here" in capsys.readouterr().out
    session.close()


def test_a_view_of_an_attached_database_finds_them(tmp_path, capsys):
    path = str(tmp_path / "shop.duckdb")
    with duckdb.connect(path) as con:
        import msd_sql

        msd_sql.register(con)
        con.execute("CREATE TABLE hits AS SELECT i AS id, i / 10 AS score FROM range(5) t(i)")
        con.execute("CREATE VIEW best AS SELECT msd_select(id, 2, NULL, 0, score := score) AS chosen FROM hits")
    session = Session.open(late=True)
    session.mode = "csv"
    session.feed(f"ATTACH '{path}' AS shop; FROM shop.best;")
    assert "[4, 3]" in capsys.readouterr().out
    session.close()


def test_a_file_is_registered_at_once(tmp_path):
    session = Session.open(str(tmp_path / "new.duckdb"), late=True)
    assert session.registered
    session.close()


def test_an_error_of_plain_sql_stays_what_it_is(capsys):
    session = Session.open(late=True)
    session.bail = True
    with pytest.raises(Stop):
        session.feed("SELECT no_such_function(1);")
    assert "no_such_function" in capsys.readouterr().err
    session.close()
