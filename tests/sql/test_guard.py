"""The guard against real databases: every case of tests/sql/guard/*.sql, with definitions that DuckDB itself wrote."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, replace
from pathlib import Path

import duckdb
import pytest
import sqlglot

import msd_sql.guard.examine
from msd_sql.database.duckdb_host import DuckDBHost
from msd_sql.errors import LeakError
from msd_sql.guard import parse
from msd_sql.guard.examine import HostResolver, Session, check_public, examine
from msd_sql.guard.files import overlap
from msd_sql.guard.unit_columns import unit_names

FOLDER = Path(__file__).parent / "guard"
PROTECTED = ["memory.main.purchases", "memory.main.pickups", "lake.raw.visits", "memory.main.orders_seen"]
DECLARED = ["memory.main.products"]
UNITS = dict.fromkeys(PROTECTED, "user_id")
PATH = (("memory", "main"),)


@dataclass(frozen=True)
class Case:
    title: str
    verdict: str
    expected: str
    sql: str


def cases(file: Path) -> list[Case]:
    found = []
    for block in file.read_text().strip().split("\n\n"):
        title, verdict, sql = block.split("\n", 2)
        kind, _, expected = verdict.removeprefix("-- ").partition(":")
        found.append(Case(title.removeprefix("-- "), kind, expected.strip(), sql))
    return found


CASES = [
    pytest.param(case, id=f"{file.stem}: {case.title}")
    for file in sorted(FOLDER.glob("*.sql"))
    if file.stem != "schema"
    for case in cases(file)
]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    (folder / "pickups").mkdir()
    (folder / "zones").mkdir()
    for name in ("zones", "pickups/2025", "pickups/2026"):
        duckdb.sql("SELECT 1 AS user_id, 2 AS item_id").write_parquet(str(folder / f"{name}.parquet"))
    (folder / "link.parquet").symlink_to(folder / "pickups" / "2026.parquet")
    return folder


@pytest.fixture(scope="module")
def database(files):
    con = duckdb.connect()
    # The macros of register() are not needed to ask the guard: a stand-in lets views and macros that call them bind.
    con.execute("CREATE MACRO msd_select(i, k, e, d, score := NULL, quota := NULL, features := NULL) AS list(i)")
    for name in ("msd_topk", "msd_explain"):
        con.execute(f"CREATE MACRO {name}(t, k, e, d) AS TABLE SELECT *, 1 AS msd_rank FROM query_table(t)")
    con.execute((FOLDER / "schema.sql").read_text().replace("$files", str(files)))
    con.execute("CREATE TEMP TABLE categories AS SELECT 1 AS item_id")
    con.execute("CREATE TEMP VIEW session_hot AS FROM purchases")
    con.execute("CREATE TEMP VIEW session_few AS FROM products WHERE price_bin < 3")
    con.execute("PREPARE kept AS SELECT msd_select(item_id, 6, 0.1, 0.5) FROM purchases WHERE user_id = $1")
    con.execute("PREPARE fine AS SELECT msd_select(item_id, 6, 0.1, 0.5) FROM products WHERE category = $1")
    con.execute((Path(msd_sql.__file__).parent / "surface" / "caller.sql").read_text())
    yield con
    con.close()


@pytest.fixture(scope="module")
def session(database):
    found = Session.read(database.execute("SELECT _msd_session()").fetchone()[0])
    return replace(found, views={**found.views, "registered": ""})


@pytest.fixture
def resolver(database, session):
    return HostResolver(DuckDBHost(database.cursor()), PATH, session)


@pytest.fixture
def plain(database):
    """What the guard knows when the caller's session is not told."""
    return HostResolver(DuckDBHost(database.cursor()), PATH)


@pytest.mark.parametrize("case", CASES)
def test_the_guard_decides_every_case_of_the_fixtures(case, resolver, plain, files):
    def fill(text: str) -> str:
        return text.replace("$files", str(files)).replace("$relative", os.path.relpath(files))

    asked = resolver if "TEMP" in case.title or "session" in case.sql or "EXECUTE" in case.sql else plain
    asked = resolver if "registered" in case.sql else asked
    sql, expected = fill(case.sql), fill(case.expected)
    if case.verdict == "allowed":
        found = examine(sql, asked, PROTECTED, declared=DECLARED, units=UNITS)
        assert sorted(map(str, found.relations)) == sorted(filter(None, expected.split(", ")))
        return
    with pytest.raises(LeakError) as refusal:
        examine(sql, asked, PROTECTED, declared=DECLARED, units=UNITS)
    message = str(refusal.value)
    assert "public := true" in message
    if case.verdict == "refused":
        assert f": {expected}. " in message or f"relation {expected}. " in message
        assert "of the protected relation" in message or "on the protected relation" in message
    elif case.verdict == "unknown":
        assert "cannot tell where the candidates" in message
        assert expected in message
    else:
        assert "cannot read this statement" in message
        assert expected in message


def runs(case: Case) -> bool:
    """Can DuckDB bind the statement on a fresh connection, with the stand-in macros of this file?"""
    elsewhere = "s3://" in case.sql or "session_" in case.sql
    opens = case.sql.split()[0] in ("EXPLAIN", "PREPARE", "EXECUTE", "MERGE") or ";" in case.sql or "?" in case.sql
    return case.verdict in ("allowed", "refused") and not elsewhere and not opens


@pytest.mark.parametrize("case", [case for case in CASES if runs(case.values[0])])
def test_the_statements_of_the_fixtures_are_duckdbs_own_sql(case, database, files):
    sql = case.sql.replace("$files", str(files)).replace("$relative", os.path.relpath(files))
    database.cursor().execute(f"EXPLAIN {sql}").fetchall()  # an exception if it does not bind


def test_at_least_half_of_the_cases_are_refusals():
    refused = sum(case.values[0].verdict != "allowed" for case in CASES)
    assert len(CASES) >= 60
    assert refused >= len(CASES) / 2


def test_the_refusal_says_what_was_given_and_what_to_do(plain):
    with pytest.raises(LeakError) as refusal:
        examine(
            "SELECT msd_select(item_id, 6, 0.1, 0.5) FROM products_ranked",
            plain,
            PROTECTED,
            declared=DECLARED,
            units=UNITS,
        )
    assert str(refusal.value) == (
        "The candidates of msd_select(item_id, 6, 0.1, 0.5) depend on the protected relation purchases:"
        " products_ranked → view → purchases. Candidates of a private selection must not depend on protected data:"
        " select from a public relation. If these rows are public for a reason that the SQL does not show, say"
        " public := true (the ledger records it)."
    )


def test_what_a_protected_view_reads_is_refused_with_the_way_to_declare_it(plain):
    with pytest.raises(LeakError, match="If products is public, declare it with msd_items"):
        examine("SELECT msd_select(item_id, 6, 0.1, 0.5) FROM products", plain, PROTECTED)


def test_declaring_items_does_not_free_the_table_that_holds_the_units(plain):
    sql = "SELECT msd_select(item_id, 6, 0.1, 0.5) FROM orders"
    for units in (UNITS, {}):
        with pytest.raises(LeakError, match="data of the protected relation orders_seen, which reads orders"):
            examine(sql, plain, PROTECTED, declared=["memory.main.orders"], units=units)
    with pytest.raises(LeakError, match=r"memory\.main\.orders cannot be an items relation"):
        check_public(plain, "memory.main.orders", PROTECTED, UNITS)
    check_public(plain, "memory.main.products", PROTECTED, UNITS)


def test_the_names_of_a_unit_are_followed_through_aliases():
    inner = sqlglot.parse_one("SELECT lower(uid) AS who, item_id FROM orders", read="duckdb")
    outer = sqlglot.parse_one("SELECT who AS user_id, item_id AS it FROM v", read="duckdb")
    assert unit_names("USER_ID", [outer, inner]) == {"user_id", "who", "uid"}


def test_rows_are_the_relations_that_candidates_come_from_not_those_that_filter(plain):
    sql = (
        "WITH few AS (FROM health WHERE price_bin IN (SELECT floor FROM main.categories))"
        " SELECT msd_select(item_id, 6, 0.1, 0.5) FROM few WHERE item_id NOT IN (FROM archive)"
    )
    found = examine(sql, plain, PROTECTED, declared=DECLARED, units=UNITS)
    assert [name.name for name in found.rows] == ["health", "products"]
    assert {name.name for name in found.relations} == {"products", "categories", "archive"}


def test_each_call_of_a_statement_has_its_own_sources(plain):
    sql = (
        "SELECT (SELECT msd_select(item_id, 6, 0.1, 0.5) FROM products),"
        " (SELECT msd_select(item_id, 2, 0.1, 0.5) FROM archive)"
    )
    found = examine(sql, plain, PROTECTED, declared=DECLARED, units=UNITS)
    assert [[name.name for name in call.rows] for call in found.calls] == [["products"], ["archive"]]


def test_without_protected_relations_nothing_is_refused(plain):
    assert examine("SELECT msd_select(x, 3, NULL, 0.5) FROM some_frame", plain, []).relations == ()
    assert examine("not even SQL", plain, []).relations == ()


def test_the_search_path_of_the_caller_decides(database):
    there = HostResolver(DuckDBHost(database.cursor()), (("memory", "other"), ("memory", "main")))
    sql = "SELECT msd_select(item_id, 6, 0.1, 0.5) FROM purchases"
    assert str(examine(sql, there, PROTECTED).relations[0]) == "memory.other.purchases"
    lake = HostResolver(DuckDBHost(database.cursor()), (("lake", "raw"),))
    with pytest.raises(LeakError, match="depend on the protected relation visits"):
        examine("SELECT msd_select(item_id, 6, 0.1, 0.5) FROM visits", lake, PROTECTED)


def test_a_name_that_the_parser_loses_is_refused(plain, monkeypatch):
    def forgetful(text, read):
        tree = sqlglot.parse_one(text, read=read)
        tree.args.pop("where", None)
        return tree

    class Forgetful:
        tokenize = staticmethod(sqlglot.tokenize)
        parse_one = staticmethod(forgetful)

    monkeypatch.setattr(parse, "sqlglot", Forgetful)
    with pytest.raises(LeakError, match="'purchases' stands where the guard does not expect it"):
        examine("SELECT msd_select(item_id, 6, 0.1, 0.5) FROM products WHERE 1 IN (FROM purchases)", plain, PROTECTED)


def test_a_view_whose_definition_cannot_be_read_is_named(database):
    class Odd(HostResolver):
        def relation(self, parts, home=None):
            found = super().relation(parts, home)
            return replace(found, sql="CREATE VIEW health AS SELEKT 1 FROM ]") if found.text == "health" else found

    odd = Odd(DuckDBHost(database.cursor()), PATH)
    with pytest.raises(LeakError, match="the view health has a syntax that it does not know"):
        examine("SELECT msd_select(item_id, 6, 0.1, 0.5) FROM health", odd, ["purchases"])
    public = examine("SELECT msd_select(item_id, 6, 0.1, 0.5) FROM products", odd, ["purchases"], declared=["health"])
    assert [name.name for name in public.relations] == ["products"]


@pytest.mark.parametrize(
    ("one", "two", "common"),
    [
        ("/a/b.parquet", "/a/b.parquet", True),
        ("/a/./c/../b.parquet", "/a/b.parquet", True),
        ("file:///a/b.parquet", "/a/b.parquet", True),
        ("/a/*.parquet", "/a/b.parquet", True),
        ("/a/**/b.parquet", "/a/x/y/b.parquet", True),
        ("/a/{b,c}.parquet", "/a/b.parquet", True),
        ("/a/*.parquet", "/a/b*.parquet", True),
        ("/a", "/a/year=2026/b.parquet", True),
        ("s3://bucket/a/*.parquet", "S3://bucket/a/b.parquet", True),
        ("/a/b.parquet", "/a/c.parquet", False),
        ("/a/*.csv", "/a/b.parquet", False),
        ("/a/*.parquet", "/b/*.parquet", False),
        ("s3://bucket/a.parquet", "/a.parquet", False),
    ],
)
def test_paths_overlap_when_they_can_name_a_common_file(one, two, common):
    assert overlap(one, two) is common
    assert overlap(two, one) is common


def test_a_catalog_of_two_thousand_views_is_read_with_few_statements():
    con = duckdb.connect()
    con.execute("CREATE TABLE purchases(item_id INTEGER); CREATE TABLE products(item_id INTEGER)")
    con.execute("CREATE VIEW v0 AS FROM products")
    for i in range(1, 50):
        con.execute(f"CREATE VIEW v{i} AS FROM v{i - 1} WHERE item_id > {i}")
    for i in range(2000):
        con.execute(f"CREATE VIEW w{i} AS FROM purchases WHERE item_id > {i}")

    class Counting(DuckDBHost):
        asked = 0

        def rows(self, sql):
            self.asked += 1
            return super().rows(sql)

    host = Counting(con.cursor())
    started = time.perf_counter()
    found = examine("SELECT msd_select(item_id, 6, 0.1, 0.5) FROM v49", HostResolver(host, PATH), ["purchases"])
    print(f"a chain of 50 views among 2,000: {time.perf_counter() - started:.2f} s, {host.asked} statements")
    assert [name.name for name in found.relations] == ["products"]
    assert host.asked <= 3
    con.close()
