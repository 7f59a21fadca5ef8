"""Functions for the whole database: cursors that a tool opens by itself find them."""

import threading

import duckdb
import pandas as pd
import polars as pl
import pytest

import msd_sql
from msd_sql.registration import instance_of
from tests.support.shop import declare, fill

CALL = "msd_select(item_id, 3, 0.1, 0.5)"


@pytest.fixture
def shop(tmp_path):
    with msd_sql.connect(tmp_path / "shop.duckdb") as con:
        fill(con)
        declare(con)
        yield con


def test_a_cursor_that_was_never_registered_finds_them_by_their_full_name(shop):
    raw = duckdb.DuckDBPyConnection.cursor(shop._msd_inner)
    assert len(raw.execute(f"SELECT msd_sql.{CALL} FROM products").fetchall()[0][0]) == 3
    assert len(raw.execute("FROM msd_sql.msd_topk(products, 3, 0.1, 0.5)").fetchall()) == 3
    assert raw.execute("SELECT msd_sql.msd_remaining('purchases')").fetchall()[0][0] < 1
    with pytest.raises(duckdb.CatalogException, match=r'Did you mean "msd_sql.msd_select"'):
        raw.execute(f"SELECT {CALL} FROM products")


def test_cursors_of_connect_need_no_prefix(shop):
    assert len(shop.cursor().execute(f"SELECT {CALL} FROM products").fetchall()[0][0]) == 3
    assert len(shop.duplicate().execute(f"SELECT {CALL} FROM products").fetchall()[0][0]) == 3


def test_a_registered_cursor_gets_them_back_after_use(shop):
    cursor = shop.cursor()
    cursor.execute("CREATE SCHEMA s; USE s")
    with pytest.raises(duckdb.CatalogException, match=r"msd_sql.msd_remaining"):
        cursor.execute("SELECT msd_remaining('main.purchases')")
    msd_sql.register(cursor)
    assert cursor.execute("SELECT msd_remaining('main.purchases')").fetchall() == [(1.0,)]
    cursor.execute("CREATE TABLE here (i INTEGER)")
    assert cursor.execute("SELECT schema_name FROM duckdb_tables() WHERE table_name = 'here'").fetchall() == [("s",)]


def test_unregister_takes_them_from_the_search_path(shop):
    cursor = shop.cursor()
    msd_sql.unregister(cursor)
    assert cursor.execute("SELECT current_setting('search_path')").fetchall()[0][0].count("msd_sql") == 0


def test_a_detached_database_is_attached_again(shop):
    cursor = shop._msd_inner.cursor()
    shop.execute("DETACH msd_sql")
    msd_sql.register(cursor)
    assert cursor.execute("SELECT msd_remaining('purchases')").fetchall() == [(1.0,)]


def test_a_database_of_that_name_is_left_alone(tmp_path):
    with duckdb.connect(str(tmp_path / "msd_sql.duckdb")) as con:
        fill(con)
        msd_sql.register(con)
        declare(con)
        cursor = msd_sql.register(con.cursor())
        assert len(cursor.execute(f"SELECT {CALL} FROM products").fetchall()[0][0]) == 3


def test_read_only_data_and_a_ledger_elsewhere(tmp_path):
    with duckdb.connect(str(tmp_path / "shop.duckdb")) as con:
        fill(con)
    with msd_sql.connect(tmp_path / "shop.duckdb", read_only=True, ledger=tmp_path / "ledger.duckdb") as con:
        declare(con)
        assert len(con.cursor().execute(f"SELECT {CALL} FROM products").fetchall()[0][0]) == 3


def test_frames_from_a_query(shop):
    assert len(pl.read_database("FROM msd_topk(products, 3, 0.1, 0.5)", shop.cursor())) == 3
    assert len(pl.read_database("FROM msd_topk(products, 3, 0.1, 0.5)", shop)) == 3
    with pytest.warns(UserWarning, match="SQLAlchemy"):
        assert len(pd.read_sql("FROM msd_topk(products, 3, 0.1, 0.5)", shop)) == 3


def test_a_pool_of_threads_with_a_cursor_each_pays_once(shop):
    answers = []

    def ask():
        with shop.cursor() as cursor:
            answers.append(tuple(cursor.execute(f"SELECT {CALL} FROM products").fetchall()[0][0]))

    threads = [threading.Thread(target=ask) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(answers)) == 1
    assert shop.execute("SELECT msd_remaining('purchases')").fetchall()[0][0] == pytest.approx(0.9)


def test_a_new_file_is_one_that_an_older_duckdb_reads(tmp_path):
    """By its header: the version of the storage is the second number of the file; 1.5 reads up to 68."""
    path = tmp_path / "new.duckdb"
    with msd_sql.connect(path) as con:
        con.execute("CREATE TABLE t AS SELECT 1 AS one")
    header = path.read_bytes()[:64]
    assert header[8:12] == b"DUCK"
    assert int.from_bytes(header[12:20], "little") <= 68


def test_without_a_thread_to_be_had_everybody_finds_the_functions_all_the_same(monkeypatch):
    def none_left(thread):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", none_left)
    with duckdb.connect() as con:
        msd_sql.register(con)
        assert con.cursor().sql("FROM msd_sql.msd_ledger()").fetchall() == []


def test_nothing_is_kept_of_a_connection_that_asked_and_was_closed():
    with duckdb.connect() as con:
        msd_sql.register(con)
        fill(con)
        declare(con)
        for _ in range(5):
            with con.cursor() as cursor:
                msd_sql.register(cursor)
                cursor.execute("SELECT msd_select(item_id, 2, 0.01, 0.5) FROM products").fetchall()
        assert not instance_of(con)._running
