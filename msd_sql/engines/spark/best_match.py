"""best_match in Spark: the sql engine's steps over the cached similarities; the picks' matches are a filter."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from msd_sql.engines.spark.recount import Recounted
from msd_sql.engines.spark.similarity_steps import Matching
from msd_sql.engines.spark.workspace import SparkWorkspace, slots
from msd_sql.engines.sql.best_match import BACK, GAINED, HIGHEST, LOST, MATCHES, REACHED, TOPS, TOTALS
from msd_sql.engines.sql.coverage import scattered
from msd_sql.engines.steps import Step, nested
from msd_sql.udfs.types import FRACTION_BITS, IntArray

# The matches of all picks, which the sql engine keeps in a table of its own.
PICKED = "SELECT {slot} AS slot, x, w, q FROM {matches} AS matches WHERE {picked}"


class SparkBestMatch(Recounted):
    """best_match whose units never leave Spark; the same marginals as the memory engine's, to the last bit."""

    bits = FRACTION_BITS
    cap = 1
    binary = False

    def __init__(self, workspace: SparkWorkspace, matching: Matching, m: int) -> None:
        self.n, self.units = matching.n, m
        workspace.spread("divided", matching.divided, "x")
        workspace.keep("matches", matches_step(workspace, matching), "x")
        super().__init__(workspace, self._per_item(workspace, workspace.step("totals", TOTALS)))

    def count_gains(self) -> IntArray:
        """Marginal of every candidate, in multiples of 2^-20."""
        return self._per_item(self.workspace, gained_step(self.workspace, self.picks))

    def count_value(self) -> int:
        """Sum up the units' best matches, in multiples of 2^-20."""
        reached = self.workspace.step("reached", REACHED, over={"tops": tops_step(self.workspace, self.picks)})
        found = self.workspace.read(reached)["total"]
        return 0 if np.ma.is_masked(found) else int(found[0])

    def count_swaps(self, sample: IntArray) -> IntArray:
        """value(S - u + v) - value(S) = gain[v] - loss[u] + back[u, v], as in the sql engine."""
        found = self.workspace.read(swaps_step(self.workspace, self.picks, self.listed(sample)))
        gain, back = np.zeros(self.n + 1, np.int64), np.zeros((len(self.picks) + 1, self.n + 1), np.int64)
        np.add.at(gain, found["i"], found["gain"])
        back[found["slot"], found["i"]] = np.ma.filled(found["back"], 0)
        table: IntArray = back[:-1, sample] + gain[sample][None, :] - back[:-1, -1][:, None]
        return table

    def _per_item(self, workspace: SparkWorkspace, query: Step) -> IntArray:
        found = workspace.read(query)
        return scattered(found["i"], found["total"], self.n)


def matches_step(workspace: SparkWorkspace, matching: Matching) -> Step:
    """Keep the similarities above 0; of a unit's several rows the highest."""
    similar = Step("similar", matching.similar(workspace.relation("divided")))
    return workspace.step("matches", HIGHEST if matching.repeats else MATCHES, over={"similar": similar})


def tops_step(workspace: SparkWorkspace, picks: list[int]) -> Step:
    """Every unit's two best matches among the picks."""
    slot, chosen = slots(picks)
    return workspace.step("tops", TOPS, over={"picked": workspace.step("picked", PICKED, slot=slot, picked=chosen)})


def gained_step(workspace: SparkWorkspace, picks: list[int]) -> Step:
    """Per candidate: by how much it suits units better than the picks do."""
    return workspace.step("gained", GAINED, over={"tops": tops_step(workspace, picks)})


def swaps_step(workspace: SparkWorkspace, picks: list[int], sample: list[int] | None) -> Step:
    """The steps `back` and `lost` in one statement; the rows of the latter have i = -1 and their total under back."""
    tops = tops_step(workspace, picks)
    back = workspace.step("back", BACK, over={"tops": tops}, sample=("matches", sample), sampled="")
    lost = nested(workspace.step("lost", LOST, over={"tops": tops}).query)
    rows = f"SELECT -1 AS i, slot, CAST(0 AS BIGINT) AS gain, total AS back FROM {lost} AS lost"
    return Step("swaps", f"{back.query} UNION ALL {rows}")


def match_steps(workspace: SparkWorkspace, matching: Matching) -> Iterator[Step]:
    """Show the statements of a greedy run's first two rounds, for `msd_explain`: nothing is run."""
    yield matching.divided
    yield matches_step(workspace, matching)
    yield workspace.step("totals", TOTALS)
    yield gained_step(workspace, [0])
