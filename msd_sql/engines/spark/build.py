"""The spark engine: what `engines.build` and `engines.describe` do for a relation of a Spark session."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from msd_sql.catalog.declarations import Items, Protected
from msd_sql.database.host import Host
from msd_sql.database.spark_host import SparkHost
from msd_sql.engines.binding import bound, is_exact
from msd_sql.engines.candidates import Candidates
from msd_sql.engines.candidates_union import side_by_side, union
from msd_sql.engines.memory import coverage
from msd_sql.engines.spark.best_match import SparkBestMatch, match_steps
from msd_sql.engines.spark.coverage import SparkCoverage, coverage_steps
from msd_sql.engines.spark.key_types import readable_candidates
from msd_sql.engines.spark.similarity_steps import matched
from msd_sql.engines.spark.workspace import SparkWorkspace
from msd_sql.engines.steps import Step
from msd_sql.udfs.relevance.coverage import Coverage
from msd_sql.udfs.relevance.coverage_of_groups import CoverageOfGroups
from msd_sql.udfs.types import Relevance, RelevanceOfGroups


def build_in_spark(
    host: SparkHost,
    public: Host,
    protected: Protected,
    candidates: Candidates,
    *,
    k: int,
    cap: int,
    items: Items | None = None,
) -> Relevance:
    """The relevance of the candidates over a relation of Spark; `public` is the database of the items relation."""
    if protected.relevance == "best_match":
        with matched(host, public, protected, candidates, items) as matching:
            return SparkBestMatch(SparkWorkspace(host, protected.name, matching.serial), matching, protected.m)
    with bound(host, protected, readable_candidates(candidates)) as binding:
        if protected.unit is None:  # every row is a unit of its own: counts per item are all there is
            return Coverage(coverage.coverage_index(host, binding), protected.m, k, cap)
        return SparkCoverage(SparkWorkspace(host, protected.name, binding.serial), binding, protected.m, cap)


def groups_in_spark(
    host: SparkHost, protected: Protected, groups: Sequence[Candidates], *, cap: int
) -> RelevanceOfGroups | None:
    """The coverage of many groups' candidates, in one projection; None where each has to be asked about alone."""
    everything = union(groups)
    if everything is None:
        return None
    if protected.unit is None:
        with bound(host, protected, readable_candidates(everything.candidates)) as binding:
            counted = coverage.coverage_index(host, binding)
        sizes = np.array([group.n for group in groups], dtype=np.int64)
        index = counted.of_groups(everything.places, sizes) if is_exact(everything.candidates.type) else None
        return None if index is None else CoverageOfGroups(index, cap)
    listed, group_of = side_by_side(groups)
    with bound(host, protected, readable_candidates(listed), groups=group_of) as binding:
        return SparkCoverage(SparkWorkspace(host, protected.name, binding.serial), binding, protected.m, cap)


def steps_in_spark(
    host: SparkHost, public: Host, protected: Protected, candidates: Candidates, *, cap: int, items: Items | None = None
) -> tuple[Step, ...]:
    """The statements that `build_in_spark` and a greedy run would run; column types are read, no row is."""
    if protected.relevance == "best_match":
        with matched(host, public, protected, candidates, items) as matching:
            return tuple(match_steps(SparkWorkspace(host, protected.name, matching.serial), matching))
    with bound(host, protected, readable_candidates(candidates)) as binding:
        if protected.unit is None:
            return (coverage.counts_step(binding),)
        return tuple(coverage_steps(SparkWorkspace(host, protected.name, binding.serial), binding, cap))
