"""The engines' statements, as a person can read them: one file a declaration and dialect, in tests/engines/steps."""

import re
import sys
from pathlib import Path

import duckdb
import pytest
import sqlglot

from msd_sql.catalog.declarations import Items
from msd_sql.database.duckdb_host import DuckDBHost
from msd_sql.database.sql_text import Name
from msd_sql.engines.describe import describe

from .conftest import candidates, protected

FOLDER = Path(__file__).parent / "steps"
COMMAND = "-- python -m tests.engines.test_steps writes this file again"
PRODUCTS = Items("products", "id", (), None, (), (), None, relation=Name("memory", "main", "products"))
DECLARATIONS = {
    "coverage": protected(),
    "coverage_of_rows": protected(unit=None),
    "best_match_of_rows": protected(
        None, None, relation="visits", relevance="best_match", similarity="1 - abs(r.place - v.place) / 4"
    ),
    "best_match_of_units": protected(
        "user_id", None, relation="visits", relevance="best_match", similarity="1 - abs(r.place - v.place) / 4"
    ),
    "best_match_by_weight": protected("user_id", "item_id", relevance="best_match", similarity="r.stars"),
}
CASES = [
    (name, engine, dialect)
    for name in DECLARATIONS
    for engine, dialect in (("memory", "duckdb"), ("sql", "duckdb"), ("sql", "spark"))
]


def statements(name, engine, dialect):
    with duckdb.connect() as con:
        con.execute("CREATE TABLE purchases (user_id VARCHAR, item_id INTEGER, stars DOUBLE)")
        con.execute("CREATE TABLE visits (user_id VARCHAR, place INTEGER)")
        con.execute("CREATE TABLE products (id INTEGER, place INTEGER)")
        asked = candidates(range(3))
        found = describe(DuckDBHost(con.cursor()), DECLARATIONS[name], asked, engine=engine, items=PRODUCTS)
    shown = [f"-- {step.name}\n{pretty(step, dialect)};" for step in found.steps]
    return COMMAND + "\n\n" + re.sub(r"_msd_\d+_", "_msd_", "\n\n".join(shown)) + "\n"


def pretty(step, dialect):
    return sqlglot.transpile(step.sql(), read="duckdb", write=dialect, pretty=True)[0]


def file(name, engine, dialect):
    return FOLDER / f"{name}.{engine}.{dialect}.sql"


@pytest.mark.parametrize(("name", "engine", "dialect"), CASES)
def test_statements_are_as_written_down(name, engine, dialect):
    assert statements(name, engine, dialect) == file(name, engine, dialect).read_text()


def test_nothing_else_is_written_down():
    assert {path.name for path in FOLDER.iterdir()} == {file(*case).name for case in CASES}


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for case in CASES:
        file(*case).write_text(statements(*case))
    sys.exit(0)
