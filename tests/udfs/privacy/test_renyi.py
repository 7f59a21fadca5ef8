"""Rényi divergences of releases: formulas against sums, rounding, storage, and what a ledger relies on."""

import json
import math
from decimal import Decimal, localcontext

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from msd_sql.udfs import SecretSource, plan
from msd_sql.udfs.errors import InputError
from msd_sql.udfs.privacy.renyi import Divergence, conversion, greedy_divergence, laplace_divergence
from msd_sql.udfs.selection import planned_receipt

ORDERS = st.floats(1.01, 200)


@pytest.mark.slow
@settings(deadline=None, max_examples=60)
@given(ORDERS, st.floats(1e-3, 3))
def test_the_noisy_counts_divergence_is_the_sum_over_all_answers(alpha, eps):
    with localcontext() as context:
        context.prec = 60
        order, each = Decimal(alpha), (-Decimal(eps)).exp()
        reach = math.ceil(140 / eps / min(1.0, alpha))
        moment = sum(
            (each ** abs(x)) ** order * (each ** abs(x - 1)) ** (1 - order) for x in range(-min(reach, 400), 401)
        )
        if reach > 400:  # the sum is not finished: it can only be below
            assert (
                float((moment * (1 - each) / (1 + each)).ln() / (order - 1)) <= laplace_divergence(alpha, eps) + 1e-12
            )
            return
        exact = float((moment * (1 - each) / (1 + each)).ln() / (order - 1))
    assert laplace_divergence(alpha, eps) == pytest.approx(exact, rel=1e-9, abs=1e-15)


@given(ORDERS, st.floats(1e-6, 20))
def test_the_noisy_counts_divergence_is_below_both_simple_bounds(alpha, eps):
    assert laplace_divergence(alpha, eps) <= min(eps, alpha * eps * eps / 2) * (1 + 1e-12)


@given(st.floats(1.01, 60), st.floats(1e-6, 2), st.integers(1, 9))
def test_the_greedy_formula_is_its_other_form(alpha, eta, total):
    """1 - 4α(α-1)·sinh²(η/2) = (1 + αc)(1 - (α-1)c)/e^η with c = e^η - 1; infinite where (α-1)c ≥ 1."""
    with localcontext() as context:
        context.prec = 60
        order, c = Decimal(alpha), Decimal(eta).exp() - 1
        if (order - 1) * c >= 1:
            assert greedy_divergence(alpha, eta, total) == math.inf
            return
        exact = -Decimal(total) / (order - 1) * ((1 + order * c) * (1 - (order - 1) * c) / (1 + c)).ln()
        found = greedy_divergence(alpha, eta, total)
        assert found == math.inf or found * (1 + 2.0**-36) >= exact >= found * (1 - 1e-10)


@settings(deadline=None)
@given(st.floats(1e-5, 1), st.integers(0, 60), st.integers(0, 60), st.integers(1, 5), ORDERS)
def test_every_part_of_a_selection_counts(eta, adds, swaps, cap, alpha):
    facts = {"total": max(1, min(cap, adds)), "span": cap, "n": 1000}
    both = Divergence.of_selection(eta, adds=adds, swaps=swaps, **facts)
    start = Divergence.of_selection(eta, adds=adds, **facts)
    swapped = Divergence.of_selection(eta, adds=0, swaps=swaps, **facts)
    assert both.at(alpha) == pytest.approx(start.at(alpha) + swapped.at(alpha), rel=1e-9)
    assert both.at(alpha) <= (2 * eta * adds + 2 * cap * eta * swaps + 4 * (adds + swaps) * 2.0**-46) * 1.01 + (
        2 * (adds + swaps) * 2.0**-46 * (2 * alpha - 1) / (alpha - 1)
    )
    assert both.at(alpha) >= both.at(1 + (alpha - 1) / 2) * (1 - 1e-6) - 1e-9  # it grows with the order
    assert start.clamp == adds * 1000 * 2.0**-80
    assert swapped.clamp == 0.0  # bounded range holds for clamped weights as they are


def test_the_samplers_arithmetic_is_part_of_it():
    ideal, real = Divergence(eta=0.01, adds=20), Divergence.of_selection(0.01, adds=20, n=3000)
    drift = 2 * 20 * 2.0**-46
    assert real.drift == drift
    assert real.at(5.0) - ideal.at(5.0) == pytest.approx(drift * 9 / 4, rel=1e-2)


@pytest.mark.parametrize("alpha", [1.0, 0.5, math.inf, math.nan])
def test_an_order_that_is_none_is_refused(alpha):
    with pytest.raises(InputError, match="order"):
        Divergence.of_count(0.1).at(alpha)


@pytest.mark.parametrize(
    "one",
    [
        Divergence(),
        Divergence(unbounded=True),
        Divergence.of_count(0.05),
        Divergence.of_selection(0.0123, adds=6, n=3000, total=2, swaps=5, span=2),
    ],
)
def test_it_survives_json(one):
    assert Divergence.from_dict(json.loads(json.dumps(one.as_dict()))) == one


def test_a_stored_field_that_is_not_known_is_refused():
    with pytest.raises(InputError, match="gaussian"):
        Divergence.from_dict({"gaussian": 3.0})


def test_releases_compose_as_published():
    """ε = 1, δ = 1e-9: with half of δ for the orders, 242 questions of k = 20, ε = 0.1 fit at the order 36."""
    room = 1.0 - conversion(36.0, 5e-10)
    assert room == pytest.approx(0.52, abs=0.005)
    made = plan(n=3000, k=20, eps=0.1, delta=5e-11, diversity=0.5, m=10**6)
    each = planned_receipt(made, SecretSource()).divergence(36.0)
    assert 230 <= math.floor(room / each) <= 250
    few = plan(n=3000, k=6, eps=0.1, delta=5e-11, diversity=0.5, m=10**6)
    assert 50 <= math.floor(room / planned_receipt(few, SecretSource()).divergence(36.0)) <= 60


def test_an_exact_answer_has_no_finite_divergence_and_a_public_one_has_none():
    exact = plan(n=100, k=6, eps=None, diversity=0.5, m=1000)
    assert planned_receipt(exact, SecretSource()).divergence(2.0) == math.inf
    public = plan(n=100, k=6, eps=None, diversity=0.5, relevance="score")
    assert planned_receipt(public, SecretSource()).divergence(2.0) == 0.0
