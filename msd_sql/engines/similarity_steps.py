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
from msd_sql.catalog.similarity import row_columns, similarity_tree, tried
from msd_sql.database.host import Host
from msd_sql.database.temp_names import next_serial, temp_name
from msd_sql.engines.binding import Joined, column_types, is_exact, joined_keys, table
from msd_sql.engines.candidates import Candidates
from msd_sql.engines.steps import Names, Step, step
from msd_sql.errors import EngineError
from msd_sql.udfs.types import ONE

UNITS = """
SELECT ROW_NUMBER() OVER () - 1 AS x, u.unit AS unit
FROM (SELECT DISTINCT r.unit AS unit FROM relation AS r WHERE NOT r.unit IS NULL) AS u
"""
NUMBER = "ROW_NUMBER() OVER () - 1"
# At most 1 by way of -GREATEST(-s, -1): what is not a number is the greatest of all, and then fails to be an integer.
QUANTISED = """
GREATEST(COALESCE(TRY_CAST(ROUND(-GREATEST(-COALESCE($similarity, 0), -1) * $one) AS BIGINT), 0), 0)
"""


@dataclass(frozen=True)
class Matching:
    """One question's steps, in the order in which they are run."""

    label: str  # the relation, for error messages
    n: int
    serial: int
    kept: tuple[Step, ...]  # temp relations that `similar` reads
    similar: Step  # rows (x, i, w, q), those with q = 0 included
    weights: Step | None  # rows (x, w), where a point stands for several units
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
            found.weights,
            repeats=protected.unit is not None,
        )


def public_content(host: Host, protected: Protected, items: Items | None) -> str:
    """Fingerprint the public rows that a similarity reads: they may change while the private ones do not."""
    columns = item_row_columns(similarity_tree(protected.similarity or ""))
    if items is None or not columns:
        return ""
    named = [exp.column(column, quoted=True) for column in (items.key_column, *columns)]
    hashed = exp.Anonymous(this="hash", expressions=named)
    query = exp.select("COUNT(*)", exp.cast(exp.Sum(this=hashed), "TEXT")).from_(table(relation_of(items)))
    return " ".join(str(part) for part in host.rows(query.sql("duckdb"))[0])


def quantised(number: exp.Expr) -> exp.Expr:
    """A number in multiples of 2^-20, as column q."""
    return exp.alias_(step("q", QUANTISED, Names({}), similarity=number, one=ONE).query, "q")


def told_apart(column: exp.Expr, kind: str) -> tuple[exp.Expr, list[exp.Expr]]:
    """A column to compare by, and what else to group by, so that only identical values fall together.

    0.0 and -0.0 are equal, and so are 30 days and a month: a similarity could tell them apart.

    >>> told_apart(exp.column("lat"), "DOUBLE")[0].sql("duckdb")
    'CASE WHEN lat = 0 THEN 0 ELSE lat END'
    """
    if is_exact(kind):
        return column.copy(), []
    if kind.upper() in ("DOUBLE", "FLOAT"):
        return exp.case().when(column.eq(0), exp.Literal.number(0)).else_(column.copy()), []
    return column.copy(), [exp.cast(column.copy(), "TEXT")]


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
    numbers = {name.lower(): at for at, name in enumerate(row_columns(similarity, row))}
    for column in list(tree.find_all(exp.Column)):
        first, *rest = column.parts
        if rest and first.name.lower() == row:
            own = exp.column(f"c{numbers[rest[0].name.lower()]}", table=row)
            column.replace(exp.Dot.build([own, *(part.copy() for part in rest[1:])]) if rest[1:] else own)
    inner: exp.Expr = tree.this
    return inner


def numbered(columns: Sequence[exp.Expr]) -> list[exp.Expr]:
    """Columns of the user's under names of ours."""
    return [exp.alias_(column.copy(), f"c{at}") for at, column in enumerate(columns)]


class _Draft:
    """Puts the steps together; what the relation has (a unit, an item column) decides which there are."""

    def __init__(self, host: Host, protected: Protected, candidates: Candidates, items: Items | None) -> None:
        self._host, self._protected, self._candidates, self._items = host, protected, candidates, items
        self.serial = next_serial()
        self.keys = temp_name(self.serial, "keys")
        self.kept: list[Step] = []
        self.weights: Step | None = None
        text = protected.similarity or ""
        similarity = similarity_tree(text)
        self._public_columns = item_row_columns(similarity)
        self._private = [exp.column(column, table="r", quoted=True) for column in row_columns(similarity, "r")]
        self._similarity = over_numbered(similarity, "v")
        self._relation = table(protected.sql).as_("r")
        self._unit = exp.column(protected.unit, table="r", quoted=True) if protected.unit else None
        if self._unit is not None:
            names = Names({"relation": table(protected.sql)}, {"r.unit": self._unit})
            self._keep("units", step("units", UNITS, names).query)

    def joined(self) -> exp.Select:
        """Pairs where the private row names its item."""
        keys = self._native(self._protected.sql, str(self._protected.item), "r", self._protected.name)
        x = "u.x AS x" if self._unit is not None else f"{NUMBER} AS x"
        pairs = exp.select(x, "c.i AS i", "1 AS w", quantised(tried(self._similarity))).from_(self._relation)
        pairs = self._with_units(pairs.join(keys.table.as_("c"), on=keys.column.eq(exp.column("key", table="c"))))
        return pairs.join(self._public(), on="v.i = c.i") if self._public_columns else pairs

    def crossed(self) -> exp.Select:
        """Pairs of every private row with every item."""
        if self._unit is not None:
            distinct = exp.select("u.x AS x", "1 AS w", *numbered(self._private)).distinct().from_(self._relation)
            points = self._keep("points", self._with_units(distinct))
        else:
            values, alike = self._told_apart()
            grouped = exp.select(f"{NUMBER} AS x", "COUNT(*) AS w", *numbered(values)).from_(self._relation)
            points = self._keep("points", grouped.group_by(*alike).having("COUNT(*) > 0"))
            self.weights = Step("weights", exp.select("x", "w").from_(points.copy()))
        similarity = over_numbered(self._similarity, "r")
        pairs = exp.select("r.x AS x", "v.i AS i", "r.w AS w", quantised(tried(similarity))).from_(points.as_("r"))
        return pairs.join(self._public(), join_type="cross")

    def _told_apart(self) -> tuple[list[exp.Expr], list[exp.Expr]]:
        """The private columns, and what to group by: a row that differs from others must not stand for them."""
        names = [column.name for column in self._private]
        kinds = column_types(self._host, self._protected.sql, names, self._protected.name) if names else []
        found = [told_apart(column, kind) for column, kind in zip(self._private, kinds, strict=True)]
        values = [value for value, _ in found]
        return values, [*values, *(part for _, more in found for part in more)]

    def _with_units(self, query: exp.Select) -> exp.Select:
        if self._unit is None:
            return query
        units = exp.to_table(temp_name(self.serial, "units")).as_("u")
        return query.join(units, on=self._unit.eq(exp.column("unit", table="u")))

    def _public(self) -> exp.Expr:
        """The candidates' rows of the items relation, one for each: a key that stands on several rows counts once."""
        if self._items is None:
            raise EngineError(
                f"The similarity of {self._protected.name} reads columns of the item row v, but no items relation is "
                "declared for these candidates. Declare one: msd_items(…, reach := the protected relation)."
            )
        relation = relation_of(self._items)
        keys = self._native(relation, self._items.key_column, "v", self._items.name)
        columns = [exp.column(column, table="v", quoted=True) for column in self._public_columns]
        first = exp.Window(
            this=exp.RowNumber(),
            partition_by=[exp.column("i", table="c")],
            order=exp.Order(
                expressions=[exp.Ordered(this=column.copy()) for column in columns or [exp.column("i", table="c")]]
            ),
        )
        rows = exp.select("c.i AS i", *numbered(columns), first.as_("nth")).from_(table(relation).as_("v"))
        rows = rows.join(keys.table.as_("c"), on=keys.column.eq(exp.column("key", table="c")))
        outer = [f"c{at}" for at in range(len(columns))]
        first_of_each = exp.select("i", *outer).from_(rows.subquery("numbered")).where("nth = 1")
        return exp.alias_(self._keep("v", first_of_each), "v", table=True)

    def _native(self, relation: str, column: str, alias: str, label: str) -> Joined:
        kind = column_types(self._host, relation, [column], label)[0]
        return joined_keys(self.keys, self._candidates.type, kind, exp.column(column, table=alias, quoted=True))

    def _keep(self, name: str, query: exp.Expr) -> exp.Table:
        self.kept.append(Step(name, query, temp_name(self.serial, name)))
        return exp.to_table(temp_name(self.serial, name))
