"""The seeded shop and the utility table that is printed from it."""

import numpy as np
import pytest

from benchmarks.data.generate import generate
from benchmarks.utility import losses


def test_a_shop_is_what_was_ordered_and_repeatable():
    shop, again = (generate(n=50, users=400, purchases=1000, seed=3) for _ in range(2))
    assert len(shop.item_codes) == len(shop.user_codes) == 1000
    assert np.array_equal(np.unique(shop.user_codes), np.arange(400))
    assert shop.item_codes.min() >= 0
    assert shop.item_codes.max() < 50
    assert len(shop.category_starts) == 51
    assert (np.diff(shop.category_starts) >= 1).all()
    for column in ("item_codes", "user_codes", "category_starts", "category_tokens", "prices"):
        assert np.array_equal(getattr(shop, column), getattr(again, column))


def test_fewer_purchases_than_users_are_refused():
    with pytest.raises(ValueError, match="every user bought"):
        generate(n=5, users=10, purchases=9)


def test_our_calibration_loses_less_than_the_authors():
    for row in losses(generate(n=300, users=50_000, purchases=110_000), runs=3):
        assert row.ours < row.authors
