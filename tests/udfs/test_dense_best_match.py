"""A table of similarities tells what lists of them tell: the same marginals, whatever is picked or swapped."""

from __future__ import annotations

import numpy as np
import pytest

from msd_sql.udfs.relevance import dense_best_match
from msd_sql.udfs.relevance.best_match import BestMatch, BestMatchIndex
from msd_sql.udfs.relevance.dense_best_match import DenseBestMatch, DenseBestMatchIndex
from msd_sql.udfs.relevance.packed_pairs import VALUE_BITS, item_bits

UNITS, N = 80, 13


def both(seed: int) -> tuple[BestMatchIndex, DenseBestMatchIndex]:
    rng = np.random.default_rng(seed)
    table = rng.integers(0, (1 << 20) + 1, (UNITS, N))
    table[rng.random((UNITS, N)) < 0.4] = 0
    table[3], table[4] = 0, 1 << 20  # one who is like nothing, one who is like everything
    weights = rng.integers(1, 9, UNITS)
    unit, item = np.nonzero(table)
    keys = (unit << item_bits(N) | item) << VALUE_BITS | table[unit, item]
    rng.shuffle(keys)
    dense = DenseBestMatchIndex.from_keys(np.array_split(keys, 5), N, weights)
    assert dense.table.tolist() == table.T.tolist()
    return BestMatchIndex.from_triples(unit, item, table[unit, item], N, weights), dense


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("cells", [1 << 18, 30])
@pytest.mark.parametrize("seed", range(4))
def test_marginals_are_those_of_lists(monkeypatch, seed, cells, exact):
    monkeypatch.setattr(dense_best_match, "_CELLS", cells)
    monkeypatch.setattr(dense_best_match, "_EXACT", (1 << 33) if exact else 0)
    lists, table = both(seed)
    assert table.total.tolist() == lists.total.tolist()
    rng = np.random.default_rng(seed)
    asked = np.append(rng.permutation(N)[:9], -1)  # an item that nobody is like
    for turn in range(3):  # the second time marginals are remembered
        one, other = BestMatch(lists, 200, asked), DenseBestMatch(table, 200, asked)
        for pick in ([5, 1, 9, 7], [5, 1, 7, 9], [2, 0, 9])[turn]:
            one.add(pick)
            other.add(pick)
            assert other.gains().tolist() == one.gains().tolist()
            assert other.value() == one.value()
        one.clear()
        other.clear()
        assert other.gains().tolist() == one.gains().tolist()


@pytest.mark.parametrize("seed", range(4))
def test_swaps_are_those_of_lists(seed):
    lists, table = both(seed)
    rng = np.random.default_rng(seed)
    one, other = BestMatch(lists, 200), DenseBestMatch(table, 200)
    for pick in (0, 4, 7):
        one.add(pick)
        other.add(pick)
    sample = np.array([1, 2, 3, 5, 6, 8, 9, 10, 11, 12])
    for _ in range(6):
        assert other.swap_gains(sample).tolist() == one.swap_gains(sample).tolist()
        slot, item = int(rng.integers(0, 3)), int(rng.choice(sample))
        one.swap(slot, item)
        other.swap(slot, item)
        assert other.value() == one.value()
        sample = np.setdiff1d(np.arange(N), one._picks)


def test_what_is_remembered_is_bounded(monkeypatch):
    monkeypatch.setattr(dense_best_match, "_REMEMBERED", 2 * 8 * (N + 1))
    _, table = both(1)
    relevance = DenseBestMatch(table, 200)
    for pick in range(5):
        relevance.add(pick)
        relevance.gains()
    assert len(table._after) == 2


@pytest.mark.parametrize("run", [1, 1000])
def test_similarities_are_written_alike_in_runs_and_one_by_one(monkeypatch, run):
    monkeypatch.setattr(dense_best_match, "_RUN", run)
    table = np.random.default_rng(5).integers(0, 1 << 20, (N, UNITS))
    item, unit = np.divmod(np.arange(N * UNITS), UNITS)
    keys = (unit << item_bits(N) | item) << VALUE_BITS | table.reshape(-1)
    parts = np.array_split(keys, 7)[::-1]  # blocks come in any order, and end anywhere
    assert DenseBestMatchIndex.from_keys(parts, N, np.ones(UNITS, np.int64)).table.tolist() == table.tolist()
