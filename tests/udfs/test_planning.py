"""The plan: public facts in, method, rounds and charge out; what makes no sense is refused with the reason."""

import math
from decimal import Decimal

import numpy as np
import pytest

from msd_sql.udfs import METHODS, InputError, plan

USUAL = {"n": 100, "k": 6, "eps": 0.1, "delta": 1e-9, "diversity": 0.5, "m": 1000}


@pytest.mark.parametrize(
    ("changes", "method", "rounds"),
    [
        ({}, "greedy", 6),
        ({"method": "nosg"}, "nosg", 6),
        ({"method": "mix", "k": 7}, "mix", 4),
        ({"method": "random"}, "random", 0),
        ({"matroid": "partition", "rank": 6, "gamma": 0.1}, "local_search", 11),
        ({"matroid": "partition", "rank": 6, "gamma": 0.5}, "local_search", 6),
        ({"matroid": "partition", "rank": 6, "method": "sls"}, "sls", 737),
        ({"matroid": "transversal", "rank": 3, "method": "rel"}, "rel", 3),
        ({"n": 10_000_000}, "nosg", 6),
        ({"method": "ls", "eps": None}, "ls", 0),
    ],
)
def test_method_and_rounds_are_resolved(changes, method, rounds):
    made = plan(**{**USUAL, **changes})
    assert (made.method, made.rounds) == (method, rounds)


def test_a_private_plan_charges_what_was_asked():
    made = plan(**USUAL)
    assert (made.charged_eps, made.charged_delta) == (0.1, 1e-9)
    assert made.reads_private
    assert not made.exact
    assert made.calibration.bound == "covering"


def test_a_plan_proved_without_delta_charges_only_the_samplers_share():
    made = plan(**{**USUAL, "relevance": "best_match"})
    assert made.calibration.bound == "telescoping"
    assert made.calibration.delta == 1e-9
    assert 0 < made.charged_delta == made.calibration.delta_used < 1e-20
    assert plan(**{**USUAL, "delta": 0.0}).charged_delta == 0.0


def test_only_binary_relevance_may_use_the_covering_bound():
    bounds = {
        kind: plan(**{**USUAL, "k": 50, "relevance": relevance, "cap": cap}).calibration.table
        for kind, relevance, cap in [("cap 1", "coverage", 1), ("cap 2", "coverage", 2), ("match", "best_match", 1)]
    }
    assert set(bounds["cap 1"]) == {"basic", "telescoping", "covering", "clocks", "renyi"}
    assert set(bounds["cap 2"]) == {"basic", "telescoping", "renyi"}
    assert set(bounds["match"]) == {"basic", "telescoping", "clocks", "renyi"}


def test_swaps_use_only_bounds_that_hold_for_them():
    quotas = {**USUAL, "matroid": "partition", "rank": 6}
    assert set(plan(**{**quotas, "method": "sls"}).calibration.table) == {"basic", "renyi"}
    assert set(plan(**{**quotas, "gamma": 0.1}).calibration.table) == {"basic", "telescoping", "renyi"}
    # Without a single swap it is greedy, and so are its bounds.
    assert plan(**{**quotas, "gamma": 0.5}).calibration.eta == plan(**USUAL).calibration.eta


def test_swaps_with_a_cap_get_noise_for_a_whole_value():
    """A unit's whole value moves by min(cap, k) counts, not by one, when a solution is scored."""
    one, two, many = (
        plan(**{**USUAL, "matroid": "partition", "rank": 6, "method": "sls", "cap": cap}).calibration.eta
        for cap in (1, 2, 100)
    )
    assert two == pytest.approx(one / 2)
    assert many == pytest.approx(one / 6)


def test_a_gamma_that_means_too_many_rounds_is_refused():
    quotas = {**USUAL, "matroid": "partition", "rank": 6}
    with pytest.raises(InputError, match=r"gamma = 1e-05 means \d+ rounds of swaps for k = 6 by 'sls'.*larger gamma"):
        plan(**{**quotas, "method": "sls", "gamma": 1e-5})
    assert plan(**{**quotas, "gamma": 1e-5}).swaps == 33
    with pytest.raises(InputError, match="larger gamma"):
        plan(**{**USUAL, "n": 10**6, "k": 200_000, "rank": 200_000, "matroid": "partition", "gamma": 0.1})


def test_a_gamma_of_a_half_promises_nothing():
    quotas = {**USUAL, "matroid": "partition", "rank": 6}
    assert plan(**{**quotas, "gamma": 0.5}).guarantee == "none"
    assert plan(**{**quotas, "gamma": 0.4}).guarantee == "1/2 - γ"


@pytest.mark.parametrize(
    "changes",
    [
        {"diversity": 1.0},
        {"relevance": "score", "m": 0},
        {"method": "random"},
        {"n": 6},
        {"n": 4},
        {"n": 0},
        {"matroid": "partition", "rank": 0},
        {"matroid": "partition", "rank": 100, "k": 200},
    ],
)
def test_nothing_is_charged_where_nothing_private_is_read(changes):
    made = plan(**{**USUAL, **changes})
    assert (made.charged_eps, made.charged_delta, made.calibration) == (0.0, 0.0, None)
    assert not made.reads_private
    assert not made.exact


@pytest.mark.parametrize("method", ["rel", "mix"])
def test_a_method_that_ignores_diversity_is_charged_even_when_only_diversity_was_asked_for(method):
    assert plan(**{**USUAL, "diversity": 1.0, "method": method}).charged_eps == 0.1


def test_without_eps_the_plan_is_exact_and_charges_nothing():
    made = plan(**{**USUAL, "eps": None})
    assert made.exact
    assert made.charged_eps == 0.0


def test_the_slots_are_the_rank():
    assert plan(**{**USUAL, "n": 4}).k == 4
    made = plan(**{**USUAL, "matroid": "partition", "rank": 3})
    assert (made.k, made.asked) == (3, 6)


def test_numbers_of_any_type_are_taken():
    made = plan(
        **{
            **USUAL,
            "k": np.int32(6),
            "eps": Decimal("0.1"),
            "diversity": 1,
            "gamma": np.float32(0.25),
            "method": "nosg",
        }
    )
    assert (made.k, made.eps, made.diversity, made.gamma) == (6, 0.1, 1.0, 0.25)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"k": 0}, "k = 0"),
        ({"k": 2.5}, "whole number"),
        ({"k": None}, "k = None"),
        ({"k": True}, "k = True"),
        ({"cap": 0}, "cap = 0"),
        ({"eps": 0}, "positive"),
        ({"eps": -1}, "eps = -1"),
        ({"eps": math.nan}, "eps = nan"),
        ({"eps": math.inf}, "positive"),
        ({"eps": "much"}, "eps = 'much'"),
        ({"delta": 1.0}, "below 1"),
        ({"delta": -1e-9}, "delta = -1e-09"),
        ({"delta": math.nan}, "delta = nan"),
        ({"diversity": 1.01}, "diversity = 1.01"),
        ({"diversity": math.nan}, "diversity = nan"),
        ({"diversity": None}, "diversity = None"),
        ({"gamma": 0.0}, "both excluded"),
        ({"gamma": 1.0}, "both excluded"),
        ({"method": "gredy"}, "Did you mean 'greedy'"),
        ({"relevance": "best_mach"}, "Did you mean 'best_match'"),
        ({"matroid": "partitions"}, "Did you mean 'partition'"),
        ({"relevance": "best_match", "cap": 2}, "only relevance 'coverage'"),
        ({"m": 0}, "number of units m"),
        ({"m": 1 << 39, "cap": 2}, "more than scores can hold"),
        ({"method": "ls"}, "no private form"),
        ({"method": "ls_greedy"}, "no private form"),
        ({"distance": False}, "nothing says how the items differ"),
    ],
)
def test_what_makes_no_sense_is_refused_with_the_reason(changes, message):
    with pytest.raises(InputError, match=message):
        plan(**{**USUAL, **changes})


@pytest.mark.parametrize("method", ["greedy", "nosg", "osg", "mix"])
def test_methods_for_cardinality_are_refused_under_other_constraints(method):
    with pytest.raises(InputError, match=r"no guarantee under a laminar constraint.*local_search"):
        plan(**{**USUAL, "matroid": "laminar", "rank": 6, "method": method})


@pytest.mark.parametrize("changes", [{"diversity": 0.0}, {"k": 1}, {"method": "rel"}])
def test_no_distance_is_needed_where_none_counts(changes):
    assert plan(**{**USUAL, **changes, "distance": False}).charged_eps == 0.1


def test_every_method_says_what_it_is():
    for method in METHODS.values():
        assert method.doc.endswith(".")
        assert method.guarantee
