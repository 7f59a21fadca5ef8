"""The memory engine for best_match: a table where every row is a unit, else lists of the similarities above 0.

A table takes similarities as they are computed, and rounds them itself: in SQL that takes longer than to compute them.
For a list every similarity above 0 is one 64-bit key, sorted in place (see `coverage`).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from msd_sql.database.host import Host
from msd_sql.database.private_reads import private
from msd_sql.database.sql_text import quote
from msd_sql.engines.memory.coverage import gathered
from msd_sql.engines.similarity_steps import Crossed, Matching
from msd_sql.engines.steps import Names, Step, nested, step
from msd_sql.engines.workspace import Workspace
from msd_sql.udfs.relevance.best_match import BestMatchIndex
from msd_sql.udfs.relevance.dense_best_match import DenseBestMatchIndex
from msd_sql.udfs.relevance.packed_pairs import VALUE_BITS, item_bits
from msd_sql.udfs.types import IntArray

KEYS = "SELECT (x * {width} + i) * {room} + q AS key FROM {similar} AS s"
COMPARED = "SELECT r.x AS x, v.i AS i, {similarity} AS s FROM {points} AS r CROSS JOIN {items} AS v{holding}"
# Points that are most like the same of some items stand side by side, so that neighbours are alike.
NEIGHBOURS = """
SELECT CAST(ROW_NUMBER() OVER () - 1 AS INT) AS x, * EXCLUDE (x, near, most)
FROM (
  SELECT * FROM {points} AS points
  LEFT JOIN (SELECT x, ARG_MAX(i, s) AS near, MAX(s) AS most FROM {compared} AS compared GROUP BY x) AS told USING (x)
  ORDER BY near, most DESC
) AS sorted
"""
WEIGHTS = "SELECT x, w FROM {points} AS points"

_SOME = 32  # items that tell which points are alike
_MANY = 8 * _SOME  # items for which that pays


def match_steps(matching: Matching) -> tuple[Step, ...]:
    """The statements that read the similarities of the candidates into an index, in their order."""
    if matching.crossed is None:
        return (*matching.kept, _keys_step(matching))
    return (*matching.kept, *_table_steps(matching, matching.crossed))


def match_index(host: Host, matching: Matching) -> BestMatchIndex | DenseBestMatchIndex:
    """Read the similarities of the candidates into an index."""
    workspace = Workspace(host, matching.label, matching.serial)
    *kept, read = match_steps(matching)
    try:
        for one in kept:
            if one.into is not None:
                workspace.prepare(one)
        with private(matching.label):
            if matching.crossed is None:
                return BestMatchIndex.from_keys(gathered(_similar(host, read)), matching.n)
            found = workspace.read(kept[-1])
            weights = np.zeros(len(found["x"]), np.int64)
            weights[found["x"]] = found["w"]
            compared = ((block["x"], block["i"], block["s"]) for block in host.blocks(read.sql()))
            return DenseBestMatchIndex.from_blocks(compared, matching.n, weights)
    finally:
        workspace.close()


def _keys_step(matching: Matching) -> Step:
    """Pack every pair into a key, the pairs with similarity 0 included.

    They are dropped as they arrive: a filter on the similarity would make DuckDB compute it twice.
    """
    names = Names({"similar": nested(matching.similar.query)})
    return step("keys", KEYS, names, width=1 << item_bits(matching.n), room=1 << VALUE_BITS)


def _table_steps(matching: Matching, crossed: Crossed) -> Iterator[Step]:
    points = crossed.points
    if matching.n >= _MANY:
        some = nested(f"SELECT * FROM {crossed.items} AS items WHERE i % {matching.n // _SOME} = 0")
        compared = nested(_compared_step(crossed, points, some).query)
        into = matching.temp("neighbours")
        yield step("neighbours", NEIGHBOURS, Names({"points": points, "compared": compared})).kept(into)
        points = quote(into)
    yield step("weights", WEIGHTS, Names({"points": points}))
    yield _compared_step(crossed, points, crossed.items)


def _compared_step(crossed: Crossed, points: str, items: str) -> Step:
    told = {"similarity": crossed.similarity, "holding": crossed.holding}
    return step("compared", COMPARED, Names({"points": points, "items": items}), **told)


def _similar(host: Host, keys: Step) -> Iterator[IntArray]:
    for block in host.blocks(keys.sql()):
        part = block["key"]
        yield part[(part & ((1 << VALUE_BITS) - 1)) > 0]
