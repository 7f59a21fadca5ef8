"""A schema msd of an older layout is brought up to date when it is first seen; nothing that was spent is forgotten."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest

import msd_sql
from msd_sql.catalog.catalog import Catalog
from msd_sql.catalog.homes import VERSION
from msd_sql.catalog.ledger import Ledger
from msd_sql.catalog.records.lines import Answer, Entry
from msd_sql.catalog.records.migration import proved
from msd_sql.database.duckdb_host import DuckDBHost
from msd_sql.database.host import HostError
from msd_sql.errors import BudgetError, CatalogError
from msd_sql.udfs.privacy.renyi import UNBOUNDED, Divergence
from tests.support.shop import declare, fill, one, spent

SIXTH = (Decimal("0.1"), Decimal("5e-11"), Divergence.of_selection(0.0148, adds=6, n=60))
LAYOUT_1 = (Path(__file__).parent / "layout_1.sql").read_text("utf-8")


@pytest.fixture
def file(tmp_path):
    """A shop whose declarations and ledger were written by layout 1."""
    path = str(tmp_path / "shop.duckdb")
    with duckdb.connect(path) as con:
        fill(con)
        con.execute(LAYOUT_1)
    return path


@pytest.fixture
def host(file):
    with duckdb.connect(file) as con:
        yield DuckDBHost(con.cursor())


def test_every_answer_with_a_receipt_is_carried_over_by_it(host):
    purchases = Catalog(host).need("purchases")
    assert (purchases.spent, purchases.spent_delta) == (Decimal("0.45"), Decimal("4e-10"))
    assert (purchases.alpha, purchases.answers) == (36, 4)
    receipts = [json.loads(row[0]) for row in host.rows("SELECT receipt FROM msd.releases WHERE eps < 1")]
    assert [receipt["method"] for receipt in receipts] == ["greedy", "greedy", "local_search", "laplace"]
    proven = sum(Decimal(proved(receipt).at(36.0)) for receipt in receipts)
    assert proven <= purchases.spent_renyi < proven + Decimal("1e-15")
    assert purchases.spent_clamp > 0
    assert purchases.remaining == Decimal("0.55")
    assert purchases.limits.how_many(purchases.loss, purchases.limits.price(*SIXTH)) > 20  # by order, not by sum


def test_lines_and_answers_are_kept(host):
    lines = Ledger(host).entries()
    assert [line.kind for line in lines] == [
        "protect", "items", "select", "replay", "select", "select", "reach", "exact", "migrate",
    ]  # fmt: skip
    assert [line.releases for line in lines] == [0, 0, 1, 0, 1, 1, 1, 1, 0]
    assert sum(line.charged_eps for line in lines) == Decimal("0.45")
    assert sum(line.charged.renyi for line in lines) == Catalog(host).need("purchases").spent_renyi
    assert lines[3].repeated == 1
    assert lines[0].who is None
    assert host.rows("SELECT version FROM msd.version") == [(VERSION,)]
    assert host.rows("SELECT count(*) FROM duckdb_tables() WHERE schema_name = 'msd' AND table_name LIKE '%_1'") == [
        (0,)
    ]


def test_it_goes_on_with_what_was_spent(file):
    for times in (1, 2):
        with duckdb.connect(file) as con:
            msd_sql.register(con)
            one(con, "SELECT msd_select(item_id, 6, 0.1, 0.5, fresh := true) FROM products")
            spent = one(con, "SELECT sum(charged_eps) FROM msd_ledger()")
            assert spent == pytest.approx(0.45 + 0.1 * times)


def without_proof(con):
    con.execute("""UPDATE msd.ledger SET receipt = '{"eps": 0.1, "delta": 1e-10}' WHERE method = 'local_search'""")


def from_another_ledger(con):
    con.execute("DELETE FROM msd.ledger WHERE method = 'local_search'")


@pytest.mark.parametrize("change", [without_proof, from_another_ledger])
def test_where_a_divergence_is_not_proved_the_sums_alone_go_on_as_they_were(file, change):
    with duckdb.connect(file) as con:
        change(con)
        host = DuckDBHost(con.cursor())
        purchases = Catalog(host).need("purchases")
        assert purchases.alpha is None
        assert (purchases.spent, purchases.remaining) == (Decimal("0.45"), Decimal("0.55"))
        assert purchases.limits.delta_sum == Decimal("1e-9")
        ledger = Ledger(host)
        ledger.charge(purchases, Entry("select"), [Answer(Decimal("0.55"), Decimal("6e-10"), UNBOUNDED)])
        with pytest.raises(BudgetError):
            ledger.charge(purchases, Entry("select"), [Answer(Decimal("1e-20"), Decimal(0), UNBOUNDED)])


def test_what_was_spent_purely_elsewhere_counts_as_its_own_divergence(file):
    with duckdb.connect(file) as con:
        con.execute("DELETE FROM msd.ledger WHERE kind = 'reach'")  # its δ was 0, so its divergence is at most its ε
        purchases = Catalog(DuckDBHost(con.cursor())).need("purchases")
        assert purchases.alpha == 36
        assert Decimal("0.05") < purchases.spent_renyi < Decimal("0.12")


def test_an_old_file_that_is_open_for_reading_only_is_not_used_unmigrated(file):
    with duckdb.connect(file, read_only=True) as con, pytest.raises(CatalogError, match="Open it for writing once"):
        Catalog(DuckDBHost(con.cursor())).all_protected()
    with duckdb.connect(file) as con:
        assert Catalog(DuckDBHost(con.cursor())).need("purchases").spent == Decimal("0.45")
    with duckdb.connect(file, read_only=True) as con:
        assert Catalog(DuckDBHost(con.cursor())).need("purchases").spent == Decimal("0.45")


def test_a_migration_that_fails_leaves_the_old_layout(file):
    with duckdb.connect(file) as con:
        con.execute("CREATE VIEW msd.kept_answers AS SELECT 42 AS mine")  # in the way of a table of that name
        with pytest.raises(HostError):
            Catalog(DuckDBHost(con.cursor())).all_protected()
        assert con.execute("SELECT version FROM msd.version").fetchall() == [(1,)]
        assert con.execute("SELECT count(*) FROM msd.ledger").fetchall() == [(8,)]


def test_somebody_elses_tables_are_left_alone(tmp_path):
    with duckdb.connect(tmp_path / "theirs.duckdb") as con:
        con.execute("CREATE SCHEMA msd")
        con.execute("CREATE TABLE msd.protected AS SELECT 1 AS mine")
        con.execute("CREATE TABLE purchases AS SELECT 1 AS user_id, 2 AS item_id")
        catalog = Catalog(DuckDBHost(con.cursor()))
        assert list(catalog.all_protected()) == []
        with pytest.raises(CatalogError, match=r"schema msd of your own is in the way.*register\(con, ledger="):
            catalog.protect("purchases", unit="user_id", item="item_id", budget=1.0, delta=1e-9)
        assert con.execute("FROM msd.protected").fetchall() == [(1,)]


LAYOUT_3 = """
CREATE TABLE msd.answers (question VARCHAR PRIMARY KEY, content VARCHAR NOT NULL, relation VARCHAR NOT NULL,
  release UUID NOT NULL, picks BIGINT[] NOT NULL, diversity DOUBLE);
INSERT INTO msd.answers SELECT * REPLACE (picks::BIGINT[] AS picks) FROM msd.kept_answers;
DROP TABLE msd.kept_answers;
UPDATE msd.version SET version = 3
"""
LAYOUT_2 = f"{LAYOUT_3}; DROP TABLE msd.heads; UPDATE msd.version SET version = 2"


@pytest.fixture(params=[LAYOUT_2, LAYOUT_3], ids=["2", "3"])
def second(tmp_path, request):
    """A shop whose declarations and ledger were written by layout 2, which had no heads, or 3, with lists of picks."""
    path = str(tmp_path / "shop.duckdb")
    with duckdb.connect(path) as con:
        fill(con)
        msd_sql.register(con)
        declare(con)
        one(con, "SELECT msd_select(item_id, 6, 0.1, 0.5) FROM products")
    with duckdb.connect(path) as con:
        con.execute(request.param)
    return path


def test_layouts_2_and_3_get_what_is_new_and_keep_everything(second):
    with duckdb.connect(second) as con:
        before = con.execute("FROM msd.ledger ORDER BY time").fetchall()
        budget = con.execute("SELECT key, spent, spent_renyi, revision FROM msd.protected").fetchall()
        msd_sql.register(con)
        assert one(con, "SELECT msd_remaining('purchases')") == pytest.approx(0.9)
        assert con.execute("FROM msd.ledger ORDER BY time").fetchall() == before
        assert con.execute("SELECT key, spent, spent_renyi, revision FROM msd.protected").fetchall() == budget
        assert con.execute("SELECT version FROM msd.version").fetchall() == [(VERSION,)]
        assert con.execute("FROM duckdb_tables() WHERE table_name = 'answers'").fetchall() == []
        one(con, "SELECT msd_select(item_id, 6, 0.1, 0.5) FROM products")
        assert spent(con) == 0.1  # the kept answer: it is the same question
        said = "SELECT msd_protect('purchases', unit := 'user_id', item := 'item_id', budget := 1.0, delta := 1e-9"
        assert "head 0.02" in one(con, f"{said}, head := 0.02, replace := true)")


def test_an_older_layout_that_is_open_for_reading_only_says_what_to_do(second):
    with duckdb.connect(second, read_only=True) as con, pytest.raises(CatalogError, match="Open it for writing once"):
        Catalog(DuckDBHost(con.cursor())).all_protected()
