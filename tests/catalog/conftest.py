"""A shop whose catalog is used without SQL functions; the file exists once a test or `con` opens it."""

from __future__ import annotations

from decimal import Decimal

import duckdb
import pytest

from msd_sql.catalog.catalog import Catalog
from msd_sql.catalog.ledger import Ledger
from msd_sql.catalog.records.lines import Answer, Entry
from msd_sql.database.duckdb_host import DuckDBHost
from msd_sql.udfs.privacy.renyi import UNBOUNDED
from tests.support.shop_file import LOAD


def load(con):
    con.execute(LOAD)
    con.execute("CREATE TABLE products AS SELECT i AS item_id, ['a'] AS categories, i % 3 AS bin FROM range(7) t(i)")


def spend(host, protected, eps="0.4"):
    Ledger(host).charge(protected, Entry("select"), [Answer(Decimal(eps), Decimal(0), UNBOUNDED)])


@pytest.fixture
def new_file(tmp_path):
    return tmp_path / "shop.duckdb"


@pytest.fixture
def con(new_file):
    with duckdb.connect(new_file) as connection:
        load(connection)
        yield connection


@pytest.fixture
def host(con):
    return DuckDBHost(con.cursor())


@pytest.fixture
def catalog(host):
    return Catalog(host)
