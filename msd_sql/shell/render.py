"""Rendering a relation: DuckDB's own box, or a format that other programs read. Each draws it exactly once."""

from __future__ import annotations

import csv
import io
import json
import shutil
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout
from types import MappingProxyType
from typing import Any

import duckdb

from msd_sql.errors import InputError, suggest

Relation = duckdb.DuckDBPyRelation
Rows = list[tuple[Any, ...]]


def mode_named(name: str) -> str:
    """Check the name of an output mode.

    >>> mode_named("duckbox")
    'box'
    """
    found = "box" if name == "duckbox" else name
    if found not in MODES:
        raise InputError(suggest("mode", name, MODES))
    return found


def render(relation: Relation, mode: str, *, width: int | None = None, rows: int = 40) -> str:
    """Draw a relation in a mode, with a newline at the end.

    >>> print(render(duckdb.sql("SELECT 1 AS a, 'x' AS b"), "csv"), end="")
    a,b
    1,x
    """
    if mode == "box":
        return _box(relation, width, rows)
    return MODES[mode](relation.columns, _texts(relation, _JSON if mode in ("json", "jsonlines") else _TEXT))


def _box(relation: Relation, width: int | None, rows: int) -> str:
    if relation.columns == ["explain_key", "explain_value"]:
        return "".join(str(row[1]) for row in relation.fetchall())
    out = io.StringIO()
    with redirect_stdout(out):
        relation.show(max_width=width or shutil.get_terminal_size((120, 24)).columns, max_rows=rows)
    return out.getvalue().rstrip("\n") + "\n"


_TEXT = "COLUMNS(*)::VARCHAR"
_JSON = "to_json(COLUMNS(*))::VARCHAR"


def _texts(relation: Relation, how: str) -> Rows:
    """Every value as DuckDB writes it, so that no type is lost on the way through Python."""
    return relation.project(how).fetchall()


def _csv(names: list[str], rows: Rows) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(["" if value is None else value for value in row] for row in rows)
    return out.getvalue()


def _objects(names: list[str], rows: Rows) -> list[str]:
    keys = [json.dumps(name, ensure_ascii=False) for name in names]
    pairs = [[f"{key}:{value or 'null'}" for key, value in zip(keys, row, strict=True)] for row in rows]
    return ["{" + ",".join(pair) + "}" for pair in pairs]


def _json(names: list[str], rows: Rows) -> str:
    return "[" + ",\n".join(_objects(names, rows)) + "]\n"


def _jsonlines(names: list[str], rows: Rows) -> str:
    return "".join(line + "\n" for line in _objects(names, rows))


def _markdown(names: list[str], rows: Rows) -> str:
    cells = [[_cell(value) for value in row] for row in ([*names], *rows)]
    widths = [max(3, *(len(row[number]) for row in cells)) for number in range(len(names))]
    lines = ["| " + " | ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)) + " |" for row in cells]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines) + "\n"


def _cell(value: str | None) -> str:
    return "" if value is None else value.replace("|", "\\|").replace("\n", " ")


def _line(names: list[str], rows: Rows) -> str:
    width = max((len(name) for name in names), default=0)
    blocks = [
        "".join(f"{n:>{width}} = {'' if v is None else v}\n" for n, v in zip(names, row, strict=True)) for row in rows
    ]
    return "\n".join(blocks)


def _list(names: list[str], rows: Rows) -> str:
    return "".join("|".join("" if value is None else value for value in row) + "\n" for row in [tuple(names), *rows])


def _drawn_by_duckdb(names: list[str], rows: Rows) -> str:
    raise AssertionError("box is drawn by DuckDB")  # kept in MODES so that there is one list of names


MODES: Mapping[str, Callable[[list[str], Rows], str]] = MappingProxyType(
    {
        "box": _drawn_by_duckdb,
        "csv": _csv,
        "json": _json,
        "jsonlines": _jsonlines,
        "line": _line,
        "list": _list,
        "markdown": _markdown,
    }
)
