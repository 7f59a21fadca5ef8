"""Packed keys unpack to what they were made from, in blocks of any size, sorted by one thread or by two."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from msd_sql.udfs.relevance import packed_pairs, two_way_rows
from msd_sql.udfs.relevance.csr_rows import Rows
from msd_sql.udfs.relevance.two_way_rows import TwoWays

N = 5
triples = st.lists(st.tuples(st.integers(0, 9), st.integers(0, N - 1), st.integers(1, 1 << 20)), max_size=60)


@pytest.fixture(params=[(1, 1 << 20), (7, 4), (1 << 16, 1 << 20)], ids=["blocks of 1", "two threads", "as it is"])
def sizes(request):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packed_pairs, "_BLOCK", request.param[0])
        patch.setattr(packed_pairs, "_LARGE", request.param[1])
        yield


def rows_of(rows):
    ends = zip(rows.bounds[:-1], rows.bounds[1:], strict=True)
    return [slice(int(start), int(stop)) for start, stop in ends]


@pytest.mark.usefixtures("sizes")
@given(triples)
def test_pairs_come_back_once_each(found):
    keys = np.array([(user << packed_pairs.item_bits(N)) | item for user, item, _ in found], dtype=np.int64)
    rows, alone = packed_pairs.unpack(keys, N)
    held = {}
    for user, item, _ in found:
        held.setdefault(user, set()).add(item)
    several = [sorted(held[user]) for user in sorted(held) if len(held[user]) > 1]
    assert [rows.codes[span].tolist() for span in rows_of(rows)] == sorted(several, key=len)  # all are short here
    single = [next(iter(items)) for items in held.values() if len(items) == 1]
    assert alone.tolist() == [single.count(item) for item in range(N)]
    assert len(keys) == 0  # used up: its memory is free


@pytest.mark.usefixtures("sizes")
@given(triples, st.lists(st.integers(1, 5), min_size=10, max_size=10))
def test_the_highest_similarity_of_a_pair_counts(found, weights):
    keys = [
        ((unit << packed_pairs.item_bits(N)) | item) << packed_pairs.VALUE_BITS | similar
        for unit, item, similar in found
    ]
    rows, weight, alone = packed_pairs.unpack_similar(np.array(keys, dtype=np.int64), N, np.array(weights))
    held = {}
    for unit, item, similar in found:
        best = held.setdefault(unit, {})
        best[item] = max(best.get(item, 0), similar)
    several = [unit for unit in sorted(held) if len(held[unit]) > 1]
    pairs = [list(zip(rows.codes[span].tolist(), rows.values[span].tolist(), strict=True)) for span in rows_of(rows)]
    assert pairs == [sorted(held[unit].items()) for unit in several]
    assert weight.tolist() == [weights[unit] for unit in several]
    single = {unit: next(iter(best.items())) for unit, best in held.items() if len(best) == 1}
    sums = [sum(weights[unit] * similar for unit, (item, similar) in single.items() if item == v) for v in range(N)]
    assert alone.tolist() == sums


def test_many_items_need_wider_codes():
    n = (1 << 16) + 5
    items = np.array([0, n - 1, n - 1], dtype=np.int64)
    rows, alone = packed_pairs.unpack((np.array([3, 3, 4]) << packed_pairs.item_bits(n)) | items, n)
    assert rows.codes.tolist() == [0, n - 1]
    assert alone[n - 1] == 1


@pytest.mark.parametrize("part", [3, 1 << 20])
@given(found=triples)
def test_columns_are_the_same_by_scan_and_turned_round(part, found):
    keys = [
        ((unit << packed_pairs.item_bits(N)) | item) << packed_pairs.VALUE_BITS | similar
        for unit, item, similar in found
    ]
    rows, _, _ = packed_pairs.unpack_similar(np.array(keys, dtype=np.int64), N, None)
    both = TwoWays(rows, N)
    scanned = [both.column(item) for item in range(-1, N)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(two_way_rows, "_PART", part)
        both.turn_round()
    for (by_scan, values), item in zip(scanned, range(-1, N), strict=True):
        assert by_scan.tolist() == both.column(item)[0].tolist()
        assert values.tolist() == both.column(item)[1].tolist()


@pytest.mark.parametrize("wide", [0, 1, 1 << 20, 1 << 31, 1 << 33, 1 << 36, 1 << 62])
@pytest.mark.parametrize("size", [0, 1, 2, 100, 3000])
@pytest.mark.parametrize("large", [1, 1 << 20])
def test_keys_are_sorted_however_far_apart_they_are(monkeypatch, wide, size, large):
    for name, value in {"_LARGE": large, "_SMALL": 4, "_COPIED": 64}.items():
        monkeypatch.setattr(packed_pairs, name, value)
    rng = np.random.default_rng(wide % 97 + size)
    for low in (0, 7, 1 << 40):
        keys = low + rng.integers(0, wide, size, endpoint=True)
        keys[: size // 3] = keys[:1]  # many alike
        expected = sorted(keys.tolist())
        packed_pairs._sort(keys, 3)
        assert keys.tolist() == expected


def test_keys_that_32_bits_just_hold_and_just_do_not():
    for far in ((1 << 32) - 1, 1 << 32):
        keys = np.array([far, 0, 5, far - 1, 5], np.int64)
        packed_pairs._sort(keys, 0)
        assert keys.tolist() == [0, 5, 5, far - 1, far]


@pytest.mark.parametrize("piece", [1, 2, 5, 64])
@given(sizes=st.lists(st.integers(0, 12), max_size=20), late=st.booleans())
def test_keys_whose_users_come_in_order_are_sorted_piece_by_piece(piece, sizes, late):
    rng = np.random.default_rng(sum(sizes))
    keys = (np.repeat(np.arange(len(sizes)), sizes) << 4) | rng.integers(0, 16, sum(sizes))
    if late and len(keys) > 1:
        keys[-1] = 3  # the first user once more, at the end
    expected = sorted(keys.tolist())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packed_pairs, "_PIECE", piece)
        patch.setattr(packed_pairs, "_LARGE", 8)
        cuts = packed_pairs._cuts(keys, 4)
        assert all((keys[:cut] >> 4).max(initial=-1) < (keys[cut:] >> 4).min() for cut in cuts)
        packed_pairs._sort(keys, 4)
    assert keys.tolist() == expected


def test_columns_are_scanned_while_that_is_cheaper_and_turned_round_then():
    rows = Rows(np.arange(0, 2001, 2), np.tile(np.array([0, 1], np.uint16), 1000))
    both = TwoWays(rows, 3)
    both.expect(10, rows=10)
    assert not both._columns
    assert both.column(2)[0].tolist() == []
    both.expect(2, rows=2000)
    assert both._columns
    late = TwoWays(rows, 3)
    answers = [late.column(0)[0].tolist() for _ in range(3)]  # each finds half of all entries
    assert late._columns
    assert answers == [list(range(1000))] * 3
