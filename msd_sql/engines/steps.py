"""The engines' statements: named steps, each one a query that can be printed, in DuckDB's dialect.

A step is written once, with holes in braces: `{relation}`, `{r.unit}`, `{item}`. They are filled with text that is
quoted already. No parser has a part in it: one that another library changes must not decide whether a question that
was charged has an answer. A step that is kept has a target: DuckDB keeps it in a temp table, another engine as it sees
fit.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache

from msd_sql.database.sql_text import quote

_HOLE = re.compile(r"\{([a-z_.]+)\}")


@dataclass(frozen=True)
class Step:
    """A named query, and the temp relation that keeps its rows; None where the rows are per-candidate integers to read.

    >>> Step("totals", "SELECT i, COUNT(*) AS units FROM pairs GROUP BY i").kept("_msd_totals").sql()
    'CREATE TEMPORARY TABLE "_msd_totals" AS SELECT i, COUNT(*) AS units FROM pairs GROUP BY i'
    """

    name: str
    query: str
    into: str | None = None
    grows: bool = field(default=False)  # add the rows to those that `into` holds already

    def sql(self) -> str:
        """The statement that runs this step where temp tables exist."""
        if self.into is None:
            return self.query
        if self.grows:
            return f"INSERT INTO {quote(self.into)} {self.query}"
        return f"CREATE TEMPORARY TABLE {quote(self.into)} AS {self.query}"

    def kept(self, into: str, *, grows: bool = False) -> Step:
        """The same step with its rows kept in `into`."""
        return replace(self, into=into, grows=grows)


@dataclass(frozen=True)
class Names:
    """What fills the holes of a step for one declaration: relations, columns of `r`, and whole expressions, as SQL."""

    relations: Mapping[str, str]  # 'pairs' → "_msd_7_pairs", or a query in parentheses
    expressions: Mapping[str, str] = field(default_factory=dict)  # 'r.unit' → r."user_id"


def step(name: str, text: str, names: Names, **values: int | str) -> Step:
    """Fill the holes of a step's text: relations and columns by `names`, all others by `values`.

    >>> found = Names({"pairs": quote("_msd_pairs")})
    >>> step("users", "SELECT unit FROM {pairs} AS pairs WHERE i = {item}", found, item=7).query
    'SELECT unit FROM "_msd_pairs" AS pairs WHERE i = 7'
    """
    return Step(name, fill(text, {**names.relations, **names.expressions, **values}))


def fill(text: str, values: Mapping[str, int | str]) -> str:
    """A text with its holes filled; a KeyError names a hole that nothing was given for.

    >>> fill("{a} + {b}", {"a": 1, "b": "c.i"})
    '1 + c.i'
    """
    return "".join(str(values[part]) if hole else part for part, hole in _parts(text))


def holes(text: str) -> frozenset[str]:
    """The names of a text's holes.

    >>> sorted(holes("SELECT {slot} FROM {pairs} AS pairs"))
    ['pairs', 'slot']
    """
    return frozenset(part for part, hole in _parts(text) if hole)


def nested(query: str) -> str:
    """A query as a relation."""
    return f"({query})"


def own_column(name: str, row: str) -> str:
    """A column of the user's, of the row r or v.

    >>> own_column("user id", "r")
    'r."user id"'
    """
    return f"{row}.{quote(name)}"


def drop(table: str) -> str:
    """The statement that forgets a temp relation.

    >>> drop("_msd_pairs")
    'DROP TABLE IF EXISTS "_msd_pairs"'
    """
    return f"DROP TABLE IF EXISTS {quote(table)}"


@lru_cache(maxsize=256)
def _parts(text: str) -> tuple[tuple[str, bool], ...]:
    found = tuple((part, bool(at % 2)) for at, part in enumerate(_HOLE.split(" ".join(text.split()))))
    if any(not hole and ("{" in part or "}" in part) for part, hole in found):
        raise ValueError(f"A brace that is no hole: {text}")
    return found
