import math
from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from msd_sql.udfs.errors import InputError
from msd_sql.udfs.privacy import bounds, older_bounds
from msd_sql.udfs.privacy.accounting import BOUNDS, OLDER_BOUNDS, authors, best, candidates
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
    "covering": [0.03021, 0.01666, 0.01286, 0.01209, 0.1527],
    "clocks": [0.01328, 0.01328, 0.01328, 0.01328, 0.1133],
    "renyi": [0.02857, 0.01120, 0.01120, 0.01120, 0.0971],
}
QUESTIONS = {
    "eps": st.floats(1e-4, 8),
    "delta": st.floats(1e-14, 0.3),
    "rounds": st.integers(1, 2000),
    "n": st.integers(1, 10**6),
    "cap": st.integers(1, 9),
    "part": st.sampled_from([0.0, 0.4, 1.0]),  # of the rounds are swaps
}


def facts(question):
    """The keyword arguments of `best` and `candidates`, and ε and δ."""
    rest = dict(question)
    eps, delta, swaps = rest.pop("eps"), rest.pop("delta"), math.floor(rest.pop("part") * rest["rounds"])
    return eps, delta, {**rest, "k": rest["rounds"], "swaps": swaps, "binary": rest["cap"] == 1}


def forward(one, *, cap, k, swaps):
    """ε by the bound's own formula, for what is left of δ."""
    delta = one.delta - one.reserve_delta
    adds = one.rounds - swaps
    total, span = min(cap, max(adds, 1)), min(cap, k)
    swapped = bounds.basic(2 * span * one.eta, swaps)
    wide = [2 * one.eta] * adds + [2 * span * one.eta] * swaps
    return {
        "basic": lambda: bounds.basic(2 * one.eta, adds) + swapped,
        "telescoping": lambda: bounds.telescoping(one.eta, adds, total) + swapped,
        "covering": lambda: bounds.covering(one.eta, adds, delta),
        "clocks": lambda: bounds.clocks(one.eta, delta),
        "renyi": lambda: bounds.renyi(replace(one.divergence, drift=0.0), delta),
        "advanced": lambda: older_bounds.advanced(one.eps0, one.rounds, delta),
        "zcdp": lambda: older_bounds.zcdp(math.hypot(*wide), 1, delta),
        "decomposable": lambda: older_bounds.decomposable(one.eta, total, delta),
        "coverage": lambda: older_bounds.coverage(one.eta, delta),
    }[one.bound]()


@pytest.mark.parametrize("bound", BOUNDS + OLDER_BOUNDS)
def test_check_table(bound):
    for (eps, rounds), expected in zip(COLUMNS, CHECK[bound], strict=True):
        found = candidates(eps, 1e-9, rounds=rounds, n=3000, k=rounds, binary=True)[bound].eps0
        if expected is not None:
            # The printed digits, with half a unit of slack for the last one.
            assert found == pytest.approx(expected, abs=5.1e-6 if eps < 1 else 5.1e-5)


# Orders where two parts of a divergence meet: a peak beside the best one, and two within one coarse step.
@example({"eps": 3.0546875, "delta": 0.15928168266677115, "rounds": 1, "n": 1, "cap": 1, "part": 0.0})
@example({"eps": 0.11675576305401197, "delta": 9.448813488094516e-12, "rounds": 21, "n": 897205, "cap": 1, "part": 0.4})
@example({"eps": 3.0284884877310443, "delta": 0.18309853280548377, "rounds": 4, "n": 419285, "cap": 1, "part": 0.0})
@settings(deadline=None)
@given(st.fixed_dictionaries(QUESTIONS))
def test_solutions_err_towards_privacy_and_lose_almost_nothing(question):
    eps, delta, known = facts(question)
    found = candidates(eps, delta, **known)
    for one in found.values():
        spent = forward(one, cap=known["cap"], k=known["k"], swaps=known["swaps"])
        # The forward form of renyi looks at orders of its own, and no order proves less than the truth.
        assert spent <= (one.eps - one.reserve_eps) * (1 + (1e-6 if one.bound == "renyi" else 0))
        at_limit = one.bound == "decomposable" and one.eps0 == 1.0
        if not at_limit:
            # What is held back of δ weighs as much as ε itself where δ is large and ε tiny.
            lost = 1e-6 if one.bound == "renyi" else 1e-9
            assert spent >= (one.eps - one.reserve_eps) * (1 - lost) - 1e-9
        assert one.eps == eps
        assert one.delta == delta
        assert one.reserve_eps == 4 * THETA * one.rounds
        assert 0 <= one.delta_used <= delta


@settings(deadline=None)
@given(st.fixed_dictionaries(QUESTIONS))
def test_best_is_the_largest_eta_of_the_valid_bounds_or_needs_no_delta(question):
    eps, delta, known = facts(question)
    chosen = best(eps, delta, **known)
    assert set(chosen.table) <= set(BOUNDS)
    assert chosen.eta == chosen.table[chosen.bound]
    if chosen.eta < max(chosen.table.values()):
        assert chosen.bound in {"basic", "telescoping"}
        assert chosen.eta >= 0.99 * max(chosen.table.values())
    assert chosen == best(eps, delta, **known)


@settings(deadline=None)
@given(st.fixed_dictionaries(QUESTIONS))
def test_older_bounds_never_need_less_noise(question):
    eps, delta, known = facts(question)
    found = candidates(eps, delta, **known)
    if delta > 0 and "renyi" not in found:
        return  # the clamp, which zcdp and advanced do without, needs all of so small a δ
    most = max(one.eta for name, one in found.items() if name in BOUNDS)
    clamped = max(one.reserve_delta for name, one in found.items() if name in BOUNDS) / delta if delta else 0.0
    for name in set(found) & set(OLDER_BOUNDS):
        # That share of δ is the clamp's; η moves by less, because δ counts by its logarithm.
        assert found[name].eta <= most * (1 + 1e-6 + clamped)


def test_the_least_of_a_renyi_divergence_is_found_where_there_are_two():
    question = {"eps": 7.0, "delta": 1e-14, "rounds": 31, "n": 1, "cap": 1, "part": 0.4}
    eps, delta, known = facts(question)
    one = candidates(eps, delta, **known)["renyi"]
    assert forward(one, cap=1, k=31, swaps=known["swaps"]) == pytest.approx(eps, rel=1e-6)


@pytest.mark.parametrize(
    ("relevance", "expected"),
    [("coverage", [0.0302, 0.0167, 0.0133, 0.0133]), ("best_match", [0.0286, 0.0133, 0.0133, 0.0133])],
)
def test_the_largest_eps0_at_a_tenth(relevance, expected):
    found = [
        best(0.1, 1e-9, rounds=rounds, n=3000, k=rounds, binary=relevance == "coverage").eps0
        for rounds in (6, 20, 100, 1000)
    ]
    assert [round(eps0, 4) for eps0 in found] == expected


def test_which_bound_holds_where():
    known = {"rounds": 10, "n": 50, "k": 10}
    assert list(candidates(1.0, 1e-6, **known, binary=True)) == [*BOUNDS, *OLDER_BOUNDS]
    once = {"covering", "coverage"}
    assert set(candidates(1.0, 1e-6, **known)) == {*BOUNDS, *OLDER_BOUNDS} - once
    assert set(candidates(1.0, 1e-6, **known, binary=True, cap=2)) == {*BOUNDS, *OLDER_BOUNDS} - once - {"clocks"}
    swapped = candidates(1.0, 1e-6, **known, binary=True, swaps=10)
    assert set(swapped) == {"basic", "renyi", "advanced", "zcdp"}
    assert set(candidates(1.0, 1e-6, **known, binary=True, swaps=4)) == {*swapped, "telescoping"}
    assert list(candidates(1.0, 0.0, **known, binary=True)) == ["basic"]


def test_delta_is_charged_as_used():
    found = candidates(1.0, 1e-6, rounds=10, n=1000, k=10, binary=True)
    clamp = (1 + math.e) * 10 * 1000 * 2.0**-80
    rounding = 1e-6 * 2 * THETA * 10
    for name, one in found.items():
        if name == "basic":
            assert one.reserve_delta == one.delta_used == 0
        elif name == "telescoping":
            assert one.reserve_delta == one.delta_used == pytest.approx(clamp, rel=1e-11)
        else:
            expected = rounding + (0 if name in {"advanced", "zcdp"} else clamp)
            assert one.reserve_delta == pytest.approx(expected, rel=1e-12)
            assert one.delta_used == 1e-6


def test_a_bound_without_delta_is_preferred_where_it_is_as_good():
    """`covering` would allow 0.3 % more here, for all of δ."""
    found = best(0.1, 1e-9, rounds=3, n=3000, k=3, binary=True)
    assert found.table["covering"] > found.table["telescoping"]
    assert found.bound == "telescoping"
    assert found.delta_used < 1e-19


def test_a_delta_smaller_than_the_clamps_share_leaves_the_composition_bounds():
    assert list(candidates(1.0, 1e-19, rounds=10, n=10**6, k=10, binary=True)) == ["basic", "advanced", "zcdp"]
    assert best(800.0, 1e-9, rounds=10, n=10, k=10, binary=True).bound == "basic"


def test_cap_counts_in_picks():
    single = candidates(1.0, 1e-9, rounds=10, n=50, k=10)
    triple = candidates(1.0, 1e-9, rounds=10, n=50, k=10, cap=3)
    assert triple["basic"].eta == single["basic"].eta
    assert triple["telescoping"].eta == pytest.approx(single["telescoping"].eta * 11 / 13, rel=1e-9)
    assert math.expm1(triple["decomposable"].eta) == pytest.approx(math.expm1(single["decomposable"].eta) / 3, rel=1e-9)
    # More than T counts cannot be had in T rounds.
    assert candidates(1.0, 1e-9, rounds=2, n=50, k=4, cap=9)["telescoping"].eta == pytest.approx(1 / 4, rel=1e-9)


def test_local_search_moves_by_a_units_whole_value():
    found = candidates(1.0, 1e-9, rounds=30, n=50, k=4, cap=3, swaps=30)
    for one in found.values():
        assert one.eps0 == 2 * one.eta * 3
    capped_by_k = candidates(1.0, 1e-9, rounds=30, n=50, k=2, cap=3, swaps=30)
    assert capped_by_k["basic"].eta == pytest.approx(found["basic"].eta * 3 / 2, rel=1e-12)


def test_a_greedy_start_and_swaps_are_paid_for_together():
    start = candidates(1.0, 1e-9, rounds=6, n=50, k=6)
    swaps = candidates(1.0, 1e-9, rounds=5, n=50, k=6, swaps=5)
    both = candidates(1.0, 1e-9, rounds=11, n=50, k=6, swaps=5)
    assert both["basic"].eta == pytest.approx(1 / (2 * 6 + 2 * 5), rel=1e-9)
    assert both["telescoping"].eta == pytest.approx(1 / (7 + 2 * 5), rel=1e-9)
    for name, one in both.items():
        assert one.eta <= min(start[name].eta, swaps.get(name, one).eta)
    # Over many rounds the orders add up to far less than the pure bounds do.
    many = candidates(0.1, 1e-9, rounds=137, n=50, k=20, swaps=117)
    assert many["renyi"].eta > 3 * many["telescoping"].eta


def test_decomposable_stays_within_the_papers_condition():
    assert candidates(300.0, 1e-9, rounds=100, n=1, k=100)  # far beyond e^ε·2^-80: no clamp bound is left
    assert candidates(30.0, 0.01, rounds=100, n=1, k=100)["decomposable"].eps0 == 1.0


@settings(deadline=None)
@given(st.floats(1e-3, 5), st.floats(1e-12, 0.1), st.integers(1, 300))
def test_zcdp_inverse_agrees_with_its_forward_form(eps, delta, rounds):
    eps0 = older_bounds.zcdp_eps0(eps, rounds, delta)
    if eps0 > 0:
        assert older_bounds.zcdp(eps0, rounds, delta) == pytest.approx(eps, rel=1e-11)


@pytest.mark.parametrize("rho", [1e-6, 0.01, 1.0, 30.0])
def test_zcdp_conversion_is_the_best_over_a_fine_grid_of_orders(rho):
    delta, rounds = 1e-7, 8
    eps0 = math.sqrt(rho)

    def at(alpha):
        return rho * alpha + math.log(1 / (alpha * delta)) / (alpha - 1) + math.log1p(-1 / alpha)

    grid = min(at(1 + math.exp(step / 500)) for step in range(-3000, 15000))
    found = older_bounds.zcdp(eps0, rounds, delta)
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
