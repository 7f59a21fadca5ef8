"""The SQL reference agrees with the macros, the kernel and docs/sql.md."""

import re

import duckdb
import pytest

import msd_sql
from msd_sql.errors import InputError
from msd_sql.question import options
from msd_sql.surface import functions, reference
from msd_sql.surface.functions import FUNCTIONS, RECORDING, function_named
from msd_sql.udfs.distances import DISTANCES
from msd_sql.udfs.methods import METHODS

MACRO = re.compile(r"CREATE OR REPLACE TEMP MACRO (msd_\w+)\((.*?)\)\s+AS", re.DOTALL)


@pytest.fixture(scope="module")
def macros(root) -> dict[str, list[str]]:
    text = (root / "msd_sql" / "surface" / "macros.sql").read_text()
    return {
        name: [" ".join(part.split()) for part in given.split(",") if part.strip()]
        for name, given in MACRO.findall(text)
    }


def test_every_macro_is_described_with_its_arguments_and_defaults(macros) -> None:
    assert {name: [argument.written for argument in f.arguments] for name, f in FUNCTIONS.items()} == macros


def test_every_function_is_there_after_register() -> None:
    con = msd_sql.register(duckdb.connect())
    rows = con.execute(
        "SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_name LIKE 'msd\\_%' ESCAPE '\\'"
    )
    assert {row[0] for row in rows.fetchall()} == set(FUNCTIONS)


def test_allowed_values_are_those_of_the_code() -> None:
    assert ("auto", *METHODS) == functions.METHODS
    assert set(functions.DISTANCES) == set(DISTANCES)
    assert functions.ENGINES == options.ENGINES


def test_recording_functions_are_those_that_write_to_the_ledger() -> None:
    assert set(FUNCTIONS) - set(RECORDING) == {"msd_explain", "msd_ledger", "msd_remaining"}


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
