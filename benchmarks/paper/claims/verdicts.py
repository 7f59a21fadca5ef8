"""A claim of the paper beside a measurement, and the rule by which it holds or does not."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from benchmarks.paper.cells import CALIBRATIONS
from benchmarks.paper.measure import percent

NEAR = 0.03  # a share that misses the paper's range by at most this much is called close

HOLDS, CLOSE, FAILS = "holds", "close", "does not hold"


@dataclass(frozen=True)
class Claim:
    """One line of the page."""

    theme: str
    paper: str
    theirs: str  # measured with the authors' calibration, or a dash where there is no noise
    ours: str
    verdict: str
    note: str = ""
    before: str = "-"  # measured with our older bounds


def within(value: float, limit: float) -> str:
    """Judge "within `limit` of the non-private method".

    >>> within(0.005, 0.01), within(0.02, 0.01), within(0.2, 0.01)
    ('holds', 'close', 'does not hold')
    """
    return between(max(value, 0.0), 0.0, limit, near=limit)


def between(value: float, low: float, high: float, near: float = NEAR) -> str:
    """Judge "between `low` and `high`", with a margin that counts as close.

    >>> between(0.25, 0.2, 0.27), between(0.29, 0.2, 0.27), between(0.5, 0.2, 0.27)
    ('holds', 'close', 'does not hold')
    """
    if low <= value <= high:
        return HOLDS
    return CLOSE if low - near <= value <= high + near else FAILS


def both(theirs: str, ours: str) -> str:
    """Put two verdicts, one per calibration, into words.

    >>> both("holds", "holds"), both("does not hold", "holds")
    ('holds', 'ours holds; theirs does not hold')
    """
    return theirs if theirs == ours else f"ours {ours}; theirs {theirs}"


def gap_claim(
    theme: str,
    paper: str,
    gap: Callable[[str, str], float],
    methods: Mapping[str, str],
    judge: Callable[[float], str],
    note: str = "",
) -> Claim | None:
    """Make the claim that several methods share; `gap(method, calibration)`, `methods` from name to label."""
    measured = {calibration: [gap(method, calibration) for method in methods] for calibration in CALIBRATIONS}
    if any(math.isnan(value) for values in measured.values() for value in values):
        return None
    words = {
        calibration: ", ".join(
            f"{label} {percent(value)}" for label, value in zip(methods.values(), values, strict=True)
        )
        for calibration, values in measured.items()
    }
    worst = {
        calibration: max((judge(value) for value in values), key=[HOLDS, CLOSE, FAILS].index)
        for calibration, values in measured.items()
    }
    verdict = both(worst["authors"], worst["ours"])
    return Claim(theme, paper, words["authors"], words["ours"], verdict, note, words["older"])
