"""A minute of steady load on a real process; an hour of it: python -m benchmarks.curator_soak --minutes 60."""

from __future__ import annotations

import pytest

from benchmarks.curator_load import Interval
from benchmarks.curator_soak import Soaked, highest, report, soak

pytest.importorskip("adbc_driver_flightsql")


@pytest.mark.slow
def test_a_minute_of_load_leaves_the_books_right_and_the_memory_bounded() -> None:
    found = soak(60.0, rate=10.0, every=5.0)
    assert found.failed == {}
    assert found.books_agree, report(found)
    assert found.answered > 100
    held = [one.megabytes for one in found.intervals]
    assert held[-1] < 1.25 * held[len(held) // 2], report(found)  # the caches are still filling; an hour shows the rest


class Tried:
    """A load that holds what is asked of it below a rate, and above it in one try in two."""

    def __init__(self, below: float) -> None:
        self.below, self.pace, self.rates = below, self, []
        self._rate: float | None = None

    def begin(self, rate: float | None) -> None:
        self._rate = rate
        self.rates.append(rate)

    def interval(self, seconds: float) -> Interval:
        rate = self._rate if self._rate is not None else 50.0
        slow = rate >= self.below and self.rates.count(self._rate) > 1
        return Interval(seconds, self._rate, int(rate * seconds), 0, 50.0, 2000.0 if slow else 90.0, *[0.0] * 6)


def test_the_highest_rate_is_one_that_is_held_twice() -> None:
    tried, told = Tried(below=37.0), []
    assert highest(tried, 10.0, told.append) == pytest.approx(50 * 0.8 * 0.9)
    assert tried.rates == [None, *map(pytest.approx, (40.0, 40.0, 36.0, 36.0))]
    assert [line.split(",")[0].partition(": ")[2] for line in told[1:]] == ["held", "not held", "held", "held"]


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
