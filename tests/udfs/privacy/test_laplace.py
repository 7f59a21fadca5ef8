import math
from decimal import Decimal, localcontext
from fractions import Fraction

import pytest
from scipy.stats import chi2

from msd_sql.udfs.errors import InputError
from msd_sql.udfs.privacy.laplace import (
    BITS,
    _Coin,
    _coins,
    _geometric,
    discrete_laplace,
    exp_bounds,
    private_count,
)
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


class Scripted:
    """A source that says what it is told to, and counts how often it is asked."""

    private = False

    def __init__(self, says=lambda n: n - 1):
        self.says, self.asked = says, 0

    def randbelow(self, n):
        self.asked += 1
        return self.says(n)

    def sample(self, n, size):
        raise NotImplementedError


@pytest.mark.parametrize("x", [Fraction(x) for x in ("0", "1e-9", "1/3", "1", "7/2", "90")])
@pytest.mark.parametrize("bits", [64, 256, 512])
def test_the_bounds_of_a_coin_enclose_its_probability_closely(x, bits):
    with localcontext(prec=250):
        exact = (-Decimal(x.numerator) / x.denominator).exp()
        for bounds, chance in ((exp_bounds(x, bits), exact), (_Coin(x, odds=True).bounds(bits), exact / (1 + exact))):
            low, high = bounds
            assert low <= chance * 2**bits <= high
            assert high - low <= 4


@pytest.mark.parametrize("scale", [Fraction(1, 3), Fraction(7, 2)])
def test_the_digits_of_a_geometric_variable_have_its_exact_law(scale):
    rate = 1 / scale
    coins, beyond = _coins(rate)
    digits = len(coins)
    assert beyond.x == rate * 2**digits >= 128
    with localcontext(prec=60):
        chances = [Decimal(coin.near[0]) / 2**BITS for coin in coins]
        ratio = (-Decimal(rate.numerator) / rate.denominator).exp()
        for value in (0, 1, 2, 5, 11):
            made = 1 - (-Decimal(rate.numerator) / rate.denominator * 2**digits).exp()
            for digit, chance in enumerate(chances):
                made *= chance if value >> digit & 1 else 1 - chance
            assert abs(made / ((1 - ratio) * ratio**value) - 1) < Decimal(10) ** -50


@pytest.mark.parametrize("scale", [Fraction(1, 200), Fraction(1), Fraction(20), Fraction(10**6, 7)])
def test_the_number_of_steps_does_not_depend_on_the_noise(scale):
    counts, values = set(), set()
    for seed in range(200):
        inner = SeededSource(seed)
        source = Scripted(inner.randbelow)
        values.add(discrete_laplace(scale, source))
        counts.add(source.asked)
    assert len(counts) == 1
    assert len(values) > 1 or scale < 1


def test_an_integer_between_the_bounds_is_extended():
    coin = _Coin(Fraction(1, 2), odds=True)
    low, high = coin.near
    for drawn, then, falls in ((low, lambda n: 0, 1), (high - 1, lambda n: n - 1, 0)):
        first = [drawn]
        source = Scripted(lambda n, first=first, then=then: first.pop() if first else then(n))
        assert coin.fall(source) == falls
        assert source.asked == 2


def test_the_largest_values_come_from_beyond_the_digits():
    """Once in e^128 draws; then the rest of the distribution follows exactly."""
    asked = []

    def says(n):
        asked.append(n)
        return 0 if len(asked) <= 12 else n - 1

    assert _geometric(Fraction(1), Scripted(says)) >= 2 ** len(_coins(Fraction(1))[0])


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
