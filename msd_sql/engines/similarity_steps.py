"""best_match in SQL: equal private rows collapse first, then DuckDB compares what is left with the candidates.

`points` are the private rows as far as the similarity can tell them apart; x numbers the unit, w says how many equal
units it stands for. `v` are the candidates' public rows. `similar` pairs the two and rounds every similarity to a
multiple of 2^-20 there and then, so that nothing is ever summed that was not rounded. What is not a number
counts 0, what exceeds 1 counts 1, and a row that the similarity fails on counts 0: whether a question has an answer
must not depend on one row. Rows without a unit are ignored.

Columns of the user's are c0, c1, … wherever they stand beside ours, whatever their own names are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from sqlglot import exp

from msd_sql.catalog.declarations import Items, Protected
from msd_sql.catalog.similarity import row_columns, similarity_tree, tried, where_it_holds
from msd_sql.database.host import Host
from msd_sql.database.sql_text import fold, quote
from msd_sql.database.temp_names import next_serial, temp_name
from msd_sql.engines.binding import Joined, column_types, is_exact, joined_keys, rows_of
from msd_sql.engines.candidates import Candidates
from msd_sql.engines.steps import Names, Step, fill, own_column, step
from msd_sql.errors import EngineError
from msd_sql.udfs.types import ONE

UNITS = """
SELECT ROW_NUMBER() OVER () - 1 AS x, u.unit AS unit
FROM (SELECT DISTINCT {r.unit} AS unit FROM {relation} AS r WHERE NOT {r.unit} IS NULL) AS u
"""
NUMBER = "ROW_NUMBER() OVER () - 1"
# At most 1 by way of -GREATEST(-s, -1): what is not a number is the greatest of all, and then fails to be an integer.
QUANTISED = """
GREATEST(COALESCE(TRY_CAST(ROUND(-GREATEST(-COALESCE({similarity}, 0), -1) * {one}) AS BIGINT), 0), 0) AS q
"""


@dataclass(frozen=True)
class Crossed:
    """Every point beside every item, where a point is a row, or several that are alike, and every row is a unit."""

    points: str  # (x, w, c0, c1, …)
    items: str  # (i, c0, c1, …)
    similarity: str  # of r, a point, and v, an item: a DOUBLE, NULL where it fails
    holding: str  # the WHERE that leaves out where it fails, if one is needed


@dataclass(frozen=True)
class Matching:
    """One question's steps, in the order in which they are run."""

    label: str  # the relation, for error messages
    n: int
    serial: int
    kept: tuple[Step, ...]  # temp relations that `similar` reads
    similar: Step  # rows (x, i, w, q), those with q = 0 included
    crossed: Crossed | None  # what `similar` pairs, where a point stands for w units
    repeats: bool  # may (x, i) come twice, because a unit has several rows? Then the highest q counts

    def temp(self, name: str) -> str:
        """Name a temp relation of this question."""
        return temp_name(self.serial, name)


@contextmanager
def matched(host: Host, protected: Protected, candidates: Candidates, items: Items | None) -> Iterator[Matching]:
    """Bind a best_match declaration to the candidates, whose keys are a table for the length of a `with`."""
    if protected.similarity is None:
        raise EngineError(f"The protected relation {protected.name} was declared for best_match without a similarity.")
    found = _Draft(host, protected, candidates, items)
    pairs = found.joined() if protected.item is not None else found.crossed()
    with host.table(found.keys, {"i": np.arange(candidates.n, dtype=np.int32), "key": candidates.column}):
        yield Matching(
            protected.name,
            candidates.n,
            found.serial,
            tuple(found.kept),
            Step("similar", pairs),
            found.each_with_each,
            repeats=protected.unit is not None,
        )


def public_content(host: Host, protected: Protected, items: Items | None) -> str:
    """Fingerprint the public rows that a similarity reads: they may change while the private ones do not."""
    columns = item_row_columns(similarity_tree(protected.similarity or ""))
    if items is None or not columns:
        return ""
    named = ", ".join(quote(column) for column in (items.key_column, *columns))
    query = f"SELECT COUNT(*), CAST(SUM(HASH({named})) AS VARCHAR) FROM {relation_of(items)}"
    return " ".join(str(part) for part in host.rows(query)[0])


def quantised(number: str) -> str:
    """A number in multiples of 2^-20, as column q."""
    return fill(QUANTISED, {"similarity": number, "one": ONE})


def told_apart(column: str, kind: str) -> tuple[str, list[str]]:
    """A column to compare by, and what else to group by, so that only identical values fall together.

    0.0 and -0.0 are equal, and so are 30 days and a month: a similarity could tell them apart.

    >>> told_apart("lat", "DOUBLE")[0]
    'CASE WHEN lat = 0 THEN 0 ELSE lat END'
    """
    if is_exact(kind):
        return column, []
    if kind.upper() in ("DOUBLE", "FLOAT"):
        return f"CASE WHEN {column} = 0 THEN 0 ELSE {column} END", []
    return column, [f"CAST({column} AS VARCHAR)"]


def relation_of(items: Items) -> str:
    """The items relation as text for a FROM clause."""
    return items.relation.sql if items.relation else items.name


def item_row_columns(similarity: exp.Expr) -> list[str]:
    """The columns of the item row v that a similarity reads."""
    return row_columns(similarity, "v")


def over_numbered(similarity: exp.Expr, row: str) -> exp.Expr:
    """A similarity whose columns of one row are called c0, c1, … in the order of `row_columns`.

    >>> over_numbered(similarity_tree("r.x * v.x + r.w"), "r").sql("duckdb")
    'r.c1 * v.x + r.c0'
    """
    tree: exp.Expr = exp.paren(similarity)
    numbers = {fold(name): at for at, name in enumerate(row_columns(similarity, row))}
    for column in list(tree.find_all(exp.Column)):
        first, *rest = column.parts
        if rest and first.name.lower() == row:
            own = exp.column(f"c{numbers[fold(rest[0].name)]}", table=row)
            column.replace(exp.Dot.build([own, *(part.copy() for part in rest[1:])]) if rest[1:] else own)
    inner: exp.Expr = tree.this
    return inner


def numbered(columns: Sequence[str]) -> list[str]:
    """Columns of the user's under names of ours.

    >>> numbered(['r."lat"'])
    ['r."lat" AS c0']
    """
    return [f"{column} AS c{at}" for at, column in enumerate(columns)]


class _Draft:
    """Puts the steps together; what the relation has (a unit, an item column) decides which there are."""

    def __init__(self, host: Host, protected: Protected, candidates: Candidates, items: Items | None) -> None:
        self._host, self._protected, self._candidates, self._items = host, protected, candidates, items
        self.serial = next_serial()
        self.keys = temp_name(self.serial, "keys")
        self.kept: list[Step] = []
        self.each_with_each: Crossed | None = None
        similarity = similarity_tree(protected.similarity or "")
        self._public_columns = item_row_columns(similarity)
        self._private_columns = row_columns(similarity, "r")
        self._private = [own_column(column, "r") for column in self._private_columns]
        self._similarity = over_numbered(similarity, "v")
        self._relation = f"{rows_of(protected)} AS r"
        self._unit = own_column(protected.unit, "r") if protected.unit else None
        self._units = ""  # the join with their numbers
        if self._unit is not None:
            names = Names({"relation": rows_of(protected)}, {"r.unit": self._unit})
            units = self._keep("units", step("units", UNITS, names).query)
            self._units = f" JOIN {units} AS u ON {self._unit} = u.unit"

    def joined(self) -> str:
        """Pairs where the private row names its item."""
        keys = self._native(self._protected.sql, str(self._protected.item), "r", self._protected.name)
        x = "u.x" if self._unit is not None else NUMBER
        public = f" JOIN {self._public()} AS v ON v.i = c.i" if self._public_columns else ""
        return (
            f"SELECT {x} AS x, c.i AS i, 1 AS w, {quantised(tried(self._similarity))} FROM {self._relation} "
            f"JOIN {keys.table} AS c ON {keys.column} = c.key{self._units}{public}{where_it_holds(self._similarity)}"
        )

    def crossed(self) -> str:
        """Pairs of every private row with every item."""
        if self._unit is not None:
            wanted = ", ".join(["u.x AS x", "1 AS w", *numbered(self._private)])
            points = self._keep("points", f"SELECT DISTINCT {wanted} FROM {self._relation}{self._units}")
        else:
            values, alike = self._told_apart()
            wanted = ", ".join([f"{NUMBER} AS x", "COUNT(*) AS w", *numbered(values)])
            grouped = f" GROUP BY {', '.join(alike)}" if alike else ""
            points = self._keep("points", f"SELECT {wanted} FROM {self._relation}{grouped} HAVING COUNT(*) > 0")
        similarity = over_numbered(self._similarity, "r")
        q, holding = quantised(tried(similarity)), where_it_holds(similarity)
        public = self._public()
        if self._unit is None:
            self.each_with_each = Crossed(points, public, tried(similarity), holding)
        return f"SELECT r.x AS x, v.i AS i, r.w AS w, {q} FROM {points} AS r CROSS JOIN {public} AS v{holding}"

    def _told_apart(self) -> tuple[list[str], list[str]]:
        """The private columns, and what to group by: a row that differs from others must not stand for them."""
        names = self._private_columns
        kinds = column_types(self._host, self._protected.sql, names, self._protected.name) if names else []
        return apart(self._private, kinds)

    def _public(self) -> str:
        """The candidates' rows of the items relation, one for each: a key that stands on several rows counts once."""
        if self._items is None:
            raise EngineError(
                f"The similarity of {self._protected.name} reads columns of the item row v, but no items relation is "
                "declared for these candidates. Declare one: msd_items(…, reach := the protected relation)."
            )
        relation = relation_of(self._items)
        keys = self._native(relation, self._items.key_column, "v", self._items.name)
        return self._keep("v", first_rows(relation, self._public_columns, keys))

    def _native(self, relation: str, column: str, alias: str, label: str) -> Joined:
        kind = column_types(self._host, relation, [column], label)[0]
        return joined_keys(self.keys, self._candidates, kind, own_column(column, alias))

    def _keep(self, name: str, query: str) -> str:
        self.kept.append(Step(name, query, temp_name(self.serial, name)))
        return quote(temp_name(self.serial, name))


def apart(columns: Sequence[str], kinds: Sequence[str]) -> tuple[list[str], list[str]]:
    """Columns to compare by, and all of what to group by."""
    found = [told_apart(column, kind) for column, kind in zip(columns, kinds, strict=True)]
    values = [value for value, _ in found]
    return values, [*values, *(part for _, more in found for part in more)]


def first_rows(relation: str, columns: Sequence[str], keys: Joined, *, texts: bool = False) -> str:
    """The candidates' rows (i, c0, c1, …) of the items relation: of several rows with one key the first, by value."""
    named = [own_column(column, "v") for column in columns]
    order = ", ".join(named) or "c.i"
    shown = [f"CAST({column} AS VARCHAR)" for column in named] if texts else named
    wanted = ", ".join(["c.i AS i", *numbered(shown), f"ROW_NUMBER() OVER (PARTITION BY c.i ORDER BY {order}) AS nth"])
    rows = f"SELECT {wanted} FROM {relation} AS v JOIN {keys.table} AS c ON {keys.column} = c.key"
    outer = ", ".join(["i", *(f"c{at}" for at in range(len(columns)))])
    return f"SELECT {outer} FROM ({rows}) AS numbered WHERE nth = 1"
