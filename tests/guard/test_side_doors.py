"""Side doors to private rows: what a program holds, macros of a connection, the database's own file, the catalog."""

from __future__ import annotations

import duckdb
import pyarrow.dataset
import pytest

import msd_sql
from msd_sql.database.duckdb_host import DuckDBHost
from msd_sql.guard.probes import names_to_probe

ASK = "SELECT msd_select(item_id, 30, 0.1, 0, reach := 'purchases') FROM {}"
BOUGHT = "SELECT DISTINCT item_id FROM purchases"


def filled(con):
    con.execute("""
        CREATE TABLE products AS SELECT i::INTEGER AS item_id FROM range(40) t(i);
        CREATE TABLE purchases AS
            SELECT i % 50 AS user_id, [3, 7, 31][1 + i % 3]::INTEGER AS item_id FROM range(300) t(i)
    """)
    msd_sql.register(con)
    con.execute("SELECT msd_protect('purchases', unit := 'user_id', item := 'item_id', budget := 10, delta := 1e-6)")
    con.execute("SELECT msd_items('products', key := 'item_id', reach := 'purchases')").fetchall()
    return con


@pytest.fixture
def con():
    with duckdb.connect() as opened:
        yield filled(opened)


@pytest.fixture
def public(tmp_path):
    path = tmp_path / "public.csv"
    duckdb.sql("SELECT i::INTEGER AS item_id FROM range(40) t(i)").write_csv(str(path))
    return f"'{path}'"


def refused(con, source):
    with pytest.raises(duckdb.Error, match=r"(?s)LeakError|InputError"):
        con.execute(ASK.format(source)).fetchall()
    assert con.execute("SELECT count(*) FROM msd_ledger() WHERE kind = 'select'").fetchall() == [(0,)]


def _arrow(con):
    return con.sql(BOUGHT).to_arrow_table()


@pytest.mark.parametrize("view", [False, True])
@pytest.mark.parametrize(
    "held",
    [
        _arrow,
        lambda con: _arrow(con).to_reader(),
        lambda con: pyarrow.dataset.dataset(_arrow(con)),
        lambda con: pyarrow.dataset.dataset(_arrow(con)).scanner(),
        lambda con: con.sql(BOUGHT).df(),
    ],
    ids=["table", "reader", "dataset", "scanner", "frame"],
)
def test_rows_that_a_program_holds_are_refused_whatever_holds_them(con, held, view):
    con.register("held", held(con))
    if view:
        con.execute("CREATE TEMP VIEW seen AS FROM held")
    refused(con, "seen" if view else "held")


@pytest.mark.parametrize("name", ["range", "generate_series", "unnest"])
def test_a_macro_of_the_connection_with_the_name_of_a_table_function_is_seen_beside_a_file(con, public, name):
    con.execute(f"CREATE TEMP MACRO {name}(x) AS TABLE SELECT DISTINCT item_id AS {name} FROM purchases")
    given = "[1, 2, 3]" if name == "unnest" else "40"
    refused(
        con, f"(SELECT {name} AS item_id FROM {name}({given}) AS made SEMI JOIN {public} AS p ON {name} = p.item_id)"
    )


@pytest.mark.parametrize(("side", "name"), [("trailing", "rtrim"), ("leading", "ltrim"), ("both", "trim")])
def test_a_macro_that_syntax_calls_is_seen_beside_a_file(con, public, side, name):
    con.execute(f"CREATE TEMP MACRO {name}(x, y) AS (SELECT max(item_id)::VARCHAR FROM purchases)")
    refused(con, f"{public} WHERE item_id >= trim({side} '1' FROM '51')::INT")


def test_a_reader_of_files_that_is_a_macro_of_the_connection_is_seen(con, public):
    con.execute(f"CREATE TEMP MACRO read_csv_auto(x) AS TABLE {BOUGHT}")
    refused(con, f"read_csv_auto({public})")


@pytest.mark.parametrize("text", ["'SELECT better' || '(item_id)'", "'SELECT bet' || 'ter(item_id)'"])
def test_a_query_whose_text_is_computed_is_refused_beside_a_file(con, public, text):
    con.execute(f"CREATE TEMP MACRO better(x) AS (SELECT count(*) FROM ({BOUGHT}) AS b WHERE b.item_id = x)")
    refused(con, f"{public} WHERE item_id IN (FROM query({text} || ' FROM products'))")


def test_a_query_that_is_given_as_a_string_calls_what_it_says(con, public):
    con.execute(f"CREATE TEMP MACRO better(x) AS (SELECT count(*) FROM ({BOUGHT}) AS b WHERE b.item_id = x)")
    refused(con, f"{public} WHERE item_id IN (FROM query('SELECT better(item_id) FROM products'))")


def test_nothing_is_looked_for_that_duckdb_would_install_an_extension_for(con):
    names = names_to_probe(
        DuckDBHost(con.cursor(), own=True), ["SELECT host, text FROM 'a.csv' WHERE family = 'network'"]
    )
    assert names
    assert not {"host", "text", "family", "network", "read_xlsx()"} & set(names)


@pytest.fixture
def bought(con, public, tmp_path, monkeypatch):
    """Protected views over files, which lie where the program runs; `public` is a file there, too."""
    monkeypatch.chdir(tmp_path)
    con.execute("COPY purchases TO 'bought.csv'")
    con.execute("COPY purchases TO 'sold.parquet'")
    for view, source in {"csv_rows": "bought.csv", "parquet_rows": "'sold.parquet'"}.items():
        con.execute(f"CREATE VIEW {view} AS FROM {source}")
        con.execute(f"SELECT msd_protect('{view}', unit := 'user_id', item := 'item_id', budget := 9, delta := 1e-6)")
    return con


SPELLINGS = [
    "'bought.csv'",
    "bought.csv",
    'bought."csv"',
    "a: 'bought.csv'",
    "(TABLE 'bought.csv')",
    "(SELECT max::INT AS item_id FROM (SUMMARIZE 'bought.csv'))",
    "(SELECT item_id FROM (PIVOT 'bought.csv' ON user_id IN (1) USING count(*)))",
    "query('FROM ''bought.csv''')",
    "query('FROM bought.csv')",
    "query_table('bought.csv')",
    r"read_csv(e'bough\x74.csv')",
    "read_csv($$bought.csv$$)",
    "read_csv(['bought.csv'])",
    "rows_in('bought.csv')",
    "sold.parquet",
    r"(SELECT stats_max::INT AS item_id FROM parquet_metadata(e'sol\x64.parquet') WHERE path_in_schema = 'item_id')",
]


@pytest.mark.parametrize("spelled", SPELLINGS)
@pytest.mark.parametrize("beside", [True, False])
def test_a_private_file_is_refused_however_its_name_is_spelled(bought, public, spelled, beside):
    bought.execute("CREATE MACRO rows_in(name) AS TABLE FROM query_table(name)")
    refused(bought, f"{public} WHERE item_id IN (SELECT item_id FROM {spelled})" if beside else spelled)


@pytest.mark.parametrize("table", ["'bought.csv'", '"bought.csv"', "bought.csv"])
def test_topk_of_a_private_file_is_refused(bought, public, table):
    with pytest.raises(duckdb.Error, match="LeakError"):
        bought.execute(
            f"SELECT t.item_id FROM msd_topk({table}, 3, 0.1, 0, reach := 'purchases', key := 'item_id') AS t"
            f" SEMI JOIN {public} AS i USING (item_id)"
        ).fetchall()


@pytest.mark.parametrize(
    "source", ["query_table('bought.csv')", "query('FROM ''bought.csv''')", "read_csv('bought.csv')"]
)
def test_the_files_of_a_protected_view_are_private_however_it_names_them(con, tmp_path, monkeypatch, source):
    monkeypatch.chdir(tmp_path)
    con.execute("COPY purchases TO 'bought.csv'")
    con.execute(f"CREATE VIEW seen AS SELECT user_id, item_id FROM {source}")
    con.execute("SELECT msd_protect('seen', unit := 'user_id', item := 'item_id', budget := 9, delta := 1e-6)")
    refused(con, "'bought.csv'")


def test_topk_of_a_public_file_alone_is_answered(con, public):
    sql = f"FROM msd_topk({public}, 3, 0.1, 0, reach := 'purchases', key := 'item_id')"
    assert len(con.execute(sql).fetchall()) == 3


def test_current_catalog_calls_a_macro_of_the_connection(con, public):
    con.execute("CREATE TEMP MACRO current_database() AS (SELECT max(item_id)::VARCHAR FROM main.purchases)")
    refused(con, f"{public} WHERE item_id = current_catalog::INT")


@pytest.mark.parametrize(
    "statement",
    [
        "{ask}",
        "({ask})",
        "WITH kept AS ({ask}) FROM kept",
        "CREATE TABLE chosen AS {ask}",
        "EXPLAIN ANALYZE {ask}",
        "COPY ({ask}) TO '{out}' (HEADER true)",
    ],
)
def test_candidates_from_a_file_are_answered(con, public, tmp_path, statement):
    ask = ASK.format(f"{public} WHERE item_id >= trim(trailing '1' FROM '51')::INT")
    con.execute(statement.format(ask=ask, out=tmp_path / "chosen.csv")).fetchall()
    assert con.execute("SELECT count(*) FROM msd_ledger() WHERE kind = 'select'").fetchall() == [(1,)]


@pytest.mark.parametrize("suffix", ["", ".wal", ".msd-journal"])
def test_the_file_of_a_protected_table_is_not_public(tmp_path, suffix):
    path = tmp_path / "shop.duckdb"
    with filled(duckdb.connect(str(path))) as con:
        source = f"products WHERE (SELECT octet_length(content) > 0 FROM read_blob('{path}{suffix}'))"
        refused(con, source)
        refused(con, f"products WHERE (SELECT count(*) > 0 FROM glob('{tmp_path}/*'))")


SIZES = "(SELECT estimated_size FROM duckdb_tables() WHERE table_name = 'purchases')"
LABELS = "(SELECT unnest(enum_range(NULL::best))::INTEGER)"


@pytest.mark.parametrize("hidden", [f"10 * b.item_id = {SIZES}", f"b.item_id IN {LABELS}"])
def test_a_table_of_distances_is_examined_like_a_statement(con, hidden):
    con.execute("CREATE TYPE best AS ENUM (SELECT DISTINCT item_id::VARCHAR FROM purchases)")
    con.execute(f"""CREATE VIEW pairs AS SELECT a.item_id AS a, b.item_id AS b, ({hidden})::INTEGER AS d
                    FROM products AS a, products AS b WHERE a.item_id < b.item_id""")
    with pytest.raises(duckdb.Error, match="LeakError"):
        con.execute("""SELECT msd_select(item_id, 2, NULL, 1,
                                         features := 'pairs', distance := 'precomputed', score := 1.0)
                       FROM products""").fetchall()


@pytest.mark.parametrize("hidden", [f"SELECT {SIZES} AS n", f"SELECT i FROM {LABELS} AS t(i)", "FROM duckdb_columns()"])
def test_what_tells_of_rows_is_not_published(con, hidden):
    con.execute("CREATE TYPE best AS ENUM (SELECT DISTINCT item_id::VARCHAR FROM purchases)")
    con.execute(f"CREATE VIEW info AS {hidden}")
    with pytest.raises(duckdb.Error, match="LeakError"):
        con.execute("SELECT msd_publish('info')").fetchall()
