"""Work beside a call: it sees what was there when it began, tells its error, and does not outlive the call."""

import threading

import duckdb
import pytest

from msd_sql.database.background import BackgroundRead
from msd_sql.database.duckdb_host import DuckDBHost
from msd_sql.database.host import HostError, Interrupted
from msd_sql.errors import EngineError

COUNT = "SELECT count(*) FROM purchases"
LONG = "SELECT count(*) FROM range(10000000) a, range(10000000) b WHERE hash(a.range, b.range) = 1"


@pytest.fixture
def host(tmp_path):
    with duckdb.connect(str(tmp_path / "shop.duckdb")) as con:
        con.execute("CREATE TABLE purchases AS SELECT range AS user_id FROM range(10)")
        yield DuckDBHost(con)


def test_what_is_committed_after_the_beginning_is_not_seen(host):
    committed = threading.Event()

    def work(beside):
        assert committed.wait(30)
        return beside.rows(COUNT)[0][0]

    begun = BackgroundRead(host, work, "purchases")
    begun.check_snapshot()
    host.run("INSERT INTO purchases VALUES (99)")
    committed.set()
    assert begun() == begun() == 10
    assert host.rows(COUNT) == [(11,)]


def test_without_a_table_the_work_is_done_at_once(host):
    begun = BackgroundRead(host, lambda same: same.rows(COUNT)[0][0], None)
    host.run("INSERT INTO purchases VALUES (99)")
    assert begun() == 10


def test_an_error_is_raised_where_the_result_is_asked_for(host):
    def work(beside):
        raise EngineError("Reading failed.")

    begun = BackgroundRead(host, work, "purchases")
    with pytest.raises(EngineError, match="Reading failed"):
        begun()


def test_nothing_outlives_the_end(host):
    begun = BackgroundRead(host, lambda beside: beside.rows(LONG), "purchases")
    begun.shutdown()
    assert not begun._thread.is_alive()
    with pytest.raises(Interrupted):
        begun()
    host.run("DROP TABLE purchases")  # no transaction of it is left that holds the table
    with pytest.raises(HostError, match="closed"):
        begun._second.rows("SELECT 1")


def test_a_table_that_is_gone_leaves_no_connection_open(host):
    begun = BackgroundRead(host, lambda beside: 1, "nothing")
    for ask in (begun.check_snapshot, begun):
        with pytest.raises(HostError, match="does not exist"):
            ask()
    with pytest.raises(HostError, match="closed"):
        begun._second.rows("SELECT 1")
