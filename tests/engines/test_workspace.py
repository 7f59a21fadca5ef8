"""The sql engine leaves no trace of private data, needs no right to write, and shows integers only."""

import duckdb
import numpy as np
import pytest

from msd_sql.catalog.declarations import Items
from msd_sql.database.duckdb_host import DuckDBHost
from msd_sql.database.sql_text import Name
from msd_sql.engines.build import build
from msd_sql.engines.workspace import Workspace
from msd_sql.errors import EngineError

from .conftest import candidates, protected

ROWS = "SELECT 'user ' || range % 50 AS user_id, range % 7 AS item_id, range % 11 AS place FROM range(1000)"


@pytest.fixture
def file(tmp_path):
    with duckdb.connect(str(tmp_path / "shop.duckdb")) as con:
        con.execute(f"CREATE TABLE purchases AS {ROWS}")
        con.execute("CREATE TABLE products AS SELECT range AS id, range AS place FROM range(7)")
    return tmp_path / "shop.duckdb"


def in_shop(found):
    return type(found)(**{**vars(found), "relation": Name("shop", "main", "purchases")})


def relevances(host):
    coverage = in_shop(protected())
    match = in_shop(protected("user_id", None, relevance="best_match", similarity="1 - abs(r.place - v.place) / 10"))
    products = Items("products", "id", (), None, (), (), None, relation=Name("shop", "main", "products"))
    yield build(host, coverage, candidates(range(7)), k=2, engine="sql")
    yield build(host, match, candidates(range(7)), k=2, engine="sql", items=products)


def play(relevance):
    relevance.add(1)
    relevance.add(2)
    relevance.swap_gains(np.array([3, 4]))
    relevance.swap(0, 5)
    relevance.gains()


def temporary(con):
    return con.execute("SELECT table_name FROM duckdb_tables() WHERE temporary").fetchall()


def test_a_read_only_database_is_enough(file):
    with duckdb.connect(str(file), read_only=True) as con, con.cursor() as cursor:
        for relevance in relevances(DuckDBHost(cursor)):
            play(relevance)
            assert relevance.value() > 0


def test_nothing_is_written_to_the_users_file(file):
    before = file.read_bytes()
    with duckdb.connect(str(file)) as con, con.cursor() as cursor:
        for relevance in relevances(DuckDBHost(cursor)):
            play(relevance)
        con.execute("CHECKPOINT")
        tables = con.execute("SELECT table_name FROM duckdb_tables() WHERE NOT temporary ORDER BY ALL").fetchall()
    assert tables == [("products",), ("purchases",)]
    assert file.read_bytes() == before


def test_the_callers_connection_sees_none_of_it(file):
    with duckdb.connect(str(file)) as con, con.cursor() as cursor:
        for relevance in relevances(DuckDBHost(cursor)):
            play(relevance)
            assert temporary(cursor)
            assert not temporary(con)


def test_closing_drops_every_temp_relation(file):
    with duckdb.connect(str(file)) as con, con.cursor() as cursor:
        for relevance in relevances(DuckDBHost(cursor)):
            play(relevance)
            relevance.close()
        assert not temporary(cursor)


def test_two_questions_on_one_connection_do_not_meet(file):
    with duckdb.connect(str(file)) as con, con.cursor() as cursor:
        host = DuckDBHost(cursor)
        first, second = (
            build(host, in_shop(protected()), candidates(keys), k=2, engine="sql") for keys in ([1], [1, 2])
        )
        first.add(0)
        assert second.gains().tolist() == [50, 50]


def test_nothing_but_integers_is_read(file, monkeypatch):
    seen = []
    read = Workspace.read

    def reading(self, step):
        found = read(self, step)
        seen.append({name: column.dtype.kind for name, column in found.items()})
        return found

    monkeypatch.setattr(Workspace, "read", reading)
    with duckdb.connect(str(file)) as con, con.cursor() as cursor:
        for relevance in relevances(DuckDBHost(cursor)):
            play(relevance)
            relevance.value()
    assert len(seen) > 8
    assert all(kind in "iu" for columns in seen for kind in columns.values())
    assert {name for columns in seen for name in columns} <= {"i", "slot", "units", "total", "gain", "back"}


def test_an_error_never_quotes_a_value(file, engine):
    with duckdb.connect(str(file)) as con, con.cursor() as cursor:
        con.execute("CREATE VIEW bad AS SELECT user_id::INTEGER AS user_id, item_id FROM purchases")
        found = type(protected())(**{**vars(protected()), "relation": Name("shop", "main", "bad")})
        with pytest.raises(EngineError) as caught:
            build(DuckDBHost(cursor), found, candidates(range(7)), k=2, engine=engine)
    seen = caught.value
    while seen is not None:
        assert "user 0" not in str(seen)
        assert "user 1" not in str(seen)
        seen = seen.__cause__ or seen.__context__
