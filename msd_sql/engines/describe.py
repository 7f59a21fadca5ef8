"""Describe: what an engine would run for a question, with its statements; nothing private is read."""

from __future__ import annotations

from dataclasses import dataclass

from msd_sql.catalog.declarations import Items, Protected
from msd_sql.database.host import Host
from msd_sql.database.spark_host import SparkHost, spark_sql
from msd_sql.engines.binding import bound
from msd_sql.engines.build import only_counts
from msd_sql.engines.candidates import Candidates
from msd_sql.engines.choice import check_engine, check_home
from msd_sql.engines.memory.best_match import match_steps as match_reads
from msd_sql.engines.memory.coverage import read_steps
from msd_sql.engines.similarity_steps import matched
from msd_sql.engines.sql.best_match import match_steps
from msd_sql.engines.sql.coverage import greedy_steps
from msd_sql.engines.steps import Step

AUTO_TOLD = "auto: memory (the steps below) while its index fits into half of memory_limit, else sql"


@dataclass(frozen=True)
class EnginePlan:
    """What would run, for `msd_explain`: public names and statements, no figure of the private relation."""

    engine: str
    steps: tuple[Step, ...]
    dialect: str = "duckdb"

    def shown(self, step: Step) -> str:
        """A step as the engine runs it."""
        return spark_sql(step.sql()) if self.dialect == "spark" else step.sql()


def describe(
    host: Host,
    protected: Protected,
    candidates: Candidates,
    *,
    cap: int | None = None,
    engine: str = "auto",
    items: Items | None = None,
    public: Host | None = None,
) -> EnginePlan:
    """Tell the engine that `build` would take and its statements; reads column types, no row and no statistics.

    Which engine `auto` takes depends on how many rows the relation has, which is private: it is not told.

    >>> [step.name for step in describe(host, purchases, three_products, engine="sql").steps]
    ['pairs', 'totals', 'chosen', 'full', 'losses']
    """
    check_home(protected, engine)
    if isinstance(host, SparkHost):
        from msd_sql.engines.spark.build import steps_in_spark

        steps = steps_in_spark(host, public or host, protected, candidates, cap=cap or protected.cap, items=items)
        return EnginePlan("spark", steps, "spark")
    chosen = AUTO_TOLD if check_engine(engine) == "auto" else engine
    if protected.relevance == "best_match":
        with matched(host, protected, candidates, items) as matching:
            if chosen != "sql":
                return EnginePlan(chosen, match_reads(matching))
            return EnginePlan(chosen, tuple(match_steps(matching)))
    with bound(host, protected, candidates, look_up=chosen != "sql") as binding:
        if chosen != "sql" or only_counts(protected):
            return EnginePlan(chosen, tuple(read_steps(host, binding)))
        return EnginePlan(chosen, tuple(greedy_steps(binding, cap or protected.cap)))
