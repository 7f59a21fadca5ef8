"""Statements: cutting what was typed at its semicolons, with DuckDB's own tokenizer."""

from __future__ import annotations

import re

import duckdb

_COMMENTS = re.compile(r"--[^\n]*|/\*.*?\*/", re.DOTALL)


def split(text: str) -> tuple[list[str], str]:
    """Cut text into finished statements, semicolons left out, and the unfinished rest as it stands.

    >>> split("SELECT ';'; FROM t; SELECT")
    (["SELECT ';'", 'FROM t'], ' SELECT')
    """
    raw = text.encode()  # the tokenizer counts bytes
    ends = [start for start, _ in duckdb.tokenize(text) if raw[start : start + 1] == b";"]
    starts = [0, *(end + 1 for end in ends)]
    pieces = [raw[start:end].decode() for start, end in zip(starts, [*ends, len(raw)], strict=True)]
    # The rest keeps its line end: the next line must not become part of a comment.
    return [piece.strip() for piece in pieces[:-1] if not blank(piece)], "" if blank(pieces[-1]) else pieces[-1]


def blank(text: str) -> bool:
    """Tell whether there is nothing but space and comments.

    >>> blank("-- nothing here")
    True
    """
    return not _COMMENTS.sub("", text).strip()


def finished(text: str) -> bool:
    """Tell whether it can be run now: a dot-command, nothing, or statements that all end in a semicolon.

    >>> finished("SELECT 1"), finished("SELECT 1;"), finished(".tables")
    (False, True, True)
    """
    return text.lstrip().startswith(".") or split(text)[1] == ""
