"""The sql engine for best_match: the similarities stay in the database, one integer a candidate comes back.

`matches` are the similarities above 0, (x, i, w, q), and `picked` those of the picks. A pick suits some units `better`
than all before it, and what those had above their old best match is lost to all items (`losses`). For swaps, `tops`
holds every unit's two best matches among the picks and the slot of the best.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from msd_sql.database.sql_text import quote
from msd_sql.engines.similarity_steps import Matching
from msd_sql.engines.sql.coverage import scattered
from msd_sql.engines.steps import Names, Step, nested, step
from msd_sql.engines.workspace import Workspace
from msd_sql.udfs.types import FRACTION_BITS, IntArray

MATCHES = "SELECT x, CAST(i AS INT) AS i, w, CAST(q AS INT) AS q FROM {similar} AS s WHERE q > 0"
HIGHEST = """
SELECT x, CAST(i AS INT) AS i, MAX(w) AS w, CAST(MAX(q) AS INT) AS q FROM {similar} AS s WHERE q > 0 GROUP BY x, i
"""
TOTALS = "SELECT i, CAST(SUM(w * q) AS BIGINT) AS total FROM {matches} AS matches GROUP BY i"
PICKED = "SELECT {slot} AS slot, x, w, q FROM {matches} AS matches WHERE i = {item}"
BETTER = """
SELECT matches.x AS x, COALESCE(best.b, 0) AS old, matches.q AS new
FROM {matches} AS matches
LEFT JOIN (SELECT x, MAX(q) AS b FROM {picked} AS picked GROUP BY x) AS best ON matches.x = best.x
WHERE matches.i = {item} AND matches.q > COALESCE(best.b, 0)
"""
LOSSES = """
SELECT matches.i AS i, CAST(SUM(matches.w * (LEAST(matches.q, better.new) - better.old)) AS BIGINT) AS total
FROM {matches} AS matches JOIN {better} AS better ON matches.x = better.x
WHERE matches.q > better.old
GROUP BY matches.i
"""
REPLACED = """
SELECT slot, x, w, q FROM {picked} AS picked WHERE slot <> {slot}
UNION ALL
SELECT {slot} AS slot, x, w, q FROM {matches} AS matches WHERE i = {item}
"""
# The highest (its slot: the first of equals) and the second highest similarity of every unit to a pick.
TOPS = """
SELECT x, MAX(w) AS w, MAX(CASE WHEN nth = 1 THEN slot END) AS slot, MAX(CASE WHEN nth = 1 THEN q END) AS b,
  COALESCE(MAX(CASE WHEN nth = 2 THEN q END), 0) AS second
FROM (
  SELECT x, w, slot, q, ROW_NUMBER() OVER (PARTITION BY x ORDER BY q DESC, slot) AS nth FROM {picked} AS picked
) AS ranked
WHERE nth <= 2
GROUP BY x
"""
LOST = "SELECT slot, CAST(SUM(w * (b - second)) AS BIGINT) AS total FROM {tops} AS tops GROUP BY slot"
GAINED = """
SELECT matches.i AS i, CAST(SUM(matches.w * GREATEST(matches.q - COALESCE(tops.b, 0), 0)) AS BIGINT) AS total
FROM {matches} AS matches LEFT JOIN {tops} AS tops ON matches.x = tops.x
GROUP BY matches.i
"""
BACK = """
SELECT matches.i AS i, COALESCE(tops.slot, -1) AS slot,
  CAST(SUM(matches.w * GREATEST(matches.q - COALESCE(tops.b, 0), 0)) AS BIGINT) AS gain,
  CAST(SUM(matches.w * (LEAST(GREATEST(matches.q, tops.second), tops.b) - tops.second)) AS BIGINT) AS back
FROM {matches} AS matches {sampled} LEFT JOIN {tops} AS tops ON matches.x = tops.x
GROUP BY matches.i, tops.slot
"""
REACHED = "SELECT CAST(SUM(w * b) AS BIGINT) AS total FROM {tops} AS tops"


class SqlBestMatch:
    """best_match whose units never leave the database; the same marginals as the memory engine's, to the last bit.

    With b and b' a unit's highest and second highest similarity to a pick and s its similarity to v:
    gain[v] = Σ max(0, s-b); over the units whose highest is u's, loss[u] = Σ b-b', back[u, v] = Σ clip(s, b', b) - b'.
    """

    bits = FRACTION_BITS
    cap = 1
    private = True
    binary = False

    def __init__(self, workspace: Workspace, matching: Matching, m: int) -> None:
        self._workspace = workspace
        self.n, self.units = matching.n, m
        for kept in matching.kept:
            workspace.prepare(kept)
        workspace.prepare(matches_step(matching))
        workspace.drop(*[kept.name for kept in matching.kept])
        self._first_gains = self._per_item("totals", TOTALS)
        self._picks: list[int] = []
        self._gain: IntArray | None = self._first_gains.copy()  # None: to be counted again, after a swap
        self._value: int | None = 0

    def gains(self) -> IntArray:
        """Marginal of every candidate, in multiples of 2^-20."""
        if self._gain is None:
            self._rank()
            self._gain = self._per_item("gained", GAINED)
        return self._gain.copy()

    def value(self) -> int:
        """Sum up the units' best matches, in multiples of 2^-20."""
        if self._value is None:
            self._rank()
            found = self._workspace.read(self._workspace.step("reached", REACHED))["total"]
            self._value = 0 if np.ma.is_masked(found) else int(found[0])
        return self._value

    def add(self, item: int) -> None:
        """Append a pick: only units that it suits better than all before change their marginals."""
        gain, value = self.gains(), self.value()
        if not self._picks:
            self._workspace.renew("picked", self._workspace.step("picked", PICKED, slot=-1, item=-1))  # nothing yet
        self._workspace.renew("better", self._workspace.step("better", BETTER, item=item))
        self._gain = gain - self._per_item("losses", LOSSES)
        self._value = value + int(gain[item])
        self._workspace.grow("picked", self._workspace.step("picked", PICKED, slot=len(self._picks), item=item))
        self._picks.append(item)
        self._workspace.drop("tops")

    def swap_gains(self, sample: IntArray) -> IntArray:
        """value(S - u + v) - value(S) = gain[v] - loss[u] + back[u, v]."""
        if not self._picks:
            return np.zeros((0, len(sample)), np.int64)
        self._rank()
        lost = self._workspace.read(self._workspace.step("lost", LOST))
        loss = scattered(lost["slot"], lost["total"], len(self._picks))
        with self._workspace.public("sample", {"i": sample.astype(np.int32)}):
            found = self._workspace.read(self._workspace.step("back", BACK, sampled=self._workspace.sampled("matches")))
        gain = np.zeros(self.n, np.int64)
        np.add.at(gain, found["i"], found["gain"])
        back = np.zeros((len(self._picks) + 1, self.n), np.int64)  # the last row: units that no pick is similar to
        back[found["slot"], found["i"]] = np.ma.filled(found["back"], 0)
        table: IntArray = back[:-1, sample] + gain[sample][None, :] - loss[:, None]
        return table

    def swap(self, slot: int, item: int) -> None:
        """Replace one pick."""
        self._workspace.renew("picked", self._workspace.step("replaced", REPLACED, slot=slot, item=item))
        self._picks[slot] = item
        self._gain, self._value = None, None
        self._workspace.drop("tops")

    def clear(self) -> None:
        """Forget the picks; the similarities stay."""
        self._workspace.drop("better", "picked", "tops")
        self._picks, self._gain, self._value = [], self._first_gains.copy(), 0

    def close(self) -> None:
        """Drop every temp relation."""
        self._workspace.close()

    def _rank(self) -> None:
        if not self._workspace.holds("tops"):
            self._workspace.renew("tops", self._workspace.step("tops", TOPS))

    def _per_item(self, name: str, text: str) -> IntArray:
        found = self._workspace.read(self._workspace.step(name, text))
        return scattered(found["i"], found["total"], self.n)


def matches_step(matching: Matching) -> Step:
    """Keep the similarities above 0; of a unit's several rows the highest."""
    names = Names({"similar": nested(matching.similar.query)})
    return step("matches", HIGHEST if matching.repeats else MATCHES, names).kept(matching.temp("matches"))


def match_steps(matching: Matching) -> Iterator[Step]:
    """Show the statements of a greedy run's first round, for `msd_explain`: nothing is run."""
    kept = ("matches", "picked", "better")
    names = Names({name: quote(matching.temp(name)) for name in kept})
    yield from matching.kept
    yield matches_step(matching)
    yield step("totals", TOTALS, names)
    yield step("picked", PICKED, names, slot=0, item=0).kept(matching.temp("picked"))
    yield step("better", BETTER, names, item=0).kept(matching.temp("better"))
    yield step("losses", LOSSES, names)
