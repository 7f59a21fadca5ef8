"""Rows of codes, those of few by their length, and what is counted over some of them."""

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


def by_length(baskets):
    """Rows of 2 to 8 codes first; they are the rows of tables."""
    tables = [[basket for basket in baskets if len(basket) == length] for length in range(2, csr_rows.REGULAR + 1)]
    rest = [basket for basket in baskets if not 2 <= len(basket) <= csr_rows.REGULAR]
    rows = rows_of([basket for table in [*tables, rest] for basket in table])
    return Rows(rows.bounds, rows.codes, sizes=tuple(map(len, tables)))


@given(BASKETS, st.data())
def test_a_tally_counts_every_code_of_the_rows_that_were_asked_for(baskets, data):
    rows = by_length(baskets)
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
    rows = by_length([rng.choice(WIDTH, size, replace=False).tolist() for size in rng.integers(1, 12, 200)])
    asked = np.flatnonzero(rng.random(200) < 0.7).astype(np.int32)
    expected = np.bincount(np.concatenate([rows.codes[rows.span(row)] for row in asked]), minlength=WIDTH)
    np.testing.assert_array_equal(rows.tally(asked, WIDTH), expected)
