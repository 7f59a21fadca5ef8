import dataclasses
import math
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from msd_sql import audit as command
from msd_sql.udfs import Coverage, CoverageIndex, Uniform
from msd_sql.udfs.audit.breaking import MISTAKES
from msd_sql.udfs.audit.cases import cases
from msd_sql.udfs.audit.claims import audit
from msd_sql.udfs.audit.exact import Leaf, Offsets, Question, transcripts
from msd_sql.udfs.audit.measuring import excess, measured, renyi
from msd_sql.udfs.audit.neighbours import Wanted, family
from msd_sql.udfs.methods import METHODS
from msd_sql.udfs.objective.objective import Objective
from msd_sql.udfs.privacy.accounting import BOUNDS, OLDER_BOUNDS
from msd_sql.udfs.privacy.mechanism import ExponentialMechanism
from msd_sql.udfs.privacy.randomness import SeededSource
from msd_sql.udfs.privacy.sampler import exact_weights
from msd_sql.udfs.types import ONE

pytestmark = pytest.mark.xdist_group("audit")  # the transcripts that its cases have followed are kept

DISTANCES = np.array([[0.0, 0.4, 0.9], [0.4, 0.0, 0.3], [0.9, 0.3, 0.0]])
GREEDY = Question("greedy", 2, Uniform(3, 2), Offsets(DISTANCES), 0.5)


def build(kinds, n=3, k=2):
    pairs = [(item, unit) for unit, kind in enumerate(kinds) for item in range(n) if kind >> item & 1]
    items, units = np.array([*pairs, (0, 0)])[:-1].T
    return Coverage(CoverageIndex.from_pairs(items, units, n), m=len(kinds), k=k)


@pytest.fixture(scope="module")
def quick():
    """The quick cases; transcripts once followed are kept, so that another audit of them is faster."""
    return cases(quick=True)


@pytest.fixture(scope="module")
def telling(quick):
    """The cases that are nearest to a bound, and those of few draws."""
    parts = ("m=3, random offsets", "cap 2", "lure", "coin", "chain", "count", "item 1 pinned")
    found = [case for case in quick if any(part in case.name for part in parts)]
    return [case for case in found if case.method not in ("nosg", "osg") and "swap" not in case.name]


@pytest.fixture(scope="module")
def findings(quick):
    return list(audit(quick))


@pytest.mark.slow
def test_every_claim_holds(findings):
    assert {finding.verdict for finding in findings} == {"holds", "not refuted"}
    assert {finding.bound for finding in findings} == {*BOUNDS, *OLDER_BOUNDS, "divergence"}
    private = {name for name, method in METHODS.items() if method.can_be_private and method.reads_relevance}
    assert {finding.case.method for finding in findings} == {*private, "reach"}


@pytest.mark.slow
def test_only_what_was_lumped_together_is_not_decided(findings):
    """The moment of a chain's rare branches is not known; everything else is."""
    open_ones = [finding for finding in findings if finding.verdict == "not refuted"]
    assert {finding.bound for finding in open_ones} == {"divergence"}
    assert all("chain" in finding.case.name for finding in open_ones)


@pytest.mark.slow
def test_start_sets_items_apart_and_fractions_are_among_the_cases(findings):
    told = {(finding.case.name, finding.bound) for finding in findings if finding.at.startswith("δ")}
    for part, bound in [("pinned", "clocks"), ("apart", "clocks"), ("best_match", "clocks"), ("1 swap", "renyi")]:
        assert any(part in name and bound == found for name, found in told)


@pytest.mark.slow
def test_halved_sensitivity_is_caught_for_every_method_and_all_bounds_that_can_be_tight(quick, findings):
    mistake = MISTAKES["sensitivity"]
    caught = [finding for finding in audit(quick, mistake.factor) if finding.verdict == "VIOLATED"]
    assert {finding.bound for finding in caught} == {*BOUNDS, *OLDER_BOUNDS, "divergence"} - {"advanced"}
    assert {finding.case.method for finding in caught} == {finding.case.method for finding in findings}
    assert any("cap" in finding.case.name for finding in caught)
    assert any("best_match" in finding.case.name for finding in caught)
    for constraint in ("pinned", "apart", "at least"):
        assert any(constraint in finding.case.name for finding in caught)


@pytest.mark.parametrize("name", ["pinned", "twins apart"])
def test_one_round_too_few_is_caught_with_pinned_items_and_with_candidates_that_drop_out(quick, name):
    (case,) = (one for one in quick if one.name.startswith("lure") and name in one.name)
    fewer = dataclasses.replace(case, facts={**case.facts, "rounds": case.facts["rounds"] - 1})
    measured = [
        [one.verdict for one in audit([some]) if one.bound == "telescoping" and one.at.startswith("ε")]
        for some in (case, fewer)
    ]
    assert measured == [["holds"], ["VIOLATED"]]


@pytest.mark.parametrize(
    ("name", "bounds"),
    [
        ("clocks_rate", {"clocks"}),
        ("clocks_start", {"clocks"}),
        ("clocks_slip", {"clocks"}),
        ("covering_slip", {"covering"}),
        ("renyi_slip", {"renyi"}),
        ("covering_own", {"covering"}),
        ("covering_rounds", {"covering"}),
        ("covering_rate", {"covering"}),
        ("covering_delta", {"covering"}),
        ("divergence", {"divergence"}),
        ("divergence_total", {"divergence"}),
        ("bounded_range", {"divergence", "renyi"}),
        ("conversion", {"renyi"}),
        ("count", {"divergence"}),
    ],
)
def test_a_broken_constant_is_caught(telling, name, bounds):
    mistake = MISTAKES[name]
    with mistake.made():
        caught = [finding for finding in audit(telling) if finding.verdict == "VIOLATED"]
    assert {finding.bound for finding in caught} == bounds


def test_swaps_that_pass_for_added_picks_are_caught(telling):
    with MISTAKES["swaps"].made():
        caught = [finding for finding in audit(telling) if finding.verdict == "VIOLATED"]
    assert {finding.case.method for finding in caught} == {"local_search", "sls"}
    assert {"clocks", "renyi", "divergence"} <= {finding.bound for finding in caught}


def test_a_mistake_is_over_when_its_context_is(quick):
    def clocks():
        return next(finding for finding in audit(quick[:1]) if finding.bound == "clocks")

    before = clocks()
    with MISTAKES["clocks_rate"].made():
        assert clocks() != before
    assert clocks() == before


@pytest.mark.slow
def test_instances_are_tight_enough_to_mean_something(findings):
    tightest = {}
    for finding in findings:
        if finding.at.startswith("ε"):
            tightest[finding.bound] = max(finding.tight, tightest.get(finding.bound, 0))
        elif finding.claimed > 1e-9:
            kind = finding.bound, finding.at[0]
            tightest[kind] = max(finding.tight, tightest.get(kind, 0))
    assert tightest["basic"] > 0.99
    assert tightest["telescoping"] > 0.99
    assert tightest["covering"] > 0.99
    assert tightest["renyi"] > 0.95
    assert tightest["clocks"] > 0.75
    assert tightest["zcdp"] > 0.75
    assert tightest["coverage"] > 0.6
    assert tightest["decomposable"] > 0.4
    assert tightest["clocks", "δ"] > 0.999
    assert tightest["divergence", "D"] > 0.999


@pytest.fixture
def one_case(monkeypatch):
    few = [case for case in cases(quick=True) if case.name.startswith("lure k=1")]
    monkeypatch.setattr(command, "cases", lambda quick: few)


@pytest.mark.usefixtures("one_case")
def test_command_exits_with_zero_when_all_claims_hold(capsys):
    assert command.main(["--quick"]) == 0
    printed = capsys.readouterr()
    assert "every one holds" in printed.out
    assert "VIOLATED" not in printed.out
    assert printed.err == ""  # no progress unless a person is watching


@pytest.mark.usefixtures("one_case")
def test_command_exits_with_one_when_sensitivity_is_broken(capsys):
    assert command.main(["--break", "sensitivity"]) == 1
    printed = capsys.readouterr().out
    assert "half of what it is" in printed
    assert "VIOLATED" in printed
    assert "the audit noticed" in printed


@pytest.mark.usefixtures("one_case")
def test_an_audit_that_notices_nothing_says_that_it_is_blind(capsys):
    assert command.main(["--break", "count"]) == 2  # a lure has no noisy count
    assert "blind" in capsys.readouterr().out


def test_module_runs_as_a_command():
    run = subprocess.run(
        [sys.executable, "-m", "msd_sql.audit", "--table"], capture_output=True, encoding="utf-8", check=True
    )
    assert "telescoping" in run.stdout


def test_command_prints_the_check_table(capsys):
    assert command.main(["--table"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[3:]] == [*OLDER_BOUNDS, *BOUNDS]
    assert lines[-2].split() == ["clocks", "0.01328", "0.01328", "0.01328", "0.01328", "0.1133"]


def test_transcripts_of_greedy_equal_a_calculation_by_hand():
    """Two picks of three: gains counted from the sets themselves, offsets from the distances, all as Fractions."""
    eta, kinds = 0.7, (0b011, 0b100, 0b110)
    relevance = build(kinds)

    def score(picked, item):
        gain = sum(1 for kind in kinds if kind >> item & 1 and not any(kind >> p & 1 for p in picked))
        public = 0.5 * sum(DISTANCES[p][item] for p in picked)  # λ·2/(k(k-1)) = 1/2
        return gain, public / (0.5 * 0.5 / len(kinds))

    def chances(picked):
        left = [item for item in range(3) if item not in picked]
        gains, offsets = zip(*(score(picked, item) for item in left), strict=True)
        top = max(offsets)
        scores = [gain * ONE + round((offset - top) * ONE) for gain, offset in zip(gains, offsets, strict=True)]
        weights = exact_weights(np.array(scores), eta)
        return {item: Fraction(weight, sum(weights)) for item, weight in zip(left, weights, strict=True)}

    expected = sorted(chances(())[a] * chances((a,))[b] for a, b in permutations(range(3), 2))
    leaves = transcripts(GREEDY, relevance, build((0, 0, 0)), eta)
    found = sorted(leaf.left for leaf in leaves)
    assert len(found) == 6
    for exact, decimal in zip(expected, found, strict=True):
        assert abs(Fraction(decimal) / exact - 1) < Fraction(1, 10**50)


@pytest.mark.parametrize("method", ["greedy", "nosg", "osg", "rel", "mix", "local_search", "sls"])
def test_transcripts_are_a_probability_distribution(method):
    question = Question(method, 2, Uniform(3, 2), Offsets(DISTANCES), 0.3)
    leaves = transcripts(question, build((1, 2, 7)), build((1, 2, 4)), 0.5, draws=2)
    for side in ("left", "right"):
        assert abs(sum(Fraction(getattr(leaf, side)) for leaf in leaves) - 1) < Fraction(1, 10**50)


def test_audited_distribution_is_what_a_real_run_draws_from():
    eta, draws = 0.8, 2500
    relevance = build((0b011, 0b100, 0b110, 0b010))
    leaves = {}
    prefixes = [(a, b) for a in range(3) for b in range(2)]
    first = exact_weights(GREEDY.next_event(relevance, ()).scores, eta)
    for a, b in prefixes:
        second = exact_weights(GREEDY.next_event(relevance, (a,)).scores, eta)
        left = [item for item in range(3) if item != a]
        leaves[a, left[b]] = first[a] / sum(first) * second[b] / sum(second)
    assert sorted(leaves.values()) == pytest.approx(
        sorted(float(leaf.left) for leaf in transcripts(GREEDY, relevance, relevance, eta)), rel=1e-12
    )
    source = SeededSource(6)
    seen = dict.fromkeys(leaves, 0)
    for _ in range(draws):
        relevance.clear()
        objective = Objective(relevance, Offsets(DISTANCES), k=2, diversity=0.5, weight=0.5)
        mechanism = ExponentialMechanism(eta, source)
        picks = METHODS["greedy"].run(objective, Uniform(3, 2), mechanism, source, k=2, gamma=0.5)
        seen[tuple(picks)] += 1
    statistic = sum((seen[key] - draws * chance) ** 2 / (draws * chance) for key, chance in leaves.items())
    assert statistic < 35.9  # 5 degrees of freedom, p = 1e-6


def test_search_over_neighbours_finds_the_worst_pair():
    eta, eps, delta = 0.9, 0.8, 1e-3
    everyone = family(GREEDY, build, kinds=4, units=2)
    pairs = list(zip(everyone.left.tolist(), everyone.right.tolist(), strict=True))
    assert len(everyone.datasets) == 10
    assert len(pairs) == len(set(pairs)) == 4 * 4 * 3

    def measured_pair(left, right):
        return measured(transcripts(GREEDY, build(left), build(right), eta), eps, delta)

    exhaustive = [measured_pair(everyone.datasets[a], everyone.datasets[b]) for a, b in pairs]
    wanted = Wanted(eps=(eps,), deltas=(delta,))
    found = [measured_pair(left, right) for left, right in everyone.worst(eta, wanted)]
    assert max(one.eps for one in found) == pytest.approx(max(one.eps for one in exhaustive), rel=1e-9)
    assert max(one.delta_low for one in found) == pytest.approx(max(one.delta_low for one in exhaustive), rel=1e-9)


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(1, 50), st.integers(1, 50)), min_size=2, max_size=6), st.floats(0, 0.9))
def test_exact_eps_is_where_the_hockey_stick_meets_delta(masses, delta):
    left, right = (sum(side) for side in zip(*masses, strict=True))
    leaves = [Leaf(Decimal(p) / left, Decimal(q) / right) for p, q in masses]
    eps = measured(leaves, 1.0, delta).eps
    assert measured(leaves, eps * (1 + 1e-12) + 1e-12, delta).delta_low <= delta + 1e-12
    if eps > 1e-9:
        assert measured(leaves, eps * (1 - 1e-6), delta).delta_high >= delta


def test_search_over_neighbours_finds_the_largest_divergence():
    eta, alpha = 0.9, 3.0
    everyone = family(GREEDY, build, kinds=4, units=2)

    def order(left, right):
        return renyi(transcripts(GREEDY, build(left), build(right), eta), alpha)

    pairs = zip(everyone.left.tolist(), everyone.right.tolist(), strict=True)
    most = max(order(everyone.datasets[a], everyone.datasets[b]) for a, b in pairs)
    found = [order(left, right) for left, right in everyone.worst(eta, Wanted(orders=(alpha,)))]
    assert max(found) == pytest.approx(most, rel=1e-12)


def test_the_divergence_of_leaves_is_the_sum_that_defines_it():
    leaves = [Leaf(Decimal("0.7"), Decimal("0.5")), Leaf(Decimal("0.3"), Decimal("0.5"))]
    ahead = math.log(0.7**3 * 0.5**-2 + 0.3**3 * 0.5**-2) / 2
    back = math.log(0.5**3 * 0.7**-2 + 0.5**3 * 0.3**-2) / 2
    assert renyi(leaves, 3.0) == pytest.approx(max(ahead, back), rel=1e-12)
    assert excess(leaves, 0.0)[0] == pytest.approx(0.2)


def test_randomised_response_has_the_privacy_that_it_is_known_for():
    answer = [Leaf(Decimal(3) / 4, Decimal(1) / 4), Leaf(Decimal(1) / 4, Decimal(3) / 4)]
    found = measured(answer, math.log(2), 0.0)
    assert found.eps == pytest.approx(math.log(3), rel=1e-15)
    assert found.delta_low == pytest.approx(0.75 - 2 * 0.25)


def test_lumped_transcripts_count_against_the_claim():
    leaves = [Leaf(Decimal("0.9"), Decimal("0.9")), Leaf(Decimal("0.1"), Decimal("0.1"), lumped=True)]
    found = measured(leaves, 0.5, 0.0)
    assert found.delta_low == 0
    assert found.delta_high == pytest.approx(0.1)


def lure(k, cap, others):
    """One user has the first `cap` items, or instead the last one, which all the others have."""
    n = k + 1
    common = [(n - 1, unit) for unit in range(1, others + 1)]
    sides = []
    for own in ([(item, 0) for item in range(cap)], [(n - 1, 0)]):
        items, units = np.array(own + common).T
        sides.append(Coverage(CoverageIndex.from_pairs(items, units, n), m=others + 1, k=k, cap=cap))
    return Question("greedy", k, Uniform(n, k), Offsets(np.zeros((n, n))), 0.0), *sides


def test_telescoping_that_forgot_the_cap_would_be_caught():
    question, left, right = lure(k=4, cap=2, others=40)
    eta = 1.0 / (4 + 1)  # (T + 1)·η instead of (T + 2)·η
    assert measured(transcripts(question, left, right, eta), 1.0, 1e-15).eps > 1.1


def test_telescoping_does_not_hold_for_local_search():
    pairs = [(1, unit) for unit in range(1, 41)]
    left, right = (Coverage(CoverageIndex.from_pairs(*np.array([(own, 0), *pairs]).T, 2), m=41, k=1) for own in (0, 1))
    question = Question("sls", 1, Uniform(2, 1), Offsets(np.zeros((2, 2))), 0.0, gamma=0.99)
    rounds = 4
    eta = 1.0 / (rounds + 1)
    found = measured(transcripts(question, left, right, eta, draws=rounds), 1.0, 0.0)
    assert found.eps > 1.5  # a user is uncovered again and again: 2·T·η, as basic composition says
    assert found.eps <= 2 * rounds * eta


def test_clamped_candidates_stay_within_the_reserve():
    eta = 0.5
    question, left, right = lure(k=3, cap=1, others=400)
    scores = [question.next_event(side, ()).scores for side in (left, right)]
    assert all(min(exact_weights(one, eta)) == 2**52 for one in scores)  # the clamp decides
    found = measured(transcripts(question, left, right, eta), 4 * eta, 0.0)
    assert found.eps <= 2 * 3 * eta
    assert found.delta_high <= (1 + math.exp(4 * eta)) * 3 * 4 * 2.0**-80
