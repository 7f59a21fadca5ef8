"""Every statement of the corpus, run for real: the guard's verdict, and its words."""

from __future__ import annotations

import os

import duckdb
import pytest

import msd_sql
from tests.guard.corpus import every

CASES = [pytest.param(case, id=f"{file}: {case.title}") for file, case in every()]


@pytest.mark.filterwarnings("ignore::msd_sql.actions.select.FewCandidates")
@pytest.mark.parametrize("case", CASES)
def test_the_guard_decides_every_case(case, database, files):
    def fill(text: str) -> str:
        return text.replace("$files", str(files)).replace("$relative", os.path.relpath(files))

    con = msd_sql.register(database.cursor()) if case.before else database  # TEMP objects are a connection's own
    own_path = any("search_path" in sql or sql.startswith("USE") for sql in case.before)
    for sql in case.before or ("BEGIN",):
        con.execute(fill(sql)).fetchall()
    try:
        if own_path:  # which takes our functions from a connection's path
            msd_sql.register(con)
        con.execute(fill(case.sql)).fetchall()
        message = ""
    except duckdb.Error as error:
        message = str(error)
    finally:
        if case.before:
            con.close()
        else:
            con.execute("ROLLBACK")
    if case.verdict == "allowed":
        assert message == ""
    else:
        assert case.verdict == "refused"
        assert "LeakError" in message or "InputError" in message, message or "answered"
        assert fill(case.words) in message
        assert "public := true" in message


def test_the_corpus_is_large_and_balanced():
    refused = sum(case.values[0].verdict != "allowed" for case in CASES)
    assert refused >= 300
    assert len(CASES) - refused >= 300
