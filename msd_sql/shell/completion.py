"""Completion in the shell: keywords, tables, columns, functions, and the arguments of ours with their values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import duckdb
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from msd_sql.shell.dot_commands import DOTS
from msd_sql.shell.render import MODES
from msd_sql.surface.description import Function
from msd_sql.surface.functions import FUNCTIONS

_WORD = re.compile(r"[\w.]*$")
_VALUE = re.compile(r"(\w+)\s*:=\s*'(\w*)$")
_NAMES = """
SELECT table_name, 'table' FROM duckdb_tables() UNION SELECT view_name, 'view' FROM duckdb_views() WHERE NOT internal
UNION SELECT column_name, 'column' FROM duckdb_columns() WHERE NOT internal
UNION SELECT schema_name, 'schema' FROM duckdb_schemas() WHERE NOT internal
"""
_WORDS = """
SELECT keyword_name, 'keyword' FROM duckdb_keywords() UNION
SELECT function_name, 'function' FROM duckdb_functions() WHERE function_name SIMILAR TO '[a-z][a-z0-9_]+'
"""


class ShellCompleter(Completer):
    """Completes what stands before the cursor, from the database that is open."""

    def __init__(self, con: duckdb.DuckDBPyConnection) -> None:
        self._con = con
        self._words: list[tuple[str, str]] | None = None

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterator[Completion]:
        """Offer what fits, best first."""
        before = document.text_before_cursor
        if before.startswith("."):
            yield from _dot(before)
            return
        value = _VALUE.search(before)
        if value:
            yield from _values(_open_call(before), value[1], value[2])
            return
        found = _WORD.search(before)
        word = found[0] if found else ""
        function = _open_call(before)
        if function is not None:
            yield from _arguments(function, word)
        if word:
            yield from self._known(word)

    def _known(self, word: str) -> Iterator[Completion]:
        start = word.lower()
        for function in FUNCTIONS.values():
            if function.name.startswith(start):
                yield Completion(f"{function.name}(", -len(word), display=function.short, display_meta=function.doc)
        last = start.rpartition(".")[2]
        for name, kind in [*self._rows(_NAMES), *self._everything()]:
            if name.lower().startswith(last) and not name.startswith(("msd_", "_msd")):
                shown = name.upper() if kind == "keyword" and word.isupper() else name
                yield Completion(f"{shown}(" if kind == "function" else shown, -len(last), display_meta=kind)

    def _everything(self) -> list[tuple[str, str]]:
        if self._words is None:
            self._words = self._rows(_WORDS)
        return self._words

    def _rows(self, sql: str) -> list[tuple[str, str]]:
        with suppress(duckdb.Error):
            cursor = self._con.cursor()
            try:
                return sorted(cursor.execute(sql).fetchall())
            finally:
                cursor.close()
        return []


def _dot(before: str) -> Iterator[Completion]:
    name, space, rest = before.partition(" ")
    if not space:
        for dot in DOTS.values():
            if dot.name.startswith(name):
                yield Completion(dot.name, -len(name), display_meta=dot.doc)
    elif name == ".mode":
        yield from _starting(MODES, rest)
    elif name == ".functions":
        yield from _starting(FUNCTIONS, rest)
    elif name in (".read", ".output"):
        path = Path(rest).expanduser()
        folder = path if rest.endswith("/") else path.parent
        with suppress(OSError):
            for child in sorted(folder.iterdir()):
                if child.name.startswith("" if rest.endswith("/") else path.name):
                    yield Completion(f"{child}{'/' if child.is_dir() else ''}", -len(rest))


def _starting(names: Iterable[str], start: str) -> Iterator[Completion]:
    for name in names:
        if name.startswith(start):
            yield Completion(name, -len(start))


def _open_call(before: str) -> Function | None:
    """Find the function of ours whose parenthesis is still open at the cursor."""
    depth = 0
    for place in range(len(before) - 1, -1, -1):
        if before[place] == ")":
            depth += 1
        elif before[place] == "(":
            if depth == 0:
                name = re.search(r"(\w+)\s*$", before[:place])
                return FUNCTIONS.get(name[1].lower()) if name else None
            depth -= 1
    return None


def _arguments(function: Function, word: str) -> Iterator[Completion]:
    for argument in function.arguments:
        if not argument.required and argument.name.startswith(word.lower()):
            yield Completion(f"{argument.name} := ", -len(word), display_meta=argument.doc)


def _values(function: Function | None, name: str, start: str) -> Iterator[Completion]:
    for argument in function.arguments if function else ():
        if argument.name == name.lower():
            for allowed in argument.allowed:
                if allowed.startswith(start.lower()):
                    yield Completion(f"{allowed}'", -len(start))
