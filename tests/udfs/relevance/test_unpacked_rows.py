"""Packed pairs unpack to what they were made from, in blocks of any size, by one thread or by several."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from msd_sql.udfs.relevance import sorted_parts, unpacked_rows
from msd_sql.udfs.relevance.csr_rows import REGULAR
from msd_sql.udfs.relevance.packed_pairs import item_bits
from msd_sql.udfs.relevance.unpacked_rows import unpack

FEW, MANY = 5, 30
SIZES = {"blocks of 1": (1, 1 << 20, 1), "four threads": (7, 4, 4), "as it is": (1 << 16, 1 << 20, 2)}


@pytest.fixture(params=SIZES.values(), ids=SIZES.keys())
def sizes(request):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(unpacked_rows, "_BLOCK", request.param[0])
        patch.setattr(sorted_parts, "LARGE", request.param[1])
        patch.setattr(sorted_parts, "_cores", lambda: request.param[2])
        yield


def pairs_of(n):
    return st.lists(st.tuples(st.integers(0, 9), st.integers(0, n - 1)), max_size=150)


def packed(pairs, n, far=1):
    return np.array([((user * far) << item_bits(n)) | item for user, item in pairs], dtype=np.int64)


def held_by(pairs):
    held = {}
    for user, item in pairs:
        held.setdefault(user, set()).add(item)
    return [sorted(held[user]) for user in sorted(held)]


def baskets_of(rows):
    return [rows.codes[rows.span(row)].tolist() for row in range(len(rows.bounds) - 1)]


@pytest.mark.usefixtures("sizes")
@given(pairs_of(FEW), st.booleans(), st.sampled_from([1, 1 << 40]))
def test_pairs_come_back_once_each(pairs, ordered, far):
    keys = packed(sorted(pairs) if ordered else pairs, FEW, far)
    rows, alone = unpack(keys, FEW)
    held = held_by(pairs)
    several = [items for items in held if len(items) > 1]
    assert baskets_of(rows) == sorted(several, key=len)  # all are short here, and in the order of their users
    single = [items[0] for items in held if len(items) == 1]
    assert alone.tolist() == [single.count(item) for item in range(FEW)]
    assert len(keys) == 0  # used up: its memory is free


@pytest.mark.usefixtures("sizes")
@given(pairs_of(MANY))
def test_rows_of_few_codes_come_first_and_by_length_where_sizes_say_so(pairs):
    rows, _ = unpack(packed(pairs, MANY), MANY)
    several = [items for items in held_by(pairs) if len(items) > 1]
    assert sorted(baskets_of(rows)) == sorted(several)
    assert rows.codes.dtype == np.uint16
    lengths = np.diff(rows.bounds)[: sum(rows.sizes)].tolist()
    assert lengths == [length for length, size in enumerate(rows.sizes, 2) for _ in range(size)]


def test_rows_that_are_mostly_long_stay_as_they_are():
    long = [(0, item) for item in range(REGULAR + 4)]
    rows, _ = unpack(packed([*long, (1, 1), (1, 2)], MANY), MANY)
    assert rows.sizes == ()
    rows, _ = unpack(packed([*long, *((user, item) for user in range(1, 8) for item in (1, 2))], MANY), MANY)
    assert rows.sizes[0] == 7


def test_many_items_need_wider_codes():
    n = (1 << 16) + 5
    rows, alone = unpack(packed([(3, 0), (3, n - 1), (4, n - 1)], n), n)
    assert rows.codes.tolist() == [0, n - 1]
    assert alone[n - 1] == 1
