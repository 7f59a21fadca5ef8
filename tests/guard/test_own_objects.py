"""The guard and what only the caller's connection sees: TEMP objects, macros, open transactions, settings."""

from __future__ import annotations

import re

import duckdb
import pytest

import msd_sql

PICK = "msd_select(item_id, 2, 0.01, 0.0, reach := 'purchases')"
PROTECT = "SELECT msd_protect('{}', unit := 'user_id', item := 'item_id', budget := 100, delta := 1e-6)"
HONEST = f"SELECT {PICK} FROM products"


@pytest.fixture
def con():
    con = duckdb.connect()
    msd_sql.register(con)
    con.execute("CREATE TABLE products AS SELECT i::INTEGER AS item_id, i * 1.5 AS price FROM range(20) t(i)")
    con.execute("CREATE TABLE purchases AS SELECT (i % 50)::INTEGER AS user_id, i % 20 AS item_id FROM range(200) t(i)")
    con.execute(
        "SELECT msd_protect('purchases', unit := 'user_id', item := 'item_id', budget := 100, delta := 1e-6)"
    ).fetchall()
    con.execute("SELECT msd_items('products', key := 'item_id', reach := 'purchases')").fetchall()
    yield con
    con.close()


def refused(con, sql, match):
    with pytest.raises(duckdb.InvalidInputException, match="LeakError") as error:
        con.execute(sql).fetchall()
    assert re.search(match, str(error.value)), str(error.value)
    nothing_charged(con)


def nothing_charged(con):
    rows = con.cursor().execute("SELECT count(*) FROM msd.ledger WHERE kind = 'select'").fetchall()
    assert rows == [(0,)]


def runs(con, sql):
    assert len(con.execute(sql).fetchall()[0][0]) == 2


@pytest.mark.parametrize("source", ["products", "main.products", "memory.main.products"])
@pytest.mark.parametrize("kind", ["TABLE", "VIEW"])
def test_a_temp_relation_hides_what_a_persisted_view_reads(con, source, kind):
    con.execute(f"CREATE VIEW cheap AS SELECT item_id FROM {source} WHERE price < 100")
    runs(con, f"SELECT {PICK} FROM cheap")
    (public,) = con.execute("SELECT count(*) FROM cheap").fetchall()
    con.execute(f"CREATE TEMP {kind} products AS SELECT item_id, 1.0 AS price FROM purchases WHERE user_id = 7")
    if con.execute("SELECT count(*) FROM cheap").fetchall() == [public]:
        assert source == "memory.main.products"
        assert duckdb.__version__.startswith("1.")  # where a full name means what it says
        runs(con, f"SELECT {PICK} FROM cheap")
        return
    with pytest.raises(duckdb.InvalidInputException, match="LeakError"):
        con.execute(f"SELECT {PICK} FROM cheap").fetchall()


@pytest.mark.parametrize("source", ["products", "main.products", "temp.products", "temp.main.products"])
def test_a_temp_table_hides_the_table_of_its_name(con, source):
    con.execute("CREATE TEMP TABLE products AS SELECT item_id FROM purchases WHERE user_id = 7")
    refused(con, f"SELECT {PICK} FROM {source}", "cannot tell what this statement reads")
    runs(con, f"SELECT {PICK} FROM memory.products")


MACROS = {
    "a second call in a macro": (
        "CREATE TEMP MACRO pick(x) AS msd_select(x, 2, 0.01, 0.0, reach := 'purchases')",
        f"SELECT ({HONEST}), (SELECT pick(item_id) FROM purchases WHERE user_id = 7)",
    ),
    "a name like ours": (
        "CREATE TEMP MACRO msd_hot() AS TABLE SELECT item_id FROM purchases WHERE user_id = 7",
        f"SELECT {PICK} FROM msd_hot()",
    ),
    "a scalar macro with a name like ours": (
        "CREATE TEMP MACRO _msd_hot(x) AS (SELECT count(*) > 9 FROM purchases p WHERE p.item_id = x)",
        f"SELECT {PICK} FROM products WHERE _msd_hot(item_id)",
    ),
    "a name that the parser knows": (
        "CREATE TEMP MACRO iff(a, b, c) AS (SELECT count(*) > 9 FROM purchases p WHERE p.item_id = a)",
        f"SELECT {PICK} FROM products WHERE iff(item_id, 1, 2)",
    ),
    "a macro that hides a persisted one": (
        "CREATE MACRO ok(x) AS x > 3;"
        "CREATE TEMP MACRO ok(x) AS (SELECT count(*) > 9 FROM purchases p WHERE p.item_id = x)",
        f"SELECT {PICK} FROM products WHERE ok(item_id)",
    ),
    "a macro inside of a persisted view": (
        "CREATE MACRO ok(x) AS x > 3; CREATE VIEW good AS FROM products WHERE ok(item_id);"
        "CREATE TEMP MACRO ok(x) AS (SELECT count(*) > 9 FROM purchases p WHERE p.item_id = x)",
        f"SELECT {PICK} FROM good",
    ),
    "nested macros": (
        "CREATE TEMP MACRO inner_one(x) AS (SELECT count(*) > 9 FROM purchases p WHERE p.item_id = x);"
        "CREATE TEMP MACRO outer_one(x) AS inner_one(x)",
        f"SELECT {PICK} FROM products WHERE outer_one(item_id)",
    ),
    "a macro whose default hides a persisted overload": (
        "CREATE MACRO ok(x) AS x > 3;"
        "CREATE TEMP MACRO ok(x, n := 3) AS n < (SELECT count(*) FROM purchases p WHERE p.item_id = x)",
        f"SELECT {PICK} FROM products WHERE ok(item_id)",
    ),
    "our name in another schema": (
        "CREATE SCHEMA s; CREATE MACRO s.msd_select(x) AS"
        " (SELECT temp.msd_select(item_id, 2, 0.01, 0.0, reach := 'purchases') FROM purchases WHERE user_id = x)",
        f"SELECT ({HONEST}), s.msd_select(7)",
    ),
}


@pytest.mark.parametrize(("made", "sql"), MACROS.values(), ids=MACROS)
def test_macros_of_the_connection_are_followed(con, made, sql):
    con.execute(made)
    refused(con, sql, "the protected relation purchases")


def test_a_public_temp_macro_is_no_obstacle(con):
    con.execute("CREATE TEMP MACRO cheap(x) AS x < 9; CREATE TEMP MACRO few(n) AS TABLE FROM products LIMIT n")
    runs(con, f"SELECT {PICK} FROM few(9) WHERE cheap(price)")


SPOOFS = [
    "current_query() AS 'SELECT msd_select(item_id, 2, 0.01, 0.0) FROM products'",
    "duckdb_functions() AS TABLE SELECT 1 AS one",
    "struct_pack(a) AS NULL",
    "list_value(a) AS NULL",
    "list(a) AS (SELECT [max(item_id)] FROM purchases)",
    '"+"(a, b) AS (SELECT count(*) FROM purchases)',
    '"~~"(a, b) AS (SELECT count(*) > 3 FROM purchases)',
    "date_part(a, b) AS (SELECT count(*) FROM purchases)",
]


@pytest.mark.parametrize("place", ["temp", "main"])
def test_a_macro_does_not_speak_for_duckdb(con, place):
    for macro in SPOOFS:
        con.execute(f"CREATE {'TEMP' if place == 'temp' else ''} MACRO {macro}")
        with pytest.raises(duckdb.Error):  # where the macro does not bind in ours, DuckDB itself refuses
            con.execute(f"SELECT {PICK} FROM purchases WHERE user_id = 7").fetchall()
        con.execute(f"DROP MACRO {'TABLE ' if 'TABLE' in macro else ''}{place}.{macro.split('(')[0]}")
    nothing_charged(con)
    runs(con, HONEST)


UNCOMMITTED = {
    "a view replaced": (
        "CREATE OR REPLACE VIEW cands AS SELECT item_id FROM purchases WHERE user_id = 7",
        f"SELECT {PICK} FROM cands",
    ),
    "a view under a view replaced": (
        "CREATE OR REPLACE VIEW cands AS SELECT item_id FROM purchases WHERE user_id = 7",
        f"SELECT {PICK} FROM over",
    ),
    "tables renamed": (
        "ALTER TABLE products RENAME TO old; ALTER TABLE purchases RENAME TO products",
        f"SELECT {PICK} FROM products WHERE user_id = 7",
    ),
    "a table made anew": (
        "DROP TABLE archive; CREATE TABLE archive AS SELECT item_id FROM purchases WHERE user_id = 7",
        f"SELECT {PICK} FROM archive",
    ),
    "a new table": ("CREATE TABLE hot AS SELECT item_id FROM purchases", f"SELECT {PICK} FROM hot"),
    "a table that becomes a view": (
        "DROP TABLE archive; CREATE VIEW archive AS SELECT item_id FROM purchases WHERE user_id = 7",
        f"SELECT {PICK} FROM archive",
    ),
    "a macro replaced": (
        "CREATE OR REPLACE MACRO ok(x) AS (SELECT count(*) > 9 FROM purchases p WHERE p.item_id = x)",
        f"SELECT {PICK} FROM products WHERE ok(item_id)",
    ),
    "a protected view that hides its table for a while": (
        "CREATE OR REPLACE VIEW bought AS SELECT 1 AS user_id, 1 AS item_id",
        f"SELECT {PICK} FROM raw WHERE user_id = 7",
    ),
}


@pytest.mark.parametrize(("change", "sql"), UNCOMMITTED.values(), ids=UNCOMMITTED)
def test_what_a_transaction_changed_and_did_not_commit_is_refused(con, change, sql):
    con.execute("CREATE TABLE archive AS FROM products; CREATE TABLE raw AS FROM purchases")
    con.execute("CREATE VIEW cands AS SELECT item_id FROM products; CREATE VIEW over AS FROM cands")
    con.execute("CREATE MACRO ok(x) AS x > 3; CREATE VIEW bought AS FROM raw")
    con.execute(
        "SELECT msd_protect('bought', unit := 'user_id', item := 'item_id', budget := 9, delta := 1e-6)"
    ).fetchall()
    con.execute(f"BEGIN; {change}")
    refused(con, sql, "cannot tell what this statement reads|the protected relation")
    con.execute("ROLLBACK")
    runs(con, f"SELECT {PICK} FROM over WHERE ok(item_id)")


def test_a_transaction_that_changes_other_things_is_no_obstacle(con):
    con.execute("BEGIN; CREATE TABLE chosen(item_id INTEGER); CREATE VIEW seen AS FROM purchases")
    con.execute("INSERT INTO products VALUES (20, 1)")
    runs(con, HONEST)
    con.execute("COMMIT")
    runs(con, HONEST)
    con.execute("ALTER TABLE products ADD COLUMN colour VARCHAR")
    runs(con, HONEST)


def test_settings_of_the_connection_lead_to_files(tmp_path):
    con = duckdb.connect()
    msd_sql.register(con)
    for name in ("p", "public"):
        con.execute(
            f"COPY (SELECT i % 9 AS user_id, i % 5 AS item_id FROM range(90) t(i)) TO '{tmp_path}/{name}.parquet'"
        )
    con.execute(f"CREATE VIEW purchases AS FROM '{tmp_path}/p.parquet'")
    con.execute(PROTECT.format("purchases")).fetchall()
    for setting, prefix in (("file_search_path", ""), ("home_directory", "~/")):
        con.execute(f"SET {setting} = '{tmp_path}'")
        refused(con, f"SELECT {PICK} FROM '{prefix}p.parquet'", "data of the protected relation purchases")
        refused(
            con, f"SELECT {PICK} FROM read_parquet('{prefix}*.parquet')", "data of the protected relation purchases"
        )
        con.execute(f"RESET {setting}")
    con.execute(f"SET file_search_path = '/nowhere,{tmp_path}'")
    refused(con, f"SELECT {PICK} FROM 'p.parquet'", "data of the protected relation purchases")
    runs(con, f"SELECT {PICK} FROM 'public.parquet'")
    con.close()


def test_the_table_of_a_protected_view_is_no_items_relation(con):
    con.execute("CREATE TABLE src AS FROM purchases; CREATE VIEW sold AS FROM src; CREATE VIEW sold_items AS FROM src")
    con.execute("SELECT msd_items('src', key := 'item_id', reach := 'purchases')").fetchall()
    con.execute(PROTECT.format("sold")).fetchall()
    refused(con, f"SELECT {PICK} FROM src WHERE user_id = 7", "data of the protected relation sold, which reads src")
    refused(con, f"SELECT {PICK} FROM sold_items", "data of the protected relation sold, which reads src")
    refused(con, "SELECT msd_items('sold_items', key := 'item_id')", "sold_items cannot be an items relation")
    runs(con, "SELECT msd_select(item_id, 2, 0.01, 0.0, reach := 'purchases', public := true) FROM src")


def test_a_protected_view_that_joins_the_items_leaves_them_public(con):
    con.execute("CREATE TABLE orders AS SELECT user_id AS who, item_id FROM purchases")
    con.execute("CREATE VIEW sold AS SELECT o.who AS user_id, p.item_id FROM orders o JOIN products p USING (item_id)")
    con.execute(PROTECT.format("sold")).fetchall()
    refused(con, f"SELECT {PICK} FROM orders", "data of the protected relation sold, which reads orders")
    runs(con, HONEST)
    con.execute("SELECT msd_items('products', key := 'item_id', reach := 'sold', replace := true)").fetchall()
    runs(con, HONEST)


# How a name comes to mean something else between PREPARE and EXECUTE: what makes it harmless, leaking, and asks for it.
LEAK, FINE = "(SELECT count(*) FROM purchases p WHERE p.item_id = {})", "{} * 0"
VIEW = "SELECT item_id, {} AS near FROM main.products"
MEANINGS = {
    "macro": (
        f"CREATE OR REPLACE TEMP MACRO near(x) AS {FINE.format('x')}",
        f"CREATE OR REPLACE TEMP MACRO near(x) AS {LEAK.format('x')}",
        "SELECT {} FROM (SELECT item_id, near(item_id) AS near FROM products)",
    ),
    "view": (
        f"CREATE OR REPLACE TEMP VIEW found AS {VIEW.format(FINE.format('item_id'))}",
        f"CREATE OR REPLACE TEMP VIEW found AS {VIEW.format(LEAK.format('products.item_id'))}",
        "SELECT {} FROM found",
    ),
    "path": (
        f"CREATE SCHEMA IF NOT EXISTS fine; CREATE OR REPLACE VIEW fine.found AS {VIEW.format(FINE.format('item_id'))};"
        " SET search_path = 'fine,main'",
        "CREATE SCHEMA IF NOT EXISTS leaking; CREATE OR REPLACE VIEW leaking.found AS "
        f"{VIEW.format('(SELECT count(*) FROM main.purchases p WHERE p.item_id = products.item_id)')};"
        " SET search_path = 'leaking,main'",
        "SELECT {} FROM found",
    ),
}


@pytest.mark.parametrize("meaning", MEANINGS)
def test_a_prepared_statement_means_what_its_names_mean_when_it_runs(con, meaning):
    fine, leaking, sql = MEANINGS[meaning]
    asked = sql.format("sum(near) AS told, msd_select(item_id, 2, NULL, 1, features := near, distance := 'l1')")
    con.execute(fine)
    con.execute(f"PREPARE asked AS {asked}")
    told = con.execute("EXECUTE asked").fetchall()
    assert told[0][0] == 0
    con.execute(leaking)
    refused(con, "EXECUTE asked", "purchases")
    con.execute(fine)
    assert con.execute("EXECUTE asked").fetchall() == told
    con.execute(leaking)
    con.execute(f"PREPARE later AS {asked}")
    refused(con, "EXECUTE later", "purchases")
    con.execute(fine)  # what would run as it was prepared would be let through now
    assert con.execute("EXECUTE later").fetchall() == told
