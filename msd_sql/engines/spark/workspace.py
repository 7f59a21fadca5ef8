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

from msd_sql.database.host import Column
from msd_sql.database.private_reads import private
from msd_sql.database.spark_host import SparkHost, relation_name, spark_sql
from msd_sql.database.sql_text import quote
from msd_sql.database.temp_names import temp_name
from msd_sql.engines.steps import Names, Step, holes, nested, step

_REDUCERS = 16  # of a round: they add up a few integers a candidate


class SparkWorkspace:
    """The relations of one question by the stand-in names of the steps: views of the host's clone of the session."""

    def __init__(self, host: SparkHost, relation: str, serial: int) -> None:
        self._host, self._relation, self._serial = host, relation, serial
        self._views: dict[str, str] = {}
        self._kept: list[Any] = []

    def spread(self, stand_in: str, query: Step, by: str) -> None:
        """Divide a step's rows by a column; lazily, and not kept."""
        with private(self._relation):
            frame = self._host.frame(spark_sql(query.query))
            with self._host.working():
                self._view(stand_in, frame.repartition(self._host.partitions, by))

    def keep(self, stand_in: str, query: Step, by: str) -> None:
        """Keep the rows of a step over divided rows, sorted, in the executors' memory and on their disks."""
        from pyspark import StorageLevel

        with private(self._relation):
            self._host.reading(relation_name(self._relation))
            frame = self._host.frame(spark_sql(query.query))
            with self._host.working():
                kept = frame.sortWithinPartitions(by).persist(StorageLevel.MEMORY_AND_DISK)
                self._kept.append(kept)
                self._view(stand_in, kept)

    def step(
        self,
        name: str,
        text: str,
        *,
        over: Mapping[str, Step] | None = None,
        sample: tuple[str, list[int] | None] | None = None,
        **values: int | str,
    ) -> Step:
        """Bind a step to the views and to other steps, which become part of it.

        `sample`: of that relation, only the rows of these items; None stands for all. They are written into the
        statement: a relation of them would have to be broadcast, which is a job of its own.
        """
        relations = {
            **{name: name for name in holes(text)},
            **self._views,
            **{stand_in: nested(inner.query) for stand_in, inner in (over or {}).items()},
        }
        of, items = sample or ("", None)
        if items is not None:
            relations[of] = nested(f"SELECT * FROM {relations[of]} AS {of} WHERE {among('i', items)}")
        return step(name, text, Names(relations), **values)

    def relation(self, stand_in: str) -> str:
        """The view of that stand-in name; the name itself while it is not there."""
        return self._views.get(stand_in, stand_in)

    def read(self, query: Step) -> dict[str, Column]:
        """Run a step as one job and take its rows: integers per candidate or per slot, never a unit."""
        self._host.counting(_REDUCERS)
        with private(self._relation):
            return self._host.integers(self._host.frame(spark_sql(query.query)))

    def close(self) -> None:
        """Let go of everything that executors hold; a session that was stopped holds nothing."""
        for frame in self._kept:
            with suppress(Exception):
                frame.unpersist()
        for stand_in in self._views:
            with suppress(Exception):
                self._host.session.catalog.dropTempView(temp_name(self._serial, stand_in))
        self._kept.clear()
        self._views.clear()

    def _view(self, stand_in: str, frame: Any) -> None:
        name = temp_name(self._serial, stand_in)
        frame.createOrReplaceTempView(name)
        self._views[stand_in] = quote(name)


def slots(picks: list[int]) -> tuple[str, str]:
    """What stands for the picks in a statement: the slot of a row's item, and whether it is one. All of it is public.

    A relation of picks would have to be broadcast, which is a job of its own.

    >>> slots([7, 4])
    ('CASE i WHEN 7 THEN 0 WHEN 4 THEN 1 END', 'i IN (7, 4)')
    """
    cases = " ".join(f"WHEN {item} THEN {slot}" for slot, item in enumerate(picks))
    return f"CASE i {cases} END", among("i", picks)


def among(column: str, items: list[int]) -> str:
    """Whether a column is one of these items, which are public.

    >>> among("i", [7, 4])
    'i IN (7, 4)'
    """
    return f"{column} IN ({', '.join(str(item) for item in items)})"
