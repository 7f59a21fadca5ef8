"""The host: rows, columns, public tables, transactions that stand on their own, errors without their origin."""

from __future__ import annotations

import threading
import time
import traceback
from decimal import Decimal

import duckdb
import numpy as np
import pytest

from msd_sql.database.duckdb_host import DuckDBHost
from msd_sql.database.host import Conflict, HostError, Interrupted, ReadOnly
from msd_sql.database.private_reads import private, private_columns, private_rows
from msd_sql.errors import EngineError


@pytest.fixture
def con(tmp_path):
    with duckdb.connect(tmp_path / "shop.duckdb") as connection:
        yield connection


@pytest.fixture
def host(con):
    return DuckDBHost(con.cursor())


def test_rows_keep_exact_values(host):
    rows = host.rows("SELECT 0.1::DECIMAL(38, 20), 170141183460469231731687303715884105727::HUGEINT, 'x', NULL")
    assert rows == [(Decimal("0.1"), 170141183460469231731687303715884105727, "x", None)]


def test_columns_are_masked_only_where_null(host):
    columns = host.columns("SELECT * FROM (VALUES (1, NULL), (2, 'b')) t(a, b)")
    assert not isinstance(columns["a"], np.ma.MaskedArray)
    assert columns["a"].tolist() == [1, 2]
    assert np.ma.getmaskarray(columns["b"]).tolist() == [True, False]


def test_columns_of_an_enum_are_plain(host):
    host.run("CREATE TYPE mood AS ENUM ('sad', 'happy')")
    columns = host.columns("SELECT unnest(['happy', 'sad', 'happy'])::mood AS m")
    assert columns["m"].tolist() == ["happy", "sad", "happy"]


def test_blocks_hold_every_row_once(host):
    blocks = list(host.blocks("SELECT range AS i FROM range(1000000)"))
    assert len(blocks) > 1
    assert np.sort(np.concatenate([block["i"] for block in blocks])).tolist() == list(range(1_000_000))


FIRST = {
    "rows": lambda host, sql: host.rows(sql)[0][0],
    "columns": lambda host, sql: host.columns(sql)["told"][0],
    "blocks": lambda host, sql: next(iter(host.blocks(sql)))["told"][0],
    "beside": lambda host, sql: host.second_connection().rows(sql)[0][0],
}


@pytest.mark.parametrize("first", FIRST)
def test_a_host_of_our_own_does_not_hear_the_users_macros(con, first):
    con.execute("CREATE MACRO lower(x) AS 'the user''s'")
    sql = "SELECT lower('OURS') AS told"
    assert FIRST[first](DuckDBHost(con.cursor(), own=True), sql) == "ours"
    assert FIRST[first](DuckDBHost(con.cursor()), sql) == "the user's"
    with DuckDBHost(con.cursor(), own=True).transaction() as inner:
        assert FIRST[first](inner, sql) == "ours"


def test_an_interrupt_does_not_leave_a_host_with_the_users_names(con):
    con.execute("CREATE MACRO lower(x) AS 'the user''s'")

    class Stopping:
        """A cursor whose first statement is interrupted."""

        def __init__(self):
            self.cursor, self.stopped = con.cursor(), False

        def execute(self, sql):
            if not self.stopped:
                self.stopped = True
                raise duckdb.InterruptException("INTERRUPT Error: Interrupted!")
            return self.cursor.execute(sql)

    host = DuckDBHost(Stopping(), own=True)
    with pytest.raises(Interrupted):
        host.rows("SELECT 1")
    assert host.rows("SELECT lower('OURS')") == [("ours",)]


def test_a_public_table_is_there_for_its_host_and_its_block_alone(con, host):
    other = DuckDBHost(con.cursor())
    columns = {"i": np.arange(3), "name": ["a", None, "it's"], "w": np.array([0.5, 1.5, 2.5], dtype=np.float32)}
    with host.table("given", columns) as name, other.table("given", {"i": [7]}):
        assert host.rows(f"SELECT * FROM {name} ORDER BY i") == [(0, "a", 0.5), (1, None, 1.5), (2, "it's", 2.5)]
        assert other.rows("SELECT i FROM given") == [(7,)]
        with pytest.raises(duckdb.CatalogException):
            con.execute("FROM given")
    with pytest.raises(HostError, match="given"):
        host.rows("FROM given")


def test_a_public_table_takes_masked_columns_back(host):
    columns = host.columns("SELECT * FROM (VALUES (1, NULL::VARCHAR), (NULL, 'b')) t(a, b)")
    with host.table("again", columns):
        assert host.rows("FROM again") == [(1, None), (None, "b")]


def test_a_public_table_goes_when_its_block_fails(host):
    with pytest.raises(ZeroDivisionError), host.table("given", {"i": [1]}):
        raise ZeroDivisionError
    with host.table("given", {"i": [2]}):
        assert host.rows("FROM given") == [(2,)]


def test_a_transaction_survives_the_callers_rollback(con, host):
    host.run("CREATE TABLE t(i INTEGER)")
    con.execute("BEGIN")
    con.execute("INSERT INTO t VALUES (1)")
    with host.transaction() as inner:
        inner.run("INSERT INTO t VALUES (2)")
    con.execute("ROLLBACK")
    assert host.rows("FROM t") == [(2,)]


def test_a_transaction_that_fails_leaves_nothing(host):
    host.run("CREATE TABLE t(i INTEGER)")
    with pytest.raises(HostError, match="nowhere"), host.transaction() as inner:
        inner.run("INSERT INTO t VALUES (1); FROM nowhere")
    assert host.rows("FROM t") == []


def test_the_loser_of_a_race_sees_a_conflict(host):
    host.run("CREATE TABLE t AS SELECT 1 AS i")
    with host.transaction() as first:
        first.run("UPDATE t SET i = i + 1")
        with pytest.raises(Conflict), host.transaction() as second:
            second.run("UPDATE t SET i = i + 1")
    assert host.rows("FROM t") == [(2,)]


def test_writing_to_a_read_only_database_is_told_apart(tmp_path):
    duckdb.connect(tmp_path / "r.duckdb").close()
    with duckdb.connect(tmp_path / "r.duckdb", read_only=True) as con, pytest.raises(ReadOnly):
        DuckDBHost(con.cursor()).run("CREATE TABLE t(i INTEGER)")


def test_an_interrupt_stops_the_statement(host):
    failed = []

    def run():
        try:
            host.run("SELECT count(*) FROM range(10000000000) a WHERE hash(range) % 7 = 8")
        except Interrupted as error:
            failed.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    while thread.is_alive():  # an interrupt before the statement has begun is lost
        time.sleep(0.05)
        host.interrupt()
    assert len(failed) == 1


def test_an_error_over_private_rows_says_nothing_of_them(host):
    host.run("CREATE TABLE p AS SELECT 'my secret' AS v")
    for read in (private_rows, private_columns):
        with pytest.raises(EngineError, match=r"shop.main.p failed \(ConversionException\)") as caught:
            read(host, "SELECT v::INTEGER FROM p", "shop.main.p")
        assert "secret" not in "".join(traceback.format_exception(caught.value, chain=True))
        chain = [caught.value]
        while (origin := chain[-1].__cause__ or chain[-1].__context__) is not None:
            chain.append(origin)
        assert [type(error) for error in chain] == [EngineError, HostError]
        assert not any("secret" in str(error) for error in chain)


def test_an_interrupt_passes_through_private_reading():
    with pytest.raises(Interrupted), private("p"):
        raise Interrupted("stop")
