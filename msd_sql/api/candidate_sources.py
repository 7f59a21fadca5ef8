"""Where candidates come from in Python: relations, SQL texts, data frames and ibis expressions, and rows back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import duckdb

from msd_sql.database.sql_text import literal, quote
from msd_sql.errors import InputError
from msd_sql.registration import inner, register

if TYPE_CHECKING:
    import pandas as pd


def as_relation(given: Any, con: duckdb.DuckDBPyConnection | None) -> duckdb.DuckDBPyRelation:
    """What was given, as a relation of DuckDB on a registered connection.

    >>> as_relation("SELECT 1 AS one", con).columns, as_relation("main.purchases", con).columns[:1]
    (['one'], ['user_id'])
    """
    if isinstance(given, duckdb.DuckDBPyRelation):
        return given
    if kind_of(given) == "ibis":
        text, con = _ibis(given)
        return register(con).sql(text)
    used = inner(register(con))
    if isinstance(given, str):
        return used.sql(f"FROM {given}" if _is_name(given) else given)
    frame = given  # found by its name: DuckDB looks for a frame among the caller's variables
    try:
        return used.sql("SELECT * FROM frame")
    except duckdb.InvalidInputException:
        raise InputError(
            f"Cannot select from a {type(frame).__name__}: give a DuckDB relation, a SQL text, an ibis expression, or "
            "a data frame of pandas, polars or pyarrow."
        ) from None


def as_table(given: Any, con: duckdb.DuckDBPyConnection | None) -> tuple[str, str, duckdb.DuckDBPyConnection]:
    """(a WITH clause or nothing, a name for a table function, a registered connection) of a name, SQL text or relation.

    >>> as_table("products", con)[:2]
    ('', "'products'")
    """
    if kind_of(given) == "ibis":
        given, con = _ibis(given)
    used = inner(register(con))
    text = given.sql_query() if isinstance(given, duckdb.DuckDBPyRelation) else given
    if not isinstance(text, str):
        raise InputError(
            f"Cannot explain a {type(given).__name__}: give the name of a table or view, a SQL text, a DuckDB relation "
            "or an ibis expression."
        )
    if _is_name(text):
        return "", literal(text.strip()), used
    return f"WITH candidates AS ({text.strip().rstrip(';')}) ", "candidates", used


def _is_name(text: str) -> bool:
    """Is it the name of a table or view, and not a query?"""
    return bool(text.strip()) and all(part.strip('"').isidentifier() for part in text.strip().split("."))


def kind_of(given: Any) -> str:
    """The package of what was given."""
    return type(given).__module__.partition(".")[0]


def expression(source: duckdb.DuckDBPyRelation, value: str | Sequence[str]) -> str:
    """A column, several, or a SQL expression, as SQL."""
    if isinstance(value, str):
        return quote(value) if value in source.columns else value
    if len(value) == 1:
        return expression(source, value[0])
    return f"({', '.join(expression(source, one) for one in value)})"


def value_text(value: Any) -> str:
    """A Python value as SQL.

    >>> value_text({"Toys": 2}), value_text((1, 2))
    ("MAP {'Toys': 2}", '[1, 2]')
    """
    if isinstance(value, Mapping):
        return f"MAP {{{', '.join(f'{value_text(key)}: {value_text(one)}' for key, one in value.items())}}}"
    plain = value.tolist() if hasattr(value, "tolist") else value  # of numpy and pandas
    if isinstance(plain, list | tuple | set | frozenset):
        return f"[{', '.join(value_text(one) for one in plain)}]"
    return literal(plain)


def chosen_rows(source: duckdb.DuckDBPyRelation, column: str, keys: Sequence[str]) -> pd.DataFrame:
    """The rows of some keys, in that order, with msd_rank."""
    text = f"CAST({quote(column)} AS VARCHAR)"
    chosen = source.filter(f"list_contains({literal(list(keys))}, {text})" if keys else "false")
    frame = chosen.project(f"*, {text} AS _msd_text").df()
    frame = frame.drop_duplicates("_msd_text").set_index("_msd_text").reindex(list(keys)).reset_index(drop=True)
    frame["msd_rank"] = range(1, len(frame) + 1)
    ranked: pd.DataFrame = frame
    return ranked


def like(given: Any, rows: pd.DataFrame) -> Any:
    """The rows as the kind of frame that was given."""
    kind = kind_of(given)
    if kind == "polars":
        import polars

        return polars.from_pandas(rows)
    if kind == "pyarrow":
        import pyarrow

        return pyarrow.Table.from_pandas(rows, preserve_index=False)
    return rows


def _ibis(given: Any) -> tuple[str, duckdb.DuckDBPyConnection]:
    import ibis

    backend = given.get_backend()
    if backend.name != "duckdb":
        raise InputError(f"An expression of ibis must be of its DuckDB backend; this one is of {backend.name}.")
    return str(ibis.to_sql(given, dialect="duckdb")), backend.con
