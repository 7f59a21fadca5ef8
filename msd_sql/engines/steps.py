"""The engines' statements: named steps, each one a query that can be printed, in the dialect of whoever runs it.

A step is written once, over stand-in names (`relation r`, `candidates c`, `r.unit`), and bound to a declaration's own
names by sqlglot. A step that is kept has a target: DuckDB keeps it in a temp table, another engine as it sees fit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache

import sqlglot
from sqlglot import exp


@dataclass(frozen=True)
class Step:
    """A named query, and the temp relation that keeps its rows; None where the rows are per-candidate integers to read.

    >>> Step("totals", sqlglot.parse_one("SELECT i, COUNT(*) AS units FROM pairs GROUP BY i")).sql()
    'SELECT i, COUNT(*) AS units FROM pairs GROUP BY i'
    """

    name: str
    query: exp.Expr
    into: str | None = None
    grows: bool = field(default=False)  # add the rows to those that `into` holds already

    def sql(self, dialect: str = "duckdb", *, pretty: bool = False) -> str:
        """The statement that runs this step where temp tables exist."""
        if self.into is None:
            return self.query.sql(dialect, pretty=pretty)
        target = exp.to_table(self.into)
        if self.grows:
            return exp.insert(self.query.copy(), target).sql(dialect, pretty=pretty)
        made = exp.Create(
            this=target,
            kind="TABLE",
            expression=self.query.copy(),
            properties=exp.Properties(expressions=[exp.TemporaryProperty()]),
        )
        return made.sql(dialect, pretty=pretty)

    def kept(self, into: str, *, grows: bool = False) -> Step:
        """The same step with its rows kept in `into`."""
        return replace(self, into=into, grows=grows)


@dataclass(frozen=True)
class Names:
    """What the stand-in names of a step mean for one declaration: relations, columns of `r`, and whole expressions."""

    relations: Mapping[str, exp.Expr]
    expressions: Mapping[str, exp.Expr] = field(default_factory=dict)  # 'r.unit' → r."user_id"


def step(name: str, text: str, names: Names, **values: int | exp.Expr) -> Step:
    """Bind a step's text: relations and columns by `names`, `$holes` by `values`.

    >>> found = Names({"pairs": exp.to_table("_msd_pairs")})
    >>> step("users", "SELECT unit FROM pairs WHERE i = $item", found, item=7).sql()
    'SELECT unit FROM _msd_pairs AS pairs WHERE i = 7'
    """
    tree = _parsed(text).copy()
    for table in list(tree.find_all(exp.Table)):
        meant = names.relations.get(table.name)
        if meant is not None and not table.db:
            table.replace(_aliased(meant, table.alias or table.name))
    for column in list(tree.find_all(exp.Column)):
        meant = names.expressions.get(column.sql())
        if meant is not None:
            column.replace(meant.copy())
    for hole in list(tree.find_all(exp.Placeholder)):
        value = values[hole.name]
        hole.replace(exp.Literal.number(value) if isinstance(value, int) else value.copy())
    return Step(name, tree)


def drop(table: str) -> str:
    """The statement that forgets a temp relation.

    >>> drop("_msd_pairs")
    'DROP TABLE IF EXISTS _msd_pairs'
    """
    return f"DROP TABLE IF EXISTS {exp.to_identifier(table).sql('duckdb')}"


def _aliased(relation: exp.Expr, alias: str) -> exp.Expr:
    found = relation.copy()
    found.set("alias", exp.TableAlias(this=exp.to_identifier(alias)))
    return found


@lru_cache(maxsize=64)
def _parsed(text: str) -> exp.Expr:
    return sqlglot.parse_one(text, dialect="duckdb")
