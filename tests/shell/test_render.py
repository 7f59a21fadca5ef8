import csv
import io
import json

import duckdb
import pytest

from msd_sql.errors import InputError
from msd_sql.shell.render import mode_named, render

SQL = "SELECT 1 AS a, 'x|\"y' AS b, [1, 2] AS c, NULL AS d UNION ALL SELECT 2, 'é', [], 'z' ORDER BY 1"


@pytest.fixture
def relation() -> duckdb.DuckDBPyRelation:
    return duckdb.connect().sql(SQL)


def test_box_is_duckdb_s_own(relation: duckdb.DuckDBPyRelation) -> None:
    assert render(relation, "box") == str(relation).rstrip("\n") + "\n"


def test_csv_can_be_read_back(relation: duckdb.DuckDBPyRelation) -> None:
    rows = list(csv.reader(io.StringIO(render(relation, "csv"))))
    assert rows == [["a", "b", "c", "d"], ["1", 'x|"y', "[1, 2]", ""], ["2", "é", "[]", "z"]]


def test_json_can_be_read_back(relation: duckdb.DuckDBPyRelation) -> None:
    found = json.loads(render(relation, "json"))
    assert found == [{"a": 1, "b": 'x|"y', "c": [1, 2], "d": None}, {"a": 2, "b": "é", "c": [], "d": "z"}]
    assert [json.loads(line) for line in render(relation, "jsonlines").splitlines()] == found


def test_json_of_no_rows_is_an_empty_list() -> None:
    assert json.loads(render(duckdb.connect().sql("SELECT 1 AS a WHERE false"), "json")) == []


def test_markdown_escapes_its_bars(relation: duckdb.DuckDBPyRelation) -> None:
    lines = render(relation, "markdown").splitlines()
    assert len(lines) == 4
    assert lines[2].count(" | ") == 3
    assert 'x\\|"y' in lines[2]


def test_line_has_a_value_a_line(relation: duckdb.DuckDBPyRelation) -> None:
    assert render(relation, "line").splitlines()[:4] == ["a = 1", 'b = x|"y', "c = [1, 2]", "d = "]


def test_list_separates_by_bars(relation: duckdb.DuckDBPyRelation) -> None:
    assert render(relation, "list").splitlines()[0] == "a|b|c|d"


def test_an_unknown_mode_suggests_the_nearest() -> None:
    assert mode_named("duckbox") == "box"
    with pytest.raises(InputError, match="Did you mean 'markdown'"):
        mode_named("markdwon")
