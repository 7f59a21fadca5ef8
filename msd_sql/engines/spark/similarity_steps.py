"""best_match in Spark: which rows are compared with which items, and how much they match (engines/similarity_steps).

A unit keeps its own id as x, and rows that are units of their own get what they hold as x: numbering them would need
all of them in one place, and a lost part would be numbered anew. The candidates' item rows come from DuckDB; they are
public and become part of the statement: one table, because handing a table to the executors is a job.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass

import numpy as np
import sqlglot
from sqlglot import exp

from msd_sql.catalog.declarations import Items, Protected
from msd_sql.catalog.similarity import as_number, row_columns, similarity_tree
from msd_sql.database.host import Column, Host, Row
from msd_sql.database.spark_host import SparkHost
from msd_sql.database.temp_names import next_serial, temp_name
from msd_sql.engines.binding import column_types, joined_keys, table
from msd_sql.engines.candidates import Candidates
from msd_sql.engines.similarity_steps import (
    item_row_columns,
    numbered,
    over_numbered,
    quantised,
    relation_of,
    told_apart,
)
from msd_sql.engines.spark.key_types import readable_candidates, spark_type
from msd_sql.engines.steps import Step
from msd_sql.errors import EngineError


@dataclass(frozen=True)
class Matching:
    """One question's steps: `divided` rows are divided by x, `similar` (x, i, w, q) follows from them."""

    label: str
    n: int
    serial: int
    divided: Step
    similar: Step
    repeats: bool  # may (x, i) come twice, because a unit has several rows? Then the highest q counts


@contextmanager
def matched(
    host: SparkHost, public: Host, protected: Protected, candidates: Candidates, items: Items | None
) -> Iterator[Matching]:
    """Bind a best_match declaration to the candidates, whose rows are views for the length of a `with`."""
    serial = next_serial()
    similarity = similarity_tree(protected.similarity or "")
    found = _Draft(host, protected, serial, similarity)
    columns = item_row_columns(similarity)
    given = readable_candidates(candidates)
    keys: dict[str, Column | list[str]] = {"i": np.arange(given.n, dtype=np.int32), "key": list(given.keys)}
    rows: AbstractContextManager[object]
    if columns or protected.item is None:
        rows = _item_rows(host, public, items, candidates, columns, found.items, protected)
    else:
        rows = host.table(found.items, keys)
    with rows:
        divided, similar = found.crossed() if protected.item is None else found.joined(given, len(columns))
        repeats = protected.unit is not None
        yield Matching(protected.name, given.n, serial, divided, similar, repeats)


class _Draft:
    """Puts the queries together; what the relation has (a unit, an item column) decides which there are."""

    def __init__(self, host: SparkHost, protected: Protected, serial: int, similarity: exp.Expr) -> None:
        self._host, self._protected = host, protected
        self.items = temp_name(serial, "v")
        self._private = [exp.column(name, table="r", quoted=True) for name in row_columns(similarity, "r")]
        self._relation = exp.alias_(table(protected.sql), "r", table=True)
        self._unit = exp.column(protected.unit, table="r", quoted=True) if protected.unit else None
        self._similarity = over_numbered(similarity, "v")

    def joined(self, candidates: Candidates, columns: int) -> tuple[Step, Step]:
        """Rows that name their item; of its own row, so many columns are read."""
        item = str(self._protected.item)
        native = column_types(self._host, self._protected.sql, [item], self._protected.name)[0]
        keys = joined_keys(self.items, candidates.type, native, exp.column(item, table="r", quoted=True))
        rows = _opened(keys.table, columns) if columns else keys.table
        unit = exp.alias_(self._unit, "x") if self._unit is not None else "0 AS x"
        pairs = exp.select(unit, "v.i AS i", "1 AS w", quantised(as_number(self._similarity))).from_(self._relation)
        pairs = self._of_units(pairs.join(rows.as_("v"), on=keys.column.eq(exp.column("key", table="v"))))
        if self._unit is None:  # a unit is a row with one item: those with the same item and match are alike
            own = exp.Anonymous(this="STRUCT", expressions=[exp.column("i"), exp.column("q")])
            alike = exp.select(exp.alias_(own, "x"), "i", "COUNT(*) AS w", "q").from_(pairs.subquery("p"))
            pairs = alike.group_by("i", "q")
        return Step("rated", pairs), Step("similar", exp.select("x", "i", "w", "q").from_("divided"))

    def crossed(self) -> tuple[Step, Step]:
        """Every row with every item; equal rows are compared once."""
        if self._unit is not None:
            points = exp.select(exp.alias_(self._unit, "x"), "1 AS w", *numbered(self._private)).distinct()
            points = self._of_units(points.from_(self._relation))
        elif self._private:
            values, alike = self._told_apart()
            own = exp.Anonymous(this="STRUCT", expressions=alike)
            points = exp.select(exp.alias_(own, "x"), "COUNT(*) AS w", *numbered(values)).from_(self._relation)
            points = points.group_by(*alike)
        else:
            points = exp.select("0 AS x", "COUNT(*) AS w").from_(self._relation).having("COUNT(*) > 0")
        q = quantised(as_number(over_numbered(self._similarity, "r")))
        pairs = exp.select("r.x AS x", "v.i AS i", "r.w AS w", q).from_(exp.to_table("divided").as_("r"))
        return Step("points", points), Step("similar", pairs.join(exp.to_table(self.items).as_("v"), join_type="cross"))

    def _told_apart(self) -> tuple[list[exp.Expr], list[exp.Expr]]:
        """The private columns, and what to group by: a row that differs from others must not stand for them."""
        names = [column.name for column in self._private]
        kinds = column_types(self._host, self._protected.sql, names, self._protected.name)
        found = [told_apart(column, kind) for column, kind in zip(self._private, kinds, strict=True)]
        values = [value for value, _ in found]
        return values, [*values, *(part for _, more in found for part in more)]

    def _of_units(self, query: exp.Select) -> exp.Select:
        return query if self._unit is None else query.where(exp.not_(self._unit.is_(exp.Null())))


@contextmanager
def _item_rows(
    host: SparkHost,
    public: Host,
    items: Items | None,
    candidates: Candidates,
    columns: list[str],
    view: str,
    protected: Protected,
) -> Iterator[None]:
    """Give Spark the candidates' public rows, one for each, in their own types.

    Where private rows are joined by key, a row is the column `i` of a table of keys, as `joined_keys` expects it.
    """
    if items is None:
        raise EngineError(
            f"The similarity of {protected.name} compares its rows with item rows, but no items relation is declared "
            "for these candidates. Declare one: msd_items(…, reach := the protected relation)."
        )
    kinds = column_types(public, relation_of(items), [items.key_column, *columns], items.name)
    types = [spark_type(kind, f"column {name} of {items.name}") for name, kind in zip(columns, kinds[1:], strict=True)]
    rows = _read_rows(public, items, candidates, kinds[0], columns)
    texts = {f"c{at}": [row[at + 1] for row in rows] for at in range(len(columns))}
    keys = [candidates.keys[row[0]] for row in rows]
    with host.table(f"{view}_text", {"i": [row[0] for row in rows], "key": keys, **texts}):
        typed = [
            exp.alias_(exp.cast(exp.column(f"c{at}"), kind, dialect="spark"), f"c{at}") for at, kind in enumerate(types)
        ]
        row = exp.Anonymous(this="STRUCT", expressions=[exp.column("i"), *typed])
        wanted = [exp.column("i"), *typed] if protected.item is None else [exp.alias_(row, "i"), exp.column("key")]
        frame = host.frame(exp.select(*wanted).from_(f"{view}_text").sql("spark"))
        frame.createOrReplaceTempView(view)
        try:
            yield
        finally:
            host.session.catalog.dropTempView(view)


def _opened(rows: exp.Subquery, columns: int) -> exp.Subquery:
    """A table of keys whose column `i` is a row, with the columns of the row."""
    inside = [exp.Dot.build([exp.column("i"), exp.to_identifier(name)]).as_(name) for name in _names(columns)]
    return exp.select(*inside, "key").from_(rows.as_("k")).subquery()


def _names(columns: int) -> list[str]:
    return ["i", *(f"c{at}" for at in range(columns))]


def _read_rows(public: Host, items: Items, candidates: Candidates, kind: str, columns: list[str]) -> list[Row]:
    frame = temp_name(next_serial(), "keys")
    keys = joined_keys(frame, candidates.type, kind, exp.column(items.key_column, table="v", quoted=True))
    named = [exp.column(column, table="v", quoted=True) for column in columns]
    order = ", ".join(column.sql("duckdb") for column in named) or "c.i"
    first = sqlglot.parse_one(f"ROW_NUMBER() OVER (PARTITION BY c.i ORDER BY {order})", dialect="duckdb")
    texts = [exp.alias_(exp.cast(column.copy(), "TEXT"), f"c{at}") for at, column in enumerate(named)]
    rows = exp.select("c.i AS i", *texts, exp.alias_(first, "nth")).from_(table(relation_of(items)).as_("v"))
    rows = rows.join(keys.table.as_("c"), on=keys.column.eq(exp.column("key", table="c")))
    chosen = exp.select(*_names(len(columns))).from_(rows.subquery("numbered")).where("nth = 1")
    with public.table(frame, {"i": np.arange(candidates.n, dtype=np.int32), "key": list(candidates.keys)}):
        return public.rows(chosen.sql("duckdb"))
