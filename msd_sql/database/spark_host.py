"""The Spark host: our statements, written in DuckDB's dialect, rendered for Spark SQL and run on a session.

It works on a clone of the user's session, which sees the same tables, views and settings. Settings of the clone:

- nothing is broadcast by Spark's own choice, neither a table to join nor a filter made of one: that goes through the
  driver, and units must not. Only a public table (candidates, with or without item rows) is broadcast, by a hint;
- what is collected is small: one row a candidate;
- what fails for one row is NULL: whether a question has an answer must not depend on one row.
"""

from __future__ import annotations

import logging
import threading
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import Any

import numpy as np
import sqlglot
from sqlglot import exp

from msd_sql.database.host import Column, Host, HostError, Interrupted, Row
from msd_sql.database.sql_text import SPARK
from msd_sql.errors import EngineError, InputError, MsdError

_GROUP = ("spark.jobGroup.id", "spark.job.description", "spark.job.interruptOnCancel")
_STRICT = "spark.sql.ansi.enabled"  # it makes an error of what fails for one row
_NEVER = "-1"
_OWN_CHOICES = {
    "spark.sql.autoBroadcastJoinThreshold": _NEVER,
    "spark.sql.adaptive.autoBroadcastJoinThreshold": _NEVER,
    "spark.sql.optimizer.runtime.bloomFilter.enabled": "false",  # a filter of the units of one side, for the other
    "spark.sql.optimizer.dynamicPartitionPruning.enabled": "false",  # the same, for whole partitions
}
_ADAPTED = "AdaptiveSparkPlanExec"  # the root of a plan, where Spark found something to adapt
ADAPTIVE = "spark.sql.adaptive.enabled"
PARTITIONS = "spark.sql.shuffle.partitions"


class _Silence(logging.Filter):
    """Keeps pyspark from logging errors, which may quote private values, of threads that are in a statement of ours."""

    def __init__(self) -> None:
        super().__init__()
        self.here = threading.local()

    def filter(self, record: logging.LogRecord) -> bool:
        return not getattr(self.here, "on", False)


_SILENCE = _Silence()


def _silence() -> None:
    """Be silent where pyspark writes the text of every error, and where py4j writes all it carries, if on DEBUG."""
    from pyspark.logger import PySparkLogger

    own: logging.Logger = PySparkLogger.getLogger("SQLQueryContextLogger")  # of a class of pyspark's
    loggers = [own, *(logging.getLogger(name) for name in ("py4j.clientserver", "py4j.java_gateway"))]
    for logger in loggers:
        logger.addFilter(_SILENCE)  # adding it again changes nothing


class SparkHost:
    """A clone of a Spark session that runs our statements as jobs of one group, so that they can be cancelled together.

    SparkHost(session).rows("SELECT count(*) FROM shop.purchases") is [(2600000,)]: statements are written for DuckDB.
    """

    def __init__(self, session: Any) -> None:
        self.session = _clone(session)
        for name, value in {**_OWN_CHOICES, _STRICT: "false"}.items():
            self.session.conf.set(name, value)
        self.partitions = int(self.session.conf.get(PARTITIONS))  # the parts into which units are divided
        self._adaptive = self.session.conf.get(ADAPTIVE)
        self.group = f"msd_sql {uuid.uuid4().hex}"
        self._context = session.sparkContext
        self._stopped = False
        _silence()

    @property
    def version(self) -> str:
        """The version of Spark."""
        return str(self.session.version)

    def reading(self, relation: str) -> None:
        """Plan what comes next as a pass over a relation: adaptively, if Spark has anything to adapt in the relation.

        In a view that joins or groups it has. In a table it has not: our own division by unit has a fixed number of
        parts, and adaptive execution would only make a job of its own of it.
        """
        self.session.conf.set(PARTITIONS, str(self.partitions))
        self.session.conf.set(ADAPTIVE, self._adaptive)
        frame = self.frame(spark_sql(f"SELECT * FROM {relation}"))
        with self.working():
            plan = frame._jdf.queryExecution().executedPlan()
        self.session.conf.set(ADAPTIVE, str(plan.getClass().getSimpleName() == _ADAPTED).lower())

    def counting(self, reducers: int) -> None:
        """Plan what comes next as one job: adaptive execution makes two of a count, and has nothing to adapt in it."""
        self.session.conf.set(ADAPTIVE, "false")
        self.session.conf.set(PARTITIONS, str(min(self.partitions, reducers)))

    def rows(self, sql: str) -> list[Row]:
        """Every row of a statement in DuckDB's dialect: for few rows of counts and column types."""
        return [tuple(row) for row in self.collect(self.frame(spark_sql(sql)))]

    def columns(self, sql: str) -> dict[str, Column]:
        """Every column of a statement in DuckDB's dialect, masked where it holds NULL."""
        return self.integers(self.frame(spark_sql(sql)))

    def blocks(self, sql: str) -> Iterator[dict[str, Column]]:
        """Refuse: the rows of a Spark relation stay in Spark."""
        raise EngineError("The rows of a Spark relation are not read into this process; use engine := 'spark'.")

    def run(self, sql: str) -> None:
        """Run a statement in DuckDB's dialect."""
        self.frame(spark_sql(sql))

    def begin_with(self, sql: str) -> None:
        """Nothing: settings are DuckDB's."""

    @contextmanager
    def table(self, name: str, columns: Mapping[str, Column | Sequence[Any]]) -> Iterator[str]:
        """Make public columns a view of the clone, broadcast where it is joined.

        The values are part of the statement: a frame made from Python rows would need Python on every executor.
        """
        frame = self.frame(values(columns)).hint("broadcast")
        with self.working():
            frame.createOrReplaceTempView(name)
        try:
            yield name
        finally:
            with suppress(Exception):
                self.session.catalog.dropTempView(name)

    def transaction(self) -> AbstractContextManager[Host]:
        """Refuse: declarations and ledger live in DuckDB."""
        raise EngineError("A Spark session keeps no ledger; declarations and charges are written in DuckDB.")

    def second_connection(self) -> None:
        """No other: the cluster is busy enough with one."""

    def interrupt(self) -> None:
        """Cancel the jobs that run now (called from another thread)."""
        self._stopped = True
        with suppress(Exception):
            self._context.cancelJobGroup(self.group)

    def frame(self, sql: str) -> Any:
        """A Spark SQL query as a lazy data frame: it is analysed, nothing is run."""
        with self.working():
            return self.session.sql(sql)

    def collect(self, frame: Any) -> list[Any]:
        """Run a data frame as a job and take its rows."""
        with self.working():
            return list(frame.collect())

    def integers(self, frame: Any) -> dict[str, Column]:
        """Run a data frame whose columns are all whole numbers; anything else is never collected."""
        kinds = {field.name: field.dataType.typeName() for field in frame.schema.fields}
        if not set(kinds.values()) <= {"byte", "short", "integer", "long"}:
            raise EngineError(f"Only whole numbers may leave Spark, not {', '.join(sorted(set(kinds.values())))}.")
        rows = self.collect(frame)
        return {name: _column([row[at] for row in rows]) for at, name in enumerate(kinds)}

    @contextmanager
    def working(self) -> Iterator[None]:
        """Name the jobs of this thread, and translate what goes wrong; the user's own job group is put back."""
        if self._stopped:
            raise Interrupted("stopped")
        before = {}
        _SILENCE.here.on = True
        try:
            before = {name: self._context.getLocalProperty(name) for name in _GROUP}
            self._context.setJobGroup(self.group, "msd_sql", interruptOnCancel=False)
            yield
        except (MsdError, HostError):
            raise
        except Exception as error:  # of Spark, of the gateway to it or of the connection to that
            raise self._translated(error) from None
        finally:
            _SILENCE.here.on = False
            with suppress(Exception):  # a session that was stopped has nothing to put back
                for name, value in before.items():
                    self._context.setLocalProperty(name, value)

    def _translated(self, error: Exception) -> HostError:
        if self._stopped:
            return Interrupted("stopped")
        condition = getattr(error, "getCondition", lambda: None)()  # a name of Spark's own list, never a value
        return HostError(str(error), condition or type(error).__name__)


def check_session(session: Any) -> Any:
    """The session, if it is one that runs in this process; else an InputError.

    >>> check_session("local[2]")
    Traceback (most recent call last):
    msd_sql.udfs.errors.InputError: spark must be a SparkSession whose driver is this process ...
    """
    if not hasattr(session, "_jsparkSession"):
        raise InputError(
            "spark must be a SparkSession whose driver is this process (SparkSession.builder.master(…).getOrCreate()); "
            f"got {type(session).__module__}.{type(session).__name__}. A Spark Connect session is not supported."
        )
    return session


def missing_session(relation: str) -> EngineError:
    """The refusal to read a Spark relation without a session."""
    return EngineError(
        f"{relation} lives in Spark, and no Spark session is registered here: msd_sql.register(con, spark=session), "
        "with pip install 'msd-sql[spark]' and Java 17 or newer (docs/spark.md)."
    )


def spark_sql(sql: str) -> str:
    """A statement in DuckDB's dialect, rendered for Spark.

    >>> spark_sql('SELECT count(DISTINCT "user_id") FROM shop.purchases')
    'SELECT COUNT(DISTINCT `user_id`) FROM shop.purchases'
    """
    return sqlglot.parse_one(sql, dialect="duckdb").sql("spark")


def values(columns: Mapping[str, Column | Sequence[Any]]) -> str:
    """Public columns of whole numbers and texts as a query.

    >>> values({"i": [0, 1]})
    'SELECT CAST(`i` AS INT) AS `i` FROM VALUES (0), (1) AS t(`i`)'
    """
    given = {name: [_plain(value) for value in column] for name, column in columns.items()}
    quoted = {name: exp.to_identifier(name, quoted=True).sql("spark") for name in given}
    wide = {name for name, column in columns.items() if isinstance(column, np.ndarray) and column.dtype == np.int64}
    kinds = {name: "STRING" if any(isinstance(value, str) for value in column) else "BIGINT" if name in wide else "INT"
             for name, column in given.items()}  # fmt: skip
    rows = ", ".join(f"({', '.join(_literal(value) for value in row)})" for row in zip(*given.values(), strict=True))
    if not rows:
        empty = ", ".join(f"CAST(NULL AS {kinds[name]}) AS {quoted[name]}" for name in given)
        return f"SELECT {empty} WHERE 1 = 0"
    typed = ", ".join(f"CAST({quoted[name]} AS {kinds[name]}) AS {quoted[name]}" for name in given)
    return f"SELECT {typed} FROM VALUES {rows} AS t({', '.join(quoted.values())})"


def relation_name(relation: str) -> str:
    """A declared name as Spark calls the relation.

    >>> relation_name("spark:shop.purchases")
    'shop.purchases'
    """
    return relation.removeprefix(SPARK)


def _plain(value: Any) -> str | int | None:
    if value is None or isinstance(value, str):
        return value
    return int(value)


def _literal(value: str | int | None) -> str:
    return exp.convert(value).sql("spark")


def _column(found: list[int | None]) -> Column:
    missing = [value is None for value in found]
    numbers = np.array([0 if value is None else value for value in found], dtype=np.int64)
    return np.ma.MaskedArray(numbers, missing) if any(missing) else numbers


def _clone(session: Any) -> Any:
    inner = check_session(session)._jsparkSession
    return type(session)(session.sparkContext, inner.cloneSession())
