"""The forms in which a selection's candidates travel to Python, and the record that holds the question of one group.

Functions have fixed types and columns have any: each column is handed over in the one of a few forms that fits it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from msd_sql.surface.description import Argument, Kind
from msd_sql.surface.functions import SELECTION_COLUMNS, SELECTION_OPTIONS


@dataclass(frozen=True)
class Form:
    """A form in which a column of the candidates is handed over; where it does not fit, NULL.

    `group` and `row` are its SQL over all rows of a group and over one row, with the column's name for `{0}`. Over a
    group DuckDB gathers but the form that fits: the type of a list of it is known when the statement is bound (that of
    NULL itself is not).
    """

    name: str
    type: str
    group: str
    row: str


_TEXTS = Form(
    "texts",
    "VARCHAR",
    "CASE WHEN suffix(typeof(list({0})), '][]') OR typeof(list({0})) = '\"NULL\"[]' THEN NULL"
    " WHEN left(typeof(list({0})), 5) IN ('STRUC', 'TUPLE') THEN list(CAST(to_json({0}) AS VARCHAR))"
    " ELSE list(CAST({0} AS VARCHAR)) END",
    "_msd_text({0})",
)
FORMS = {
    Kind.FEATURES: (
        _TEXTS,
        Form(
            "lists",
            "VARCHAR[]",
            "CASE WHEN suffix(typeof(list({0})), '][]') AND NOT _msd_is_vector(typeof(list({0})), distance)"
            " THEN list(TRY_CAST({0} AS VARCHAR[])) END",
            "_msd_list({0}, distance)",
        ),
        Form(
            "vectors",
            "BIGINT",
            "CASE WHEN _msd_is_floating(typeof(list({0})), distance) THEN list(_msd_take_as({0}))"
            " WHEN _msd_is_vector(typeof(list({0})), distance) THEN list(_msd_take_as(TRY_CAST({0} AS DOUBLE[]))) END",
            "_msd_vector({0}, distance)",
        ),
    ),
    Kind.CATEGORY: (
        _TEXTS,
        Form(
            "lists",
            "VARCHAR[]",
            "CASE WHEN suffix(typeof(list({0})), '][]') THEN list(TRY_CAST({0} AS VARCHAR[])) END",
            "_msd_list({0}, 'hamming')",
        ),
    ),
    Kind.SCORE: (
        Form(
            "numbers",
            "DOUBLE",
            "CASE WHEN typeof(list({0})) <> '\"NULL\"[]' THEN list(TRY_CAST({0} AS DOUBLE)) END",
            "TRY_CAST({0} AS DOUBLE)",
        ),
    ),
}


def struct(members: Iterable[tuple[str, str]]) -> str:
    """The SQL type of a record.

    >>> struct([("k", "VARCHAR")])
    'STRUCT("k" VARCHAR)'
    """
    written = ", ".join(f'"{name}" {kind}' for name, kind in members)
    return f"STRUCT({written})"


def column_type(column: Argument) -> str:
    """The SQL type of a column of a group.

    >>> column_type(SELECTION_COLUMNS[-1])
    'STRUCT("type" VARCHAR, "numbers" DOUBLE[])'
    """
    return struct([("type", "VARCHAR"), *((form.name, f"{form.type}[]") for form in FORMS[column.kind])])


# The record that `_msd_pick` and `_msd_explain` are given: the candidates of one group, what is asked, their columns.
QUESTION = struct([
    ("keys", "VARCHAR[]"),
    ("numbers", "BIGINT[]"),  # the keys, if they are whole numbers: fewer bytes, and no texts to make and to sort
    ("order", "BIGINT[]"),
    ("key_type", "VARCHAR"),
    ("options", struct((option.name, "VARCHAR") for option in SELECTION_OPTIONS)),
    ("columns", struct((column.name, column_type(column)) for column in SELECTION_COLUMNS)),
])  # fmt: skip


def record(members: Iterable[tuple[str, str]]) -> str:
    """A record of values in SQL.

    >>> record([("k", "6")])
    "{'k': 6}"
    """
    return "{" + ", ".join(f"'{name}': {value}" for name, value in members) + "}"
