import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from msd_sql.udfs.errors import InputError
from msd_sql.udfs.privacy import bounds
from msd_sql.udfs.privacy.accounting import BOUNDS, authors, best, candidates
from msd_sql.udfs.privacy.sampler import THETA

# The largest ε0 at δ = 1e-9, by bound, for (ε, T) below: a table worked out apart from this code.
COLUMNS = [(0.1, 6), (0.1, 20), (0.1, 100), (0.1, 1000), (1.0, 20)]
CHECK = {
    "basic": [0.01667, 0.00500, 0.00100, 0.00010, 0.0500],
    "advanced": [0.00633, 0.00347, 0.00155, 0.00049, 0.0339],
    "zcdp": [0.01537, 0.00842, 0.00376, 0.00119, 0.0774],
    "decomposable": [0.00807, 0.00807, 0.00807, 0.00807, 0.0793],
    "telescoping": [0.02857, 0.00952, 0.00198, None, 0.0952],
    "coverage": [0.01201, 0.01201, 0.01201, 0.01201, 0.1041],
}
QUESTIONS = {
    "eps": st.floats(1e-4, 8),
    "delta": st.floats(1e-14, 0.3),
    "rounds": st.integers(1, 2000),
    "n": st.integers(1, 10**6),
    "cap": st.integers(1, 9),
    "monotone": st.booleans(),
}


def forward(one, *, cap, k, monotone):
    """ε by the bound's own formula, for what is left of δ."""
    delta = one.delta - one.reserve_delta
    total = min(cap, one.rounds)
    return {
        "basic": lambda: bounds.basic(one.eps0, one.rounds),
        "advanced": lambda: bounds.advanced(one.eps0, one.rounds, delta),
        "zcdp": lambda: bounds.zcdp(one.eps0, one.rounds, delta),
        "decomposable": lambda: bounds.decomposable(one.eta, total, delta),
        "telescoping": lambda: bounds.telescoping(one.eta, one.rounds, total),
        "coverage": lambda: bounds.coverage(one.eta, delta),
    }[one.bound]()


@pytest.mark.parametrize("bound", BOUNDS)
def test_check_table(bound):
    for (eps, rounds), expected in zip(COLUMNS, CHECK[bound], strict=True):
        found = candidates(eps, 1e-9, rounds=rounds, n=3000, k=rounds, binary=True)[bound].eps0
        if expected is not None:
            # The printed digits, with half a unit of slack for the last one.
            assert found == pytest.approx(expected, abs=5.1e-6 if eps < 1 else 5.1e-5)


@settings(deadline=None)
@given(st.fixed_dictionaries(QUESTIONS))
def test_solutions_err_towards_privacy_and_lose_almost_nothing(question):
    eps, delta = question.pop("eps"), question.pop("delta")
    question["k"] = question["rounds"]
    found = candidates(eps, delta, binary=question["cap"] == 1, **question)
    for one in found.values():
        spent = forward(one, cap=question["cap"], k=question["k"], monotone=question["monotone"])
        assert spent <= one.eps - one.reserve_eps
        at_limit = one.bound == "decomposable" and one.eps0 == 1.0
        if not at_limit:
            # What is held back of δ weighs as much as ε itself where δ is large and ε tiny.
            assert spent >= (one.eps - one.reserve_eps) * (1 - 1e-11) - 1e-11
        assert one.eps == eps
        assert one.delta == delta
        assert one.reserve_eps == 4 * THETA * one.rounds


@settings(deadline=None)
@given(st.fixed_dictionaries(QUESTIONS))
def test_best_is_the_largest_eta_of_the_valid_bounds(question):
    eps, delta = question.pop("eps"), question.pop("delta")
    binary = question["cap"] == 1
    chosen = best(eps, delta, k=question["rounds"], binary=binary, **question)
    assert chosen.eta == max(chosen.table.values()) == chosen.table[chosen.bound]
    assert chosen == best(eps, delta, k=question["rounds"], binary=binary, **question)


def test_which_bound_holds_where():
    facts = {"rounds": 10, "n": 50, "k": 10}
    assert list(candidates(1.0, 1e-6, **facts, binary=True)) == list(BOUNDS)
    assert "coverage" not in candidates(1.0, 1e-6, **facts, binary=False)
    assert "coverage" not in candidates(1.0, 1e-6, **facts, binary=True, cap=2)
    assert list(candidates(1.0, 1e-6, **facts, binary=True, monotone=False)) == ["basic", "advanced", "zcdp"]
    assert list(candidates(1.0, 0.0, **facts, binary=True)) == ["basic"]


def test_basic_needs_no_delta_and_the_clamp_costs_delta_only_where_proofs_need_it():
    found = candidates(1.0, 1e-6, rounds=10, n=1000, k=10, binary=True)
    clamp = (1 + math.e) * 10 * 1000 * 2.0**-80
    for name, one in found.items():
        if name == "basic":
            assert one.reserve_delta == 0
        else:
            rounding = 1e-6 * 2 * THETA * 10
            expected = rounding + (clamp if name in {"decomposable", "telescoping", "coverage"} else 0)
            assert one.reserve_delta == pytest.approx(expected, rel=1e-12)


def test_a_delta_smaller_than_the_clamps_share_leaves_the_composition_bounds():
    assert list(candidates(1.0, 1e-19, rounds=10, n=10**6, k=10, binary=True)) == ["basic", "advanced", "zcdp"]
    assert best(800.0, 1e-9, rounds=10, n=10, k=10, binary=True).bound in {"basic", "advanced", "zcdp"}


def test_cap_counts_in_picks():
    single = candidates(1.0, 1e-9, rounds=10, n=50, k=10)
    triple = candidates(1.0, 1e-9, rounds=10, n=50, k=10, cap=3)
    assert triple["basic"].eta == single["basic"].eta
    assert triple["telescoping"].eta == pytest.approx(single["telescoping"].eta * 11 / 13, rel=1e-9)
    assert math.expm1(triple["decomposable"].eta) == pytest.approx(math.expm1(single["decomposable"].eta) / 3, rel=1e-9)
    # More than T counts cannot be had in T rounds.
    assert candidates(1.0, 1e-9, rounds=2, n=50, k=4, cap=9)["telescoping"].eta == pytest.approx(1 / 4, rel=1e-9)


def test_local_search_moves_by_a_units_whole_value():
    found = candidates(1.0, 1e-9, rounds=30, n=50, k=4, cap=3, monotone=False)
    for one in found.values():
        assert one.eps0 == 2 * one.eta * 3
    capped_by_k = candidates(1.0, 1e-9, rounds=30, n=50, k=2, cap=3, monotone=False)
    assert capped_by_k["basic"].eta == pytest.approx(found["basic"].eta * 3 / 2, rel=1e-12)


def test_decomposable_stays_within_the_papers_condition():
    assert candidates(300.0, 1e-9, rounds=100, n=1, k=100)  # far beyond e^ε·2^-80: no clamp bound is left
    assert candidates(30.0, 0.01, rounds=100, n=1, k=100)["decomposable"].eps0 == 1.0


@settings(deadline=None)
@given(st.floats(1e-3, 5), st.floats(1e-12, 0.1), st.integers(1, 300))
def test_zcdp_inverse_agrees_with_its_forward_form(eps, delta, rounds):
    eps0 = bounds.zcdp_eps0(eps, rounds, delta)
    if eps0 > 0:
        assert bounds.zcdp(eps0, rounds, delta) == pytest.approx(eps, rel=1e-11)


@pytest.mark.parametrize("rho", [1e-6, 0.01, 1.0, 30.0])
def test_zcdp_conversion_is_the_best_over_a_fine_grid_of_orders(rho):
    delta, rounds = 1e-7, 8
    eps0 = math.sqrt(rho)

    def at(alpha):
        return rho * alpha + math.log(1 / (alpha * delta)) / (alpha - 1) + math.log1p(-1 / alpha)

    grid = min(at(1 + math.exp(step / 500)) for step in range(-3000, 15000))
    found = bounds.zcdp(eps0, rounds, delta)
    assert found <= grid * (1 + 1e-12)
    assert found == pytest.approx(grid, rel=1e-5)


def test_authors_calibration_charges_the_public_part_too():
    calibration = authors(0.1, 1e-9, rounds=100, weight=0.25)
    assert calibration.bound == "decomposable"
    assert calibration.eps0 == pytest.approx(0.00807 / 2, rel=1e-3)
    assert calibration.eta == pytest.approx(calibration.eps0 / 2 * 0.25)
    assert authors(0.1, 1e-9, rounds=6, weight=0.25).bound == "basic"
    assert authors(0.1, 1e-9, rounds=1000, weight=0.5, monotone=False).bound == "advanced"
    assert authors(0.1, 0.0, rounds=1000, weight=0.5).bound == "basic"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"eps": 0.0}, "eps is 0.0"),
        ({"eps": math.nan}, "eps is nan"),
        ({"eps": math.inf}, "eps is inf"),
        ({"delta": -1e-9}, "delta is"),
        ({"delta": 1.0}, "delta is"),
        ({"delta": math.nan}, "delta is"),
        ({"rounds": 0}, "rounds is 0"),
        ({"cap": 0}, "cap is 0"),
        ({"eps": 1e-14}, "ask for a larger eps"),
    ],
)
def test_senseless_requests_are_refused(change, message):
    request = {"eps": 1.0, "delta": 1e-9, "rounds": 5, "n": 10, "k": 5, "cap": 1, **change}
    with pytest.raises(InputError, match=message):
        best(request.pop("eps"), request.pop("delta"), **request)
