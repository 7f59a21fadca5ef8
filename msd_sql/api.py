"""The Python face: declare, select, and a `Selection` that shows itself (docs/sql.md)."""

from __future__ import annotations

import dataclasses
import html
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import duckdb

from msd_sql.actions import declare
from msd_sql.actions.select import Selected
from msd_sql.catalog.amounts import Amount
from msd_sql.catalog.declarations import Items, Protected
from msd_sql.database.sql_text import literal, quote
from msd_sql.errors import CatalogError, InputError, suggest
from msd_sql.question.options import read_python
from msd_sql.registration import instance_named, instance_of, register
from msd_sql.runtime.call import Call, Context
from msd_sql.runtime.instance import Instance
from msd_sql.surface.functions import FUNCTIONS
from msd_sql.udfs.receipt import Receipt

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

Columns = str | Sequence[str] | None
_OPTIONS = {argument.name for argument in FUNCTIONS["msd_select"].arguments if not argument.required}


@dataclass(frozen=True)
class Selection:
    """An answer: the chosen items in pick order, their rows, how far apart they are, and what the release cost."""

    items: tuple[Any, ...]
    rows: Any  # every column of the chosen rows and msd_rank: a DataFrame, or the kind of frame that was given
    diversity: float | None  # mean distance of the pairs; None where no distance was used
    receipt: Receipt | None  # None: there were no candidates
    entry: str | None  # the line of the ledger; None where nothing private was read

    def __len__(self) -> int:
        return len(self.items)

    def plot(self, *, label: str | None = None, features: str | None = None) -> Figure:
        """Draw how far the chosen items are apart (extra: plots); columns are found by themselves, or named.

        >>> select(con.table("products"), k=6, eps=0.1, diversity=0.5).plot().savefig(folder / "six.png")
        """
        from msd_sql.plots import plot_selection

        return plot_selection(self, label=label, features=features)

    def _repr_html_(self) -> str:
        table = self.rows.to_html(index=False) if hasattr(self.rows, "to_html") else html.escape(str(self.rows))
        told = html.escape(str(self.receipt)) if self.receipt is not None else "no candidates"
        spread = "" if self.diversity is None else f"; mean distance of the chosen {self.diversity:.3f}"
        return f"<div>{table}<p><small>{told}{spread}</small></p></div>"


def protect(
    con: duckdb.DuckDBPyConnection,
    relation: str,
    *,
    budget: Amount,
    unit: str | None = None,
    item: str | None = None,
    delta: Amount | None = None,
    users: int | None = None,
    cap: int = 1,
    relevance: str = "coverage",
    similarity: str | None = None,
    replace: bool = False,
) -> Protected:
    """Protect a relation with a budget, as `msd_protect` does.

    >>> protect(con, "purchases", unit="user_id", item="item_id", budget=1.0, delta=1e-9).m
    398
    """
    given = read_python(
        "msd_protect",
        relation=relation,
        unit=unit,
        item=item,
        budget=budget,
        delta=delta,
        users=users,
        cap=cap,
        relevance=relevance,
        similarity=similarity,
        replace=replace,
    )
    with _calling(con, "msd_sql.protect") as call:
        return declare.protect(call, **given)


def items(
    con: duckdb.DuckDBPyConnection,
    relation: str,
    *,
    key: str,
    features: Columns = None,
    distance: str | None = None,
    quota: Columns = None,
    quota_cap: int | Sequence[int] | None = None,
    reach: str | None = None,
    replace: bool = False,
) -> Items:
    """Declare a public items relation, as `msd_items` does.

    >>> items(con, "products", key="item_id", features="categories", reach="purchases").key_column
    'item_id'
    """
    given = read_python(
        "msd_items",
        relation=relation,
        key=key,
        features=features,
        distance=distance,
        quota=quota,
        quota_cap=quota_cap,
        reach=reach,
        replace=replace,
    )
    with _calling(con, "msd_sql.items") as call:
        return declare.items(call, **given)


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
    **options: Any,
) -> Selection:
    """Select from a DuckDB relation, a SQL text or a data frame (pandas, polars, pyarrow).

    `features`, `quota` and `score` name columns (several in a list) or are SQL expressions; the other options are
    those of `msd_select`. A SQL text or a frame needs `con`, or uses DuckDB's default connection. Where a frame comes
    from cannot be seen, so that a private selection from one needs `public=True`.

    >>> select(con.table("products"), k=6, eps=0.1, diversity=0.5).items
    (...)
    """
    unknown = [name for name in options if name not in _OPTIONS]
    if unknown:
        raise InputError(suggest("option", unknown[0], sorted(_OPTIONS)))
    source = _relation(relation, con)
    caller = _caller(source)
    column = _key(source, caller, key)
    given = {"features": features, "quota": quota, "score": score}
    arguments = [f"{name} := {_expression(source, value)}" for name, value in given.items() if value is not None]
    arguments += [f"{name} := {_value(value)}" for name, value in options.items() if value is not None]
    call = ", ".join([quote(column), _value(k), _value(eps), _value(diversity), *arguments])
    found, selected = _run(source, caller, f"msd_select({call}) AS items")
    rows = _rows(source, column, selected.keys if selected else ())
    return Selection(
        tuple(found),
        _like(relation, rows),
        selected.diversity if selected else None,
        selected.receipt if selected else None,
        selected.entry if selected else None,
    )


def _calling(con: duckdb.DuckDBPyConnection, statement: str) -> AbstractContextManager[Call]:
    register(con)
    told = con.execute("SELECT _msd_context()").fetchall()[0][0]
    return instance_of(con).call(dataclasses.replace(Context.read(told), statement=statement))


def _relation(given: Any, con: duckdb.DuckDBPyConnection | None) -> duckdb.DuckDBPyRelation:
    if isinstance(given, duckdb.DuckDBPyRelation):
        return given
    used = con if con is not None else duckdb.default_connection()
    if isinstance(given, str):
        return used.sql(given)
    frame = given  # found by its name: DuckDB looks for a frame among the caller's variables
    try:
        return used.sql("SELECT * FROM frame")
    except duckdb.InvalidInputException:
        raise InputError(
            f"Cannot select from a {type(frame).__name__}: give a DuckDB relation, a SQL text, or a data frame of "
            "pandas, polars or pyarrow."
        ) from None


@dataclass(frozen=True)
class _Caller:
    """The connection behind a relation, which DuckDB does not tell."""

    instance: Instance
    connection: int
    context: Context


def _caller(source: duckdb.DuckDBPyRelation) -> _Caller | None:
    """Who asks; None where the relation is empty, so that there is nothing to ask about."""
    try:
        rows = source.limit(1).project("_msd_instance() AS token, _msd_caller() AS context").fetchall()
    except duckdb.CatalogException:
        raise CatalogError("This connection is not registered. Call msd_sql.register(con) first.") from None
    if not rows:
        return None
    token, told = rows[0]
    context = Context.read(told)
    return _Caller(instance_named(token), context.connection, context)


def _run(source: duckdb.DuckDBPyRelation, caller: _Caller | None, call: str) -> tuple[Sequence[Any], Selected | None]:
    if caller is None:
        return source.aggregate(call).fetchall()[0][0] or (), None
    caller.instance.released.pop(caller.connection, None)
    caller.instance.failed.pop(caller.connection, None)
    try:
        found = source.aggregate(call).fetchall()[0][0]
    except duckdb.InvalidInputException:
        failure = caller.instance.failed.pop(caller.connection, None)
        if failure is None:
            raise
        raise failure from None
    return found, caller.instance.released.get(caller.connection)


def _key(source: duckdb.DuckDBPyRelation, caller: _Caller | None, given: str | None) -> str:
    names = {name.lower(): name for name in source.columns}
    if given is not None:
        if given.lower() not in names:
            raise InputError(f"key: {suggest('column', given, names.values())}")
        return names[given.lower()]
    if caller is None:
        return next(iter(names.values()))
    with caller.instance.call(caller.context) as call:
        declared = {known.key_column.lower() for known in call.catalog.all_items()}
    keys = [names[key] for key in declared if key in names]
    if len(keys) != 1:
        raise InputError(
            "Which column names an item? Say key='item_id', or declare the items relation with msd_sql.items. "
            f"Columns: {', '.join(names.values())}."
        )
    return keys[0]


def _expression(source: duckdb.DuckDBPyRelation, value: str | Sequence[str]) -> str:
    if isinstance(value, str):
        return quote(value) if value in source.columns else value
    if len(value) == 1:
        return _expression(source, value[0])
    return f"({', '.join(_expression(source, one) for one in value)})"


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        return f"MAP {{{', '.join(f'{_value(key)}: {_value(one)}' for key, one in value.items())}}}"
    plain = value.tolist() if hasattr(value, "tolist") else value  # of numpy and pandas
    if isinstance(plain, list | tuple | set | frozenset):
        return f"[{', '.join(_value(one) for one in plain)}]"
    return literal(plain)


def _rows(source: duckdb.DuckDBPyRelation, column: str, keys: Sequence[str]) -> pd.DataFrame:
    text = f"CAST({quote(column)} AS VARCHAR)"
    chosen = source.filter(f"list_contains({literal(list(keys))}, {text})" if keys else "false")
    frame = chosen.project(f"*, {text} AS _msd_text").df()
    frame = frame.drop_duplicates("_msd_text").set_index("_msd_text").reindex(list(keys)).reset_index(drop=True)
    frame["msd_rank"] = range(1, len(frame) + 1)
    ranked: pd.DataFrame = frame
    return ranked


def _like(given: Any, rows: pd.DataFrame) -> Any:
    """The rows as the kind of frame that was given."""
    kind = type(given).__module__.partition(".")[0]
    if kind == "polars":
        import polars

        return polars.from_pandas(rows)
    if kind == "pyarrow":
        import pyarrow

        return pyarrow.Table.from_pandas(rows, preserve_index=False)
    return rows
