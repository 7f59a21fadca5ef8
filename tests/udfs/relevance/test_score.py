"""Score: public, modular relevance."""

import numpy as np
import pytest

from msd_sql.udfs import InputError, Score


def test_value_is_the_mean_over_the_slots():
    relevance = Score([0.25, 1.0, 0.0], k=4)
    relevance.add(0)
    relevance.add(1)
    assert relevance.value() / 2**relevance.bits / relevance.units == 1.25 / 4


def test_swaps_are_differences_of_scores():
    relevance = Score([0.25, 1.0, 0.5], k=2)
    relevance.add(0)
    before = relevance.value()
    table = relevance.swap_gains(np.array([1, 2]))
    relevance.swap(0, 2)
    assert relevance.value() - before == table[0, 1]
    relevance.clear()
    assert relevance.value() == 0


def test_scores_a_billionth_apart_are_told_apart():
    gains = Score([0.5, 0.5 + 1e-9], k=1).gains()
    assert gains[1] > gains[0]


@pytest.mark.parametrize("scores", [[1.5], [-0.1], [float("nan")], [[0.5]]])
def test_scores_outside_of_the_unit_interval_are_refused(scores):
    with pytest.raises(InputError):
        Score(scores, k=1)
