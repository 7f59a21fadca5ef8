"""Approximation: every method reaches its guarantee against the best set, found by looking at all (paper, table 1).

At least 200 random instances a method. The sampled methods are held to their mean over several samples, because that
is what their theorems speak of.
"""

import math

import numpy as np
import pytest

from msd_sql.udfs import METHODS, Partition, SeededSource, Uniform, evaluate, plan, select
from tests.udfs.instances import random_instance, random_matroid

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
        ("local_search", 2, 2, 1 / 2 - GAMMA),
        ("local_search", 3, 2, 1 / 2 - GAMMA),
        ("ls", 3, 1, 1 / 2 - GAMMA),
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


def test_sample_local_search_with_quotas_does_not_fall_behind_the_full_one():
    ours, theirs = [], []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        case = random_instance(rng, n=12)
        matroid = Partition(rng.integers(0, 4, 12), 1, 4)
        ours.append(mean_value("local_search", case, matroid, 0.5, 1))
        theirs.append(mean_value("ls", case, matroid, 0.5, 1))
    assert np.mean(ours) >= np.mean(theirs)
