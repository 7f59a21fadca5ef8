"""The SQL reference agrees with the macros, the kernel and docs/sql.md."""

from dataclasses import fields

import duckdb
import pytest

import msd_sql
from msd_sql.errors import InputError
from msd_sql.question import options
from msd_sql.surface import reference
from msd_sql.surface.description import Kind
from msd_sql.surface.functions import FUNCTIONS, RECORDING, SELECTION_OPTIONS, SELECTIONS, function_named


def test_every_function_is_there_after_register() -> None:
    con = msd_sql.register(duckdb.connect())
    rows = con.execute(
        "SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_name LIKE 'msd\\_%' ESCAPE '\\'"
    )
    assert {row[0] for row in rows.fetchall()} == set(FUNCTIONS)


def test_every_option_of_a_selection_has_a_typed_place() -> None:
    """`key` is not among them: it is the name of a column, found before the question is read."""
    assert {field.name for field in fields(options.Request)} == {one.name for one in SELECTION_OPTIONS} - {"key"}


def test_an_option_means_the_same_in_every_selection() -> None:
    for argument in SELECTION_OPTIONS:
        assert {one for function in SELECTIONS for one in function.arguments if one.name == argument.name} == {argument}


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=lambda function: function.name)
def test_every_option_is_read_by_the_rules_of_its_kind(function) -> None:
    samples = {
        Kind.KEYS: '["1"]',
        Kind.FLAG: "true",
        Kind.NUMBER: "0.5",
        Kind.DELTA: "0",
        Kind.TEXT: "t",
        Kind.NAMES: "a, b",
    }
    given = {one.name: one.allowed[0] if one.allowed else samples.get(one.kind, "1") for one in function.options}
    assert set(options.read(function.options, given)) == set(given)


def test_recording_functions_are_those_that_write_to_the_ledger() -> None:
    assert set(FUNCTIONS) - set(RECORDING) == {"msd_explain", "msd_ledger", "msd_pull", "msd_releases", "msd_remaining"}


def test_the_reference_page_is_current(root) -> None:
    page = (root / "docs" / "sql.md").read_text()
    assert page == reference.markdown(), "run: msd functions --markdown > docs/sql.md"


def test_every_function_has_an_example_that_calls_it() -> None:
    for function in FUNCTIONS.values():
        assert function.name in function.example
        assert function.doc.endswith(".")
        assert all(argument.doc.endswith(".") for argument in function.arguments)


def test_a_card_tells_everything_of_a_function() -> None:
    card = reference.card(FUNCTIONS["msd_select"])
    for argument in FUNCTIONS["msd_select"].arguments:
        assert f"  {argument.name} " in card
    assert "One of auto, greedy" in card


def test_an_unknown_function_suggests_the_nearest() -> None:
    assert function_named("MSD_TOPK").name == "msd_topk"
    with pytest.raises(InputError, match="Did you mean 'msd_select'"):
        function_named("msd_selct")
