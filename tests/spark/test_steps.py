"""The spark engine's statements beside the same steps in DuckDB's dialect, as a person can read them: steps/*.sql.

The statements are made without a session: only column types are asked of it, and those are given here.
"""

import re
import sys
from pathlib import Path

import duckdb
import numpy as np
import pytest

from msd_sql.catalog.declarations import Items
from msd_sql.database.duckdb_host import DuckDBHost
from msd_sql.database.spark_host import spark_sql, values
from msd_sql.database.sql_text import Name
from msd_sql.engines.binding import bound
from msd_sql.engines.spark import best_match, coverage
from msd_sql.engines.spark.similarity_steps import matched
from msd_sql.engines.spark.workspace import SparkWorkspace
from msd_sql.engines.steps import Step
from tests.engines.conftest import candidates, protected
from tests.engines.test_steps import pretty

FOLDER = Path(__file__).parent / "steps"
COMMAND = "-- python -m tests.spark.test_steps writes this file again"
PRODUCTS = Items("products", "id", (), None, (), (), None, relation=Name("memory", "main", "products"))
NEAR = "1 - abs(r.place - v.place) / 4"
MATCHES = {
    "best_match_of_rows": protected(None, None, relation="visits", relevance="best_match", similarity=NEAR),
    "best_match_of_units": protected("user_id", None, relation="visits", relevance="best_match", similarity=NEAR),
    "best_match_by_weight": protected("user_id", "item_id", relevance="best_match", similarity="r.stars"),
    "best_match_by_weight_of_rows": protected(None, "item_id", relevance="best_match", similarity="r.stars"),
    "best_match_by_weight_and_item": protected(
        "user_id", "item_id", relevance="best_match", similarity="r.stars * v.place"
    ),
}
CASES = [(name, dialect) for name in ("coverage", "coverage_cap_2", *MATCHES) for dialect in ("duckdb", "spark")]


class Types(DuckDBHost):
    """Knows column types as Spark names them, and makes views of public rows."""

    def __init__(self, con):
        super().__init__(con.cursor())
        self.session = self

    @property
    def catalog(self):
        return self

    def frame(self, sql):
        return self

    def createOrReplaceTempView(self, name):
        pass

    def dropTempView(self, name):
        pass


def steps(name):
    with duckdb.connect() as con:
        con.execute("CREATE TABLE purchases (user_id VARCHAR, item_id INTEGER, stars DOUBLE)")
        con.execute("CREATE TABLE visits (user_id VARCHAR, place INTEGER)")
        con.execute("CREATE TABLE products AS SELECT range::INTEGER AS id, range::INTEGER AS place FROM range(3)")
        host, asked = Types(con), candidates(range(3))
        workspace = SparkWorkspace(host, "", 0)
        if name in MATCHES:
            with matched(host, host, MATCHES[name], asked, PRODUCTS) as matching:
                yield from best_match.match_steps(workspace, matching)
            yield best_match.swaps_step(workspace, [0, 2], [1])
            yield best_match.swaps_step(workspace, [0, 2], None)
        else:
            cap = 2 if name.endswith("2") else 1
            with bound(host, protected(), asked) as binding:
                yield from coverage.coverage_steps(workspace, binding, cap)
            yield coverage.reached_step(workspace, [0, 2], cap)
            yield coverage.swaps_step(workspace, [0, 2], cap, [1])
            yield coverage.swaps_step(workspace, [0, 2], cap, None)


def statements(name, dialect):
    shown = [f"-- {step.name}\n{pretty(step, dialect)};" for step in steps(name)]
    return COMMAND + "\n\n" + re.sub(r"_msd_\d+_", "_msd_", "\n\n".join(shown)) + "\n"


def file(name, dialect):
    return FOLDER / f"{name}.{dialect}.sql"


@pytest.mark.parametrize(("name", "dialect"), CASES)
def test_statements_are_as_written_down(name, dialect):
    assert statements(name, dialect) == file(name, dialect).read_text()


def test_nothing_else_is_written_down():
    assert {path.name for path in FOLDER.iterdir()} == {file(*case).name for case in CASES}


def test_a_statement_of_ours_is_read_in_duckdbs_dialect():
    assert spark_sql('SELECT count(DISTINCT "user id") FROM lake."a b"') == (
        "SELECT COUNT(DISTINCT `user id`) FROM lake.`a b`"
    )


def test_public_values_are_literals():
    assert values({"i": np.arange(2, dtype=np.int32), "key": ["a", "it's \\"]}) == (
        "SELECT CAST(`i` AS INT) AS `i`, CAST(`key` AS STRING) AS `key` "
        "FROM VALUES (0, 'a'), (1, 'it\\'s \\\\') AS t(`i`, `key`)"
    )
    assert (
        values({"key": np.array([2**40])})
        == "SELECT CAST(`key` AS BIGINT) AS `key` FROM VALUES (1099511627776) AS t(`key`)"
    )
    assert values({"i": []}) == "SELECT CAST(NULL AS INT) AS `i` WHERE 1 = 0"


def test_a_step_prints_in_either_dialect():
    found = Step("totals", "SELECT i, COUNT(*) AS units FROM pairs GROUP BY i")
    assert spark_sql(found.sql()) == found.sql()


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for case in CASES:
        file(*case).write_text(statements(*case))
    sys.exit(0)
