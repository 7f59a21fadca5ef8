"""A minute of steady load on a real process; an hour of it: python -m benchmarks.curator_soak --minutes 60."""

from __future__ import annotations

import pytest

from benchmarks.curator_load import Interval
from benchmarks.curator_soak import Soaked, report, soak

pytest.importorskip("adbc_driver_flightsql")


@pytest.mark.slow
def test_a_minute_of_load_leaves_the_books_right_and_the_memory_bounded() -> None:
    found = soak(60.0, rate=10.0, every=5.0)
    assert found.failed == {}
    assert found.books_agree, report(found)
    assert found.answered > 100
    held = [one.megabytes for one in found.intervals]
    assert held[-1] < 1.25 * held[len(held) // 2], report(found)  # the caches are still filling; an hour shows the rest


@pytest.mark.parametrize(("grows", "verdict"), [(0.0, "flat"), (0.1, "flat"), (2.0, "NOT FLAT")])
def test_memory_is_flat_that_grows_by_no_more_than_the_file_in_the_last_half(grows: float, verdict: str) -> None:
    """Intervals of a minute: at first caches fill, later memory grows by so many megabytes each, the file by 0.1."""
    megabytes = [300.0 + 10 * place for place in range(10)] + [400.0 + grows * place for place in range(10)]
    intervals = [
        Interval(60.0, 10.0, 600, 0, 50.0, 150.0, 30.0, one, 20 + 0.1 * place, 400, 400, 400)
        for place, one in enumerate(megabytes)
    ]
    found = Soaked(intervals, {}, 400, 400, (400, 0.04), (400, 0.04))
    assert found.slope(lambda one: one.megabytes) == pytest.approx(60 * grows, abs=1e-6)
    assert found.held
    assert found.books_agree
    assert f"{verdict}\n" in report(found)
