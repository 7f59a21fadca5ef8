import numpy as np
import pytest

from msd_sql.udfs.errors import InputError
from msd_sql.udfs.privacy.randomness import SecretSource, SeededSource


def test_only_the_secret_source_is_private():
    assert SecretSource().private
    assert not SeededSource(1).private


@pytest.mark.parametrize("n", [1, 2, 3, 2**64, 2**140 + 1])
def test_integers_stay_below_n_of_any_size(n):
    for source in (SecretSource(), SeededSource(3)):
        drawn = [source.randbelow(n) for _ in range(50)]
        assert all(0 <= value < n for value in drawn)
        if n > 2**60:
            assert len(set(drawn)) == 50


@pytest.mark.parametrize("source", [SecretSource(), SeededSource(5)])
@pytest.mark.parametrize(("n", "size"), [(1, 1), (10, 0), (10, 10), (1000, 17)])
def test_a_sample_is_a_sorted_set_of_the_asked_size(source, n, size):
    chosen = source.sample(n, size)
    assert chosen.dtype == np.int64
    assert len(chosen) == size
    assert np.all(np.diff(chosen) > 0)
    assert np.all((chosen >= 0) & (chosen < n))


def test_a_sample_larger_than_the_candidates_is_refused():
    with pytest.raises(InputError, match="asked for, but there are 3"):
        SecretSource().sample(3, 4)


def test_seeded_source_repeats_itself_and_secret_source_does_not():
    def run(source):
        return [source.randbelow(2**64) for _ in range(3)] + source.sample(10**6, 5).tolist()

    assert run(SeededSource(9)) == run(SeededSource(9))
    assert run(SeededSource(9)) != run(SeededSource(10))
    assert run(SecretSource()) != run(SecretSource())


def test_samples_are_uniform_over_subsets():
    source = SeededSource(11)
    counts = dict.fromkeys([(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)], 0)
    for _ in range(6000):
        counts[tuple(source.sample(4, 2).tolist())] += 1
    chi_square = sum((seen - 1000) ** 2 / 1000 for seen in counts.values())
    assert chi_square < 25.7  # 5 degrees of freedom, p = 1e-4
