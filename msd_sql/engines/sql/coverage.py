"""The sql engine for coverage: the units stay in the database, one integer a candidate comes back.

`pairs` are the distinct (candidate, unit) pairs; `chosen` the (slot, unit) pairs of the picks. A pick brings some
units to their cap (`full`), and those stop counting for all their items (`losses`): one aggregate over the units of
one item, and one semi-join over the pairs.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from msd_sql.database.host import Column
from msd_sql.database.sql_text import quote
from msd_sql.engines.binding import Binding
from msd_sql.engines.steps import Names, Step, step
from msd_sql.engines.workspace import Workspace
from msd_sql.udfs.types import IntArray

PAIRS = """
SELECT DISTINCT CAST(c.i AS INT) AS i, {unit} AS unit
FROM {relation} AS r JOIN {candidates} AS c ON {r.item} = c.key
WHERE NOT {r.unit} IS NULL
"""
TOTALS = "SELECT i, COUNT(*) AS units FROM {pairs} AS pairs GROUP BY i"
CHOSEN = "SELECT {slot} AS slot, unit FROM {pairs} AS pairs WHERE i IN ({items})"
FULL = """
SELECT unit FROM {chosen} AS chosen
WHERE unit IN (SELECT unit FROM {pairs} AS pairs WHERE i IN ({items}))
GROUP BY unit HAVING COUNT(*) = {cap}
"""
LOSSES = """
SELECT i, COUNT(*) AS units FROM {pairs} AS pairs
WHERE unit IN (SELECT unit FROM {filled} AS filled)
GROUP BY i
"""
REPLACED = """
SELECT slot, unit FROM {chosen} AS chosen WHERE slot <> {slot}
UNION ALL
SELECT {slot} AS slot, unit FROM {pairs} AS pairs WHERE i = {item}
"""
# Units at their cap under every slot that they have, and all those at or above it under slot -1.
HELD = """
SELECT chosen.slot AS slot, chosen.unit AS unit
FROM {chosen} AS chosen
JOIN (SELECT unit FROM {chosen} AS chosen GROUP BY unit HAVING COUNT(*) = {cap}) AS tight ON chosen.unit = tight.unit
UNION ALL
SELECT -1 AS slot, unit FROM {chosen} AS chosen GROUP BY unit HAVING COUNT(*) >= {cap}
"""
SHARED = """
SELECT pairs.i AS i, held.slot AS slot, COUNT(*) AS units
FROM {pairs} AS pairs {sampled} JOIN {held} AS held ON pairs.unit = held.unit
GROUP BY pairs.i, held.slot
"""
AT_CAP = """
SELECT i, COUNT(*) AS units FROM {pairs} AS pairs
WHERE unit IN (SELECT unit FROM {chosen} AS chosen GROUP BY unit HAVING COUNT(*) >= {cap})
GROUP BY i
"""
KEPT = """
SELECT chosen.slot AS slot, COUNT(*) AS units
FROM {chosen} AS chosen
JOIN (SELECT unit FROM {chosen} AS chosen GROUP BY unit HAVING COUNT(*) <= {cap}) AS loose ON chosen.unit = loose.unit
GROUP BY chosen.slot
"""
REACHED = """
SELECT CAST(SUM(LEAST(picks, {cap})) AS BIGINT) AS units
FROM (SELECT COUNT(*) AS picks FROM {chosen} AS chosen GROUP BY unit) AS held
"""


class SqlCoverage:
    """Coverage whose units never leave the database; the same marginals as the memory engine's, to the last unit."""

    bits = 0
    private = True

    def __init__(self, workspace: Workspace, binding: Binding, m: int, cap: int) -> None:
        self._workspace = workspace
        self.n, self.cap, self.units, self.binary = binding.n, cap, m * cap, cap == 1
        workspace.prepare(pairs_step(binding))
        self._totals = self._per_item("totals", TOTALS)
        self._picks: list[int] = []
        self._gain: IntArray | None = self._totals.copy()  # None: to be counted again, after a swap
        self._value: int | None = 0

    def gains(self) -> IntArray:
        """Per candidate: its units below their cap."""
        if self._gain is None:
            self._gain = self._totals - self._per_item("at_cap", AT_CAP, cap=self.cap)
        return self._gain.copy()

    def value(self) -> int:
        """Count what the picks reach."""
        if self._value is None:
            found = self._workspace.read(self._workspace.step("reached", REACHED, cap=self.cap))["units"]
            self._value = 0 if np.ma.is_masked(found) else int(found[0])
        return self._value

    def add(self, item: int) -> None:
        """Append a pick: the units that it brings to their cap no longer count for their other items."""
        self.add_each(np.array([item]))

    def add_each(self, picks: IntArray) -> None:
        """Append picks of different groups: no unit has two of them. They share a slot, and are never swapped."""
        gain, value = self.gains(), self.value()
        items = ", ".join(str(pick) for pick in picks.tolist())
        chosen = self._workspace.step("chosen", CHOSEN, slot=len(self._picks), items=items)
        if self._picks:
            self._workspace.grow("chosen", chosen)
        else:
            self._workspace.renew("chosen", chosen)
        self._picks.extend(picks.tolist())
        self._workspace.renew("filled", self._workspace.step("full", FULL, items=items, cap=self.cap))
        self._gain = gain - self._per_item("losses", LOSSES)
        self._value = value + int(gain[picks].sum())
        self._workspace.drop("held")

    def swap_gains(self, sample: IntArray) -> IntArray:
        """value(S - u + v) - value(S) = #{x∋v: t<cap} - #{x∋u: t≤cap} + #{x∋u,v: t=cap}; t: the picks that x has."""
        if not self._picks:
            return np.zeros((0, len(sample)), np.int64)
        shared = self._shared(sample)
        kept = self._workspace.read(self._workspace.step("kept", KEPT, cap=self.cap))
        loss = scattered(kept["slot"], kept["units"], len(self._picks))
        table: IntArray = shared[:-1] + (self._totals[sample] - shared[-1])[None, :] - loss[:, None]
        return table

    def swap(self, slot: int, item: int) -> None:
        """Replace one pick."""
        self._workspace.renew("chosen", self._workspace.step("replaced", REPLACED, slot=slot, item=item))
        self._picks[slot] = item
        self._gain, self._value = None, None
        self._workspace.drop("held")

    def clear(self) -> None:
        """Forget the picks; the pairs stay."""
        self._workspace.drop("chosen", "filled", "held")
        self._picks, self._gain, self._value = [], self._totals.copy(), 0

    def close(self) -> None:
        """Drop every temp relation."""
        self._workspace.close()

    def _shared(self, sample: IntArray) -> IntArray:
        """Per slot and item of the sample: the item's units at their cap that the slot is one of the holders of.

        The last row counts the units at or above their cap.
        """
        if not self._workspace.holds("held"):
            self._workspace.renew("held", self._workspace.step("held", HELD, cap=self.cap))
        with self._workspace.public("sample", {"i": sample.astype(np.int32)}):
            found = self._workspace.read(
                self._workspace.step("shared", SHARED, sampled=self._workspace.sampled("pairs"))
            )
        table = np.zeros((len(self._picks) + 1, self.n), np.int64)
        table[found["slot"], found["i"]] = found["units"]
        return table[:, sample]

    def _per_item(self, name: str, text: str, **values: int) -> IntArray:
        found = self._workspace.read(self._workspace.step(name, text, **values))
        return scattered(found["i"], found["units"], self.n)


def pairs_step(binding: Binding) -> Step:
    """Keep the distinct (candidate, unit) pairs: the only step that reads the protected relation."""
    return step("pairs", PAIRS, binding.names).kept(binding.temp("pairs"))


def greedy_steps(binding: Binding, cap: int) -> Iterator[Step]:
    """Show the statements of a greedy run's first round, for `msd_explain`: nothing is run."""
    temps = {name: quote(binding.temp(name)) for name in ("pairs", "chosen", "filled")}
    names = Names({**binding.names.relations, **temps}, binding.names.expressions)
    yield pairs_step(binding)
    yield step("totals", TOTALS, names)
    yield step("chosen", CHOSEN, names, slot=0, items=0).kept(binding.temp("chosen"))
    yield step("full", FULL, names, items=0, cap=cap).kept(binding.temp("filled"))
    yield step("losses", LOSSES, names)


def scattered(at: Column, values: Column, n: int) -> IntArray:
    """Integers at their candidates, zero elsewhere."""
    found = np.zeros(n, np.int64)
    found[at] = values
    return found
