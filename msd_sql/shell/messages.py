"""Messages: what a person reads when a statement fails. DuckDB's caret stays, the wrapping of a UDF goes.

Of a call of ours that no macro fits DuckDB lists every signature; here it is said which argument there is none of.
"""

from __future__ import annotations

import re

import duckdb

from msd_sql.errors import suggest
from msd_sql.surface.functions import FUNCTIONS

# "Invalid Input Error: Python exception occurred while executing the UDF: LeakError: text\n\nAt:\n  file(22): pick"
_WRAPPER = re.compile(r"^.*?Python exception occurred while executing the UDF:\s*", re.DOTALL)
_CLASS = re.compile(r"^(?:[A-Za-z_][\w.]*\.)?([A-Za-z_]\w*(?:Error|Exception|Interrupt|Interrupted)):\s+")
_SIGNATURES = re.compile(r"Macro (msd_\w+)\(\) .*?\nCandidate macros:.*?(?=\n\n|\Z)", re.DOTALL)
_NAMED = re.compile(r"\b(\w+)\s*(?::=|=>)")
_TRACE = re.compile(r"\n+At:\n.*$", re.DOTALL)


def told(error: BaseException) -> str:
    r"""Say what to show of an error.

    >>> told(ValueError("Python exception occurred while executing the UDF: LeakError: It leaks.\n\nAt:\n x"))
    'LeakError: It leaks.'
    """
    text = str(error)
    inner = _WRAPPER.sub("", text, count=1)
    if inner == text:
        return _SIGNATURES.sub(_which_argument, text) or type(error).__name__
    inner = _TRACE.sub("", inner)
    found = _CLASS.match(inner)
    return (f"{found[1]}: {inner[found.end() :]}" if found else inner).strip()


def _which_argument(signatures: re.Match[str]) -> str:
    """What is wrong with the arguments of a call, instead of all signatures."""
    function = FUNCTIONS.get(signatures[1])
    if function is None:
        return signatures[0]
    names = [argument.name for argument in function.arguments]
    said = _NAMED.findall(signatures.string, signatures.end())
    unknown = next((name for name in said if name.lower() not in names), None)
    if unknown is not None:
        return f"{function.name}: {suggest('argument', unknown, names)}"
    first = ", ".join(argument.name for argument in function.arguments if argument.required)
    others = ", ".join(argument.name for argument in function.arguments if not argument.required)
    return f"{function.name} takes {first}" + (f", and by name: {others}." if others else ".")


def interrupted(error: BaseException) -> bool:
    """Tell whether somebody stopped the statement, and nothing else went wrong.

    >>> interrupted(KeyboardInterrupt())
    True
    """
    if isinstance(error, (KeyboardInterrupt, duckdb.InterruptException)):
        return True
    return isinstance(error, (duckdb.Error, RuntimeError)) and "nterrupted" in told(error).partition("\n")[0]
