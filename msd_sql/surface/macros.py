"""Our macros as SQL text, rendered from the description of the functions, and the names that they take.

Python can register scalar functions only: these TEMP macros give them their shape. They belong to one connection, the
functions that they call (`_msd_pick`, `_msd_declare`, …) to its database. Options travel as texts, so that whatever
was written reaches our own error messages and not a cast error.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from msd_sql.surface.column_types import FLOATING_VECTOR, KEY_INTEGERS, VECTOR
from msd_sql.surface.description import Argument, Function, Kind
from msd_sql.surface.forms import FORMS, column_type, record
from msd_sql.surface.functions import FUNCTIONS, SELECTION_COLUMNS, SELECTION_OPTIONS

_MADE = re.compile(r"MACRO (\w+)\(([^)]*)\) AS (TABLE)?")
_OPTIONS = tuple(option.name for option in SELECTION_OPTIONS)
_ASKED = (*_OPTIONS, *(column.name for column in SELECTION_COLUMNS))


def _text(argument: Argument) -> str:
    if argument.kind is Kind.COUNTS:
        return f"CAST(to_json({argument.name}) AS VARCHAR)"
    return f"_msd_keys({argument.name})" if argument.kind is Kind.KEYS else f"CAST({argument.name} AS VARCHAR)"


def _json(arguments: Iterable[Argument]) -> str:
    return f"CAST(to_json({record((one.name, _text(one)) for one in arguments)}) AS VARCHAR)"


def _gathered(column: Argument) -> str:
    """The call of the macro that `_gathering` makes."""
    return f"_msd_all_{column.name}({', '.join(_with(column))})"


def _gathering(column: Argument) -> str:
    """The macro that gathers a column of a group in its forms, and tells the type of a list of it."""
    forms = [(form.name, form.group.format(column.name)) for form in FORMS[column.kind]]
    body = record([("type", f"typeof(list({column.name}))"), *forms])
    return macro(f"_msd_all_{column.name}", ", ".join(_with(column)), body, table=False)


def _with(column: Argument) -> list[str]:
    """A column, and what its forms depend on."""
    return [column.name, "distance"] if column.kind is Kind.FEATURES else [column.name]


def _select(function: Function) -> str:
    """A body for calls without a column of categories, and one for each such column that can be the first one given.

    DuckDB binds all that a body says, for the statement and again for the guard's plan of it; to say what becomes of
    such a column takes as long as half of the rest. In its own body it has to be given, so that no call fits two.
    """
    large = [column.name for column in SELECTION_COLUMNS if column.kind is not Kind.SCORE]
    small = [column.name for column in SELECTION_COLUMNS if column.kind is Kind.SCORE]
    bodies = [_body(function, [], small)]
    bodies += [_body(function, [first], [*large[place:], *small]) for place, first in enumerate(large, 1)]
    return ", ".join(bodies)


def _body(function: Function, first: Sequence[str], more: Sequence[str]) -> str:
    """The parameters and the body for calls with the column `first`, and perhaps with `more`."""
    own = {argument.name for argument in function.arguments}
    required = [argument.name for argument in function.arguments if argument.required]
    others = [one for one in function.arguments if not one.required and (one.is_option or one.name in more)]
    options = ", ".join(name if name in own else "NULL" for name in _OPTIONS)
    columns = record(
        (column.name, _gathered(column) if column.name in (*first, *more) else f"CAST(NULL AS {column_type(column)})")
        for column in SELECTION_COLUMNS
    )
    parameters = ", ".join([*required, *first, *(argument.written for argument in others)])
    return f"({parameters}) AS _msd_selection(items, {columns}, {options})"


def _selection() -> str:
    """The answer to a group: what `_select` calls, with the keys of the group in the form that fits their type."""
    question = record([
        ("keys", "CASE WHEN NOT _msd_whole(items) THEN CAST(list(items) AS VARCHAR[]) END"),
        ("numbers", "CASE WHEN _msd_whole(items) THEN TRY_CAST(list(items) AS BIGINT[]) END"),
        ("order", "CASE WHEN NOT _msd_whole(items) THEN list_grade_up(list(items)) END"),
        ("key_type", "typeof(list(items))"),
        ("options", record((option.name, _text(option)) for option in SELECTION_OPTIONS)),
        ("columns", "columns"),
    ])  # fmt: skip
    return f"list_select(coalesce(list(items), []), {_picked(question, '_msd_asking()')})"


def _picked(question: str, asking: str) -> str:
    """The picks of a group, once all groups have been offered: a window tells nothing before it has seen every row.

    Its frame is the row itself, so that each group gets its own number back. Not `first_value` or `lag`: DuckDB has
    ways to tell those row by row (1.5.6 even wrongly so).
    """
    here = "CAST(system.main.current_connection_id() AS BIGINT), CAST(system.main.current_query_id() AS BIGINT)"
    offered = f"max(_msd_offer({question}, {asking})) OVER (ROWS BETWEEN CURRENT ROW AND CURRENT ROW)"
    return f"_msd_pick({offered}, {here})"


def _asked(*, by: bool) -> str:
    """The question over the rows of a table, view or CTE, in one row (or one for each value of `by`).

    The key column is found by name. Without rows there is one row, as of every aggregate, unless there are groups.
    """
    forms = [(column, form) for column in SELECTION_COLUMNS for form in FORMS[column.kind]]
    given = {option.name: _text(option) for option in SELECTION_OPTIONS} | {"key": "key_name"}
    group = "_msd_by" if by else "NULL"
    ours = {
        **({"_msd_by": '"by"'} if by else {}),
        "_msd_key_given": "CAST(key AS VARCHAR)",
        **{f"_msd_{column.name}_type": f"typeof([{column.name}])" for column in SELECTION_COLUMNS},
        **{f"_msd_{column.name}_{form.name}": form.row.format(column.name) for column, form in forms},
    }
    columns = record(
        (
            column.name,
            record([
                ("type", f"any_value(_msd_{column.name}_type)"),
                *((form.name, f"list(_msd_{column.name}_{form.name})") for form in FORMS[column.kind]),
            ]),
        )
        for column in SELECTION_COLUMNS
    )  # fmt: skip
    question = record([
        ("keys", "list_transform(texts, lambda one: one[list_position(names, key_name)])"),
        ("numbers", "CAST(NULL AS BIGINT[])"),
        ("order", "CAST(NULL AS BIGINT[])"),
        ("key_type", "row_type"),
        ("options", record(given.items())),  # no macro of it: DuckDB 1.5 loses names of a record around a subquery
        ("columns", "columns"),
    ])  # fmt: skip
    return f"""
WITH _msd_source AS (
    SELECT _msd_row, {", ".join(f"{expression} AS {name}" for name, expression in ours.items())},
        CASE WHEN typeof(COLUMNS(_msd_row.*)) LIKE '%]' THEN NULL ELSE CAST(COLUMNS(_msd_row.*) AS VARCHAR) END
    FROM query_table(tbl) AS _msd_row
), _msd_texted AS (
    SELECT COLUMNS('^_msd_.*'), list_value(*COLUMNS(* EXCLUDE (_msd_row, {", ".join(ours)}))) AS _msd_texts
    FROM _msd_source
), _msd_listed AS (
    SELECT
        list(_msd_row) AS found, list(_msd_texts) AS texts, any_value(struct_keys(_msd_row)) AS names,
        typeof(any_value(_msd_row)) AS row_type,
        min(_msd_key_given) AS first_key, max(_msd_key_given) AS last_key, {columns} AS columns,
        {group} AS by_value
    FROM _msd_texted {"GROUP BY _msd_by" if by else ""}
), _msd_keyed AS (
    SELECT *, _msd_key(names, first_key, last_key, asking) AS key_name
    FROM _msd_listed, (SELECT _msd_asking() AS asking)
)
SELECT found, {question} AS question, asking, by_value FROM _msd_keyed"""


def _asking(function: Function) -> str:
    """A call of `_msd_asked` with what this function takes."""
    own = {argument.name for argument in function.arguments}
    name, more = ("_msd_asked_by", ['"by"']) if "by" in own else ("_msd_asked", [])
    return f"{name}({', '.join(['tbl', *more, *(name if name in own else 'NULL' for name in _ASKED)])})"


def _topk(function: Function) -> str:
    return f"""
WITH _msd_picked AS (
    SELECT found, by_value, {_picked("question", "asking")} AS picks FROM {_asking(function)}
), _msd_chosen AS (
    SELECT unnest(list_select(found, picks)) AS _msd_row, unnest(range(1, len(picks) + 1)) AS msd_rank, by_value
    FROM _msd_picked
)
SELECT _msd_row.*, msd_rank FROM _msd_chosen ORDER BY by_value, msd_rank"""


def _explain(function: Function) -> str:
    return f"""
WITH _msd_explained AS (SELECT unnest(_msd_explain(question, asking)) AS line FROM {_asking(function)})
SELECT line.property, line.value FROM _msd_explained"""


def _reach(function: Function) -> str:
    return f"_{function.name}(CAST(items AS VARCHAR[]), typeof(items), {_json(function.options)}, _msd_context())"


def _remaining(function: Function) -> str:
    return "_msd_remaining(CAST(relation AS VARCHAR), _msd_caller())"


def _ledger(function: Function) -> str:
    """Through a function, so that it shows what was committed also from inside of the caller's transaction."""
    rows = f"_{function.name}(_msd_caller())"
    return f"WITH _msd_lines AS (SELECT unnest({rows}) AS line) SELECT line.* FROM _msd_lines"


def _declare(function: Function) -> str:
    """A declaration: an explicit act that the ledger records."""
    act = function.name.removeprefix("msd_")
    return f"_msd_declare('{act}', {_json(function.arguments)}, _msd_context())"


_BODIES: dict[str, Callable[[Function], str]] = {
    "msd_topk": _topk,
    "msd_explain": _explain,
    "msd_reach": _reach,
    "msd_reach_interval": _reach,
    "msd_remaining": _remaining,
    "msd_ledger": _ledger,
    "msd_releases": _ledger,
}


def macro(name: str, parameters: str, body: str, *, table: bool) -> str:
    """The statement that makes a macro.

    >>> macro("one", "", "1", table=False)
    'CREATE OR REPLACE TEMP MACRO one() AS 1;'
    """
    return _create(name, f"({parameters}) AS {'TABLE ' if table else ''}{body.strip()}")


def _create(name: str, bodies: str) -> str:
    return f"CREATE OR REPLACE TEMP MACRO {name}{bodies};"


def rendered(function: Function) -> str:
    """The statement that makes the macro of a function.

    >>> rendered(FUNCTIONS["msd_remaining"])
    'CREATE OR REPLACE TEMP MACRO msd_remaining(relation) AS _msd_remaining(CAST(relation AS VARCHAR), _msd_caller());'
    """
    if function.shape == "aggregate":
        return _create(function.name, _select(function))
    parameters = ", ".join(argument.written for argument in function.arguments)
    return macro(
        function.name, parameters, _BODIES.get(function.name, _declare)(function), table=function.shape == "table"
    )


def _of_types() -> list[str]:
    """The macros that look at a type; once where possible: binding it again and again takes longest."""
    both = "concat(lower(distance), ' ', kind)"
    whole = f"({'|'.join(KEY_INTEGERS)})\\[\\]"
    return [
        macro("_msd_is_vector", "kind, distance", f"regexp_full_match({both}, '{VECTOR}')", table=False),
        macro("_msd_is_floating", "kind, distance", f"regexp_full_match({both}, '{FLOATING_VECTOR}')", table=False),
        macro("_msd_whole", "items", f"regexp_full_match(typeof(list(items)), '{whole}')", table=False),
    ]


def _file(name: str) -> str:
    """A file's statements without its comments, on which some tools that split statements choke."""
    lines = Path(__file__).with_name(name).read_text("utf-8").splitlines()
    return "\n".join(line for line in lines if line.strip() and not line.startswith("--"))


# DuckDB looks at all that a macro calls whenever one is made, and at the columns of a table. So what the functions call
# is made after them, and has a word in its place at first.
LATE_HELPERS = "\n".join([
    macro("_msd_asked", ", ".join(["tbl", *_ASKED]), _asked(by=False), table=True),
    macro("_msd_asked_by", ", ".join(["tbl", "by", *_ASKED]), _asked(by=True), table=True),
    macro("_msd_selection", ", ".join(["items", "columns", *_OPTIONS]), _selection(), table=False),
    *map(_gathering, SELECTION_COLUMNS),
    _file("caller.sql"),
])  # fmt: skip
_LATER = "error('msd_sql is being registered: ask again.')"
_LATER_ROWS = f"SELECT [{{'row': {_LATER}}}] AS found, NULL AS question, NULL AS asking, NULL AS by_value"
HELPERS = "\n".join([
    *_of_types(),  # a macro must be there when another one that calls it is made
    _file("macros.sql"),
    *(
        macro(name, parameters, _LATER_ROWS if table else _LATER, table=bool(table))
        for name, parameters, table in _MADE.findall(LATE_HELPERS)
    ),
])  # fmt: skip
FUNCTIONS_TEXT = "\n".join(rendered(function) for function in FUNCTIONS.values())
# The statements that give a connection our macros, written by hand or rendered.
TEXT = f"{HELPERS}\n{FUNCTIONS_TEXT}\n{LATE_HELPERS}\n"
# The names of our macros, each with whether it is one that gives a table.
MACROS = {name: bool(table) for name, _, table in _MADE.findall(TEXT)}
