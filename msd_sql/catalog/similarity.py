"""The similarity of best_match: one SQL expression over the private row r and the item row v, and nothing else."""

from __future__ import annotations

from collections.abc import Collection

import sqlglot
from sqlglot import exp

from msd_sql.database.host import Host
from msd_sql.database.sql_text import literal
from msd_sql.errors import InputError, suggest

# What would let an expression look at other rows, at other relations or at chance.
_FORBIDDEN = (
    exp.Query,
    exp.Subquery,
    exp.Exists,
    exp.AggFunc,
    exp.Window,
    exp.Placeholder,
    exp.Parameter,
    exp.Star,
    exp.Columns,
    exp.Rand,
    exp.Uuid,
)


def check_similarity(host: Host, text: str, columns: Collection[str]) -> str:
    """The text, stripped, if it is one expression over `r` (with these columns) and `v`; an InputError otherwise.

    >>> check_similarity(host, "1 - abs(r.lat - v.lat)", ["lat"])
    '1 - abs(r.lat - v.lat)'
    """
    tree = similarity_tree(text)
    foreign = _foreign(host, [node.name for node in tree.find_all(exp.Anonymous)])
    for node in tree.walk():
        if isinstance(node, _FORBIDDEN) or (isinstance(node, exp.Anonymous) and node.name.lower() in foreign):
            raise InputError(
                f"similarity may not use {node.sql('duckdb')}: it is one expression over the private row r and the "
                "item row v, without subqueries, aggregates, user macros, parameters or chance."
            )
    for column in tree.find_all(exp.Column):
        first, *rest = [part.name for part in column.parts]
        if not rest and column.find_ancestor(exp.Comprehension):
            continue  # the loop variable of [x for x in r.list]
        if not rest or first.lower() not in ("r", "v"):
            raise InputError(
                f"similarity uses {column.sql('duckdb')}; write r.column for a column of the protected relation and "
                "v.column for one of the items."
            )
        if first.lower() == "r" and rest[0].lower() not in {known.lower() for known in columns}:
            raise InputError(f"similarity: {suggest('column', rest[0], columns)}")
    return text.strip()


def similarity_columns(text: str) -> list[str]:
    """The columns of the private row that a similarity reads, in order of appearance.

    >>> similarity_columns("1 - abs(r.lat - v.lat) * r.w")
    ['w', 'lat']
    """
    return row_columns(similarity_tree(text), "r")


def row_columns(similarity: exp.Expr, row: str) -> list[str]:
    """The columns of one row, r or v, that a similarity reads; a name that is spelled in two ways counts once.

    >>> row_columns(similarity_tree("1 - abs(r.lat - v.lat) * r.Lat"), "r")
    ['Lat']
    """
    found: dict[str, str] = {}
    for column in similarity.find_all(exp.Column):
        first, *rest = column.parts
        if rest and first.name.lower() == row:
            found.setdefault(rest[0].name.lower(), rest[0].name)
    return list(found.values())


def similarity_tree(text: str) -> exp.Expression:
    """The parsed expression, or an InputError.

    >>> similarity_tree("r.w * v.w").key
    'mul'
    """
    problem = f"similarity must be one SQL expression over r and v, such as '1 - abs(r.lat - v.lat)'; got '{text}'."
    try:
        found = sqlglot.parse(text, dialect="duckdb")
    except sqlglot.errors.SqlglotError:
        raise InputError(problem) from None
    tree = found[0] if len(found) == 1 else None
    if not isinstance(tree, exp.Condition) or not isinstance(tree, exp.Expression):
        raise InputError(problem)
    return tree


def _foreign(host: Host, names: list[str]) -> set[str]:
    """Functions that sqlglot does not know: aggregates, table functions, volatile ones and the user's own macros."""
    if not names:
        return set()
    rows = host.rows(
        "SELECT lower(function_name) FROM duckdb_functions() "
        f"WHERE list_contains({literal([name.lower() for name in names])}, lower(function_name)) GROUP BY ALL "
        "HAVING bool_or(function_type = 'aggregate' OR coalesce(stability, '') = 'VOLATILE' "
        "OR (function_type = 'macro' AND NOT internal)) "
        "OR NOT bool_or(function_type IN ('scalar', 'macro'))"
    )
    return {row[0] for row in rows}


def tried(similarity: exp.Expr) -> exp.Expr:
    """A similarity as a number: NULL for a row that it fails on."""
    return exp.Try(this=as_number(similarity))


def as_number(similarity: exp.Expr) -> exp.Expr:
    """A similarity as a DOUBLE, whatever its own type is."""
    return exp.cast(exp.paren(similarity), "DOUBLE")
