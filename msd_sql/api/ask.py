"""Selections in Python: select, topk and explain, over relations, SQL texts, data frames and ibis expressions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Unpack

import duckdb

from msd_sql.actions.select import Selected
from msd_sql.actions.selection import Selection
from msd_sql.api.candidate_sources import as_relation, as_table, chosen_rows, expression, like, value_text
from msd_sql.api.options import Options
from msd_sql.api.sql_errors import typed_errors
from msd_sql.database.sql_text import quote
from msd_sql.errors import CatalogError, InputError, suggest
from msd_sql.registration import instance_named
from msd_sql.runtime.caller import Context
from msd_sql.runtime.instance import Instance
from msd_sql.surface.functions import FUNCTIONS
from msd_sql.surface.shared_macros import DATABASE

if TYPE_CHECKING:
    import pandas as pd

Columns = str | Sequence[str] | None


def select(
    relation: Any,
    *,
    k: int,
    eps: float | str | None,
    diversity: float,
    key: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None,
    features: Columns = None,
    quota: Columns = None,
    score: str | None = None,
    **options: Unpack[Options],
) -> Selection:
    """Choose k items that many users have and that differ from each other.

    Args:
        relation: the candidates: a DuckDB relation, the name of a table or view, a SQL text, a data frame of pandas,
            polars or pyarrow, or an ibis expression. Where a frame comes from cannot be seen: a private selection from
            one needs `public=True`.
        k: how many items to choose.
        eps: the privacy loss ε that this answer may cost; None for public questions.
        diversity: λ in [0, 1]: 0 is relevance only, 1 is diversity only.
        key: the column that names an item; by default what `items` declared.
        con: the connection for a SQL text or a frame; DuckDB's default connection if None.
        features: columns, or a SQL expression, of what makes items differ; by default what `items` declared.
        quota: columns, or a SQL expression, of which each value may be chosen only so often.
        score: a column, or a SQL expression, of a public relevance: then nothing private is read.
        **options: the other options of `msd_select`, typed in `msd_sql.Options`.

    Returns:
        The chosen items with their rows, and what the answer cost.

    >>> msd_sql.select(con.table("products"), k=6, eps=0.1, diversity=0.5).items
    (...)

    """
    _check(options, "msd_select")
    source = as_relation(relation, con)
    caller = _caller(source)
    column = _key(source, caller, key)
    call = _call(source, column, k, eps, diversity, {"features": features, "quota": quota, "score": score}, options)
    found, selected = _run(source, caller, f"{call} AS items")
    rows = chosen_rows(source, column, selected.keys if selected else ())
    return Selection(
        tuple(found),
        like(relation, rows),
        selected.diversity if selected else None,
        selected.receipt if selected else None,
        selected.entry if selected else None,
        selected.nearest if selected else None,
    )


def topk(
    relation: Any,
    *,
    k: int,
    eps: float | str | None,
    diversity: float,
    key: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None,
    features: Columns = None,
    quota: Columns = None,
    score: str | None = None,
    by: str | None = None,
    **options: Unpack[Options],
) -> Any:
    """Return the rows that `select` would choose, with every column and msd_rank; with `by`, for each of its values.

    Args:
        relation: the candidates, as of `select`.
        k: how many items to choose (of each group).
        eps: the privacy loss ε of each answer; all groups are charged in one step.
        diversity: λ in [0, 1].
        key: the column that names an item; by default what `items` declared.
        con: the connection for a SQL text or a frame.
        features: as of `select`.
        quota: as of `select`.
        score: as of `select`.
        by: a column: one selection for each of its values.
        **options: the other options of `msd_select`.

    Returns:
        A DataFrame of pandas, or the kind of frame that was given.

    >>> list(msd_sql.topk(con.table("products"), k=2, eps=0.1, diversity=0.5)["msd_rank"])
    [1, 2]

    """
    if by is None:
        return select(
            relation, k=k, eps=eps, diversity=diversity, key=key, con=con, features=features, quota=quota, score=score,
            **options,
        ).rows  # fmt: skip
    import pandas as pd

    _check(options, "msd_select")
    source = as_relation(relation, con)
    caller = _caller(source)
    column = _key(source, caller, key)
    call = _call(source, column, k, eps, diversity, {"features": features, "quota": quota, "score": score}, options)
    group = expression(source, by)
    with typed_errors():
        found = source.aggregate(
            f"{group} AS g, list_transform({call}, lambda one: CAST(one AS VARCHAR)) AS items", group
        )
        groups = found.order("g").fetchall()
    frames = [chosen_rows(source, column, keys) for _, keys in groups]
    return like(relation, pd.concat(frames, ignore_index=True) if frames else chosen_rows(source, column, ()))


def explain(
    relation: Any,
    *,
    k: int,
    eps: float | str | None,
    diversity: float,
    key: str | None = None,
    con: duckdb.DuckDBPyConnection | None = None,
    features: str | None = None,
    quota: str | None = None,
    score: str | None = None,
    groups: int | None = None,
    **options: Unpack[Options],
) -> pd.DataFrame:
    """Tell what a selection would do and cost. Reads nothing private, costs nothing.

    Args:
        relation: the name of a table or view, a SQL text, a DuckDB relation (of `con`) or an ibis expression.
        k: how many items to choose.
        eps: the privacy loss ε that the answer may cost.
        diversity: λ in [0, 1].
        key: the column that names an item; by default what `items` declared.
        con: the connection; DuckDB's default connection if None.
        features: a column or a SQL expression.
        quota: a column or a SQL expression.
        score: a column or a SQL expression.
        groups: price a statement of so many groups, such as a GROUP BY.
        **options: the other options of `msd_select`.

    Returns:
        Rows of (property, value).

    >>> msd_sql.explain("products", k=6, eps=0.1, diversity=0.5, con=con).property[0]
    'candidates'

    """
    _check(options, "msd_explain")
    before, table, used = as_table(relation, con)
    columns = {"features": features, "quota": quota, "score": score}
    arguments = [table, value_text(k), value_text(eps), value_text(diversity)]
    arguments += [f"{name} := {value}" for name, value in columns.items() if value is not None]
    named = {"key": key, "groups": groups, **options}
    arguments += [f"{name} := {value_text(value)}" for name, value in named.items() if value is not None]
    with typed_errors():
        found: pd.DataFrame = used.execute(f"{before}FROM msd_explain({', '.join(arguments)})").df()
    return found


@dataclass(frozen=True)
class _Caller:
    """The connection behind a relation, which DuckDB does not tell."""

    instance: Instance
    connection: int
    context: Context


def _check(options: Mapping[str, Any], function: str) -> None:
    known = {argument.name for argument in FUNCTIONS[function].arguments if not argument.required}
    for name in options:
        if name not in known:
            raise InputError(suggest("option", name, sorted(known)))


def _call(
    source: duckdb.DuckDBPyRelation,
    column: str,
    k: int,
    eps: float | str | None,
    diversity: float,
    columns: Mapping[str, Columns],
    options: Options,
) -> str:
    arguments = [quote(column), value_text(k), value_text(eps), value_text(diversity)]
    arguments += [f"{name} := {expression(source, value)}" for name, value in columns.items() if value is not None]
    arguments += [f"{name} := {value_text(value)}" for name, value in options.items() if value is not None]
    return f"{_prefix(source)}msd_select({', '.join(arguments)})"


def _prefix(source: duckdb.DuckDBPyRelation) -> str:
    """What our functions are called by on the connection of a relation; a CatalogError if there are none."""
    for prefix in (f"{DATABASE}.main.", ""):
        try:
            source.limit(0).project(f"{prefix}_msd_caller()")
        except (duckdb.CatalogException, duckdb.BinderException):
            continue
        return prefix
    raise CatalogError("This connection is not registered. Call msd_sql.register(con) first.")


def _caller(source: duckdb.DuckDBPyRelation) -> _Caller | None:
    """Who asks; None where the relation is empty, so that there is nothing to ask about."""
    prefix = _prefix(source)
    rows = source.limit(1).project(f"_msd_instance() AS token, {prefix}_msd_caller() AS context").fetchall()
    if not rows:
        return None
    token, told = rows[0]
    instance = instance_named(token)
    context = instance.heard(told)
    return _Caller(instance, context.connection, context)


def _run(source: duckdb.DuckDBPyRelation, caller: _Caller | None, call: str) -> tuple[Sequence[Any], Selected | None]:
    if caller is None:
        return source.aggregate(call).fetchall()[0][0] or (), None
    caller.instance.released.pop(caller.connection, None)
    with typed_errors():
        found = source.aggregate(call).fetchall()[0][0]
    return found, caller.instance.released.get(caller.connection)


def _declared_keys(source: duckdb.DuckDBPyRelation, caller: _Caller) -> set[str]:
    """The key columns of what is declared, in lower case; where a curator answers, the one that it knows."""
    if caller.instance.door is not None:
        names = value_text(list(source.columns))
        with typed_errors():
            rows = source.limit(1).project(f"_msd_key({names}, NULL, NULL, {_prefix(source)}_msd_asking())").fetchall()
        return {str(rows[0][0]).lower()} if rows else set()
    with caller.instance.call(caller.context) as call:
        return {known.key_column.lower() for known in call.catalog.all_items()}


def _key(source: duckdb.DuckDBPyRelation, caller: _Caller | None, given: str | None) -> str:
    names = {name.lower(): name for name in source.columns}
    if given is not None:
        if given.lower() not in names:
            raise InputError(f"key: {suggest('column', given, names.values())}")
        return names[given.lower()]
    if caller is None:
        return next(iter(names.values()))
    declared = _declared_keys(source, caller)
    keys = [names[key] for key in declared if key in names]
    if len(keys) != 1:
        raise InputError(
            "Which column names an item? Say key='item_id', or declare the items relation with msd_sql.items. "
            f"Columns: {', '.join(names.values())}."
        )
    return keys[0]
