"""The groups of a statement run together choose as each would alone: the same integers, the same draws, one pass."""

from __future__ import annotations

import numpy as np
import pytest

from msd_sql.udfs import L1, Coverage, CoverageIndex, InputError, Jaccard, SecretSource, Uniform, plan, select
from msd_sql.udfs.privacy.sampler import BLOCK, draw, draw_each, exact_weights
from msd_sql.udfs.relevance.coverage_of_groups import CoverageOfGroups
from msd_sql.udfs.selection_of_groups import alike, select_groups

SHARES = (0.0, 0.137, 0.5, 0.871, 0.999999)


class Share:
    """A source whose tickets follow from the totals alone, so that the order in which groups draw does not matter."""

    private = False

    def __init__(self, share: float) -> None:
        self._parts = int(share * 10**6)

    def randbelow(self, n: int) -> int:
        return n * self._parts // 10**6

    def sample(self, n: int, size: int) -> np.ndarray:
        return np.arange(size)


class Told:
    """A source of tickets that are told."""

    private = False

    def __init__(self, tickets: list[int]) -> None:
        self.tickets = tickets
        self.totals: list[int] = []

    def randbelow(self, n: int) -> int:
        self.totals.append(n)
        return self.tickets[len(self.totals) - 1] % n

    def sample(self, n: int, size: int) -> np.ndarray:
        return np.arange(size)


def shop(seed: int, n: int = 60, users: int = 200, purchases: int = 900) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.integers(0, n, purchases), rng.integers(0, users, purchases)


@pytest.mark.parametrize("seed", range(5))
def test_each_group_is_drawn_from_the_weights_of_its_own_draw(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 700, 40)
    scores = rng.integers(-(1 << 45), 1 << 45, sizes.sum())
    scores[rng.integers(0, len(scores), 30)] = rng.choice([-(1 << 62), 1 << 62], 30)
    etas = 2.0 ** rng.uniform(-40, 8, len(sizes))
    tickets = [int.from_bytes(rng.bytes(20), "little") for _ in sizes]
    parts = np.split(scores, np.cumsum(sizes)[:-1])
    together = Told(tickets)
    found = draw_each(scores, sizes, etas, together)
    for place, (part, eta) in enumerate(zip(parts, etas, strict=True)):
        assert together.totals[place] == sum(exact_weights(part, eta))
        assert found[place] == draw(part, eta, Told(tickets[place : place + 1]))


def test_groups_beyond_a_block_are_drawn_as_well() -> None:
    sizes = np.array([3, BLOCK + 5, 2, BLOCK - 1, BLOCK])
    scores = np.zeros(sizes.sum(), np.int64)
    wanted = [1, BLOCK + 2, 0, BLOCK - 2, 7]
    scores[np.cumsum(sizes) - sizes + wanted] = 1 << 40
    assert draw_each(scores, sizes, np.full(5, 1.0), SecretSource()).tolist() == wanted


def test_a_group_without_a_candidate_is_refused() -> None:
    with pytest.raises(InputError, match="no candidate"):
        draw_each(np.zeros(2, np.int64), np.array([2, 0]), np.ones(2), SecretSource())


@pytest.mark.parametrize("eta", [0.0, -1.0, np.nan, np.inf])
def test_an_eta_that_is_none_is_refused(eta: float) -> None:
    with pytest.raises(InputError, match="eta"):
        draw_each(np.zeros(3, np.int64), np.array([2, 1]), np.array([1.0, eta]), SecretSource())


@pytest.mark.parametrize("how", ["in order", "all", "some", "overlapping"])
@pytest.mark.parametrize("cap", [1, 2])
@pytest.mark.parametrize("seed", range(4))
def test_marginals_of_all_groups_are_those_of_each(seed: int, cap: int, how: str) -> None:
    rng = np.random.default_rng(seed)
    index = CoverageIndex.from_pairs(*shop(seed), n=60)
    groups = {
        "in order": np.split(np.arange(60), [9, 29, 34]),  # as an index is read for a statement
        "all": np.split(rng.permutation(60), [9, 29, 34]),
        "some": np.split(rng.permutation(60), [9, 29, 34])[:3],
        "overlapping": [rng.permutation(60)[:size] for size in (9, 20, 5)],
    }[how]
    groups[1] = np.insert(groups[1], 3, -1)  # an item that nobody has
    sizes = np.array([len(group) for group in groups])
    side_by_side = index.of_groups(np.concatenate(groups), sizes)
    assert side_by_side is not None
    together = CoverageOfGroups(side_by_side, cap)
    alone = [Coverage(index, 200, 5, cap, group) for group in groups]
    left = np.ones(sizes.sum(), np.bool_)  # what a picked item would bring once more is not asked for
    for turn in range(5):
        gains = np.concatenate([relevance.gains() for relevance in alone])
        assert together.gains()[left].tolist() == gains[left].tolist()
        for relevance in alone:
            relevance.add(turn)
        together.add_each(np.cumsum(sizes) - sizes + turn)
        left[np.cumsum(sizes) - sizes + turn] = False


def test_groups_that_share_too_many_items_are_not_put_side_by_side() -> None:
    index = CoverageIndex.from_pairs(*shop(1), n=60)
    codes, sizes = np.tile(np.arange(60), 50), np.full(50, 60)
    assert index.of_groups(codes, sizes, most=10_000) is None
    assert index.of_groups(codes, sizes) is not None


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("diversity", [0.0, 0.4, 0.9])
@pytest.mark.parametrize("sets", [True, False])
def test_groups_choose_together_what_each_chooses_alone(share: float, diversity: float, sets: bool) -> None:
    rng = np.random.default_rng(17)
    index = CoverageIndex.from_pairs(*shop(3), n=60)
    groups = np.split(rng.permutation(60), [9, 29, 34])
    sizes = np.array([len(group) for group in groups])

    def distance(size: int) -> Jaccard | L1:
        if not sets:
            return L1(rng.normal(size=(size, 2)))
        lengths = rng.integers(0, 4, size)  # some sets are empty
        return Jaccard(np.append(0, np.cumsum(lengths)), rng.integers(0, 6, lengths.sum()))

    distances = [distance(int(size)) for size in sizes]
    plans = [
        plan(n=int(size), k=4, eps=eps, delta=1e-6, diversity=diversity, m=200)
        for size, eps in zip(sizes, (0.5, 0.1, 3.0, 1.0), strict=True)
    ]
    side_by_side = index.of_groups(np.concatenate(groups), sizes)
    assert side_by_side is not None
    rounds: list[tuple[int, int]] = []
    found = select_groups(
        plans, CoverageOfGroups(side_by_side, 1), distances, Share(share), lambda *told: rounds.append(told)
    )
    for group, one, far, outcome in zip(groups, plans, distances, found, strict=True):
        alone = select(one, Coverage(index, 200, 4, 1, group), far, Uniform(len(group), 4), Share(share))
        assert outcome.picks == alone.picks
        assert outcome.diversity == pytest.approx(alone.diversity, abs=1e-12)
        assert (outcome.receipt, outcome.calls) == (alone.receipt, alone.calls)
    assert rounds == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_only_plans_that_differ_in_their_candidates_run_together() -> None:
    index = CoverageIndex.from_pairs(*shop(2), n=60).of_groups(np.arange(60), np.array([30, 30]))
    assert index is not None
    one, other = (plan(n=30, k=k, eps=0.1, diversity=0.0, m=200) for k in (2, 3))
    with pytest.raises(InputError, match="together"):
        select_groups([one, other], CoverageOfGroups(index, 1), [None, None])
    with pytest.raises(InputError, match="candidates"):
        select_groups([one], CoverageOfGroups(index, 1), [None])
    with pytest.raises(InputError, match="cap = 1"):
        select_groups([one, one], CoverageOfGroups(index, 2), [None, None])
    assert alike(plan(n=30, k=2, eps=None, diversity=0.0, m=200)) is None
    assert alike(plan(n=30, k=2, eps=0.1, diversity=0.0, m=200, relevance="best_match")) is None
    assert alike(plan(n=30, k=2, eps=0.1, diversity=0.0, m=200, pinned=1, rank=2)) is None
