"""Messages: what a person reads when a statement fails. DuckDB's caret stays, the wrapping of a UDF goes."""

from __future__ import annotations

import re

import duckdb

# "Invalid Input Error: Python exception occurred while executing the UDF: LeakError: text\n\nAt:\n  file(22): pick"
_WRAPPER = re.compile(r"^.*?Python exception occurred while executing the UDF:\s*", re.DOTALL)
_CLASS = re.compile(r"^(?:[A-Za-z_][\w.]*\.)?([A-Za-z_]\w*(?:Error|Exception|Interrupt|Interrupted)):\s+")
_TRACE = re.compile(r"\n+At:\n.*$", re.DOTALL)


def told(error: BaseException) -> str:
    r"""Say what to show of an error.

    >>> told(ValueError("Python exception occurred while executing the UDF: LeakError: It leaks.\n\nAt:\n x"))
    'LeakError: It leaks.'
    """
    text = str(error)
    inner = _WRAPPER.sub("", text, count=1)
    if inner == text:
        return text or type(error).__name__
    inner = _TRACE.sub("", inner)
    found = _CLASS.match(inner)
    return (f"{found[1]}: {inner[found.end() :]}" if found else inner).strip()


def interrupted(error: BaseException) -> bool:
    """Tell whether somebody stopped the statement, and nothing else went wrong.

    >>> interrupted(KeyboardInterrupt())
    True
    """
    if isinstance(error, (KeyboardInterrupt, duckdb.InterruptException)):
        return True
    return isinstance(error, (duckdb.Error, RuntimeError)) and "nterrupted" in told(error).partition("\n")[0]
