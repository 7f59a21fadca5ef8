"""A table of similarities tells what lists of them tell: the same marginals, whatever is picked or swapped."""

from __future__ import annotations

import duckdb
import numpy as np
import pytest

from msd_sql.engines.similarity_steps import QUANTISED
from msd_sql.engines.steps import fill
from msd_sql.udfs.relevance import dense_best_match, similarity_table
from msd_sql.udfs.relevance.best_match import BestMatch, BestMatchIndex
from msd_sql.udfs.relevance.dense_best_match import DenseBestMatch, DenseBestMatchIndex
from msd_sql.udfs.relevance.similarity_table import filled, in_steps
from msd_sql.udfs.types import ONE

UNITS, N = 80, 13


def both(seed: int) -> tuple[BestMatchIndex, DenseBestMatchIndex]:
    rng = np.random.default_rng(seed)
    table = rng.integers(0, (1 << 20) + 1, (UNITS, N))
    table[rng.random((UNITS, N)) < 0.4] = 0
    table[3], table[4] = 0, 1 << 20  # one who is like nothing, one who is like everything
    weights = rng.integers(1, 9, UNITS)
    unit, item = np.nonzero(table)
    mixed = rng.permutation(len(unit))
    parts = [(unit[part], item[part], table[unit[part], item[part]] / ONE) for part in np.array_split(mixed, 5)]
    dense = DenseBestMatchIndex.from_blocks(parts, N, weights)
    assert dense.table.tolist() == table.T.tolist()
    return BestMatchIndex.from_triples(unit, item, table[unit, item], N, weights), dense


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize(("cells", "together", "large"), [(1 << 18, 512, 1 << 22), (30, 7, 1 << 22), (1 << 18, 7, 1)])
@pytest.mark.parametrize("seed", range(4))
def test_marginals_are_those_of_lists(monkeypatch, seed, cells, together, large, exact):
    monkeypatch.setattr(dense_best_match, "_CELLS", cells)
    monkeypatch.setattr(dense_best_match, "_UNITS", together)
    monkeypatch.setattr(dense_best_match, "_LARGE", large)  # 1: in two threads
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
@pytest.mark.parametrize("cells", [1 << 16, 33])
def test_similarities_are_written_alike_in_runs_and_one_by_one(monkeypatch, run, cells):
    monkeypatch.setattr(similarity_table, "_RUN", run)
    monkeypatch.setattr(similarity_table, "_CELLS", cells)
    table = np.random.default_rng(5).integers(0, ONE + 1, (N, UNITS))
    item, unit = np.divmod(np.arange(N * UNITS), UNITS)
    parts = np.array_split(np.arange(N * UNITS), 7)[::-1]  # blocks come in any order, and end anywhere
    blocks = [(unit[part], item[part], table.reshape(-1)[part] / ONE) for part in parts]
    assert filled(blocks, N, UNITS).tolist() == table.tolist()


def test_what_cannot_be_written_is_not_passed_over():
    with pytest.raises(IndexError):
        filled([(np.array([UNITS]), np.array([0]), np.array([0.5]))], N, UNITS)


def test_without_units_nothing_is_lost():
    index = DenseBestMatchIndex.from_blocks([], 3, np.zeros(0, np.int64))
    relevance = DenseBestMatch(index, 1)
    relevance.add(1)
    assert (relevance.gains().tolist(), relevance.value()) == ([0, 0, 0], 0)


def test_similarities_are_rounded_as_sql_rounds_them():
    halves = (np.arange(0, 40) + 0.5) / ONE
    whole = np.concatenate([halves, np.random.default_rng(1).random(2000) * 1.1, np.arange(3) / ONE, [1.0, 0.5 / ONE]])
    near = [np.nextafter(whole, -1.0), whole, np.nextafter(whole, 2.0)]
    odd = [np.nan, np.inf, -np.inf, -0.0, 5e-324, 1e308, -1e308, 1.0 + 0.4 / ONE]
    numbers = np.concatenate([*near, odd])
    with duckdb.connect() as con:
        con.register("numbers", {"s": numbers})
        found = con.execute(f"SELECT {fill(QUANTISED, {'similarity': 's', 'one': ONE})} FROM numbers").fetchnumpy()
    assert in_steps(numbers).tolist() == found["q"].tolist()


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("large", [1, 1 << 22])
@pytest.mark.parametrize("alike", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_losses_are_by_definition_whether_neighbours_are_alike_or_not(monkeypatch, seed, alike, large, exact):
    monkeypatch.setattr(dense_best_match, "_UNITS", 16)
    monkeypatch.setattr(dense_best_match, "_LARGE", large)
    monkeypatch.setattr(dense_best_match, "_EXACT", (1 << 33) if exact else 0)
    rng = np.random.default_rng(seed)
    places = np.linspace(0, 1, 300) if alike else rng.random(300)
    near = np.clip(1 - 8 * np.abs(places[None, :] - np.linspace(0, 1, 40)[:, None]), 0, 1)
    index = DenseBestMatchIndex((near * ONE).astype(np.int32), rng.integers(1, 9, 300))
    ways = []
    for way in ("_losses_of_neighbours", "_losses_of_units"):
        real = getattr(DenseBestMatchIndex, way)
        monkeypatch.setattr(
            DenseBestMatchIndex, way, lambda *given, real=real, way=way: (ways.append(way), real(*given))[1]
        )
    before = np.zeros(300, np.int32)
    for pick in (20, 3, 30, 21):
        after = np.maximum(before, index.table[pick])
        clipped = np.clip(index.table, before, after).astype(np.int64) - before
        assert index.losses(before, after).tolist() == (clipped @ index.weights).tolist()
        before = after
    assert set(ways) == {"_losses_of_neighbours" if alike else "_losses_of_units"}
