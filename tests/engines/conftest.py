"""A tiny shop per test: a connection, a declaration, and a reference model that recounts everything from sets."""

from decimal import Decimal

import duckdb
import numpy as np
import pytest

from msd_sql.catalog.declarations import Protected
from msd_sql.database.duckdb_host import DuckDBHost
from msd_sql.database.sql_text import Name
from msd_sql.engines.candidates import Candidates, whole_candidates

ENGINES = ["memory", "sql"]


@pytest.fixture(params=ENGINES)
def engine(request):
    return request.param


@pytest.fixture
def con():
    with duckdb.connect() as connection:
        yield connection


@pytest.fixture
def host(con):
    with con.cursor() as cursor:
        yield DuckDBHost(cursor)


def protected(unit="user_id", item="item_id", *, relation="purchases", m=10, cap=1, **more):
    """A declaration as the catalog would give it."""
    facts = {"relevance": "coverage", "similarity": None, **more}
    return Protected(
        f"memory.main.{relation}",
        unit,
        item,
        cap=cap,
        m=m,
        budget=Decimal(1),
        delta=Decimal("1e-9"),
        relation=Name("memory", "main", relation),
        **facts,
    )


def candidates(keys, kind="BIGINT"):
    if all(isinstance(key, int) for key in keys):
        return whole_candidates(np.array(list(keys), dtype=np.int64), kind)
    return Candidates([str(key) for key in keys], kind)


def purchases(con, rows, unit_type="BIGINT", item_type="BIGINT"):
    """Fill `purchases` with (unit, item) rows; None is NULL."""
    con.execute(f"CREATE OR REPLACE TABLE purchases (user_id {unit_type}, item_id {item_type})")
    if rows:
        con.executemany("INSERT INTO purchases VALUES (?, ?)", rows)


class Recount:
    """Coverage by definition: sets of units, counted from scratch every time."""

    def __init__(self, rows, keys, cap):
        self.units_of = [{unit for unit, item in rows if item == key and unit is not None} for key in keys]
        self.cap, self.picks = cap, []

    def value(self, picks=None):
        held = [unit for pick in (self.picks if picks is None else picks) for unit in self.units_of[pick]]
        return sum(min(held.count(unit), self.cap) for unit in set(held))

    def gains(self):
        return {v: self.value([*self.picks, v]) - self.value() for v in self._outside()}

    def swap_gains(self):
        return {
            (slot, v): self.value([*self.picks[:slot], v, *self.picks[slot + 1 :]]) - self.value()
            for slot in range(len(self.picks))
            for v in self._outside()
        }

    def _outside(self):
        return [v for v in range(len(self.units_of)) if v not in self.picks]
