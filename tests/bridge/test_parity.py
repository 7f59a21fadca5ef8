"""Parity: Every statement of docs/sql.md gives the same result, error and ledger row in the real shell as in Python."""

from __future__ import annotations

import json
import re
from contextlib import nullcontext
from pathlib import Path

import duckdb
import pytest

import msd_sql
from tests.support.shop import PRODUCTS, PURCHASES

pytestmark = pytest.mark.xdist_group("parity")  # one process of several asks everything, once

SETUP = [
    PRODUCTS,
    PURCHASES,
    "CREATE TABLE hits AS SELECT item_id::BIGINT AS doc_id, embedding, price AS bm25 FROM products",
    "CREATE VIEW products_ranked AS"
    " SELECT p.*, (SELECT count(*) FROM purchases u WHERE u.item_id = p.item_id) AS sold FROM products p",
]
OURS = re.compile(
    r"\b(InputError|BudgetError|LeakError|PrivacyError|CatalogError|EngineError|MsdError): (.*)", re.DOTALL
)


def _cases() -> list[tuple[str, str]]:
    blocks = (Path(__file__).parent / "statements.sql").read_text().strip().split("\n\n")[1:]
    return [(name.removeprefix("-- "), sql) for name, sql in (block.split("\n", 1) for block in blocks)]


CASES = _cases()


def _outcome(rows: list[dict] | None, error: str) -> dict:
    if not error:
        return {"rows": rows or []}
    ours = OURS.search(error)
    return {"error": f"{ours[1]}: {ours[2].split(chr(10))[0].strip()}" if ours else error.split(":")[0].strip()}


@pytest.fixture(scope="module")
def in_process(tmp_path_factory):
    """Every statement's outcome in Python."""
    outcomes = {}
    with duckdb.connect(str(tmp_path_factory.mktemp("python") / "shop.duckdb")) as con:
        for sql in SETUP:
            con.execute(sql)
        msd_sql.register(con)
        for name, sql in CASES:
            try:
                with pytest.warns() if name == "fewer than k candidates" else nullcontext():
                    done = con.execute(sql)
                    columns = [column[0] for column in done.description or ()]
                    rows = [dict(zip(columns, row, strict=True)) for row in done.fetchall()]
            except duckdb.Error as error:
                outcomes[name] = _outcome(None, str(error))
            else:
                changed = columns == ["Count"] or columns == ["Success"]
                outcomes[name] = _outcome([] if changed else json.loads(json.dumps(rows, default=str)), "")
    return outcomes


@pytest.fixture(scope="module")
def in_shell(program, tmp_path_factory):
    """Every statement's outcome in the real shell, in one session."""
    from tests.bridge.conftest import Shell

    folder = tmp_path_factory.mktemp("shell")
    mark = folder / "mark"
    mark.write_text("#!/bin/sh\necho @@ >&2\n")  # errors go to standard error: mark whose they are there, too
    mark.chmod(0o755)
    lines = [f"{sql};" for sql in SETUP]
    for _, sql in CASES:
        lines += [".print @@", f".shell {mark}", sql]
    done = Shell(program, folder).run(
        "shop.duckdb", "-json", text="\n".join([*lines, ".print @@", f".shell {mark}", ""])
    )
    printed, failed = _marked(done.stdout), _marked(done.stderr)
    assert len(printed) == len(failed) == len(CASES), done.stderr
    outcomes = {}
    for (name, _), out, err in zip(CASES, printed, failed, strict=True):
        warned = [line for line in err.splitlines() if not line.startswith("msd_sql: ")]
        outcomes[name] = _outcome(json.loads(out) if out.strip() else [], "\n".join(warned).strip())
        outcomes[name]["warned"] = len(warned) < len(err.splitlines())
    return outcomes


def _marked(text: str) -> list[str]:
    return [part.partition("\n")[2] for part in re.split(r"^@@", text, flags=re.MULTILINE)[1:-1]]


def _shape(value):
    """What is left of an answer when what was drawn is taken out."""
    if isinstance(value, list):
        return ["list", len(value), sorted({type(one).__name__ for one in value})]
    return type(value).__name__


@pytest.mark.parametrize("name", [name for name, _ in CASES])
def test_the_shell_says_what_python_says(name, in_process, in_shell):
    ours, theirs = in_process[name], dict(in_shell[name])
    theirs.pop("warned")
    if name.startswith("drawn") and "rows" in ours:
        assert "rows" in theirs, theirs
        assert [list(row) for row in theirs["rows"]] == [list(row) for row in ours["rows"]]
        assert [[_shape(v) for v in row.values()] for row in theirs["rows"]] == [
            [_shape(v) for v in row.values()] for row in ours["rows"]
        ]
    else:
        assert theirs == ours


def test_the_shell_warns_on_standard_error_where_python_warns(in_shell):
    assert [name for name, outcome in in_shell.items() if outcome["warned"]] == ["fewer than k candidates"]


def test_the_statements_cover_refusals_releases_and_declarations(in_process):
    errors = sum("error" in outcome for outcome in in_process.values())
    assert errors >= 10
    kinds = {row["kind"] for row in in_process["the ledger"]["rows"]}
    assert kinds >= {"protect", "items", "select", "replay", "exact", "reach", "budget"}
