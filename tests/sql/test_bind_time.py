"""What a selection is told of its caller: the connection's macros only where the guard may have to ask for them."""

import duckdb
import pytest

import msd_sql
import msd_sql.entry_points
from msd_sql.guard.connection_view import Session
from tests.sql.conftest import ITEMS, PROTECT, declare, fill, one, spent

PUBLIC = "SELECT msd_select(item_id, 3, NULL, 0, score := score) FROM products"
PRIVATE = "SELECT msd_select(item_id, 3, 0.1, 0, reach := 'purchases') FROM products"


def told(con):
    return Session.read(one(con, "SELECT _msd_asking()")["session"])


def test_macros_are_told_once_something_is_declared(empty):
    empty.execute("CREATE TEMP MACRO twice(x) AS 2 * x")
    assert told(empty).macros is None
    assert len(one(empty, PUBLIC)) == 3
    declare(empty)
    assert [macro.name.name for macro in told(empty).macros] == ["twice"]


def test_temp_objects_are_told_in_any_case(empty):
    empty.execute("CREATE TEMP TABLE notes (a INTEGER)")
    empty.execute("CREATE TEMP VIEW two AS SELECT 2 AS a")
    empty.execute("PREPARE asked AS SELECT 1")
    empty.execute("SET file_search_path = '/data'")
    session = told(empty)
    assert (session.tables, set(session.views), set(session.prepared), session.folders) == (
        {"notes"}, {"two"}, {"asked"}, ("/data",),
    )  # fmt: skip
    assert ("memory", "main", "products") in session.catalog


def test_what_another_connection_declares_counts(empty):
    other = msd_sql.register(empty.cursor())
    assert told(empty).macros is None
    other.execute(PROTECT).fetchall()
    assert told(empty).macros == ()


def test_an_attached_database_counts(empty, tmp_path):
    path = str(tmp_path / "other.duckdb")
    with duckdb.connect(path) as con:
        fill(con)
        declare(msd_sql.register(con))
    assert told(empty).macros is None
    empty.execute(f"ATTACH '{path}' AS other")
    assert told(empty).macros == ()


def test_an_open_transaction_of_the_caller_does_not_hide_what_others_declare(empty):
    other = msd_sql.register(empty.cursor())
    empty.execute("BEGIN")
    one(empty, "SELECT count(*) FROM products")
    other.execute(PROTECT).fetchall()
    assert told(empty).macros == ()


@pytest.mark.parametrize("kind", ["prepared", "view"])
def test_a_statement_that_is_kept_is_told_what_was_declared_since(empty, kind):
    empty.execute("CREATE TEMP MACRO mine() AS TABLE SELECT item_id FROM purchases WHERE user_id = 7")
    sql = "SELECT msd_select(item_id, 2, 0.1, 0, reach := 'purchases') AS items FROM mine()"
    empty.execute(f"PREPARE kept AS {sql}" if kind == "prepared" else f"CREATE TEMP VIEW kept AS {sql}")
    declare(empty)
    with pytest.raises(duckdb.InvalidInputException, match="LeakError"):
        empty.execute("EXECUTE kept" if kind == "prepared" else "FROM kept").fetchall()
    assert spent(empty) == 0


@pytest.mark.parametrize("declaration", [PROTECT, ITEMS])
@pytest.mark.parametrize("call", [PRIVATE, "FROM msd_topk(products, 3, NULL, 0, key := 'item_id', score := score)"])
def test_what_is_declared_after_the_look_is_noticed(empty, monkeypatch, declaration, call):
    if declaration is ITEMS:
        declaration = ITEMS.replace(", reach := 'purchases'", "")
    other = msd_sql.register(empty.cursor())
    after(monkeypatch, "caller_query", lambda: other.execute(declaration).fetchall())
    with pytest.raises(duckdb.InvalidInputException, match=r"CatalogError: Something was .* run it again.*Nothing was"):
        empty.execute(call).fetchall()
    assert spent(empty) == 0
    monkeypatch.undo()
    if declaration is PROTECT or call is not PRIVATE:
        assert len(empty.execute(call).fetchall()) in (1, 3)


def test_what_is_protected_after_the_catalog_was_read_is_not_answered_without_the_guard(monkeypatch):
    with duckdb.connect() as con:
        fill(con)
        after(monkeypatch, "prefetch", lambda: msd_sql.register(con.cursor()).execute(PROTECT).fetchall())
        msd_sql.register(con)
        with pytest.raises(duckdb.InvalidInputException, match=r"CatalogError: Something was .* run it again"):
            con.execute(PRIVATE.replace("products", "purchases")).fetchall()
        assert spent(con) == 0
        with pytest.raises(duckdb.InvalidInputException, match="LeakError"):
            con.execute(PRIVATE.replace("products", "purchases")).fetchall()


def after(monkeypatch, name, act):
    """Let something happen once, right after a step of a selection."""
    original, left = getattr(msd_sql.entry_points, name), [act]

    def step(*arguments):
        found = original(*arguments)
        while left:
            left.pop()()
        return found

    monkeypatch.setattr(msd_sql.entry_points, name, step)
