"""What the guard and its neighbours got wrong once: literals, records, names, charge before read, 0.0 and -0.0."""

import re
import sys
import threading

import duckdb
import numpy as np
import pytest

import msd_sql
from msd_sql.engines.binding import joined_keys
from msd_sql.engines.candidates import Candidates, Whole
from msd_sql.guard.statement_text import asserts_public, planned, tokens
from tests.support.shop import ITEMS, PROTECT, declare, fill, kinds, one, spent

ASK = "SELECT msd_select(item_id, 2, 0.01, 0, reach := 'purchases'{}) FROM {}"


@pytest.fixture
def shop():
    with msd_sql.register(duckdb.connect()) as con:
        fill(con)
        declare(con)
        yield con


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT msd_select(item_id, 2, NULL, 0, score := 1.0, public := true) FROM purchases",
        "FROM msd_explain(products, 2, 0.01, 0, public := true)",
        "SELECT msd_reach([]::INTEGER[], 0.01, public := true)",
    ],
)
def test_an_assertion_is_recorded_where_nothing_is_charged(shop, sql):
    shop.execute(sql).fetchall()
    assert kinds(shop)[-1] == "public"
    assert one(shop, "SELECT bool_or(asserted_public) FROM msd_ledger()")
    assert spent(shop) == 0


def test_a_view_over_protected_rows_is_no_items_relation(shop):
    shop.execute("CREATE VIEW bought AS SELECT DISTINCT item_id FROM purchases")
    for relation in ("bought", "purchases"):
        with pytest.raises(duckdb.InvalidInputException, match="cannot be an items relation"):
            shop.execute(f"SELECT msd_items('{relation}', key := 'item_id', replace := true)").fetchall()


def test_the_error_about_a_key_does_not_tell_column_names_before_the_guard(shop):
    shop.execute("CREATE VIEW odd AS SELECT item_id AS secret_name FROM purchases")
    for sql in ("FROM msd_topk(odd, 2, 0.01, 0)", "FROM msd_topk(odd, 2, 0.01, 0, public := true)"):
        with pytest.raises(duckdb.InvalidInputException) as refused:
            shop.execute(sql).fetchall()
        assert "secret_name" not in str(refused.value).split("LINE")[0]


def test_a_read_that_fails_is_charged_by_msd_reach(shop, monkeypatch):
    import msd_sql.actions.rows_content

    def fail(host, protected):
        raise msd_sql.errors.EngineError("It cannot be read.")

    monkeypatch.setattr(msd_sql.actions.rows_content, "content_fingerprint", fail)
    assert one(shop, "SELECT msd_reach([1, 2], 0.1)") >= 0
    assert spent(shop) == 0.1


def test_equal_candidates_of_a_type_that_is_not_exact_count_one_row_once():
    with msd_sql.register(duckdb.connect()) as con:
        con.execute("CREATE TABLE purchases AS SELECT 0 AS item_id FROM range(50)")
        con.execute("SELECT msd_protect('purchases', item := 'item_id', budget := 9, delta := 1e-6)").fetchall()
        told = con.execute(
            "SELECT msd_select(i, 2, NULL, 0, reach := 'purchases', exact := true, engine := 'sql')"
            " FROM (VALUES (0.0::DOUBLE), (-0.0::DOUBLE), (1.0)) t(i)"
        ).fetchall()[0][0]
        assert len(told) == 2


@pytest.mark.parametrize(
    ("keys", "kind", "native", "once"),
    [
        (["0.0", "-0.0"], "DOUBLE", "INTEGER", True),
        (["1", " 1"], "DECIMAL(9,2)", "INTEGER", True),
        (["1", "01"], "VARCHAR", "INTEGER", True),
        (Whole(np.array([1, 2])), "BIGINT", "INTEGER", False),
        (Whole(np.array([1, 2])), "BIGINT", "DOUBLE", True),
        (["a", "b"], "VARCHAR", "VARCHAR", False),
    ],
)
def test_candidates_that_may_be_equal_stand_for_one(keys, kind, native, once):
    assert ("MIN(i)" in joined_keys("keys", Candidates(keys, kind), native, "r.item_id").table) is once


def test_a_schema_with_a_comma_and_a_table_that_is_a_keyword():
    with msd_sql.register(duckdb.connect()) as con:
        con.execute(
            'CREATE SCHEMA "a,b"; CREATE TABLE "a,b"."select" AS'
            " SELECT i % 9 AS user_id, i % 5 AS item_id FROM range(90) t(i)"
        )
        con.execute("CREATE TABLE products AS SELECT i AS item_id FROM range(5) t(i); SET search_path = '\"a,b\",main'")
        con.execute(
            "SELECT msd_protect('select', unit := 'user_id', item := 'item_id', budget := 9, delta := 1e-3)"
        ).fetchall()
        assert one(con, "SELECT count(*) FROM msd_ledger()") == 1
        ask = "SELECT msd_select(item_id, 2, 0.01, 0, reach := 'select') FROM {}"
        assert len(one(con, ask.format("products"))) == 2
        with pytest.raises(duckdb.InvalidInputException, match="reads the protected relation select"):
            con.execute(ask.format('"select"')).fetchall()


def test_parameters_without_blanks(shop):
    assert (
        len(
            shop.execute(
                "SELECT msd_select(item_id,$1,$2,$3,reach:='purchases') FROM products", [2, 0.01, 0]
            ).fetchall()
        )
        == 1
    )
    with pytest.raises(duckdb.InvalidInputException, match="reads the protected relation purchases"):
        shop.execute("SELECT msd_select(item_id,$1,$2,$3,reach:='purchases') FROM purchases", [2, 0.01, 0]).fetchall()


def test_a_parser_that_others_changed_is_not_asked(shop, monkeypatch):
    import sqlglot

    def broken(*arguments, **options):
        raise RuntimeError("changed")

    monkeypatch.setattr(sqlglot, "parse_one", broken)
    monkeypatch.setattr(sqlglot, "tokenize", broken)
    with pytest.raises(duckdb.InvalidInputException, match="reads the protected relation purchases"):
        shop.execute(ASK.format("", "purchases")).fetchall()
    assert not any(name.startswith("sqlglot") for name in vars(sys.modules["msd_sql.guard.examine"]))


def test_what_is_declared_while_a_statement_runs_is_noticed(monkeypatch):
    import msd_sql.entry_points

    with msd_sql.register(duckdb.connect()) as con:
        fill(con)
        other, original = msd_sql.register(con.cursor()), msd_sql.entry_points.statement
        left = [PROTECT, ITEMS]

        def late(instance, told):
            found = original(instance, told)
            if left:
                todo, left[:] = list(left), []  # declaring asks for a statement, too
                working = threading.Thread(target=lambda: [other.execute(sql).fetchall() for sql in todo])
                working.start()
                working.join()
            return found

        monkeypatch.setattr(msd_sql.entry_points, "statement", late)
        with pytest.raises(duckdb.InvalidInputException, match="Something was protected or declared"):
            con.execute(ASK.format("", "purchases")).fetchall()
        assert spent(con) == 0
        with pytest.raises(duckdb.InvalidInputException, match="reads the protected relation"):
            con.execute(ASK.format("", "purchases")).fetchall()


def test_a_lazy_relation_is_what_it_was_when_it_was_made(shop):
    hidden = shop.sql(ASK.format("", "purchases"))
    held = shop.sql("SELECT * FROM hidden")
    hidden = shop.sql("SELECT 1 AS one")
    with pytest.raises(duckdb.InvalidInputException, match="LeakError"):
        held.fetchall()
    assert spent(shop) == 0
    assert hidden is not None


LATER = "SELECT item_id FROM products"


@pytest.mark.parametrize(
    ("around", "later"),
    [
        ("SELECT * FROM hidden", LATER),
        ("SELECT * FROM hidden", ASK.format("", "products")),
        ("SELECT *, (" + ASK.format("", "products") + ") AS beside FROM hidden", LATER),
        ("WITH a AS (FROM hidden) SELECT *, (" + ASK.format("", "products") + ") AS beside FROM a", LATER),
        (ASK.format("", "source"), LATER),
        ("WITH RECURSIVE a AS (SELECT 1 AS one UNION SELECT 1 FROM a) " + ASK.format("", "source, a"), LATER),
        (
            "SELECT (WITH source AS (FROM products) SELECT count(*) FROM source), (" + ASK.format("", "source") + ")",
            LATER,
        ),
    ],
)
def test_a_variable_that_is_bound_again_does_not_change_a_lazy_relation(shop, around, later):
    hidden = shop.sql(ASK.format("", "purchases WHERE user_id = 7"))
    source = shop.sql("SELECT item_id FROM purchases WHERE user_id = 7")
    held = shop.sql(around)
    hidden = source = shop.sql(later)
    with pytest.raises(duckdb.InvalidInputException, match="LeakError"):
        held.fetchall()
    assert hidden is source
    assert spent(shop) == 0


def test_a_lazy_relation_over_tables_and_ctes_is_answered(shop):
    shop.execute("CREATE SCHEMA more; CREATE VIEW more.cheap AS FROM products; CREATE TEMP VIEW few AS FROM products")
    for source in ("products", "main.products", "more.cheap", "few", "c", "range(9) r(item_id)"):
        held = shop.sql(
            "WITH RECURSIVE c(item_id) AS (SELECT 1 UNION SELECT item_id + 1 FROM c WHERE item_id < 9) "
            + ASK.format("", source)
        )
        assert len(held.fetchall()[0][0]) > 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("f(public := true)", True),
        ("f(PUBLIC => TRUE, k := 3)", True),
        ("f(public := true), f(public := (SELECT true))", False),
        ("f(public := true OR x)", False),
        ("f(public := $1)", False),
        ("'f(public := true)'", False),
        ("f(x) -- public := true,", False),
        ("f(x)", False),
    ],
)
def test_public_is_said_literally(text, said):
    assert asserts_public(text) is said


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a /* b /* c */ d */ e", ["a", "e"]),
        ("$$a 'b$$ $x$c$x$ $1", ["$$a 'b$$", "$x$c$x$", "$1"]),
        (r"E'it\'s' 'it''s' x", [r"E'it\'s'", "'it''s'", "x"]),
        ('"a""b".c', ['"a""b"', ".", "c"]),
        ("f(a,$1,$2)", ["f", "(", "a", ",", "$1", ",", "$2", ")"]),
    ],
)
def test_words_are_told_apart_as_duckdb_does(text, words):
    assert [token.text for token in tokens(text)] == words


def test_what_is_planned():
    assert planned("EXPLAIN (ANALYZE, FORMAT json) SELECT ?", {}) == "SELECT NULL"
    assert planned('EXECUTE "A""b"(1, x := \'y\')', {'a"B': "SELECT $1"}) == "SELECT NULL"
    for text in ("EXECUTE p(getvariable('v'))", "EXECUTE p(now())", "EXECUTE lost", "SELECT 1; SELECT 2", "SELECT 'x"):
        with pytest.raises(msd_sql.errors.LeakError):
            planned(text, {"p": "SELECT $1"})


@pytest.mark.parametrize("through", ["execute", "sql", "query", "aggregate", "select"])
def test_no_message_names_what_duckdb_calls_a_relation_inside(shop, through):
    """DuckDB 2 gives a relation of the program a name of its own, __duckdb_source_…; people know theirs."""
    bought = shop.sql("FROM purchases")
    few = bought.filter("item_id < 9").aggregate("item_id, count(*) AS sold", "item_id")
    ask = "SELECT msd_select(item_id, 3, 0.1, 0.5) FROM {}"
    asked = {
        # DuckDB looks for a variable in the frame that calls: it is there if it is named there.
        "execute": lambda: few is not None and shop.execute(ask.format("few")).fetchall(),
        "sql": lambda: few is not None and shop.sql(f"SELECT * FROM ({ask.format('few')})").fetchall(),
        "query": lambda: few.query("candidates", ask.format("candidates")).fetchall(),
        "aggregate": lambda: few.aggregate("msd_select(item_id, 3, 0.1, 0.5)").fetchall(),
        "select": lambda: msd_sql.select(few, con=shop, k=3, eps=0.1, diversity=0.5),
    }
    with pytest.raises((duckdb.Error, msd_sql.LeakError), match=r"LeakError|reads the protected") as refused:
        asked[through]()
    assert "purchases" in str(refused.value) or "cannot tell" in str(refused.value)
    assert not re.search(r"__duckdb|unnamed_relation|_msd_", str(refused.value))
    assert spent(shop) == 0
