"""Approximation: every method reaches its guarantee against the best set, found by looking at all (paper, table 1).

At least 200 random instances a method. The sampled methods are held to their mean over several samples, because that
is what their theorems speak of.
"""

import itertools
import math

import numpy as np
import pytest

from msd_sql.udfs import METHODS, Objective, Partition, SeededSource, Uniform, evaluate, plan, select
from tests.support.instances import random_instance, random_matroid

GAMMA = 0.2
INSTANCES = 200


def mean_value(name, case, matroid, diversity, samples):
    made = plan(
        n=case.n,
        k=matroid.k,
        eps=None,
        diversity=diversity,
        m=case.m,
        relevance=case.kind,
        method=name,
        gamma=GAMMA,
        matroid=matroid.name,
        rank=matroid.rank,
    )
    relevance, distance = case.relevance(made.k), case.distance()
    outcomes = [select(made, relevance, distance, matroid, SeededSource(seed)) for seed in range(samples)]
    return np.mean([evaluate(relevance, distance, each.picks, diversity=diversity).objective for each in outcomes])


def instances(name, k):
    for seed in range(INSTANCES):
        rng = np.random.default_rng([seed, k])
        kind = "best_match" if seed % 4 == 0 else "coverage"
        case = random_instance(rng, n=8, kind=kind)
        matroid = random_matroid(rng, 8, k) if METHODS[name].any_matroid else Uniform(8, k)
        if matroid.rank:
            yield case, matroid, float(rng.choice([0.0, 0.2, 0.5, 0.8, 1.0]))


@pytest.mark.parametrize(
    ("name", "k", "samples", "guarantee"),
    [
        ("greedy", 3, 1, 1 / 2),
        ("greedy", 4, 1, 1 / 2),
        ("nosg", 4, 8, 1 / 2 - GAMMA),
        ("osg", 4, 8, 1 - (2 / math.e) ** ((1 - GAMMA) * (1 - 1 / 4))),
        ("local_search", 2, 1, 1 / 2 - GAMMA),
        ("local_search", 3, 1, 1 / 2 - GAMMA),
        ("local_search", 4, 1, 1 / 2 - GAMMA),
        pytest.param("sls", 2, 2, 1 / 2 - GAMMA, marks=pytest.mark.slow),
        pytest.param("sls", 3, 2, 1 / 2 - GAMMA, marks=pytest.mark.slow),
        ("ls", 3, 1, 1 / 2 - GAMMA),
        ("ls_greedy", 3, 1, 1 / 2 - GAMMA),
    ],
)
def test_the_guarantee_holds_on_every_instance(name, k, samples, guarantee):
    seen = 0
    for case, matroid, diversity in instances(name, k):
        best = case.best(matroid, diversity)
        assert mean_value(name, case, matroid, diversity, samples) >= guarantee * best - 1e-9
        seen += 1
    assert seen >= 0.9 * INSTANCES


def test_relevance_alone_reaches_its_share_of_the_relevance():
    for case, matroid, _ in instances("greedy", 3):
        assert mean_value("rel", case, matroid, 0.0, 1) >= (1 - 1 / math.e) * case.best(matroid, 0.0) - 1e-9


@pytest.mark.parametrize("name", ["local_search", "sls", "ls_greedy"])
def test_other_local_searches_with_quotas_do_not_fall_behind_the_full_one(name):
    ours, theirs = [], []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        case = random_instance(rng, n=12)
        matroid = Partition(rng.integers(0, 4, 12), 1, 4)
        ours.append(mean_value(name, case, matroid, 0.5, 1))
        theirs.append(mean_value("ls", case, matroid, 0.5, 1))
    assert np.mean(ours) >= 0.999 * np.mean(theirs)


class FromTheStart:
    """Adds the start it is given instead of what is best, then takes the best swaps."""

    def __init__(self, start):
        self._start = list(start)

    def choose(self, scores):
        return self._start.pop(0) if self._start else int(scores.argmax())


@pytest.mark.parametrize("k", [2, 3, 5])
def test_swaps_close_the_gap_to_half_the_optimum_geometrically_from_any_start(k):
    """g_i <= (1 - 2/k)·g_{i-1} with g = OPT/2 - φ: the first free candidates are the start, whatever they are worth."""
    for seed in range(100):
        rng = np.random.default_rng([seed, k])
        case = random_instance(rng, n=8)
        matroid = random_matroid(rng, 8, k)
        if matroid.rank < 2:
            continue
        rank, diversity = matroid.rank, float(rng.choice([0.0, 0.5, 0.9]))
        best = case.best(matroid, diversity)
        gaps = []
        for swaps in range(4):
            gamma = 0.5 * math.exp(-(2 * swaps - 1) / rank) if swaps else 0.5
            assert METHODS["local_search"].swaps(rank, gamma) == swaps
            objective = Objective(case.relevance(rank), case.distance(), rank, diversity, 1.0)
            picks = METHODS["local_search"].run(
                objective, matroid, FromTheStart([0] * rank), SeededSource(0), k=rank, gamma=gamma
            )
            gaps.append(best / 2 - case.phi(picks, diversity, rank))
        for before, after in itertools.pairwise(gaps):
            assert after <= max(0.0, (1 - 2 / rank) * before) + 1e-9
