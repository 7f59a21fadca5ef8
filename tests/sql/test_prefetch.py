"""What is looked up while DuckDB still tells what a connection sees counts only if the connection sees no more."""

import duckdb
import pytest

import msd_sql
import msd_sql.question.prepare
from msd_sql.errors import LeakError
from tests.sql.conftest import one, spent

ASK = "SELECT msd_select(item_id, 4, 0.1, 0.5) FROM products"


@pytest.fixture
def examined(monkeypatch):
    """How often the guard examines a statement."""
    calls = []
    original = msd_sql.question.prepare.examine

    def counting(*arguments, **options):
        calls.append(arguments[0])
        return original(*arguments, **options)

    monkeypatch.setattr(msd_sql.question.prepare, "examine", counting)
    return calls


def test_a_connection_without_anything_of_its_own_is_examined_once(shop, examined):
    one(shop, ASK)
    assert examined == [ASK]


@pytest.mark.parametrize(
    "own",
    [
        "CREATE TEMP TABLE notes (a INTEGER)",
        "CREATE TEMP VIEW notes AS SELECT 1 AS a",
        "CREATE TEMP MACRO twice(x) AS 2 * x",
        "PREPARE asked AS SELECT 1",
        "SET file_search_path = '/tmp'",
        "BEGIN; CREATE TABLE notes (a INTEGER)",
        "BEGIN; CREATE OR REPLACE VIEW views AS SELECT 2 AS a",
        "BEGIN; DROP VIEW views",
    ],
)
def test_a_connection_with_something_of_its_own_is_examined_again(shop, examined, own):
    shop.execute("CREATE VIEW views AS SELECT 1 AS a")
    shop.execute(own)
    one(shop, ASK)
    assert examined == [ASK, ASK]


def test_a_macro_that_all_connections_see_is_seen_too(shop, examined):
    shop.execute("CREATE MACRO twice(x) AS 2 * x")
    one(shop, ASK)
    assert examined == [ASK, ASK]


@pytest.mark.parametrize(
    "hiding",
    [
        "CREATE TEMP VIEW products AS SELECT DISTINCT item_id FROM purchases",
        "CREATE TEMP TABLE products AS SELECT DISTINCT item_id FROM purchases",
        "BEGIN; ALTER TABLE products RENAME TO old; CREATE VIEW products AS SELECT DISTINCT item_id FROM purchases",
    ],
)
def test_what_hides_the_public_table_is_not_overlooked(shop, hiding):
    shop.execute(hiding)
    with pytest.raises(duckdb.InvalidInputException, match="LeakError"):
        one(shop, ASK)
    with shop.cursor() as other:
        msd_sql.register(other)
        assert spent(other) == 0


def test_what_cannot_be_looked_up_is_said_by_the_selection(shop, monkeypatch):
    import msd_sql.actions.prefetch

    def fail(*arguments, **options):
        raise LeakError("too early")

    monkeypatch.setattr(msd_sql.actions.prefetch, "guarded", fail)
    assert len(one(shop, ASK)) == 4
    with pytest.raises(duckdb.InvalidInputException, match="depend on the protected relation") as refused:
        one(shop, "SELECT msd_select(item_id, 4, 0.1, 0.5) FROM purchases")
    assert "too early" not in str(refused.value)


def test_a_prepared_statement_is_examined_whenever_it_runs(shop):
    shop.execute(f"PREPARE asked AS {ASK}")
    assert len(one(shop, "EXECUTE asked")) == 4
    shop.execute("CREATE TEMP VIEW products AS SELECT DISTINCT item_id FROM purchases")
    with pytest.raises(duckdb.Error):
        one(shop, "EXECUTE asked")
    assert spent(shop) == 0.1
