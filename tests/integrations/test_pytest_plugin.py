"""The fixture `msd_shop`: people's own tests, run by pytest itself, twice: the same answers, and no others are."""

import os
import subprocess
import sys

import pytest

PLUGIN = "msd_sql.integrations.pytest_plugin"  # loaded by itself once the package is installed
MINE = """
import msd_sql
def test_of_mine(msd_shop):
    found = msd_sql.select("FROM products", con=msd_shop, k=4, eps=0.1, diversity=0.5)
    print("answer", found.items, found.receipt.private, msd_sql.reach(msd_shop, found, 0.1))
    groups = msd_shop.execute("SELECT category, msd_select(item_id, 2, 0.1, 0.5) FROM products GROUP BY 1 ORDER BY 1")
    print("answer", groups.fetchall(), msd_shop.execute("SELECT msd_recount('purchases', 0.5)").fetchall())
"""
MARKED = """
import json
import msd_sql
def test_of_mine(msd_shop):
    found = msd_sql.select("FROM products", con=msd_shop, k=4, eps=0.1, diversity=0.5)
    assert not found.receipt.private and "NOT private (seeded randomness)" in str(found.receipt)
    msd_sql.reach(msd_shop, found, 0.1)
    msd_shop.execute("SELECT msd_recount('purchases', 0.5)").fetchall()
    lines = "SELECT kind, what, parameters FROM msd_ledger() WHERE releases > 0 ORDER BY time"
    told = msd_shop.execute(lines).fetchall()
    assert [kind for kind, _, _ in told] == ["select", "reach", "recount"]
    assert all(what.endswith(", NOT private (seeded randomness)") for _, what, _ in told), told
    assert all(json.loads(parameters)["not_private"] is True for _, _, parameters in told)
    receipts = msd_shop.execute("SELECT receipt FROM msd_releases()").fetchall()
    assert [json.loads(text)["private"] for text, in receipts] == [False] * 3
"""
# Another database beside it, one attached to it, and a ledger in a file: all of them private, and never the same twice.
OTHERS = """
import json, duckdb, msd_sql
from msd_sql.registration import instance_of
ASK = "SELECT msd_reach([1, 2], 0.001, fresh := true{})"
PROTECT = "SELECT msd_protect('{}', unit := 'user_id', item := 'item_id', budget := 100, delta := 1e-6)"
def private(con, relation):
    con.execute(PROTECT.format(relation)).fetchall()
    told = {con.execute(ASK.format(f", relation := '{relation}'")).fetchall()[0][0] for _ in range(8)}
    lines = con.execute("SELECT what, parameters, relation FROM msd_ledger() WHERE kind = 'reach'").fetchall()
    mine = [(what, parameters) for what, parameters, name in lines if name == con.execute(
        "SELECT relation FROM msd_ledger() WHERE kind = 'protect' ORDER BY time DESC LIMIT 1").fetchall()[0][0]]
    assert mine and not any("NOT private" in what or "not_private" in parameters for what, parameters in mine), mine
    return told
def test_of_mine(msd_shop, tmp_path):
    fill = "CREATE TABLE {}.main.orders AS SELECT i % 900 AS user_id, i % 7 AS item_id FROM range(4000) t(i)"
    with duckdb.connect(str(tmp_path / "real.duckdb")) as real, duckdb.connect() as memory:
        for con, name in ((real, "real"), (memory, "memory")):
            msd_sql.register(con)
            assert instance_of(con).seeded is None
            con.execute(fill.format(name))
            print("answer", private(con, "orders"))
    msd_shop.execute(f"ATTACH '{tmp_path / 'real.duckdb'}' AS real")
    msd_shop.execute("ATTACH ':memory:' AS other")
    msd_shop.execute(fill.format("other"))
    told = [msd_shop.execute(ASK.format(", relation := 'real.main.orders'")).fetchall()[0][0] for _ in range(8)]
    print("answer", told, private(msd_shop, "other.main.orders"))
"""
WITHOUT = """
import duckdb, msd_sql
from msd_sql.registration import instance_of
def test_of_mine():
    with duckdb.connect() as con:
        msd_sql.register(con)
        assert instance_of(con).seeded is None
        con.execute("CREATE TABLE orders AS SELECT i % 900 AS user_id, i % 7 AS item_id FROM range(4000) t(i)")
        msd_sql.protect(con, "orders", unit="user_id", item="item_id", budget=100, delta=1e-6)
        sql = "SELECT msd_reach([1, 2], 0.001, fresh := true)"
        print("answer", [con.execute(sql).fetchall()[0][0] for _ in range(8)])
"""


@pytest.fixture
def run(tmp_path):
    """Runs a person's own test file, twice unless told otherwise; the lines printed as answers, of each run."""

    def several(text: str, times: int = 2) -> list[list[str]]:
        (tmp_path / "test_mine.py").write_text(text)
        command = [sys.executable, "-m", "pytest", "-q", "-s", "-p", PLUGIN, "-p", "no:cacheprovider", "--rootdir"]
        alone = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        found = []
        for _ in range(times):
            told = subprocess.run(
                [*command, str(tmp_path), str(tmp_path)],
                capture_output=True,
                text=True,
                check=False,
                cwd=tmp_path,
                env=alone,
            )
            assert told.returncode == 0, told.stdout + told.stderr
            found.append([line for line in told.stdout.splitlines() if line.startswith("answer")])
        return found

    return several


def test_answers_repeat_and_are_not_private(run):
    first, second = run(MINE)
    assert len(first) == 2
    assert first == second
    assert "False" in first[0]


def test_receipts_and_ledger_say_that_they_are_not_private(run):
    run(MARKED, times=1)


def test_other_databases_of_the_same_test_are_private(run):
    first, second = run(OTHERS)
    assert len(first) == 3
    assert not set(first) & set(second)  # of noise about 1,000 users wide, eight times


def test_a_test_that_does_not_ask_for_the_fixture_is_private(run):
    first, second = run(WITHOUT)
    assert first
    assert first != second


def test_loading_the_plugin_loads_nothing_else():
    """Pytest loads it in every project of whoever has the package installed."""
    text = f"import sys, {PLUGIN}; print(sorted({{'duckdb', 'numpy', 'pandas'}} & set(sys.modules)))"
    found = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
