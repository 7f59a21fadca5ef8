import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2

from msd_sql.udfs.errors import InputError
from msd_sql.udfs.privacy import sampler
from msd_sql.udfs.privacy.randomness import SecretSource, SeededSource
from msd_sql.udfs.types import ONE

INT64 = st.integers(-(2**63), 2**63 - 1)
ETAS = st.floats(1e-12, 50)


class Ticket:
    """A source that answers with a ticket chosen by the test, and remembers what it was asked for."""

    private = False

    def __init__(self, ticket):
        self.ticket = ticket

    def randbelow(self, n):
        self.asked = n
        return min(self.ticket, n - 1)

    def sample(self, n, size):
        raise NotImplementedError


@settings(deadline=None)
@given(st.lists(st.integers(0, 2**62), min_size=1, max_size=40), ETAS)
def test_limbs_hold_the_float_weight_exactly(diffs, eta):
    limbs = sampler.weights(np.array(diffs, dtype=np.int64), eta)
    with np.errstate(all="raise", under="ignore"):
        # One vector at a time: numpy may use other instructions for a scalar.
        floats = np.maximum(np.exp(np.array(diffs, dtype=np.float64) * -(eta * 2.0**-20)), 2.0**-80)
    for weight, high, middle, low in zip(floats.tolist(), *(limb.tolist() for limb in limbs), strict=True):
        numerator, denominator = weight.as_integer_ratio()
        assert (high << 92) + (middle << 46) + low == (numerator << 132) // denominator
        assert (numerator << 132) % denominator == 0
        assert 0 <= middle < 2**46
        assert 0 <= low < 2**46


@settings(deadline=None)
@given(st.lists(INT64, min_size=1, max_size=30), ETAS, st.data())
def test_every_ticket_finds_the_candidate_whose_interval_holds_it(scores, eta, data):
    array = np.array(scores, dtype=np.int64)
    exact = sampler.exact_weights(array, eta)
    total = sum(exact)
    ticket = data.draw(st.integers(0, total - 1))
    source = Ticket(ticket)
    chosen = sampler.draw(array, eta, source)
    assert source.asked == total
    before = sum(exact[:chosen])
    assert before <= ticket < before + exact[chosen]


@settings(deadline=None)
@given(st.lists(INT64, min_size=1, max_size=12), ETAS)
def test_first_and_last_ticket_of_every_candidate(scores, eta):
    array = np.array(scores, dtype=np.int64)
    exact = sampler.exact_weights(array, eta)
    start = 0
    for index, weight in enumerate(exact):
        assert sampler.draw(array, eta, Ticket(start)) == index
        assert sampler.draw(array, eta, Ticket(start + weight - 1)) == index
        start += weight


@pytest.mark.parametrize(("group", "block"), [(1, 4), (2, 4), (4, 4), (8, 8), (3, 9)])
def test_groups_and_blocks_join_without_a_gap(monkeypatch, group, block):
    scores = np.random.default_rng(1).integers(-5 * ONE, 5 * ONE, 23)
    whole = sampler.exact_weights(scores, 0.7)
    total = sum(whole)
    tickets = [total * step // 97 for step in range(97)] + [total - 1]
    expected = [sampler.draw(scores, 0.7, Ticket(ticket)) for ticket in tickets]
    monkeypatch.setattr(sampler, "GROUP", group)
    monkeypatch.setattr(sampler, "BLOCK", block)
    assert sampler.exact_weights(scores, 0.7) == whole
    assert [sampler.draw(scores, 0.7, Ticket(ticket)) for ticket in tickets] == expected


def test_all_equal_scores_have_equal_weights():
    assert set(sampler.exact_weights(np.full(1000, -7), 3.0)) == {2**132}


def test_one_huge_score_leaves_the_clamp_to_the_others():
    exact = sampler.exact_weights(np.array([0, 2**62, 0]), 1.0)
    assert exact == [2**52, 2**132, 2**52]
    assert sampler.draw(np.array([0, 2**62, 0]), 1.0, Ticket(0)) == 0


def test_a_single_candidate_is_always_drawn():
    assert sampler.draw(np.array([-(2**63)]), 1.0, SecretSource()) == 0


def test_the_whole_range_of_int64_does_not_overflow():
    exact = sampler.exact_weights(np.array([-(2**63), 2**63 - 1]), 1e-12)
    # 2^64 steps of 2^-20 are 1.76e13 counts, 17.6 in the exponent.
    assert exact[1] == 2**132
    assert exact[0] / exact[1] == pytest.approx(math.exp(-(2.0**43) * 1e-12), rel=1e-12)


@pytest.mark.parametrize("eta", [1e-12, 1e-3, 50.0])
def test_three_hundred_thousand_candidates(eta):
    scores = np.random.default_rng(2).integers(0, 2**40, 300_000)
    exact = sampler.exact_weights(scores, eta)
    total = sum(exact)
    for ticket in (0, total // 3, total - 1):
        source = Ticket(ticket)
        chosen = sampler.draw(scores, eta, source)
        assert source.asked == total
        before = sum(exact[:chosen])
        assert before <= ticket < before + exact[chosen]


def test_clipping_happens_only_where_the_clamp_decides():
    eta = 0.01
    edge = int(80 * math.log(2) / eta * ONE)
    scores = -np.array([0, edge - ONE, edge + ONE, 2**62])
    exact = sampler.exact_weights(scores, eta)
    assert exact[1] > 2**52
    assert exact[2] == exact[3] == 2**52


@settings(deadline=None)
@given(st.floats(1e-9, 1e3), st.integers(-(2**50), 2**50), st.lists(st.integers(-(2**40), 0), min_size=1, max_size=10))
def test_a_common_offset_changes_nothing(eta, offset, scores):
    array = np.array([*scores, 0], dtype=np.int64)
    assert sampler.exact_weights(array + offset, eta) == sampler.exact_weights(array, eta)


def test_weights_are_within_theta_of_the_true_exponential():
    generator = np.random.default_rng(3)
    with localcontext() as context:
        context.prec = 60
        floor = Decimal(2) ** -80
        for eta in (1e-12, 0.003, 0.5, 7.3, 50.0):
            deepest = min(int(60 / eta * ONE), 2**62)
            diffs = np.concatenate([generator.integers(0, deepest, 400), generator.integers(0, deepest // 1000, 100)])
            exact = sampler.exact_weights(np.concatenate([[0], -diffs]), eta)
            for diff, weight in zip([0, *diffs.tolist()], exact, strict=True):
                true = max((-Decimal(eta) * diff / ONE).exp(), floor)
                assert abs(Decimal(weight) / Decimal(2) ** 132 / true - 1) < Decimal(2) ** -46


def test_numpy_exponential_is_within_the_eight_ulp_that_the_proof_allows():
    points = np.random.default_rng(4).uniform(-56, 0, 3000)
    with localcontext() as context:
        context.prec = 60
        for point, value in zip(points.tolist(), np.exp(points).tolist(), strict=True):
            assert abs(Decimal(value) / Decimal(point).exp() - 1) < 8 * Decimal(2) ** -52


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_draws_follow_the_exact_probabilities(seed):
    scores = np.array([0, 1, 1, 3, 4, 2, 0, 4]) * ONE
    eta = 0.5
    exact = sampler.exact_weights(scores, eta)
    source = SeededSource(seed)
    draws = 6_000
    counts = np.bincount([sampler.draw(scores, eta, source) for _ in range(draws)], minlength=len(scores))
    expected = draws * np.array([weight / sum(exact) for weight in exact])
    statistic = float(((counts - expected) ** 2 / expected).sum())
    assert statistic < chi2.isf(1e-6, len(scores) - 1)


def test_opendp_draws_from_the_same_distribution():
    dp = pytest.importorskip("opendp.prelude")
    dp.enable_features("contrib")
    scores, eta, draws = [0, 2, 3, 5], 0.6, 3000
    exact = sampler.exact_weights(np.array(scores) * ONE, eta)
    noisy_max = dp.m.make_noisy_max(
        dp.vector_domain(dp.atom_domain(T=dp.i32)),
        dp.linf_distance(T=dp.i32),
        dp.zero_concentrated_divergence(),
        scale=1 / eta,
    )
    counts = np.bincount([noisy_max(scores) for _ in range(draws)], minlength=len(scores))
    expected = draws * np.array([weight / sum(exact) for weight in exact])
    assert float(((counts - expected) ** 2 / expected).sum()) < chi2.isf(1e-7, len(scores) - 1)
    # Their accounting of the same draw: substitution moves a score by 1, so the range is 2·eta and ρ = (2·eta)²/8.
    assert noisy_max.map(1) == pytest.approx((2 * eta) ** 2 / 8, rel=1e-9)


def test_senseless_arguments_are_refused():
    with pytest.raises(InputError, match="no candidate"):
        sampler.draw(np.array([], dtype=np.int64), 1.0, SecretSource())
    for eta in (0.0, -1.0, math.inf, math.nan):
        with pytest.raises(InputError, match="positive finite"):
            sampler.draw(np.array([1]), eta, SecretSource())
