"""Packed similarities unpack to what they were made from, in blocks of any size, sorted by one thread or by two."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from msd_sql.udfs.relevance import packed_pairs, sorted_parts, two_way_rows
from msd_sql.udfs.relevance.csr_rows import Rows
from msd_sql.udfs.relevance.two_way_rows import TwoWays

N = 5
triples = st.lists(st.tuples(st.integers(0, 9), st.integers(0, N - 1), st.integers(1, 1 << 20)), max_size=60)


@pytest.fixture(params=[(1, 1 << 20), (7, 4), (1 << 16, 1 << 20)], ids=["blocks of 1", "two threads", "as it is"])
def sizes(request):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packed_pairs, "_BLOCK", request.param[0])
        patch.setattr(sorted_parts, "LARGE", request.param[1])
        yield


def rows_of(rows):
    ends = zip(rows.bounds[:-1], rows.bounds[1:], strict=True)
    return [slice(int(start), int(stop)) for start, stop in ends]


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


@pytest.mark.parametrize("part", [3, 1 << 20])
@pytest.mark.parametrize("large", [4, 1 << 20], ids=["two threads", "as it is"])
@given(found=triples)
def test_columns_are_the_same_by_scan_and_turned_round(part, large, found):
    keys = [
        ((unit << packed_pairs.item_bits(N)) | item) << packed_pairs.VALUE_BITS | similar
        for unit, item, similar in found
    ]
    rows, _, _ = packed_pairs.unpack_similar(np.array(keys, dtype=np.int64), N, None)
    both = TwoWays(rows, N)
    scanned = [both.column(item) for item in range(-1, N)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(two_way_rows, "_PART", part)
        patch.setattr(sorted_parts, "LARGE", large)
        both.turn_round()
    for (by_scan, values), item in zip(scanned, range(-1, N), strict=True):
        assert by_scan.tolist() == both.column(item)[0].tolist()
        assert values.tolist() == both.column(item)[1].tolist()


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
