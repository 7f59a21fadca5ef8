"""best_match in Spark: which rows are compared with which items, and how much they match (engines/similarity_steps).

A unit keeps its own id as x, and rows that are units of their own get what they hold as x: numbering them would need
all of them in one place, and a lost part would be numbered anew. The candidates' item rows come from DuckDB; they are
public and become part of the statement: one table, because handing a table to the executors is a job.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass

import numpy as np
from sqlglot import exp

from msd_sql.catalog.declarations import Items, Protected
from msd_sql.catalog.similarity import as_number, row_columns, similarity_tree
from msd_sql.database.host import Column, Host, Row
from msd_sql.database.spark_host import SparkHost
from msd_sql.database.sql_text import quote
from msd_sql.database.temp_names import next_serial, temp_name
from msd_sql.engines.binding import column_types, joined_keys, rows_of
from msd_sql.engines.candidates import Candidates
from msd_sql.engines.similarity_steps import (
    apart,
    first_rows,
    item_row_columns,
    numbered,
    over_numbered,
    quantised,
    relation_of,
)
from msd_sql.engines.spark.key_types import readable_candidates, spark_type
from msd_sql.engines.steps import Step, own_column
from msd_sql.errors import EngineError


@dataclass(frozen=True)
class Matching:
    """One question's steps: `divided` rows are divided by x, `similar` (x, i, w, q) follows from them."""

    label: str
    n: int
    serial: int
    divided: Step
    similar: Callable[[str], str]  # of the divided rows
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
        self._private_columns = row_columns(similarity, "r")
        self._private = [own_column(name, "r") for name in self._private_columns]
        self._relation = f"{rows_of(protected)} AS r"
        self._unit = own_column(protected.unit, "r") if protected.unit else None
        self._of_units = f" WHERE NOT {self._unit} IS NULL" if self._unit is not None else ""
        self._similarity = over_numbered(similarity, "v")

    def joined(self, candidates: Candidates, columns: int) -> tuple[Step, Callable[[str], str]]:
        """Rows that name their item; of its own row, so many columns are read."""
        item = str(self._protected.item)
        native = column_types(self._host, self._protected.sql, [item], self._protected.name)[0]
        keys = joined_keys(self.items, candidates, native, own_column(item, "r"))
        rows = _opened(keys.table, columns) if columns else keys.table
        q = quantised(as_number(self._similarity))
        pairs = (
            f"SELECT {self._unit or '0'} AS x, v.i AS i, 1 AS w, {q} FROM {self._relation} "
            f"JOIN {rows} AS v ON {keys.column} = v.key{self._of_units}"
        )
        if self._unit is None:  # a unit is a row with one item: those with the same item and match are alike
            pairs = f"SELECT STRUCT(i, q) AS x, i, COUNT(*) AS w, q FROM ({pairs}) AS p GROUP BY i, q"
        return Step("rated", pairs), lambda divided: f"SELECT x, i, w, q FROM {divided} AS divided"

    def crossed(self) -> tuple[Step, Callable[[str], str]]:
        """Every row with every item; equal rows are compared once."""
        if self._unit is not None:
            wanted = ", ".join([f"{self._unit} AS x", "1 AS w", *numbered(self._private)])
            points = f"SELECT DISTINCT {wanted} FROM {self._relation}{self._of_units}"
        elif self._private:
            kinds = column_types(self._host, self._protected.sql, self._private_columns, self._protected.name)
            values, alike = apart(self._private, kinds)
            grouped = ", ".join(alike)
            wanted = ", ".join([f"STRUCT({grouped}) AS x", "COUNT(*) AS w", *numbered(values)])
            points = f"SELECT {wanted} FROM {self._relation} GROUP BY {grouped}"
        else:
            points = f"SELECT 0 AS x, COUNT(*) AS w FROM {self._relation} HAVING COUNT(*) > 0"
        q = quantised(as_number(over_numbered(self._similarity, "r")))
        similar = f"SELECT r.x AS x, v.i AS i, r.w AS w, {q}"
        return Step(
            "points", points
        ), lambda divided: f"{similar} FROM {divided} AS r CROSS JOIN {quote(self.items)} AS v"


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
        row = ", ".join(["i", *(f"CAST(c{at} AS {kind}) AS c{at}" for at, kind in enumerate(types))])
        wanted = row if protected.item is None else f"STRUCT({row}) AS i, key"
        frame = host.frame(f"SELECT {wanted} FROM {view}_text")
        frame.createOrReplaceTempView(view)
        try:
            yield
        finally:
            host.session.catalog.dropTempView(view)


def _opened(rows: str, columns: int) -> str:
    """A table of keys whose column `i` is a row, with the columns of the row."""
    inside = ", ".join(f"k.i.{name} AS {name}" for name in ["i", *(f"c{at}" for at in range(columns))])
    return f"(SELECT {inside}, key FROM {rows} AS k)"


def _read_rows(public: Host, items: Items, candidates: Candidates, kind: str, columns: list[str]) -> list[Row]:
    frame = temp_name(next_serial(), "keys")
    keys = joined_keys(frame, candidates, kind, own_column(items.key_column, "v"))
    with public.table(frame, {"i": np.arange(candidates.n, dtype=np.int32), "key": list(candidates.keys)}):
        return public.rows(first_rows(relation_of(items), columns, keys, texts=True))
