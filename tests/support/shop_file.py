"""A shop in a file with one protected table, opened for as long as one statement needs it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal

import duckdb
import pytest

from msd_sql.catalog.catalog import Catalog
from msd_sql.catalog.journal.file import forget_journals
from msd_sql.catalog.ledger import Ledger
from msd_sql.catalog.records.lines import Answer, Entry
from msd_sql.database.duckdb_host import DuckDBHost
from msd_sql.udfs.privacy.renyi import Divergence

LOAD = "CREATE TABLE purchases AS SELECT i % 100 AS user_id, i % 7 AS item_id FROM range(1000) t(i)"
PURCHASES = {"unit": "user_id", "item": "item_id", "budget": 1.0, "delta": 1e-9}


@contextmanager
def open_shop(file, *, declare: bool = False, load: bool = True, budget: float = 1.0) -> Iterator[DuckDBHost]:
    """A host on a file, as a new process has it; with `declare` its table is loaded and protected."""
    forget_journals()
    with duckdb.connect(str(file)) as con:
        if declare and load:
            con.execute(LOAD)
        host = DuckDBHost(con.cursor())
        try:
            if declare:
                Catalog(host).protect("purchases", **{**PURCHASES, "budget": budget})
            yield host
        finally:
            host.close()


def spend(file, eps="0.1", delta=0) -> str:
    """Charge once, from opening to closing the file."""
    with open_shop(file) as host:
        return charge(host, Catalog(host).need("purchases"), eps, delta)


def charge(host, protected, eps="0.1", delta=0) -> str:
    """Charge one answer; the id of its line."""
    answer = Answer(Decimal(eps), Decimal(str(delta)), Divergence.of_count(float(eps)))
    return Ledger(host).charge(protected, Entry("select"), [answer]).line


def spent(file) -> Decimal:
    """What the database says was spent, once it is opened."""
    with open_shop(file) as host:
        return Catalog(host).need("purchases").spent


@pytest.fixture
def shop(tmp_path):
    """A file with purchases, protected with ε = 1."""
    file = tmp_path / "shop.duckdb"
    with open_shop(file, declare=True):
        pass
    return file
