"""A row expression: SQL over the columns of one row, checked as DuckDB itself reads it, and written back by it.

What is not on the lists below is refused, so that an expression can look at nothing but its row: no other row or
relation, no function of the user's, no state of the session, no chance and no clock but the date, which becomes a
literal. Left out as well is what makes a text many times as long as the row's own: `TRY` turns the failure of a row
into NULL, but not a lack of memory, and no failure may depend on a row.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from msd_sql.database.host import Host, HostError
from msd_sql.database.sql_text import fold, literal
from msd_sql.errors import InputError, suggest

Node = dict[str, Any]
LONGEST = 2_000  # characters
_ROW = "r"
_OPERATORS = frozenset([
    "OPERATOR_NOT", "OPERATOR_IS_NULL", "OPERATOR_IS_NOT_NULL", "OPERATOR_COALESCE", "OPERATOR_TRY", "COMPARE_IN",
    "COMPARE_NOT_IN", "ARRAY_EXTRACT", "ARRAY_SLICE", "STRUCT_EXTRACT",
])  # fmt: skip
_CLASSES = frozenset(["CONSTANT", "COLUMN_REF", "COMPARISON", "CONJUNCTION", "BETWEEN", "CASE", "TYPE"])
_TYPES = frozenset([
    "BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT",
    "UHUGEINT", "DECIMAL", "FLOAT", "DOUBLE", "VARCHAR", "DATE", "TIME", "TIMESTAMP", "TIMESTAMP_NS",
    "TIMESTAMP WITH TIME ZONE", "INTERVAL", "UUID", "JSON",
    "BOOL", "INT", "LONG", "SHORT", "NUMERIC", "REAL", "TEXT", "STRING", "DATETIME", "TIMESTAMPTZ",  # as 2.x says them
])  # fmt: skip
# Types of columns that DuckDB has faults with, past TRY, for some values: casts of a BIGNUM and of an infinite
# TIMESTAMP_MS close the database (2.0), and 1.5 has no CASE of arrays of a fixed length.
_ODD_TYPES = re.compile(r"\b(BIGNUM|VARINT|VARIANT|GEOMETRY|UNION|BIT|TIMESTAMP_M?S)\b|\[\d+\]")
_TODAY = frozenset(["current_date", "today"])
# Their first argument must be one of these, literally: of an odd one DuckDB says that it is not implemented, but only
# when a row has a value, and TRY does not hold that back.
_BY_UNIT = frozenset([
    "date_part", "datepart", "date_trunc", "datetrunc", "date_diff", "datediff", "date_sub", "datesub",
])  # fmt: skip
_UNITS = frozenset([
    "year", "quarter", "month", "week", "day", "hour", "minute", "second", "decade", "century", "dow", "isodow", "doy",
    "isoyear", "yearweek",
])  # fmt: skip
# An INTERVAL and a TIME have not every part, and DuckDB says so, past TRY, when a row has a value.
_PARTS = _UNITS | frozenset(["weekofyear", "dayofweek", "weekday", "dayofmonth", "dayofyear", "dayname", "monthname"])
_OF_A_TIME = frozenset(["hour", "minute", "second"])
OF_A_SPAN = frozenset(["year", "quarter", "month", "day", "dayofmonth", "decade", "century"])
# What the spark engine can be asked for: these mean the same there.
SPARK_FUNCTIONS = frozenset([
    "+", "-", "*", "%", "abs", "lower", "upper", "length", "trim", "ltrim", "rtrim", "~~", "!~~", "year", "month",
    "day", "date_part",
])  # fmt: skip
FUNCTIONS = SPARK_FUNCTIONS | frozenset([
    # numbers
    "/", "//", "^", "**", "&", "|", "<<", ">>", "mod", "ceil", "ceiling", "floor", "round", "trunc", "sign", "sqrt",
    "ln", "log", "log2", "log10", "exp", "pow", "power", "greatest", "least", "isnan", "isinf", "isfinite", "hash",
    # texts
    "~~*", "!~~*", "~~~", "^@", "||", "concat", "lcase", "ucase", "len", "strlen", "char_length", "character_length",
    "left", "right", "substring", "substr", "starts_with", "ends_with", "prefix", "suffix", "contains", "instr",
    "strpos", "position", "split_part", "reverse", "strip_accents", "nfc_normalize", "md5", "regexp_matches",
    "regexp_full_match", "regexp_extract", "ascii", "unicode", "ord",
    # dates and times
    "datepart", "date_trunc", "datetrunc", "date_diff", "datediff", "date_sub", "datesub", "hour", "minute", "second",
    "quarter", "week", "weekofyear", "yearweek", "dayofweek", "isodow", "weekday", "dayofmonth", "dayofyear",
    "isoyear", "last_day", "dayname", "monthname", "make_date", "make_timestamp", "strptime", "try_strptime", "epoch",
    "epoch_ms", "to_timestamp", "to_years", "to_quarters", "to_months", "to_weeks", "to_days", "to_hours",
    "to_minutes", "to_seconds", "to_milliseconds", "to_microseconds",
    # lists, records and JSON that a column holds
    "list_contains", "array_contains", "list_has", "array_has", "list_position", "array_length", "list_extract",
    "array_extract", "struct_extract", "map_contains", "map_extract", "map_extract_value", "json_extract",
    "json_extract_string", "json_valid", "json_type", "->", "->>", "nullif",
])  # fmt: skip


@dataclass(frozen=True)
class RowExpression:
    """An expression as DuckDB writes it, the date a literal; and every column that it may read.

    `moments` are what it takes a part of: each with the part's name, and as DuckDB writes it.
    """

    sql: str
    columns: tuple[str, ...]
    moments: tuple[tuple[str, str], ...] = ()


def row_expression(
    host: Host, what: str, text: str, columns: Mapping[str, str], *, spark: bool = False
) -> RowExpression:
    """Read an expression over the row r with these columns; an InputError, which names `what` it is for, otherwise.

    >>> row_expression(host, "among", "r.Country in ('DE', 'FR')", {"country": "VARCHAR"}).columns
    ('country',)
    """
    if len(text) > LONGEST:
        raise InputError(f"{what} has {len(text):,} characters; at most {LONGEST:,} are allowed.")
    node = _parsed(host, what, text)
    known = {fold(column): column for column in columns}
    node = _trying_casts(_dated(host, node, known))
    _check(what, node, known, SPARK_FUNCTIONS if spark else FUNCTIONS)
    node = _spelled(node, known)
    written = _written(host, what, node)
    read = {fold(part) for one in _walk(node) if one["class"] == "COLUMN_REF" for part in one["column_names"]}
    if odd := [known[name] for name in known if name in read and _ODD_TYPES.search(columns[known[name]].upper())]:
        raise _refused(what, f"column {odd[0]}, which is {columns[odd[0]]}")
    moments = tuple((part, _written(host, what, moment)) for part, moment in _moments(node))
    return RowExpression(written, tuple(known[name] for name in known if name in read), moments)


def _moments(node: Node) -> Iterator[tuple[str, Node]]:
    """What a part is taken of, with the part; not of hours and less, which all have, nor of literals."""
    for one in _walk(node):
        name = fold(str(one.get("function_name", "")))
        by_unit = name in _BY_UNIT
        if one["class"] == "FUNCTION" and (by_unit or name in _PARTS):
            part = _text(_arguments(one)[0]).lower() if by_unit else name
            for argument in _arguments(one)[by_unit:]:
                moment = argument.get("expression", argument)
                if part not in _OF_A_TIME and moment["class"] != "CONSTANT":
                    yield part, moment


def _parsed(host: Host, what: str, text: str) -> Node:
    """The one expression that the text is, as DuckDB parses it."""
    told = json.loads(host.rows(f"SELECT CAST(json_serialize_sql({literal(f'SELECT {text}')}) AS VARCHAR)")[0][0])
    node = told["statements"][0]["node"] if not told["error"] and len(told["statements"]) == 1 else {}
    alone = (
        node.get("type") == "SELECT_NODE"
        and len(node["select_list"]) == 1
        and node["from_table"]["type"] == "EMPTY"
        and not node["select_list"][0]["alias"]
        and not any(node[part] for part in ("modifiers", "where_clause", "group_expressions", "having", "qualify"))
        and not node["cte_map"]["map"]
    )
    if not alone:
        raise InputError(
            f"{what} must be one SQL expression over the columns of a row, such as 'country = ''DE''' or "
            f"'day >= current_date - 30'; got '{text}'."
        )
    return dict(node["select_list"][0])


def _check(what: str, node: Node, known: Mapping[str, str], functions: frozenset[str]) -> None:
    for one in _walk(node):
        kind, name = one["class"], fold(str(one.get("function_name", "")))
        if kind == "COLUMN_REF":
            names = [fold(part) for part in one["column_names"]]
            own = names[1:] if names[0] == _ROW and len(names) > 1 else names
            if own[0] not in known and names[0] not in known:
                raise InputError(f"{what}: {suggest('column', one['column_names'][-1], known.values())}")
        elif kind == "FUNCTION":
            if place := [part for part in _path(one)[:-1] if part not in ("", "main", "system")]:
                raise _refused(what, f"{place[-1]}.{name}()")
            if name not in functions or one.get("filter") or one.get("distinct") or _orders(one):
                raise _refused(what, f"{name}()", suggest("function", name, sorted(functions)))
            if name in _BY_UNIT and (unit := _text(_arguments(one)[0]).lower()) not in _UNITS:
                raise InputError(f"{what}: {suggest(f'unit of {name}', unit, sorted(_UNITS))}")
            if name == "array_length" and len(_arguments(one)) > 1:  # DuckDB knows one dimension only
                raise _refused(what, "array_length() with a dimension")
        elif kind == "CAST":
            if (target := _target(one)) not in _TYPES:
                raise _refused(what, f"a cast to {target}")
        elif kind not in _CLASSES and not (kind == "OPERATOR" and one["type"] in _OPERATORS):
            way = "To ask by another table, protect a view that joins it in." if kind == "SUBQUERY" else ""
            raise _refused(what, "a subquery" if way else f"{kind.lower()} ({one['type'].lower()})", way)


def _path(function: Node) -> list[str]:
    """Where a function is looked for, and its name: a path in 2.x."""
    path = (function.get("qualified_name") or {}).get("path") or ()
    return [*path[:-1], *(str(function.get(part) or "") for part in ("catalog", "schema", "function_name"))]


def _arguments(function: Node) -> list[Any]:
    return list(function.get("arguments") or function.get("children") or ())


def _text(argument: Node) -> str:
    """The text of a literal; empty if it is something else."""
    node = argument.get("expression", argument)
    literal = node.get("literal") or node.get("value") or {}
    return str(literal.get("text") or literal.get("value") or "") if node.get("class") == "CONSTANT" else ""


def _target(cast: Node) -> str:
    """The type of a cast: an expression in 2.x, a type in 1.x, which knows some by a name only."""
    if "type_expr" in cast:
        return str(cast["type_expr"]["type_name"]).upper()
    kind = cast["cast_type"]
    return str(kind["type_info"]["name"] if kind["id"] == "UNBOUND" else kind["id"]).upper()


def _orders(one: Node) -> bool:
    return bool((one.get("order_bys") or {}).get("orders"))


def _refused(what: str, part: str, near: str = "") -> InputError:
    return InputError(
        f"{what} may not use {part}: it is one expression over the columns of a row, of literals, operators, casts and "
        f"built-in functions that look at nothing else. {near}".strip()
    )


def _dated(host: Host, node: Node, known: Mapping[str, str]) -> Node:
    """The same with today's date as a literal, so that it is part of the question and of what the ledger says."""

    def is_today(one: Node) -> bool:
        if one.get("class") == "COLUMN_REF":
            names = [fold(part) for part in one["column_names"]]
            return len(names) == 1 and names[0] in _TODAY - known.keys()
        return one.get("class") == "FUNCTION" and fold(one["function_name"]) in _TODAY and not _arguments(one)

    if not any(is_today(one) for one in _walk(node)):
        return node
    today = _parsed(host, "date", f"CAST('{host.rows('SELECT CAST(current_date AS VARCHAR)')[0][0]}' AS DATE)")
    dated: Node = _replaced(node, is_today, today)
    return dated


def _trying_casts(value: Any) -> Any:
    """The same with NULL for a value that a cast fails on, as in Spark; a literal that cannot be cast is an error."""
    if isinstance(value, list):
        return [_trying_casts(one) for one in value]
    if not isinstance(value, dict):
        return value
    found = {name: _trying_casts(one) for name, one in value.items()}
    if found.get("class") == "CAST" and found["child"].get("class") != "CONSTANT":
        found["try_cast"] = True
    return found


def _spelled(value: Any, known: Mapping[str, str]) -> Any:
    """The same with every column as the relation spells it, without the row's name: one question, however written."""
    if isinstance(value, list):
        return [_spelled(one, known) for one in value]
    if not isinstance(value, dict):
        return value
    if value.get("class") != "COLUMN_REF":
        return {name: _spelled(one, known) for name, one in value.items()}
    names = value["column_names"]
    rowless = len(names) > 1 and fold(names[0]) == _ROW and _ROW not in known and fold(names[1]) not in _TODAY
    own = names[1:] if rowless else names
    return {**value, "column_names": [known.get(fold(own[0]), own[0]), *own[1:]]}


def _replaced(value: Any, wanted: Any, by: Node) -> Any:
    if isinstance(value, list):
        return [_replaced(one, wanted, by) for one in value]
    if not isinstance(value, dict):
        return value
    return by if wanted(value) else {name: _replaced(one, wanted, by) for name, one in value.items()}


def _written(host: Host, what: str, node: Node) -> str:
    """The expression as DuckDB writes it; refused where it does not read that as the same expression again."""
    empty = json.loads(host.rows("SELECT CAST(json_serialize_sql('SELECT 1') AS VARCHAR)")[0][0])
    empty["statements"][0]["node"]["select_list"] = [node]
    try:
        statement = str(host.rows(f"SELECT json_deserialize_sql({literal(json.dumps(empty))}::JSON)")[0][0])
    except HostError:
        statement = ""
    written = statement.removeprefix("SELECT ")
    for said in (written.removeprefix("(").removesuffix(")"), written):  # without brackets around all of it, if there
        if said and _reads_as(host, said, node):
            return said
    raise InputError(f"{what}: DuckDB cannot write this expression back as it was; write it in another way.")


def _reads_as(host: Host, text: str, node: Node) -> bool:
    try:
        return bool(_placeless(_parsed(host, "it", text)) == _placeless(node))
    except InputError:
        return False


def _placeless(value: Any) -> Any:
    """A tree without the places of its words in the text, and without what is implied."""
    if isinstance(value, list):
        return [_placeless(one) for one in value]
    if not isinstance(value, dict):
        return value
    left_out = ("query_location", "query_location_length", "schema", "catalog", "qualified_name", "is_operator")
    return {name: _placeless(one) for name, one in value.items() if name not in left_out}


def _walk(node: Any) -> Iterator[Node]:
    """Every expression of a tree; the record of a constant's type or value is none."""
    waiting = [node]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            if isinstance(value.get("class"), str) and isinstance(value.get("type"), str):
                yield value
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)
