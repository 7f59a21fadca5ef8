import math

import numpy as np
import pytest

from msd_sql.udfs.errors import InputError
from msd_sql.udfs.privacy.mechanism import Argmax, ExponentialMechanism
from msd_sql.udfs.privacy.randomness import SecretSource, SeededSource
from msd_sql.udfs.privacy.sampler import draw
from msd_sql.udfs.types import ONE


def test_argmax_takes_the_first_of_the_best():
    assert Argmax().choose(np.array([3, 9, 9, 1])) == 1


def test_exponential_mechanism_is_the_samplers_draw():
    scores = np.arange(50) * ONE
    mechanism = ExponentialMechanism(0.1, SeededSource(4))
    reference = SeededSource(4)
    assert [mechanism.choose(scores) for _ in range(30)] == [draw(scores, 0.1, reference) for _ in range(30)]


def test_a_count_is_worth_e_to_the_eta():
    mechanism = ExponentialMechanism(math.log(3), SeededSource(5))
    first = sum(mechanism.choose(np.array([ONE, 0])) == 0 for _ in range(4000))
    assert first / 4000 == pytest.approx(0.75, abs=0.035)  # five standard deviations


@pytest.mark.parametrize("mechanism", [Argmax(), ExponentialMechanism(1.0, SecretSource())])
def test_choosing_from_nothing_is_refused(mechanism):
    with pytest.raises(InputError, match="no candidate"):
        mechanism.choose(np.array([], dtype=np.int64))


@pytest.mark.parametrize("eta", [0.0, -2.0, math.inf, math.nan])
def test_senseless_eta_is_refused(eta):
    with pytest.raises(InputError, match="positive finite"):
        ExponentialMechanism(eta, SecretSource())
