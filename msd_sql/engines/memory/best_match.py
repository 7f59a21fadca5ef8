"""The memory engine for best_match: every similarity above 0 as one 64-bit key, sorted in place (see `memory`)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from msd_sql.database.host import Host
from msd_sql.database.private_reads import private
from msd_sql.engines.memory.coverage import gathered
from msd_sql.engines.similarity_steps import Matching
from msd_sql.engines.steps import Names, Step, nested, step
from msd_sql.engines.workspace import Workspace
from msd_sql.udfs.relevance.best_match import BestMatchIndex
from msd_sql.udfs.relevance.dense_best_match import DenseBestMatchIndex
from msd_sql.udfs.relevance.packed_pairs import VALUE_BITS, item_bits
from msd_sql.udfs.types import IntArray

KEYS = "SELECT (x * {width} + i) * {room} + q AS key FROM {similar} AS s"


def match_keys_step(matching: Matching) -> Step:
    """Pack every pair into a key, the pairs with similarity 0 included.

    They are dropped as they arrive: a filter on the similarity would make DuckDB compute it twice.
    """
    names = Names({"similar": nested(matching.similar.query)})
    return step("keys", KEYS, names, width=1 << item_bits(matching.n), room=1 << VALUE_BITS)


def match_index(host: Host, matching: Matching) -> BestMatchIndex | DenseBestMatchIndex:
    """Read the similarities of the candidates into an index: a table where every row of the relation is a unit."""
    workspace = Workspace(host, matching.label, matching.serial)
    try:
        for kept in matching.kept:
            workspace.prepare(kept)
        weights = None
        if matching.weights is not None:
            found = workspace.read(matching.weights)
            weights = np.zeros(len(found["x"]), np.int64)
            weights[found["x"]] = found["w"]
        with private(matching.label):
            if weights is not None and not matching.repeats:
                every = (block["key"] for block in host.blocks(match_keys_step(matching).sql()))
                return DenseBestMatchIndex.from_keys(every, matching.n, weights)
            keys = gathered(_similar(host, match_keys_step(matching)))
        return BestMatchIndex.from_keys(keys, matching.n, weights)
    finally:
        workspace.close()


def _similar(host: Host, keys: Step) -> Iterator[IntArray]:
    for block in host.blocks(keys.sql()):
        part = block["key"]
        yield part[(part & ((1 << VALUE_BITS) - 1)) > 0]
