"""The corpus again, by connections that were never registered: every function by its full name, msd_sql.msd_select."""

from __future__ import annotations

import os
import re

import duckdb
import pytest

from msd_sql.surface.functions import FUNCTIONS
from tests.guard.corpus import every

# The call stands in a view or a macro of the schema there, which name it without its prefix; or it cannot have one.
UNQUALIFIED = re.compile(r"(a macro|a table macro|a view) that holds|nor do quotes|a method call on the key")
EVERY = [pytest.param(case, id=f"{file}: {case.title}") for file, case in every() if not UNQUALIFIED.match(case.title)]
CASES = EVERY[::3]  # a third of them: what differs is how a function is found, and not what is decided
_OURS = re.compile(rf"(?<![\w.\"'])({'|'.join(FUNCTIONS)})(?=\s*\()", re.IGNORECASE)


def qualified(sql):
    return _OURS.sub(r"msd_sql.\1", sql)


@pytest.mark.filterwarnings("ignore:.*there is only 1 candidate")
@pytest.mark.parametrize("case", CASES)
def test_the_guard_decides_every_case_the_same_way(case, database, files):
    def fill(text: str) -> str:
        return text.replace("$files", str(files)).replace("$relative", os.path.relpath(files))

    message = ""
    with database.cursor() as con:
        for sql in case.before:
            con.execute(fill(qualified(sql))).fetchall()
        if not case.before:
            con.execute("BEGIN")
        try:
            con.execute(fill(qualified(case.sql))).fetchall()
        except duckdb.Error as error:
            message = str(error)
    if case.verdict == "allowed":
        assert message == ""
    else:
        assert "LeakError" in message or "InputError" in message, message or "answered"
        assert fill(case.words) in message


def test_most_statements_were_changed():
    cases = [case for _, case in every()]
    changed = [case for case in cases if qualified(case.sql) != case.sql]
    assert len(changed) > 0.9 * len(cases) > 600
