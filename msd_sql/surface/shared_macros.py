"""Our macros for the whole database: in an attached database in memory, every call among them with its full name.

TEMP macros belong to one connection, so that a tool that opens a cursor of its own does not find them. Those here are
found by every connection of the database as `msd_sql.msd_select(…)`, and without the prefix where `msd_sql.main` is on
the search path. The name is the package's own: schema `msd` of a user's database holds declarations and ledger.

The connection that is registered has TEMP macros of the SQL functions besides, which no USE takes away; what those call
is here, so that DuckDB has to parse and bind it once.
"""

from __future__ import annotations

import re

from msd_sql.surface.macros import FUNCTIONS_TEXT, HELPERS, LATE_HELPERS, MACROS

DATABASE = "msd_sql"
ATTACH = f"ATTACH IF NOT EXISTS ':memory:' AS {DATABASE} (READ_WRITE)"  # said, for data that are open for reading only


def _shared(text: str, names: str) -> str:
    """A text in which macros of these names (a regular expression) are those of the whole database."""

    def qualified(call: re.Match[str]) -> str:
        return f"{DATABASE}.main.{call[0]}" if call[0] in MACROS else call[0]

    return re.sub(rf"(?<![\w.'\"]){names}(?=\()", qualified, text)


# In this order, but for the last two, which may be made at the same time.
SHARED_HELPERS, SHARED_FUNCTIONS, SHARED_LATE_HELPERS = (
    _shared(text, r"_?msd_\w+").replace("CREATE OR REPLACE TEMP MACRO", "CREATE OR REPLACE MACRO")
    for text in (HELPERS, FUNCTIONS_TEXT, LATE_HELPERS)
)
OWN = _shared(FUNCTIONS_TEXT, r"_msd_\w+")  # soonest between the first and the last: see `HELPERS`
