"""Progress is for who watches: on a terminal, after a while, of public facts; a pipe never sees any of it."""

from __future__ import annotations

import io
import threading

import duckdb
import pytest

import msd_sql
from msd_sql.runtime import call as calls
from msd_sql.runtime.progress import Progress, watched


class Terminal(io.StringIO):
    """A stream that a person watches; it tells when something was written."""

    def __init__(self) -> None:
        super().__init__()
        self.written = threading.Event()

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        size = super().write(text)
        self.written.set()
        return size


def test_a_terminal_is_told_and_left_clean():
    seen = Terminal()
    progress = Progress(seen, patience=0.0, every=0.001)
    progress.tell("round 1 of 6")
    assert seen.written.wait(10)
    progress.close()
    shown = seen.getvalue()
    assert shown.startswith("\rround 1 of 6")
    assert shown.endswith("\r" + " " * len("round 1 of 6") + "\r")
    progress.tell("too late")
    assert seen.getvalue() == shown


def test_what_is_quick_is_not_told():
    seen = Terminal()
    progress = Progress(seen, patience=60.0)
    progress.tell("round 1 of 6")
    progress.close()
    assert seen.getvalue() == ""


def test_a_pipe_is_never_told_and_no_thread_is_begun():
    pipe = io.StringIO()
    before = threading.active_count()
    progress = Progress(pipe, patience=0.0)
    progress.tell("round 1 of 6")
    assert threading.active_count() == before
    progress.close()
    assert pipe.getvalue() == ""


def test_a_stream_that_breaks_ends_nothing_else():
    class Broken(Terminal):
        def write(self, text: str) -> int:
            self.written.set()
            raise OSError("the terminal is gone")

    seen = Broken()
    progress = Progress(seen, patience=0.0, every=0.001)
    progress.tell("round 1 of 6")
    assert seen.written.wait(10)
    progress.close()
    assert watched(seen)
    assert seen.getvalue() == ""


@pytest.fixture
def told(monkeypatch):
    found: list[str] = []
    monkeypatch.setattr(calls.Progress, "tell", lambda self, text: found.append(text))
    return found


def test_only_rounds_and_groups_are_told_whatever_the_rows_are(told):
    heard = []
    for rows in (40, 4000):
        told.clear()
        with duckdb.connect() as con:
            con.execute(
                "CREATE TABLE purchases AS SELECT (hash(i) % 97)::INTEGER AS user_id, i % 30 AS item_id "
                f"FROM range({rows}) t(i)"
            )
            con.execute(
                "CREATE TABLE products AS SELECT i AS item_id, i % 3 AS shelf, [i % 5] AS tags FROM range(30) t(i)"
            )
            msd_sql.register(con)
            for sql in (
                "SELECT msd_protect('purchases', unit := 'user_id', item := 'item_id', budget := 99, delta := 1e-6, "
                "users := 97)",
                "SELECT msd_items('products', key := 'item_id', features := 'tags', reach := 'purchases')",
                "SELECT msd_select(item_id, 2, 0.1, 0.5) FROM products",
                "SELECT shelf, msd_select(item_id, 2, 0.1, 0.5) FROM products GROUP BY shelf",
            ):
                con.execute(sql).fetchall()
        heard.append(list(told))
    assert heard[0] == heard[1]
    assert "msd_select: round 2 of 2" in heard[0]
    assert "msd_select: 3 groups, round 1 of 2" in heard[0]
