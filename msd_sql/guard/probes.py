"""TEMP macros that could stand for a function of a statement, asked for by name on the caller's connection.

DuckDB lists a connection's macros only together with all of its functions, which takes long, and another connection
does not see TEMP ones. Whether there is one of a given name is told at once by binding a call of it. Asked only for a
statement that has to be planned on another connection, because it reads files.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from msd_sql.database.host import Host
from msd_sql.database.sql_text import fold, literal, quote
from msd_sql.guard.files import ends_like_file
from msd_sql.guard.statement_text import READING, mentioned, tokens
from msd_sql.guard.syntax import called_functions, parsed
from msd_sql.surface.macros import MACROS
from msd_sql.surface.shared_macros import DATABASE

# Functions that DuckDB calls for what is not written as a call: [1], {'a': 1}, x.y, x[1:2], INTERVAL 1 DAY, LIKE …
_SYNTAX = frozenset([
    "list_value", "struct_pack", "row", "map", "array_value", "list_extract", "array_extract", "struct_extract",
    "struct_extract_at", "map_extract", "map_extract_value", "union_extract", "json_extract", "json_extract_string",
    "list_slice", "array_slice", "list_concat", "list_contains", "array_contains", "contains", "list_transform",
    "list_filter", "list_apply", "list_zip", "date_part", "datepart", "date_trunc", "to_years",
    "to_quarters", "to_months", "to_weeks", "to_days", "to_hours", "to_minutes", "to_seconds", "to_milliseconds",
    "to_microseconds", "concat", "array_agg", "list", "unpivot_list", "in_search_path", "quantile_cont", "mode",
    "like_escape", "not_like_escape", "ilike_escape", "not_ilike_escape", "regexp_matches", "regexp_full_match",
    "timezone", "collate", "current_date", "current_time", "current_timestamp", "current_localtime",
    "current_localtimestamp", "localtime", "localtimestamp", "get_current_time", "get_current_timestamp", "today",
    "current_database", "rtrim", "ltrim", "trim", "now",
    "min", "max", "avg", "sum", "count", "count_star", "first", "error",
    "stddev", "approx_unique", "approx_count_distinct", "approx_quantile", "constant_or_null",
    "+", "-", "*", "/", "//", "%", "^", "**", "||", "~~", "!~~", "~~*", "!~~*", "~~~", "~", "!~", "<<", ">>", "&", "|",
    "@", "!", "->", "->>", "@>", "<@", "&&", "^@", "<->", "<=>", "!__postfix", "~*", "!~*",
])  # fmt: skip
# Table functions that DuckDB calls for a file that is named like a table.
_READERS = frozenset([
    "read_csv", "read_csv_auto", "read_parquet", "parquet_scan", "read_json", "read_json_auto", "read_ndjson",
    "read_ndjson_auto", "read_text", "read_blob", "read_duckdb",
])  # fmt: skip
_AUTOLOADED = {"read_xlsx": ".xlsx"}  # is installed where such a file is read, and not to look whether it is a macro
PROBED = ("probed",)
_MACROS = f"""
SELECT function_name, coalesce(macro_definition, '') FROM system.main.duckdb_functions()
WHERE function_type IN ('macro', 'table_macro') AND NOT internal AND database_name NOT IN ('temp', '{DATABASE}')
"""


def macro_bodies(host: Host) -> dict[str, str]:
    """The bodies of the macros that every connection sees, by folded name."""
    found: dict[str, str] = {}
    for name, body in host.rows(_MACROS):
        found[fold(name)] = f"{found.get(fold(name), '')} {body}"
    return found


def reads_by_name(texts: Iterable[str]) -> bool:
    """Do some texts name files, or functions that read them?

    >>> reads_by_name(["SELECT abs(a) FROM t"]), reads_by_name(["FROM 'sales.csv'"]), reads_by_name(["FROM sales.csv"])
    (False, True, True)
    """
    for text in texts:
        words = tokens(text)
        for before, one in zip((None, *words), words, strict=False):
            if one.kind == "string":
                named = ends_like_file(one.value)
            elif one.kind in ("word", "name"):
                dotted = f".{one.name}" if before is not None and before.says(".") else one.name
                named = bool(READING.fullmatch(one.name)) or ends_like_file(dotted)
            else:
                named = False
            if named:
                return True
    return False


def names_to_probe(host: Host, texts: Iterable[str]) -> list[str]:
    """What some texts can call: names of scalar functions, and of table functions with () behind them.

    Only what they call: DuckDB would install an extension for the name of a column that is one of its functions. Empty
    where DuckDB cannot parse one of the texts, or one computes a query: then nothing tells what it calls.
    """
    every = list(texts)
    trees, spelled = [parsed(host, text) for text in every], [_spelled(text) for text in every]
    if None in trees or None in spelled:
        return []
    called = set[str]().union(*map(called_functions, filter(None, trees)), *filter(None, spelled))
    readers = _READERS | {name for name, ending in _AUTOLOADED.items() if any(ending in fold(text) for text in every)}
    scalar, table = (called | _SYNTAX) - MACROS.keys(), (called | readers) - MACROS.keys()
    return [*sorted(scalar), *(f"{name}()" for name in sorted(table))]


def _spelled(text: str) -> set[str] | None:
    """The names that a text writes as a call, and all words of a query that it gives as a string; None if computed."""
    found, words = set[str](), tokens(text)
    for at, one in enumerate(words[:-1]):
        if one.kind not in ("word", "name") or not words[at + 1].says("("):
            continue
        found.add(one.name)
        if one.name in ("query", "query_table"):
            given = words[at + 2 : at + 4]
            if len(given) < 2 or given[0].kind not in ("string", "word", "name") or not given[1].says(")", ","):
                return None
            found |= mentioned(given[0].text) if given[0].kind == "string" else set()
    return found


def probe(name: str) -> str:
    """A statement that binds, or fails otherwise than for a missing function, where there is a TEMP macro of the name.

    >>> print(probe("abs"))
    SELECT temp.main."abs"()
    >>> print(probe("range()"))
    FROM temp.main."range"()
    """
    if name.endswith("()"):
        return f"FROM temp.main.{quote(name.removesuffix('()'))}()"
    return f"SELECT temp.main.{quote(name)}()"


def hidden(host: Host, names: Sequence[str], answers: Sequence[str]) -> str | None:
    """The name of which the caller's connection tells something else than ours, which has no TEMP macro; None if none.

    Of a macro of DuckDB's own, both tell no more than its parameters: that is not enough.
    """
    asked = ", ".join(literal(probe(name)) for name in names)
    rows = host.rows(f"SELECT list_transform([{asked}], lambda sql: CAST(json_serialize_plan(sql) AS VARCHAR))")
    for name, here, there in zip(names, answers, rows[0][0], strict=True):
        if _said(here) != _said(there) or "acro" in _said(there):
            return name
    return None


def _said(answer: str) -> str:
    """What is in the way, without what is offered instead: that depends on the search path."""
    return str(json.loads(answer).get("error_message", "acro")).partition("\n")[0]
