"""Interrupts: Ctrl-C and `con.interrupt()` reach the selection that runs inside of a function, and its inner cursor.

DuckDB tells a function nothing of an interrupt: it waits for the function to return, and the function's own cursor
is another connection (1.5 and 2.0 alike). So both ways to interrupt are watched here and forwarded.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

import duckdb

Watcher = Callable[[duckdb.DuckDBPyConnection | None], None]
_original: Callable[[duckdb.DuckDBPyConnection], None] | None = None


def watch(stop: Watcher) -> None:
    """Call `stop(con)` after every `con.interrupt()`, and `stop(None)` on Ctrl-C; once for the process.

    >>> watch(lambda con: None)
    """
    _watch_connections(stop)
    _watch_keyboard(stop)


def _watch_connections(stop: Watcher) -> None:
    global _original  # a class of another module is changed, and once only
    if _original is not None:
        return
    kind: Any = duckdb.DuckDBPyConnection
    _original = original = kind.interrupt

    def interrupt(self: duckdb.DuckDBPyConnection) -> None:
        """Interrupt pending operations."""
        original(self)
        stop(self)

    kind.interrupt = interrupt


def _watch_keyboard(stop: Watcher) -> None:
    """Ahead of Python's own handler; a program that has its own handler keeps it and calls `con.interrupt()`."""
    if threading.current_thread() is not threading.main_thread():
        return
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        return

    def handler(number: int, frame: FrameType | None) -> None:
        stop(None)
        signal.default_int_handler(number, frame)

    signal.signal(signal.SIGINT, handler)
