"""What an answer is worth, from public facts only: how far an item must lead to be chosen for sure."""

from __future__ import annotations

import math

from msd_sql.actions.explaining.price import Line
from msd_sql.udfs.planning import Plan

SURE = 0.95


def lead_needed(n: int, eta: float) -> float:
    """The users by which one of n candidates must lead all others to be drawn with 95 % in a round.

    The others together weigh at most n·exp(-η·lead) of its weight, and (ln n + 3)/η makes that e^-3.

    >>> round(lead_needed(3000, 0.0147))
    749
    """
    return (math.log(max(n, 1)) + 3) / eta


def mostly_noise(most: float, head: float) -> str:
    """What to say where the lead is more users than an item is expected to have.

    >>> mostly_noise(600, 0.02)
    'mostly noise: no item is expected to have more than 600 users (head 0.02)'
    """
    return f"mostly noise: no item is expected to have more than {most:,.0f} users (head {head:g})"


def worth_lines(plan: Plan, head: float | None) -> list[Line]:
    """The lines of `msd_explain` about it; none where there is no noise.

    `head` is the largest share of the users that an item is expected to have: public, as somebody knows it.
    """
    if plan.calibration is None:
        return []
    lead = lead_needed(plan.n, plan.calibration.eta)
    users = "users" if plan.relevance == "coverage" else "users' worth of similarity"
    share = f" ({lead / plan.m:.2%} of all)" if plan.m else ""
    lines = [
        (
            "lead needed",
            f"an item that is {lead:,.0f} {users}{share} ahead of all others, their distances being equal, is chosen "
            f"in a round with {SURE:.0%}",
        )
    ]
    if head is None:
        return lines
    most = head * plan.m
    if lead > most:
        said = (
            f"{mostly_noise(most, head)}, and to be chosen for sure one must lead by {lead:,.0f}. Give a larger eps, a "
            "smaller k, fewer candidates or more people"
        )
    else:
        said = f"the largest item, {most:,.0f} users (head {head:g}), has {most / lead:.1f} times the lead needed"
    return [*lines, ("worth", said)]
