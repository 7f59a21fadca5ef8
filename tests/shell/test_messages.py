from __future__ import annotations

import duckdb
import pytest

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
