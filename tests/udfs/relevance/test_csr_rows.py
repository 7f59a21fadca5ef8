"""Rows of codes by their length, and what is counted over some of them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from msd_sql.udfs.relevance import csr_rows
from msd_sql.udfs.relevance.csr_rows import Rows

WIDTH = 12
BASKETS = st.lists(st.lists(st.integers(0, WIDTH - 1), min_size=0, max_size=12, unique=True), max_size=40)


def rows_of(baskets, kind=np.uint16):
    bounds = np.concatenate([[0], np.cumsum([len(basket) for basket in baskets])]).astype(np.int32)
    return Rows(bounds, np.array([code for basket in baskets for code in basket], kind))


def baskets_of(rows):
    return [rows.codes[rows.span(row)].tolist() for row in range(len(rows.bounds) - 1)]


@given(BASKETS)
def test_rows_by_length_are_the_same_rows(baskets):
    found = rows_of(baskets).by_length()
    assert sorted(baskets_of(found)) == sorted(baskets)
    assert found.codes.dtype == np.uint16
    lengths = np.diff(found.bounds)[: sum(found.sizes)].tolist()
    assert lengths == [length for length, size in enumerate(found.sizes, 2) for _ in range(size)]


def test_rows_that_are_mostly_long_stay_as_they_are():
    rows = rows_of([list(range(12)), [1, 2]])
    assert rows.by_length() is rows
    assert rows_of([list(range(12)), *([[1, 2]] * 7)]).by_length().sizes[0] == 7


@given(BASKETS, st.sampled_from([1, 2]))
def test_rows_that_are_too_short_are_left_out(baskets, least):
    found = rows_of(baskets).by_length(least)
    assert sorted(baskets_of(found)) == sorted(basket for basket in baskets if len(basket) >= least)
    assert len(found.codes) == found.bounds[-1]


@given(BASKETS, st.data())
def test_a_tally_counts_every_code_of_the_rows_that_were_asked_for(baskets, data):
    rows = rows_of(baskets).by_length()
    places = range(len(baskets))
    asked = sorted(data.draw(st.sets(st.sampled_from(places)) if baskets else st.just(set())))
    expected = np.zeros(WIDTH, np.int64)
    for row in asked:
        expected[rows.codes[rows.span(row)]] += 1
    np.testing.assert_array_equal(rows.tally(np.array(asked, np.int32), WIDTH), expected)


@pytest.mark.parametrize("together", [1, 3, 7])
def test_a_tally_of_many_rows_is_made_in_parts(monkeypatch, together):
    monkeypatch.setattr(csr_rows, "_ROWS", together)
    rng = np.random.default_rng(3)
    rows = rows_of([rng.choice(WIDTH, size, replace=False).tolist() for size in rng.integers(1, 12, 200)]).by_length()
    asked = np.flatnonzero(rng.random(200) < 0.7).astype(np.int32)
    expected = np.bincount(np.concatenate([rows.codes[rows.span(row)] for row in asked]), minlength=WIDTH)
    np.testing.assert_array_equal(rows.tally(asked, WIDTH), expected)
