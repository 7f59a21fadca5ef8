"""Coverage in Spark: the sql engine's steps over the cached pairs; the chosen units are a filter, not a table."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from msd_sql.engines.binding import Binding
from msd_sql.engines.spark.recount import Recounted
from msd_sql.engines.spark.workspace import SparkWorkspace, among, slots
from msd_sql.engines.sql.coverage import AT_CAP, HELD, KEPT, REACHED, SHARED, TOTALS, pairs_step, scattered
from msd_sql.engines.steps import Step, nested
from msd_sql.udfs.types import IntArray

# The (slot, unit) pairs of all picks, which the sql engine keeps in a table of its own.
CHOSEN = "SELECT {slot} AS slot, unit FROM {pairs} AS pairs WHERE {picked}"


class SparkCoverage(Recounted):
    """Coverage whose units never leave Spark; the same marginals as the memory engine's, to the last unit."""

    bits = 0

    def __init__(self, workspace: SparkWorkspace, binding: Binding, m: int, cap: int) -> None:
        self.n, self.cap, self.units, self.binary = binding.n, cap, m * cap, cap == 1
        bought, pairs = projection(binding)
        workspace.spread("bought", bought, "unit")
        workspace.keep("pairs", workspace.step("pairs", pairs), "unit")
        super().__init__(workspace, self._per_item(workspace, workspace.step("totals", TOTALS)))

    def count_gains(self) -> IntArray:
        """Per candidate: its units below their cap."""
        return self.totals - self._per_item(self.workspace, at_cap_step(self.workspace, self.picks, self.cap))

    def count_value(self) -> int:
        """Count what the picks reach."""
        found = self.workspace.read(reached_step(self.workspace, self.picks, self.cap))["units"]
        return 0 if np.ma.is_masked(found) else int(found[0])

    def count_swaps(self, sample: IntArray) -> IntArray:
        """value(S - u + v) - value(S) = #{x∋v: t<cap} - #{x∋u: t≤cap} + #{x∋u,v: t=cap}; t: the picks that x has."""
        found = self.workspace.read(swaps_step(self.workspace, self.picks, self.cap, self.listed(sample)))
        table = np.zeros((len(self.picks) + 1, self.n + 1), np.int64)  # the last row: slot -1; the last column: kept
        table[found["slot"], found["i"]] = found["units"]
        shared, loss = table[:, sample], table[:-1, -1]
        found_swaps: IntArray = shared[:-1] + (self.totals[sample] - shared[-1])[None, :] - loss[:, None]
        return found_swaps

    def _per_item(self, workspace: SparkWorkspace, query: Step) -> IntArray:
        found = workspace.read(query)
        return scattered(found["i"], found["units"], self.n)


def projection(binding: Binding) -> tuple[Step, str]:
    """The step `pairs` in two: what the candidates' purchases are, divided by unit, and which of them are distinct.

    Rows that are divided by unit first need no second exchange to become distinct.
    """
    bought = pairs_step(binding).query.replace("SELECT DISTINCT ", "SELECT ", 1)
    return Step("bought", bought), "SELECT DISTINCT i, unit FROM {bought} AS bought"


def chosen_step(workspace: SparkWorkspace, picks: list[int]) -> Step:
    """The units of the picks."""
    slot, picked = slots(picks)
    return workspace.step("chosen", CHOSEN, slot=slot, picked=picked)


def taken_step(workspace: SparkWorkspace, picks: list[int]) -> Step:
    """The units of the picks, whatever their slots: a thousand groups have thousands of picks."""
    return workspace.step("chosen", CHOSEN, slot=0, picked=among("i", picks))


def at_cap_step(workspace: SparkWorkspace, picks: list[int], cap: int) -> Step:
    """Per candidate: its units that no further pick can add to."""
    return workspace.step("at_cap", AT_CAP, over={"chosen": taken_step(workspace, picks)}, cap=cap)


def reached_step(workspace: SparkWorkspace, picks: list[int], cap: int) -> Step:
    """The value of the picks."""
    return workspace.step("reached", REACHED, over={"chosen": taken_step(workspace, picks)}, cap=cap)


def swaps_step(workspace: SparkWorkspace, picks: list[int], cap: int, sample: list[int] | None) -> Step:
    """The steps `shared` and `kept` in one statement; the rows of the latter have i = -1."""
    chosen = chosen_step(workspace, picks)
    held = workspace.step("held", HELD, over={"chosen": chosen}, cap=cap)
    shared = workspace.step("shared", SHARED, over={"held": held}, sample=("pairs", sample), sampled="")
    kept = workspace.step("kept", KEPT, over={"chosen": chosen}, cap=cap)
    return Step("swaps", f"{shared.query} UNION ALL SELECT -1 AS i, slot, units FROM {nested(kept.query)} AS kept")


def coverage_steps(workspace: SparkWorkspace, binding: Binding, cap: int) -> Iterator[Step]:
    """Show the statements of a greedy run's first two rounds, for `msd_explain`: nothing is run."""
    bought, pairs = projection(binding)
    yield bought
    yield workspace.step("pairs", pairs)
    yield workspace.step("totals", TOTALS)
    yield at_cap_step(workspace, [0], cap)
