"""The memory engine for best_match: every similarity above 0 as one 64-bit key, sorted in place (see `memory`)."""

from __future__ import annotations

import numpy as np
from sqlglot import exp

from msd_sql.engines.matching import Matching
from msd_sql.engines.memory import read_keys
from msd_sql.engines.steps import Names, Step, step
from msd_sql.engines.workspace import Workspace
from msd_sql.host import Host
from msd_sql.udfs.best_match import BestMatchIndex
from msd_sql.udfs.packed import VALUE_BITS, item_bits

KEYS = "SELECT (x * $width + i) * $room + q AS key FROM similar"

_FIRST = 1 << 20  # keys to make room for before any are read


def match_keys_step(matching: Matching) -> Step:
    """Pack every pair into a key, the pairs with similarity 0 included.

    They are dropped as they arrive: a filter on the similarity would make DuckDB compute it twice.
    """
    names = Names({"similar": exp.Subquery(this=matching.similar.query)})
    return step("keys", KEYS, names, width=1 << item_bits(matching.n), room=1 << VALUE_BITS)


def match_index(host: Host, matching: Matching) -> BestMatchIndex:
    """Read the similarities of the candidates into an index."""
    workspace = Workspace(host, matching.label, matching.serial)
    try:
        for kept in matching.kept:
            workspace.prepare(kept)
        weights = None
        if matching.weights is not None:
            found = workspace.read(matching.weights)
            weights = np.zeros(len(found["x"]), np.int64)
            weights[found["x"]] = found["w"]
        keys = read_keys(host, match_keys_step(matching), matching.label, _FIRST, value_bits=VALUE_BITS)
        return BestMatchIndex.from_keys(keys, matching.n, weights)
    finally:
        workspace.close()
