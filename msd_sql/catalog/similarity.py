"""The similarity of best_match: one SQL expression over the private row r and the item row v, and nothing else."""

from __future__ import annotations

from collections.abc import Collection

import sqlglot
from sqlglot import exp

from msd_sql.database.host import Host
from msd_sql.database.sql_text import fold, literal
from msd_sql.errors import InputError, suggest

# What reads each of its operands once. BETWEEN, IN and CASE x WHEN do not, nor do functions that are macros.
_READ_ONCE = (
    exp.Column,
    exp.Identifier,
    exp.Literal,
    exp.Boolean,
    exp.Null,
    exp.Paren,
    exp.Neg,
    exp.Not,
    exp.Add,
    exp.Sub,
    exp.Mul,
    exp.Div,
    exp.EQ,
    exp.NEQ,
    exp.LT,
    exp.LTE,
    exp.GT,
    exp.GTE,
    exp.And,
    exp.Or,
    exp.Cast,
    exp.DataType,
    exp.DataTypeParam,
    exp.Abs,
    exp.Sqrt,
    exp.Exp,
    exp.Ln,
    exp.Pow,
    exp.Floor,
    exp.Ceil,
    exp.Greatest,
    exp.Least,
    exp.Lower,
    exp.Upper,
)
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
        if first.lower() == "r" and fold(rest[0]) not in {fold(known) for known in columns}:
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
            found.setdefault(fold(rest[0].name), rest[0].name)
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
    plain_text = isinstance(tree, exp.Literal) and tree.is_string
    if plain_text or not isinstance(tree, exp.Condition) or not isinstance(tree, exp.Expression):
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


def tried(similarity: exp.Expr) -> str:
    """A similarity as a number: NULL for a row that it fails on."""
    return f"TRY({as_number(similarity)})"


def where_it_holds(similarity: exp.Expr) -> str:
    """The WHERE that leaves out the rows on which a similarity fails; empty where TRY alone keeps them from failing.

    Out of a SELECT list DuckDB takes what comes twice in an expression, from under its TRY; out of a WHERE it takes
    nothing. Nothing comes twice where every column stands once, among operators that read what they are given once. To
    compute it twice costs time, so that it is not always done.

    >>> where_it_holds(similarity_tree("1 - abs(r.lat - v.lat)"))
    ''
    >>> where_it_holds(similarity_tree("r.w::INT * v.w + r.w::INT"))
    ' WHERE TRY(CAST((CAST(r.w AS INT) * v.w + CAST(r.w AS INT)) AS DOUBLE)) IS NOT NULL'
    """
    columns = [column.sql("duckdb").lower() for column in similarity.find_all(exp.Column)]
    once = len(set(columns)) == len(columns) and all(isinstance(node, _READ_ONCE) for node in similarity.walk())
    return "" if once else f" WHERE {tried(similarity)} IS NOT NULL"


def as_number(similarity: exp.Expr) -> str:
    """A similarity as a DOUBLE, whatever its own type is.

    >>> as_number(similarity_tree("r.stars"))
    'CAST((r.stars) AS DOUBLE)'
    """
    return f"CAST(({similarity.sql('duckdb')}) AS DOUBLE)"
