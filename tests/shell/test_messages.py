from __future__ import annotations

import duckdb
import pytest

import msd_sql
from msd_sql.errors import LeakError
from msd_sql.shell.messages import interrupted, told


def refuse(value: int) -> int:
    raise LeakError("The candidates depend on purchases.\nSecond line.")


def stop(value: int) -> int:
    raise RuntimeError("The query was interrupted.")


@pytest.fixture
def con():
    con = duckdb.connect()
    con.create_function("refuse", refuse, ["INTEGER"], "INTEGER", side_effects=True)  # type: ignore[list-item, arg-type]
    con.create_function("stop", stop, ["INTEGER"], "INTEGER", side_effects=True)  # type: ignore[list-item, arg-type]
    yield con
    con.close()


def test_the_wrapping_of_a_function_s_error_goes(con: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(duckdb.Error) as caught:
        con.execute("SELECT refuse(1)").fetchall()
    assert told(caught.value) == "LeakError: The candidates depend on purchases.\nSecond line."


def test_duckdb_s_own_message_stays(con: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(duckdb.Error) as caught:
        con.execute("SELECT nothing").fetchall()
    assert told(caught.value) == str(caught.value)
    assert "^" in told(caught.value)


def test_an_interrupt_is_told_from_an_error(con: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(duckdb.Error) as caught:
        con.execute("SELECT stop(1)").fetchall()
    assert interrupted(caught.value)
    assert interrupted(KeyboardInterrupt())
    with pytest.raises(duckdb.Error) as caught:
        con.execute("SELECT refuse(1)").fetchall()
    assert not interrupted(caught.value)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("msd_select(x, 2, 0.1, 0.5, methd := 'greedy')", "Unknown argument 'methd'. Did you mean 'method'?"),
        ("msd_select(x, 2, 0.1, 0.5, x)", "msd_select takes items, k, eps, diversity, and by name: method, "),
        ("msd_remaining()", "msd_remaining takes relation."),
    ],
)
def test_it_is_said_which_argument_there_is_none_of(call: str, said: str) -> None:
    with duckdb.connect() as con:
        msd_sql.register(con)
        with pytest.raises(duckdb.Error) as caught:
            con.execute(f"SELECT {call} FROM range(9) t(x)")
    assert said in told(caught.value)
    assert "Candidate macros" not in told(caught.value)
    assert "LINE 1" in told(caught.value)
