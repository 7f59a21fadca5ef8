"""Syntax: what DuckDB's own parser finds in a text: the functions that it calls, and the files that it names.

For a statement that reads files, whose plan DuckDB does not tell. However a name is spelled there, the parser has
undone it; what it cannot parse, or what is computed, is not told, and refused by who asks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator

from msd_sql.database.host import Host
from msd_sql.database.plans import Node, dicts
from msd_sql.database.sql_text import fold, literal
from msd_sql.guard.files import ends_like_file
from msd_sql.guard.statement_text import READING, closing, tokens

_BEGINNINGS = ("select", "with", "from", "values", "pivot", "unpivot", "table", "summarize", "describe", "show")
_ENDING = re.compile(r"\.\w+$")  # without one DuckDB reads no file for what is named like a table
_NAMING = frozenset(["query", "query_table"])  # what they read is what a text says


def parsed(host: Host, text: str) -> Node | None:
    """The query of a statement, a view or a macro as DuckDB parses it; None where it cannot, or only a part of it.

    >>> parsed(host, "INSERT INTO chosen VALUES (1)")["error"]
    False
    """
    for query in _queries(text):
        told: Node = json.loads(host.rows(f"SELECT CAST(json_serialize_sql({literal(query)}) AS VARCHAR)")[0][0])
        if not told.get("error"):
            return told
    return None


def called_functions(tree: Node) -> set[str]:
    """The functions that are called, also where they are not written as a call.

    >>> sorted(called_functions(parsed(host, "SELECT abs(a) + 1 FROM t")))
    ['+', 'abs']
    """
    return {fold(node["function_name"]) for node in dicts(tree) if isinstance(node.get("function_name"), str)}


def named_files(host: Host, texts: Iterable[str]) -> Iterator[str | None]:
    """What may be the name of a file in some texts; None for one that is computed, or a text that is not parsed.

    A name stands where a table is named, is given to a function that reads, or to a macro that hands it on.

    >>> list(named_files(host, ["FROM sales.csv", "FROM query('FROM read_text(''notes'')')"]))
    ['sales.csv', 'notes']
    """
    waiting = list(texts)
    while waiting:
        tree = parsed(host, waiting.pop(0))
        if tree is None:
            yield None
            continue
        for node in dicts(tree):
            if node.get("type") in ("BASE_TABLE", "SHOW_REF"):
                yield from filter(_ENDING.search, [_name(node)])
            else:  # msd_topk('sales.csv', …), msd_topk(sales.csv, …), or a macro that hands it on
                yield from filter(ends_like_file, [_name(node) or _text(node) or ""])
            function = fold(str(node.get("function_name") or ""))
            if function in _NAMING or READING.fullmatch(function):
                given = list(_given(node))
                yield from (None for one in given if one is None)
                if function == "query":
                    waiting.extend(one for one in given if one is not None)
                else:
                    yield from (one for one in given if one is not None)


def _queries(text: str) -> Iterator[str]:
    """What could be all that a text reads: the query of INSERT, COPY or CREATE, itself, or it as an expression."""
    words = tokens(text)
    if len(words) > 1 and words[0].says("copy") and words[1].says("("):
        end = closing(words, 1)
        if not any(one.says(*_BEGINNINGS) for one in words[end:]):
            yield text[words[2].start : words[end].start]
    elif words and words[0].says("create"):  # TABLE or VIEW … AS
        yield from (text[one.end :] for one in [one for one in words if one.says("as")][:1])
    elif words and words[0].says("insert"):  # before its query are names only
        yield from (text[one.start :] for one in [one for one in words if one.says(*_BEGINNINGS)][:1])
    else:
        yield from (text, f"SELECT {text}")  # the body of a macro is an expression


def _name(node: Node) -> str:
    """The name of a table or a column with its dots: an unquoted sales.csv is parsed as table csv of schema sales."""
    names = (node.get("catalog_name"), node.get("schema_name"), node.get("table_name"))
    path = node.get("column_names") or (node.get("qualified_name") or {}).get("path") or names
    return ".".join(str(one) for one in path if one).replace('"', "")


def _given(function: Node) -> Iterator[str | None]:
    """The texts that a function is given by their places, those of lists one by one; None for what is computed.

    DuckDB 1 and 2 write arguments down differently.
    """
    named = function.get("arguments") or [{"expression": child} for child in function.get("children") or ()]
    for node in (one["expression"] for one in named if not one.get("name")):
        while node.get("class") == "CAST" and node["cast_type"]["id"] != "BOOLEAN":
            node = node["child"]
        if node.get("function_name") == "list_value":
            yield from _given(node)
        elif node.get("class") == "CONSTANT":
            if (text := _text(node)) is not None:
                yield text
        elif node.get("class") not in ("COMPARISON", "CAST"):  # options: delim = ';' and, in DuckDB 1, header := true
            yield None


def _text(node: Node) -> str | None:
    """What a constant says, if it is a text."""
    if node.get("class") != "CONSTANT":
        return None
    literal, value = node.get("literal") or {}, node.get("value") or {}
    found = literal.get("text") if literal.get("kind") == "STRING" else value.get("value")
    return found if isinstance(found, str) else None
