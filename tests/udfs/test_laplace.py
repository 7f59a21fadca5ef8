import math
from fractions import Fraction

import pytest
from scipy.stats import chi2

from msd_sql.udfs.errors import InputError
from msd_sql.udfs.privacy.laplace import _bernoulli_exp, discrete_laplace, private_count
from msd_sql.udfs.privacy.randomness import SecretSource, SeededSource


def probability(value, scale):
    ratio = math.exp(-1 / scale)
    return (1 - ratio) / (1 + ratio) * ratio ** abs(value)


@pytest.mark.parametrize("scale", [Fraction(1, 3), Fraction(1), Fraction(7, 2), Fraction(20)])
def test_noise_follows_the_discrete_laplace_law(scale):
    source = SeededSource(int(scale * 6))
    draws = 20_000
    reach = math.ceil(4 * scale)
    counts: dict[int, int] = {}
    for _ in range(draws):
        value = max(-reach - 1, min(reach + 1, discrete_laplace(scale, source)))
        counts[value] = counts.get(value, 0) + 1
    inside = range(-reach, reach + 1)
    tail = (1 - sum(probability(value, scale) for value in inside)) / 2
    expected = {**{value: probability(value, scale) for value in inside}, -reach - 1: tail, reach + 1: tail}
    statistic = sum((counts.get(value, 0) - draws * p) ** 2 / (draws * p) for value, p in expected.items())
    assert statistic < chi2.isf(1e-6, len(expected) - 1)


@pytest.mark.parametrize(("numerator", "denominator"), [(0, 1), (1, 1), (1, 3), (999, 1000)])
def test_coin_falls_with_probability_exp_minus_the_ratio(numerator, denominator):
    source = SeededSource(8)
    heads = sum(_bernoulli_exp(numerator, denominator, source) for _ in range(20_000))
    chance = math.exp(-numerator / denominator)
    assert abs(heads - 20_000 * chance) <= 5 * math.sqrt(20_000 * chance * (1 - chance))


def coin_by_enumeration(numerator, denominator, depth):
    """The exact probability that `_bernoulli_exp` says True within `depth` questions, by following its own branches."""

    class Script:
        private = False

        def __init__(self, passes):
            self.passes, self.chance = passes, Fraction(1)

        def randbelow(self, n):
            goes_on = self.passes > 0
            self.passes -= 1
            self.chance *= Fraction(numerator if goes_on else n - numerator, n)
            return 0 if goes_on else n - 1

        def sample(self, n, size):
            raise NotImplementedError

    total = Fraction(0)
    for passes in range(depth):
        script = Script(passes)
        if _bernoulli_exp(numerator, denominator, script):
            total += script.chance
    return total


@pytest.mark.parametrize(("numerator", "denominator"), [(1, 2), (2, 3), (5, 7)])
def test_coin_is_exact(numerator, denominator):
    exact = coin_by_enumeration(numerator, denominator, 25)
    assert float(exact) == pytest.approx(math.exp(-numerator / denominator), rel=1e-14)


def test_private_count_scales_with_sensitivity_over_eps():
    sums = [abs(private_count(500, Fraction(1, 2), SeededSource(seed), 3) - 500) for seed in range(4000)]
    scale = 6
    ratio = math.exp(-1 / scale)
    mean = 2 * ratio / (1 - ratio**2)
    assert sum(sums) / 4000 == pytest.approx(mean, rel=0.1)


def test_noise_needs_a_positive_scale_and_eps():
    with pytest.raises(InputError, match="positive"):
        discrete_laplace(Fraction(0), SecretSource())
    with pytest.raises(InputError, match="positive"):
        private_count(3, Fraction(-1), SecretSource())
