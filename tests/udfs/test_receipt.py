import dataclasses
import json
import math

import pytest

from msd_sql.udfs.privacy.accounting import best
from msd_sql.udfs.receipt import Receipt

CALIBRATION = best(0.5, 1e-6, rounds=6, n=40, k=6, binary=True)
PRIVATE = Receipt(
    method="greedy",
    n=40,
    k=6,
    diversity=0.5,
    m=1000,
    rounds=CALIBRATION.rounds,
    bound=CALIBRATION.bound,
    eps=CALIBRATION.eps,
    delta=CALIBRATION.delta,
    eps0=CALIBRATION.eps0,
    eta=CALIBRATION.eta,
    reserve_eps=CALIBRATION.reserve_eps,
    reserve_delta=CALIBRATION.reserve_delta,
    delta_used=CALIBRATION.delta_used,
    private=True,
    loss=CALIBRATION.divergence,
)


def test_receipt_is_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        PRIVATE.eps = 3.0


def test_receipt_holds_public_facts_and_nothing_else():
    assert set(PRIVATE.as_dict()) == {
        "method", "n", "k", "diversity", "m", "cap", "rounds", "swaps", "bound", "eps", "delta", "delta_used", "eps0",
        "eta", "noise", "reserve_eps", "reserve_delta", "private", "exact", "loss", "constraint",
    }  # fmt: skip


def test_noise_is_the_scale_in_users():
    assert PRIVATE.noise == 1 / CALIBRATION.eta
    assert PRIVATE.as_dict()["noise"] == PRIVATE.noise


def test_a_private_receipt_reads_as_a_sentence():
    text = str(PRIVATE)
    assert "eps = 0.5, delta = 1e-06 by the covering bound" in text
    assert "6 rounds" in text
    assert "users (m = 1000)" in text


def test_a_seeded_receipt_says_that_it_is_not_private():
    assert "NOT private" in str(dataclasses.replace(PRIVATE, private=False))


def test_an_exact_receipt_says_so():
    exact = Receipt(method="greedy", n=40, k=6, diversity=0.5, m=1000, exact=True)
    assert "no privacy guarantee" in str(exact)
    assert exact.noise is None


def test_a_public_receipt_says_that_nothing_was_charged():
    assert "nothing charged" in str(Receipt(method="greedy", n=40, k=6, diversity=1.0, m=1000))


def test_a_receipt_survives_json_with_its_divergence():
    again = Receipt.from_dict(json.loads(json.dumps(PRIVATE.as_dict())))
    assert again == PRIVATE
    for alpha in (1.5, 2.0, 36.0):
        assert again.divergence(alpha) == PRIVATE.divergence(alpha) == CALIBRATION.divergence.at(alpha) > 0


def test_the_divergence_of_a_receipt_follows_what_was_read():
    assert Receipt(method="greedy", n=40, k=6, diversity=1.0, m=1000).divergence(2.0) == 0
    older = PRIVATE.as_dict()
    del older["loss"]
    assert Receipt.from_dict(older).divergence(2.0) == math.inf
    assert Receipt.from_dict({**older, "eps": None}).divergence(2.0) == 0
    assert Receipt.from_dict({**older, "eps": None, "exact": True}).divergence(2.0) == math.inf
