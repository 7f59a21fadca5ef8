"""What the distances of a question say, in words for `msd_explain`, and what to do where they say next to nothing."""

from __future__ import annotations

from msd_sql.actions.explaining.price import Line
from msd_sql.question.measured import SCALED
from msd_sql.udfs.distances import Angular, Haversine, Jaccard
from msd_sql.udfs.distances.spread import spread
from msd_sql.udfs.types import Distance


def distance_lines(distance: Distance | None) -> list[Line]:
    """How far two candidates are apart in the middle; a warning where nearly all pairs are alike to it.

    >>> import numpy as np
    >>> from msd_sql.udfs import L1
    >>> dict(distance_lines(L1(np.append(np.arange(50.0), 1e6))))["distances say little"].split(":")[0]
    'nearly all pairs are next to alike'
    """
    found = spread(distance) if distance is not None else None
    if distance is None or found is None:
        return []
    name = type(distance).__name__.lower()
    lines = [
        (
            "two candidates",
            f"are {found.median:.2f} apart in the median; {found.far:.0%} of the pairs have nothing in common, "
            f"{found.near:.0%} are alike",
        )
    ]
    if found.says_little == "far":
        return [*lines, ("distances say little", f"nearly all pairs are as far apart as can be: {_nearer(distance)}")]
    if found.says_little == "near":
        what = (
            f"one outlier rules the scale. Give scale := about {max(found.ninetieth, 1e-6):.1g} of the present range; "
            "what lies beyond counts as 1"
            if name in SCALED
            else "diversity can hardly tell them apart. Give features in which they differ"
        )
        return [*lines, ("distances say little", f"nearly all pairs are next to alike: {what}")]
    return lines


def _nearer(distance: Distance) -> str:
    if isinstance(distance, Jaccard):
        return (
            "their sets share nothing, and any two items are equally diverse. Give coarser sets (categories, and not "
            "words), or a vector of the text with distance := 'angular'"
        )
    if isinstance(distance, Angular):
        return "the vectors point away from each other. Give vectors of which like items are near each other"
    if isinstance(distance, Haversine):
        return "give a larger scale, in kilometres"
    if type(distance).__name__.lower() in SCALED:
        return "give a larger scale, or features that like items share"
    return "give features that like items share"
