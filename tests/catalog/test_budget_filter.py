"""The filter with two rules: exact sums that never err against privacy, and budgets that last."""

from __future__ import annotations

import random
from decimal import Decimal, localcontext

import pytest
from hypothesis import given
from hypothesis import strategies as st

from msd_sql.catalog.budget_filter import NOTHING, UNBOUNDED, Budget, Loss, choose_order
from msd_sql.udfs.planning import plan
from msd_sql.udfs.privacy.renyi import UNBOUNDED as EXACT
from msd_sql.udfs.privacy.renyi import Divergence

ONE = Budget(Decimal(1), Decimal("1e-9"), choose_order(Decimal(1), Decimal("1e-9")))


def price(k, eps, budget=ONE, n=3000):
    """What a selection of k items costs, by its plan alone."""
    delta = budget.delta_sum * Decimal(eps) / budget.eps
    made = plan(n=n, k=k, eps=Decimal(eps), delta=delta, diversity=0.5, m=1_200_000)
    return budget.price(Decimal(eps), min(delta, Decimal(made.charged_delta)), made.calibration.divergence)


def answered(budget, cost):
    """How many answers of this price are allowed before the first refusal, one after another."""
    spent, count = NOTHING, 0
    while budget.allows(spent + cost):
        spent, count = spent + cost, count + 1
    return count


@pytest.mark.parametrize(
    ("k", "eps", "by_sum", "by_either"), [(6, "0.1", 10, 56), (20, "0.1", 10, 242), (100, "0.1", 10, 451)]
)
def test_a_budget_of_one_lasts(k, eps, by_sum, by_either):
    cost = price(k, eps)
    sums_only = Budget(ONE.eps, ONE.delta, None)
    assert answered(sums_only, cost) == sums_only.how_many(NOTHING, cost) == by_sum
    assert answered(ONE, cost) == ONE.how_many(NOTHING, cost) == by_either


def test_a_group_by_of_250_categories_fits_and_one_of_260_does_not():
    cost = price(6, "0.05")
    assert ONE.allows(cost.times(250))
    assert not ONE.allows(cost.times(260))
    assert not Budget(ONE.eps, ONE.delta, None).allows(cost.times(250))


def test_the_order_and_the_room_are_those_of_the_theory():
    assert ONE.alpha == 36
    assert Decimal("0.51") < ONE.room < Decimal("0.53")
    assert ONE.overhead + ONE.room == 1


def test_either_rule_is_enough_and_both_are_kept():
    by_sum = Loss(Decimal(1), Decimal("5e-10"), UNBOUNDED)
    by_order = Loss(Decimal(50), Decimal("1e-8"), ONE.room)
    assert (ONE.by_sum(by_sum), ONE.by_order(by_sum), ONE.allows(by_sum)) == (True, False, True)
    assert (ONE.by_sum(by_order), ONE.by_order(by_order), ONE.allows(by_order)) == (False, True, True)
    assert not ONE.allows(by_sum + Loss(Decimal("1e-20")))
    assert not ONE.allows(by_order + Loss(renyi=Decimal("1e-20")))
    assert not ONE.allows(Loss(Decimal(1), Decimal("5.1e-10"), UNBOUNDED))
    assert not ONE.allows(by_order + Loss(clamp=ONE.clamp_room + Decimal("1e-30")))


def test_an_exact_answer_has_no_divergence_and_no_second_account_a_pure_budget():
    assert ONE.price(Decimal("0.1"), Decimal(0), EXACT).renyi == UNBOUNDED
    pure = Budget(Decimal(1), Decimal(0), choose_order(Decimal(1), Decimal(0)))
    assert pure.alpha is None
    assert pure.how_many(NOTHING, Loss(Decimal("0.25"))) == 4
    assert not pure.by_order(NOTHING)


def test_infinities_add_up_to_what_a_column_can_hold():
    cost = Loss(Decimal("0.001"), Decimal(0), UNBOUNDED)
    total = NOTHING
    for _ in range(5000):
        total += cost
    assert total.renyi == UNBOUNDED
    assert total.eps == 5


def test_the_composed_epsilon_is_that_of_the_smallest_budget_that_would_have_allowed_it():
    cost = price(20, "0.1")
    spent = cost.times(30)
    least = ONE.composed(spent)
    assert Decimal("0.5") < least < Decimal("0.6")
    assert Budget(least, ONE.delta, ONE.alpha).allows(spent)
    assert not Budget(least - Decimal("1e-19"), ONE.delta, ONE.alpha).allows(spent)
    assert ONE.composed(cost) == cost.eps  # one answer is cheaper by sum
    assert ONE.left(spent) == 1 - least


@given(st.decimals("1e-6", "100", places=6), st.integers(2, 25))
def test_every_budget_has_an_order_at_which_something_fits(eps, digits):
    delta = Decimal(1).scaleb(-digits)
    found = choose_order(eps, delta)
    budget = Budget(eps, delta, found)
    assert found is not None
    assert found > 1
    assert budget.room > 0
    worse = [Budget(eps, delta, (found - 1) * factor + 1) for factor in (Decimal("0.7"), Decimal("1.4"))]
    assert all(other.room / other.alpha <= budget.room / found * Decimal("1.001") for other in worse)


# The same in sixty digits, from the formulas of docs/privacy.md


def exact_divergence(made: Divergence, alpha: Decimal) -> Decimal:
    if made.laplace:
        eps = Decimal(made.laplace)
        if (alpha - 1) * eps > 700:  # where the sum would overflow its limit is taken
            return eps
        inside = (((alpha - 1) * eps).exp() + (-alpha * eps).exp()) / (1 + (-eps).exp())
        return inside.ln() / (alpha - 1)
    eta = Decimal(made.eta)
    square = ((eta / 2).exp() - (-eta / 2).exp()) ** 2 / 4  # sinh²(η/2)
    inside = 1 - 4 * alpha * (alpha - 1) * square
    found = [alpha * made.adds * (2 * eta) ** 2 / 8, (made.adds + min(made.total, made.adds)) * eta]
    if inside >= Decimal(2) ** -16:  # nearer to its pole the formula is not used
        found.append(-made.total / (alpha - 1) * inside.ln())
    return min(found) + Decimal(made.drift) * (2 * alpha - 1) / (alpha - 1)


def exact_overhead(delta: Decimal, alpha: Decimal) -> Decimal:
    share = delta / 2 * 63 / 64
    return (-share.ln() - alpha.ln()) / (alpha - 1) + (1 - 1 / alpha).ln()


def test_sums_never_err_against_privacy():
    """10⁵ random histories, most of them within a hair's breadth of a limit, against sixty digits."""
    source = random.Random(20261118)
    with localcontext() as context:
        context.prec = 60
        alphas = [Decimal(text) for text in ("36", "5.3", "1.53", "170", "21000")]
        deltas = [Decimal("1e-9"), Decimal("1.11e-8"), Decimal("3e-6")]
        overheads = {(delta, alpha): exact_overhead(delta, alpha) for delta in deltas for alpha in alphas}
        pool = []
        for _ in range(150):
            made = (
                Divergence.of_count(source.uniform(0.001, 0.5))
                if source.random() < 0.2
                else Divergence.of_selection(
                    10 ** source.uniform(-4, -1), adds=source.randint(1, 60), total=source.randint(1, 2), n=3000
                )
            )
            eps, share = Decimal(repr(source.uniform(0.001, 0.3))), Decimal(repr(source.uniform(0, 1e-10)))
            exact = {alpha: exact_divergence(made, alpha) for alpha in alphas}
            priced = {alpha: Budget(Decimal(1), deltas[0], alpha).price(eps, share, made) for alpha in alphas}
            pool.append((eps, share, exact, priced))
        sides = {True: 0, False: 0}
        for _ in range(100_000):
            alpha, delta = source.choice(alphas), source.choice(deltas)
            history = source.choices(pool, k=source.randint(1, 6))
            spent = NOTHING
            for one in history:
                spent += one[3][alpha]
            sum_eps = sum(one[0] for one in history)
            sum_delta = sum(one[1] for one in history)
            order = sum(one[2][alpha] for one in history) + overheads[delta, alpha]
            # A budget so near to one of the two that rounding the wrong way would show.
            near = source.choice([sum_eps, order]) + source.choice([-1, 0, 1]) * Decimal(10) ** source.randint(-22, -9)
            budget = Budget(max(near, Decimal("1e-20")).quantize(Decimal("1e-20")), delta, alpha)
            truly = (sum_eps <= budget.eps and sum_delta <= delta / 2, order <= budget.eps)
            assert not budget.by_sum(spent) or truly[0]
            assert not budget.by_order(spent) or truly[1]
            # Not needlessly strict either: what fits by a part in a thousand million is allowed.
            if order * (1 + Decimal("1e-9")) <= budget.eps and spent.clamp <= budget.clamp_room:
                assert budget.by_order(spent)
            sides[budget.allows(spent)] += 1
    assert min(sides.values()) > 10_000
