"""Sorted parts are the keys in order, no user in two of them, however they lie and however many threads sort them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from msd_sql.udfs.relevance import sorted_parts
from msd_sql.udfs.relevance.sorted_parts import cuts, halved, in_threads, of_sorted_parts, sort


@pytest.fixture(params=[1, 2, 4])
def several(request, monkeypatch):
    monkeypatch.setattr(sorted_parts, "_cores", lambda: request.param)
    return request.param


@pytest.mark.parametrize("wide", [0, 1, 1 << 20, 1 << 31, 1 << 33, 1 << 36, 1 << 61])
@pytest.mark.parametrize("size", [0, 1, 2, 100, 3000])
@pytest.mark.usefixtures("several")
def test_keys_are_sorted_however_far_apart_they_are(monkeypatch, wide, size):
    for name, value in {"LARGE": 1, "_SMALL": 4, "_COPIED": 64}.items():
        monkeypatch.setattr(sorted_parts, name, value)
    rng = np.random.default_rng(wide % 97 + size)
    for low in (0, 7, 1 << 40):
        keys = low + rng.integers(0, wide, size, endpoint=True)
        keys[: size // 3] = keys[:1]  # many alike
        expected = sorted(keys.tolist())
        sort(keys, 3)
        assert keys.tolist() == expected


def test_keys_that_32_bits_just_hold_and_just_do_not():
    for far in ((1 << 32) - 1, 1 << 32):
        keys = np.array([far, 0, 5, far - 1, 5], np.int64)
        sort(keys, 0)
        assert keys.tolist() == [0, 5, 5, far - 1, far]


@pytest.mark.usefixtures("several")
@given(st.lists(st.integers(0, 200), max_size=40), st.booleans(), st.sampled_from([1, 2, 5, 64]))
def test_no_user_is_in_two_parts(found, ordered, piece):
    keys = np.array(sorted(found) if ordered else found, np.int64)
    expected = sorted(keys.tolist())
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {"LARGE": 8, "_SMALL": 2, "_COPIED": 16, "_PIECE": piece, "_PIECES": 2}.items():
            patch.setattr(sorted_parts, name, value)
        parts = of_sorted_parts(keys, 3, lambda place, part, low: (place.tolist(), (part.astype(int) + low).tolist()))
    assert [key for _, part in parts for key in part] == expected
    assert all(len(place) == len(part) for place, part in parts)
    users = [{key >> 3 for key in part} for _, part in parts]
    assert sum(map(len, users)) == len({key >> 3 for key in expected})


@given(st.lists(st.integers(0, 99), min_size=1, max_size=40))
def test_halves_are_cut_between_users(found):
    keys = np.array(found, np.int64)
    lower, upper = halved(keys, 3)
    assert sorted(keys.tolist()) == sorted(found)
    assert (lower >> 3).max(initial=-1) < (upper >> 3).min()
    assert len(lower) <= len(found) // 2


@pytest.mark.parametrize("piece", [1, 2, 5, 64])
@given(sizes=st.lists(st.integers(0, 12), max_size=20), late=st.booleans())
def test_keys_whose_users_come_in_order_are_sorted_piece_by_piece(piece, sizes, late):
    rng = np.random.default_rng(sum(sizes))
    keys = (np.repeat(np.arange(len(sizes)), sizes) << 4) | rng.integers(0, 16, sum(sizes))
    if late and len(keys) > 1:
        keys[-1] = 3  # the first user once more, at the end
    expected = sorted(keys.tolist())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sorted_parts, "_PIECE", piece)
        patch.setattr(sorted_parts, "LARGE", 8)
        places = cuts(keys, 4)
        assert all((keys[:cut] >> 4).max(initial=-1) < (keys[cut:] >> 4).min() for cut in places)
        sort(keys, 4)
    assert keys.tolist() == expected


def test_an_error_in_a_thread_is_raised_when_all_have_ended():
    ended = []

    def work(part):
        if part == 0:
            raise MemoryError
        ended.append(part)

    with pytest.raises(MemoryError):
        in_threads(work, [0, 1, 2], 2)
    assert ended == [1, 2]
