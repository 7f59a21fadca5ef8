"""A minute of steady load on a real process; an hour of it: python -m benchmarks.curator_soak --minutes 60."""

from __future__ import annotations

import pytest

from benchmarks.curator_soak import report, soak

pytest.importorskip("adbc_driver_flightsql")


@pytest.mark.slow
def test_a_minute_of_load_leaves_the_books_right_and_the_memory_bounded() -> None:
    found = soak(60.0, rate=10.0, every=5.0)
    assert found.failed == {}
    assert found.books_agree, report(found)
    assert found.answered > 100
    held = [one.megabytes for one in found.intervals]
    assert held[-1] < 1.25 * held[len(held) // 2], report(found)  # the caches are still filling; an hour shows the rest
