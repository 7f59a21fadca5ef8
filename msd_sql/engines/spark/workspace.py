"""The Spark workspace: one cached projection of the private relation, and steps that read it, one job each.

The projection is divided by unit and sorted by it once. Every step after that finds a unit's rows in one place, so that
a round moves nothing between executors but one integer a candidate from each part. Nothing else is kept: which units
are covered follows from the projection and the public list of picks, so that a lost executor's part is computed again
from the relation, by Spark itself, and the plan does not grow from round to round. (A checkpoint would not survive its
executor, and a broadcast would bring units to the driver.)
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from sqlglot import exp

from msd_sql.database.host import Column
from msd_sql.database.private_reads import private
from msd_sql.database.spark_host import SparkHost, relation_name
from msd_sql.database.temp_names import temp_name
from msd_sql.engines.steps import Names, Step, step

_REDUCERS = 16  # of a round: they add up a few integers a candidate


class SparkWorkspace:
    """The relations of one question by the stand-in names of the steps: views of the host's clone of the session."""

    def __init__(self, host: SparkHost, relation: str, serial: int) -> None:
        self._host, self._relation, self._serial = host, relation, serial
        self._views: dict[str, exp.Expr] = {}
        self._kept: list[Any] = []

    def spread(self, stand_in: str, query: Step, by: str) -> None:
        """Divide a step's rows by a column; lazily, and not kept."""
        with private(self._relation):
            frame = self._host.frame(query.sql("spark"))
            with self._host.working():
                self._view(stand_in, frame.repartition(self._host.partitions, by))

    def keep(self, stand_in: str, query: Step, by: str) -> None:
        """Keep the rows of a step over divided rows, sorted, in the executors' memory and on their disks."""
        from pyspark import StorageLevel

        with private(self._relation):
            self._host.reading(relation_name(self._relation))
            frame = self._host.frame(query.sql("spark"))
            with self._host.working():
                kept = frame.sortWithinPartitions(by).persist(StorageLevel.MEMORY_AND_DISK)
                self._kept.append(kept)
                self._view(stand_in, kept)

    def step(self, name: str, text: str, *, over: Mapping[str, Step] | None = None, **values: int | exp.Expr) -> Step:
        """Bind a step to the views and to other steps, which become part of it."""
        nested = {stand_in: exp.Subquery(this=inner.query.copy()) for stand_in, inner in (over or {}).items()}
        return step(name, text, Names({**self._views, **nested}), **values)

    def read(self, query: Step) -> dict[str, Column]:
        """Run a step as one job and take its rows: integers per candidate or per slot, never a unit."""
        self._host.counting(_REDUCERS)
        with private(self._relation):
            return self._host.integers(self._host.frame(query.sql("spark")))

    def close(self) -> None:
        """Let go of everything that executors hold; a session that was stopped holds nothing."""
        for frame in self._kept:
            with suppress(Exception):
                frame.unpersist()
        for view in self._views.values():
            with suppress(Exception):
                self._host.session.catalog.dropTempView(view.name)
        self._kept.clear()
        self._views.clear()

    def _view(self, stand_in: str, frame: Any) -> None:
        name = temp_name(self._serial, stand_in)
        frame.createOrReplaceTempView(name)
        self._views[stand_in] = exp.to_table(name)


def slots(picks: list[int]) -> tuple[exp.Expr, exp.Expr]:
    """What stands for the picks in a statement: the slot of a row's item, and whether it is one. All of it is public.

    A relation of picks would have to be broadcast, which is a job of its own.

    >>> [part.sql("spark") for part in slots([7, 4])]
    ['CASE i WHEN 7 THEN 0 WHEN 4 THEN 1 END', 'i IN (7, 4)']
    """
    case = exp.Case(this=exp.column("i"))
    for slot, item in enumerate(picks):
        case = case.when(exp.Literal.number(item), exp.Literal.number(slot))
    return case, exp.column("i").isin(*picks)


def sampled(query: Step, relation: str, sample: list[int] | None) -> Step:
    """A step that joins the relation `sample`, with the sample written into it instead, for the same reason.

    None stands for all candidates: nothing is left out, and nothing is written.

    >>> import sqlglot
    >>> joined = Step("s", sqlglot.parse_one("SELECT pairs.i FROM pairs JOIN sample ON pairs.i = sample.i"))
    >>> sampled(joined, "pairs", [3, 8]).sql("spark")
    'SELECT pairs.i FROM pairs WHERE pairs.i IN (3, 8)'
    """
    tree = query.query.copy()
    assert isinstance(tree, exp.Select)
    for join in list(tree.find_all(exp.Join)):
        if join.this.name == "sample":
            join.pop()
    if sample is None:
        return Step(query.name, tree)
    return Step(query.name, tree.where(exp.column("i", table=relation).isin(*sample)))
