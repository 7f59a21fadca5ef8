from pathlib import Path

import duckdb
import pytest

import msd_sql

pytest.importorskip("prompt_toolkit", reason="completion needs prompt_toolkit (extra: shell)")

from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document

from msd_sql.shell.completion import ShellCompleter


@pytest.fixture
def complete():
    con = msd_sql.register(duckdb.connect())
    con.execute("CREATE TABLE purchases (user_id INTEGER, item_id INTEGER)").fetchall()
    completer = ShellCompleter(con)

    def texts(typed: str) -> list[str]:
        return [found.text for found in completer.get_completions(Document(typed), CompleteEvent())]

    yield texts
    con.close()


def test_keywords_follow_the_case_that_is_typed(complete) -> None:
    assert "select" in complete("sele")
    assert "SELECT" in complete("SELE")


def test_tables_and_columns(complete) -> None:
    assert "purchases" in complete("SELECT * FROM purc")
    assert "user_id" in complete("SELECT purchases.us")


def test_our_functions_come_first(complete) -> None:
    assert complete("SELECT msd_se")[0] == "msd_select("


def test_inner_functions_are_not_offered(complete) -> None:
    assert not [name for name in complete("SELECT _ms") if name.startswith("_msd")]


def test_arguments_of_an_open_call(complete) -> None:
    assert "quota := " in complete("SELECT msd_select(item_id, 6, 0.1, 0.5, quo")
    assert "quota := " not in complete("SELECT msd_select(item_id, 6, 0.1, 0.5), quo")
    assert "unit := " in complete("SELECT msd_protect('purchases', ")


def test_values_of_an_argument(complete) -> None:
    assert complete("SELECT msd_select(item_id, 6, 0.1, 0.5, method := 'l") == ["local_search'", "ls'", "ls_greedy'"]
    assert complete("SELECT msd_select(item_id, 6, 0.1, 0.5, distance := 'j") == ["jaccard'"]


def test_dot_commands_and_what_they_take(complete, tmp_path: Path) -> None:
    assert complete(".ta") == [".tables"]
    assert complete(".mode mark") == ["markdown"]
    assert complete(".functions msd_to") == ["msd_topk"]
    (tmp_path / "script.sql").write_text("")
    assert complete(f".read {tmp_path}/scr") == [str(tmp_path / "script.sql")]
