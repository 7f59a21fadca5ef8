"""Our macros for the whole database: in an attached database in memory, every call among them with its full name.

TEMP macros belong to one connection, so that a tool that opens a cursor of its own does not find them. Those here are
found by every connection of the database as `msd_sql.msd_select(…)`, and without the prefix where `msd_sql.main` is on
the search path. The name is the package's own: schema `msd` of a user's database holds declarations and ledger.
"""

from __future__ import annotations

import re

from msd_sql.surface.macros import MACROS, TEXT

DATABASE = "msd_sql"
ATTACH = f"ATTACH IF NOT EXISTS ':memory:' AS {DATABASE} (READ_WRITE)"  # said, for data that are open for reading only


def _qualified(call: re.Match[str]) -> str:
    return f"{DATABASE}.main.{call[0]}" if call[0] in MACROS else call[0]


_CALL = re.compile(r"(?<![\w.'\"])_?msd_\w+(?=\()")
SHARED_TEXT = _CALL.sub(_qualified, TEXT).replace("CREATE OR REPLACE TEMP MACRO", "CREATE OR REPLACE MACRO")
