"""head := in msd_protect: the public share of the largest item, declared once, by which answers are judged."""

import json
from pathlib import Path

import duckdb
import pytest

import msd_sql
from msd_sql.catalog.journal.file import journal_of
from tests.support.shop import ITEMS, fill, one

PROTECT = "SELECT msd_protect('purchases', unit := 'user_id', item := 'item_id', budget := 1.0, delta := 1e-9{})"


@pytest.fixture
def headed(empty):
    """A shop whose largest item is expected to have a fiftieth of the users."""
    one(empty, PROTECT.format(", head := 0.02"))
    one(empty, ITEMS)
    return empty


def worth(con, options=""):
    rows = con.execute(f"FROM msd_explain(products, 6, 0.1, 0.5{options})").fetchall()
    return dict(rows).get("worth")


def declared(con):
    return json.loads(one(con, "SELECT parameters FROM msd_ledger() WHERE kind = 'protect' ORDER BY time DESC LIMIT 1"))


def test_it_is_told_and_recorded(headed):
    said = one(headed, PROTECT.format(", head := 0.02"))
    assert ", m = 398, head 0.02, budget" in said
    assert declared(headed)["declared"]["head"] == 0.02
    assert msd_sql.protect(headed, "purchases", unit="user_id", item="item_id", budget=1.0, delta=1e-9).head == 0.02


def test_explain_warns_by_it_unless_it_is_told_another(headed):
    assert worth(headed).startswith("mostly noise: no item is expected to have more than 8 users (head 0.02)")
    assert worth(headed, ", head := 1").startswith("mostly noise: no item is expected to have more than 398 users")
    assert worth(headed, ", head := 1, users := 100000").startswith("the largest item, 100,000 users (head 1)")


def test_nothing_is_said_where_nothing_was_declared(shop):
    assert worth(shop) is None
    assert "head" not in declared(shop)["declared"]


def test_it_stays_until_another_is_said(headed):
    again = "SELECT msd_protect('purchases', unit := 'user_id', item := 'item_id', budget := 2.0, replace := true{})"
    assert "head 0.02" in one(headed, again.format(""))
    with pytest.raises(duckdb.Error, match=r"head was 0\.02, now 0\.3\. Add replace := true"):
        one(headed, "SELECT msd_protect('purchases', unit := 'user_id', item := 'item_id', budget := 2.0, head := 0.3)")
    assert "head 0.3" in one(headed, again.format(", head := 0.3"))
    for sql in ("SELECT msd_budget('purchases', 3.0)", "SELECT msd_recount('purchases', 0.5)"):
        one(headed, sql)
    assert "(head 0.3)" in worth(headed)
    one(headed, "SELECT msd_unprotect('purchases')")
    assert "head 0.3" in one(headed, PROTECT.format(", replace := true"))


@pytest.mark.parametrize("wrong", ["0", "-0.1", "1.01", "'much'", "'nan'"])
def test_a_share_is_above_0_and_at_most_1(empty, wrong):
    with pytest.raises(duckdb.Error, match="head must be a number above 0 and at most 1; got"):
        one(empty, PROTECT.format(f", head := {wrong}"))
    with pytest.raises(msd_sql.InputError, match="head must be a number above 0 and at most 1"):
        msd_sql.protect(empty, "purchases", unit="user_id", item="item_id", budget=1.0, head=0)


def test_it_changes_no_answer_and_no_question(headed):
    """It is advice: what was asked before it was said is the same question, and is answered for nothing."""
    before = one(headed, "SELECT msd_select(item_id, 6, 0.1, 0.5) FROM products")
    one(headed, PROTECT.format(", head := 0.5, replace := true"))
    assert one(headed, "SELECT msd_select(item_id, 6, 0.1, 0.5) FROM products") == before
    assert one(headed, "SELECT sum(charged_eps) FROM msd_ledger()") == pytest.approx(0.1)


def test_it_is_kept_in_the_file_and_in_the_journal_and_moves_with_the_relation(file):
    with duckdb.connect(file) as con:
        msd_sql.register(con)
        one(con, PROTECT.format(", head := 0.02"))
        one(con, ITEMS)
        con.execute("ALTER TABLE purchases RENAME TO orders")
        one(con, "SELECT msd_move('purchases', 'orders')")
    with duckdb.connect(file) as con:
        msd_sql.register(con)
        assert "(head 0.02)" in worth(con)
    kept = [json.loads(line.partition(" ")[2]) for line in Path(journal_of(file).path).read_text().splitlines()]
    assert [record["head"] for record in kept if "head" in record] == [0.02]


def test_a_ledger_in_another_file_keeps_it(tmp_path):
    for _ in range(2):
        with duckdb.connect() as con:
            fill(con)
            msd_sql.register(con, ledger=str(tmp_path / "ledger.duckdb"))
            one(con, PROTECT.format(", head := 0.02"))
            one(con, ITEMS)
            assert "(head 0.02)" in worth(con)
