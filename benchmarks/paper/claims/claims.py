"""What the paper claims, what was measured, and whether the two agree: data for the page, computed from the results."""

from __future__ import annotations

import pandas as pd

from benchmarks.paper.claims.effort import effort_claims
from benchmarks.paper.claims.utility import LABEL, utility_claims
from benchmarks.paper.claims.verdicts import Claim

__all__ = ["LABEL", "Claim", "claims"]


def claims(frame: pd.DataFrame) -> list[Claim]:
    """List every claim whose cells were run."""
    return [*utility_claims(frame), *effort_claims(frame)]
