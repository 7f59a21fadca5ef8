"""The database in front: what a SELECT can do beside reading, and what it tells of the machine and of others."""

from __future__ import annotations

import io
import os
import time
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from msd_sql.catalog.accounts.account import Account
from msd_sql.curator.core import Curator
from msd_sql.curator.limits import LimitError, Limits
from msd_sql.curator.log import Log
from msd_sql.database.plans import Plan, serialized
from msd_sql.errors import InputError, MsdError
from msd_sql.guard.connection_view import ConnectionView
from msd_sql.remote.functions import sources
from tests.curator.conftest import accounts, add_people
from tests.curator.shop import make_shop
from tests.curator.test_core import SIX, left, rows

WRITES = [
    "WITH x AS (INSERT INTO products SELECT * FROM products RETURNING *) SELECT * FROM x",
    "WITH x AS (DELETE FROM products RETURNING *) SELECT * FROM x",
    "WITH x AS (UPDATE products SET title = 'mine' RETURNING *) SELECT * FROM x",
    "EXPLAIN ANALYZE DELETE FROM products",
    "EXPLAIN (ANALYZE, FORMAT json) DELETE FROM products",
    "EXPLAIN ANALYZE WITH x AS (DELETE FROM products RETURNING *) SELECT * FROM x",
    "EXPLAIN /* a */ ANALYZE DELETE FROM products",
    "/* a */ EXPLAIN ANALYZE DELETE FROM products",
    "EXPLAIN ANALYZE CREATE TABLE mine AS SELECT 1",
    "EXPLAIN ANALYZE CREATE TEMP TABLE mine AS SELECT 1",
    "EXPLAIN ANALYZE CREATE OR REPLACE TEMP MACRO msd_select(a, b, c, d) AS 1",
    "EXPLAIN ANALYZE CREATE TYPE mine AS ENUM ('a')",
    "EXPLAIN ANALYZE SET VARIABLE mine = 5",
    "EXPLAIN ANALYZE PREPARE mine AS SELECT 1",
    "EXPLAIN ANALYZE CREATE SECRET mine (TYPE http)",
    "EXPLAIN ANALYZE COPY products TO '{folder}/mine.csv'",
    "EXPLAIN ANALYZE COMMIT",
    "SELECT * FROM query('WITH x AS (DELETE FROM products RETURNING *) SELECT * FROM x')",
    "FROM json_execute_serialized_sql(json_serialize_sql('WITH x AS (DELETE FROM products RETURNING *) FROM x'))",
    "FROM query('FROM json_execute_' || 'serialized_sql(json_serialize_sql(''SELECT 1''))')",
    "FROM \"QUERY\" /* a */ ('SELECT 1')",
    "FROM query -- a\n ('SELECT 1')",
    "SELECT * FROM enable_logging('QueryLog', storage_path := '{folder}/mine')",
    "SELECT * FROM enable_logging()",
    "SELECT * FROM \"Enable_Logging\"('QueryLog', storage_path := '{folder}/mine')",
    "SELECT * FROM disable_logging()",
    "SELECT * FROM enable_profiling()",
    "SELECT * FROM truncate_duckdb_logs()",
    "SELECT * FROM checkpoint('memory')",
    "SELECT * FROM system.main.force_checkpoint()",
    "SELECT write_log('x')",
    "SELECT msd_pull('products')",
]


@pytest.mark.parametrize("sql", WRITES)
def test_nothing_is_written_by_what_looks_like_a_question(
    quiet: Curator, quiet_people: dict[str, Account], tmp_path: Path, sql: str
) -> None:
    with pytest.raises(InputError):
        rows(quiet, quiet_people["ana"], sql.format(folder=tmp_path))
    for name in ("ana", "ben"):
        account = quiet_people[name]
        assert rows(quiet, account, "SELECT count(*) AS n, min(title) AS t FROM products") == [
            {"n": 61, "t": "product 0"}
        ]
        assert rows(quiet, account, "SELECT table_name FROM duckdb_tables()") == [{"table_name": "products"}]
        assert rows(quiet, account, "SELECT getvariable('mine') AS v") == [{"v": None}]
        for kind in ("duckdb_variables()", "duckdb_prepared_statements()", "duckdb_secrets()"):
            assert rows(quiet, account, f"FROM {kind}") == []
    assert list(tmp_path.iterdir()) == []


def test_explain_of_a_question_is_told(quiet: Curator, quiet_people: dict[str, Account]) -> None:
    for how in ("EXPLAIN", "EXPLAIN ANALYZE", "explain (format json)", "EXPLAIN (ANALYZE, FORMAT json)"):
        (told,) = rows(quiet, quiet_people["ana"], f"{how} SELECT title FROM products WHERE shelf = 1")
        assert "products" in told["explain_value"]


def test_nothing_tells_of_the_machine(quiet: Curator, quiet_people: dict[str, Account]) -> None:
    for asked in (
        "FROM duckdb_settings()", "FROM duckdb_databases()", "FROM duckdb_secrets()", "FROM duckdb_extensions()",
        "FROM pragma_database_list", "FROM duckdb_temporary_files()", "FROM duckdb_logs()",
        "FROM duckdb_log_contexts()",
        "FROM read_csv('relative.csv')", "FROM 'shop.duckdb'", "FROM glob('*')", "FROM which_secret('s3://x', 's3')",
        "SELECT getenv('PATH')", "SELECT current_setting('temp_directory')", "FROM duckdb_functions()",
        "FROM duckdb_optimizers()", "FROM duckdb_memory()",
    ):  # fmt: skip
        try:
            told = str(rows(quiet, quiet_people["ana"], asked))
        except MsdError as refused:
            told = str(refused)
        for secret in (os.path.expanduser("~/"), os.getcwd(), str(Path(quiet.file).parent), os.environ["PATH"]):
            assert secret not in told, asked


def test_accounts_see_nothing_of_each_other(curator: Curator, people: dict[str, Account]) -> None:
    rows(curator, people["ana"], f"SELECT 'a word of ana', * FROM ({SIX})")
    for asked in (
        "FROM duckdb_logs()", "FROM duckdb_variables()", "FROM duckdb_prepared_statements()", "FROM msd_ledger()",
        "FROM msd_releases()", "SELECT current_query()", "FROM duckdb_tables()", "FROM duckdb_views()",
    ):  # fmt: skip
        assert "word of ana" not in str(rows(curator, people["ben"], asked)), asked
    assert left(curator, people["ben"]) == (0.9, 0.5)
    price = rows(curator, people["ben"], "FROM msd_explain(products, 6, 0.1, 0.5)")
    assert not [line for line in price if "ana" in line["value"].split()]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Curator, dict[str, Account]]]:
    path = make_shop(tmp_path_factory.mktemp("small") / "shop.duckdb")
    tokens = add_people(path)
    made = Curator(str(path), Limits(rate=10_000, seconds=2, memory="200MB"), log=Log(io.StringIO()))
    yield made, accounts(made, tokens)
    made.close()


EXHAUSTING = [
    "SELECT count(*) FROM range(100000000) a, range(100000000) b WHERE hash(a.range + b.range) = 7",
    "SELECT list(range) FROM range(1000000000)",
    "SELECT string_agg(repeat('x', 100000), '') FROM range(1000000)",
    "WITH RECURSIVE t AS (SELECT 1 AS a UNION ALL SELECT a + 1 FROM t) SELECT max(a) FROM t",
    "SELECT * FROM range(1000000000)",
    f"SELECT {' + '.join(['1'] * 20000)}",
]


@pytest.mark.parametrize("sql", EXHAUSTING, ids=[one[:50] for one in EXHAUSTING])
def test_a_statement_that_takes_all_there_is_ends_and_others_go_on(
    small: tuple[Curator, dict[str, Account]], sql: str
) -> None:
    curator, people = small
    begun = time.monotonic()
    with pytest.raises((InputError, LimitError)):
        rows(curator, people["ana"], sql)
    assert time.monotonic() - begun < 30
    assert rows(curator, people["ana"], "SELECT 1 AS one") == [{"one": 1}]
    assert rows(curator, people["ben"], "SELECT count(*) AS n FROM products") == [{"n": 61}]


@pytest.mark.parametrize(
    "read",
    [
        "products",
        "(SELECT * FROM products WHERE item_id IN (SELECT max(item_id) FROM products))",
        'products, (SELECT count(*) AS many FROM s."a""b")',
        'products WHERE title <> \'"function_data":{"catalog":"x","schema":"y","table":"z"\'',
        "range(10) t(item_id)",
    ],
)
def test_the_tables_under_a_question_are_those_of_its_plan(read: str) -> None:
    with duckdb.connect() as con:
        con.execute("CREATE TABLE products AS SELECT 1 AS item_id, $$a$$ AS title; CREATE SCHEMA s")
        con.execute('CREATE TABLE s."a""b" AS FROM products')
        con.create_function("_msd_take", lambda one: one, ["BIGINT"], "BIGINT")
        asked = f"SELECT _msd_take(item_id) FROM {read}"
        told = con.execute("SELECT json_serialize_plan(?)::VARCHAR", [asked]).fetchall()[0][0]
    plan = serialized(told)
    assert isinstance(plan, Plan)
    expected = [[name.schema, name.name] for name in plan.feeding or plan.tables]
    assert sorted(sources(ConnectionView(plan=told))) == sorted(expected)
