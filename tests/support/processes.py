"""Another process, with a memory of its own: forked from a server that has imported the packages and opened nothing.

An interpreter that starts anew spends most of its time on imports. Where the start or the end of a program is what is
tested, a test starts a program.
"""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ProcessPoolExecutor

import duckdb

import msd_sql

_FORKED = multiprocessing.get_context("forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else None)
_FORKED.set_forkserver_preload(["duckdb", "pandas", "msd_sql.entry_points"])


def answers_elsewhere(file: str, *statements: str) -> str:
    """The answers of a process that opens the file, asks and ends."""
    with ProcessPoolExecutor(1, _FORKED) as process:
        return process.submit(_ask, file, statements).result(timeout=100)


def _ask(file: str, statements: tuple[str, ...]) -> str:
    with duckdb.connect(file) as con:
        con.execute("SET enable_progress_bar = false")
        msd_sql.register(con)
        return str([con.execute(sql).fetchall() for sql in statements])
