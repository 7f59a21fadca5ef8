"""What a selection will do and cost, from public facts only, so that it is charged before anything private is read."""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass
from functools import lru_cache
from typing import SupportsFloat, SupportsIndex, TypedDict

from .errors import InputError, suggest
from .matroids import MATROIDS
from .methods import METHODS, Method, method_named
from .privacy import accounting
from .privacy.accounting import Calibration
from .types import Matroid

RELEVANCES = ("coverage", "best_match", "score")
MOST_UNITS = 1 << 40  # m·cap, so that scores fit in an int64

# From here on one draw among all candidates costs more than the pick itself, and `auto` takes samples.
MANY_SCORES = 50_000_000
MOST_SWAPS = 100_000  # rounds of a local search; more would take hours and leave next to nothing of ε for each


@dataclass(frozen=True)
class Plan:
    """A selection that makes sense, resolved: everything that charging and explaining it takes. All public."""

    method: str
    n: int  # candidates
    k: int  # slots: the rank of the constraint, no more than asked for
    asked: int  # the k that was asked for
    diversity: float
    eps: float | None
    delta: float
    gamma: float
    m: int  # units of the protected relation; 0 where the relevance is public
    cap: int
    relevance: str
    matroid: str
    rounds: int  # draws at most; 0 where nothing is drawn or their number is not fixed in advance
    swaps: int  # how many of them are draws among swaps; the others add a pick
    calibration: Calibration | None  # None: no noise, because nothing private is read or eps is NULL
    pinned: int = 0  # of the k slots, those that are taken from the start
    apart: float = 0.0  # no two picks nearer than this
    constraint: str = "uniform"  # in words

    @property
    def free(self) -> int:
        """The slots that are not pinned."""
        return self.k - self.pinned

    @property
    def trivial(self) -> bool:
        """True when there is nothing to choose: all are pinned, every candidate is taken, or none fits."""
        return _nothing_to_choose(self.n, self.k, self.pinned, self.apart)

    @property
    def reads_private(self) -> bool:
        """True when the answer depends on protected data."""
        method = METHODS[self.method]
        return (
            self.relevance != "score"
            and not self.trivial
            and method.reads_relevance
            and (self.diversity < 1.0 or not method.weighs_diversity)
        )

    @property
    def exact(self) -> bool:
        """True when it reads protected data without noise (eps is NULL)."""
        return self.reads_private and self.calibration is None

    @property
    def charged_eps(self) -> float:
        """ε to charge before running; 0 when nothing private is read."""
        return self.calibration.eps if self.calibration else 0.0

    @property
    def charged_delta(self) -> float:
        """δ to charge before running: what the proof uses, never more than was asked for."""
        return self.calibration.delta_used if self.calibration else 0.0

    @property
    def guarantee(self) -> str:
        """The fraction of the best possible value that the method reaches without noise."""
        if self.apart:
            return "none (apart)"
        said = METHODS[self.method].guarantee
        return "none" if said == "1/2 - γ" and self.gamma >= 0.5 else said


class Limits(TypedDict):
    """What a plan has to be told of a constraint."""

    matroid: str
    rank: int
    pinned: int
    apart: float
    constraint: str


def limits(matroid: Matroid) -> Limits:
    """Read from a constraint what `plan` takes of it.

    >>> from msd_sql.udfs import Uniform
    >>> plan(n=9, k=3, eps=None, diversity=0.0, m=100, **limits(Uniform(9, 3))).k
    3
    """
    return {
        "matroid": matroid.name,
        "rank": matroid.rank,
        "pinned": len(matroid.start),
        "apart": matroid.apart,
        "constraint": matroid.described,
    }


def plan(
    *,
    n: int,
    k: SupportsIndex,
    eps: SupportsFloat | None,
    diversity: SupportsFloat,
    delta: SupportsFloat = 0.0,
    m: int = 0,
    cap: SupportsIndex = 1,
    relevance: str = "coverage",
    method: str = "auto",
    gamma: SupportsFloat | None = None,
    matroid: str = "uniform",
    rank: int | None = None,
    distance: bool = True,
    pinned: int = 0,
    apart: SupportsFloat = 0.0,
    constraint: str | None = None,
) -> Plan:
    """Resolve a question to a plan, or refuse it with the reason.

    `gamma` is by default the method's own. `rank` is the constraint's (by default min(n, k)), `pinned` the number of
    items it starts with, `apart` how far its items are from each other at least, `constraint` what it is in words
    (`limits` reads them all); `distance` says whether the items have one. A pinned item takes no draw, so the others
    need less noise. The plan's k is the rank: with fewer candidates (or tighter quotas) than asked for, diversity is
    the mean distance of the pairs that there can be, so φ keeps its range of [0, 1].

    >>> chosen = plan(n=3000, k=20, eps=0.1, delta=1e-9, diversity=0.5, m=1_200_000)
    >>> chosen.method, chosen.rounds, chosen.calibration.bound
    ('greedy', 20, 'covering')
    """
    asked = _at_least_one("k", k)
    each = _at_least_one("cap", cap)
    share = _number("diversity", diversity, 0.0, 1.0, "in [0, 1]: 0 is relevance only, 1 is diversity only")
    spent = None if eps is None else _number("eps", eps, 0.0, math.inf, "a positive number, or NULL for no privacy")
    if spent in (0.0, math.inf):
        raise InputError(f"eps = {spent:g} was given; it must be a positive number, or NULL for no privacy.")
    failure = _number("delta", delta, 0.0, 1.0, "at least 0 and below 1")
    if failure == 1.0:
        raise InputError("delta = 1 was given; it must be at least 0 and below 1.")
    if relevance not in RELEVANCES:
        raise InputError(suggest("relevance", relevance, RELEVANCES))
    if matroid not in MATROIDS:
        raise InputError(suggest("constraint", matroid, MATROIDS))
    _check_relevance(relevance, m, each)

    slots = min(n, asked) if rank is None else rank
    nearest = _number("apart", apart, 0.0, 1.0, "a distance in [0, 1]")
    if not 0 <= pinned <= slots:
        raise InputError(f"{pinned} items are pinned, but at most {slots} can be chosen.")
    if nearest and not distance:
        raise InputError(f"apart = {nearest:g} was given, but nothing says how the items differ: give features.")
    chosen = method_named(_auto(matroid, n, slots) if method == "auto" else method)
    _check_method(chosen, matroid, spent, relevance)
    loose = _gamma(chosen, gamma, slots - pinned)
    if chosen.weighs_diversity and share > 0.0 and slots > 1 and not distance:
        raise InputError(
            f"diversity = {share:g} was asked for, but nothing says how the items differ: give features "
            "(and a distance), or ask for diversity = 0."
        )
    nothing = _nothing_to_choose(n, slots, pinned, nearest)
    resolved = Plan(
        method=chosen.name,
        n=n,
        k=slots,
        asked=asked,
        diversity=share,
        eps=spent,
        delta=failure,
        gamma=loose,
        m=m if relevance != "score" else 0,
        cap=each,
        relevance=relevance,
        matroid=matroid,
        rounds=0 if nothing else chosen.rounds(slots - pinned, loose),
        swaps=0 if nothing else chosen.swaps(slots - pinned, loose),
        calibration=None,
        pinned=pinned,
        apart=nearest,
        constraint=matroid if constraint is None else constraint,
    )
    if spent is None or not resolved.reads_private:
        return resolved
    noise = _calibrated(
        spent,
        failure,
        resolved.rounds,
        # The groups of one statement differ in their n, of which the noise hardly takes notice.
        1 << (n - 1).bit_length(),
        resolved.free,
        each,
        relevance == "coverage" and each == 1,
        resolved.swaps,
    )
    return Plan(**{**vars(resolved), "calibration": noise})


def _nothing_to_choose(n: int, k: int, pinned: int, apart: float) -> bool:
    # Of all that are to be taken, one may be too near another.
    return k == pinned or (k == n and (not apart or n == 1))


@lru_cache(maxsize=1024)
def _calibrated(
    eps: float, delta: float, rounds: int, n: int, k: int, cap: int, binary: bool, swaps: int
) -> Calibration:
    """The noise of a release, worked out once for all groups of a statement; `n` is no fewer than there are."""
    return accounting.best(eps, delta, rounds=rounds, n=n, k=k, cap=cap, binary=binary, swaps=swaps)


def _auto(matroid: str, n: int, k: int) -> str:
    if matroid != "uniform":
        return "local_search"
    return "nosg" if n * k > MANY_SCORES else "greedy"


def _gamma(method: Method, given: SupportsFloat | None, slots: int) -> float:
    gamma = method.gamma if given is None else _number("gamma", given, 0.0, 1.0, "between 0 and 1, both excluded")
    if gamma in (0.0, 1.0):
        raise InputError(f"gamma = {gamma:g} was given; it must be between 0 and 1, both excluded.")
    swaps = method.swaps(slots, gamma) if slots else 0
    if swaps > MOST_SWAPS:
        raise InputError(
            f"gamma = {gamma:g} means {swaps} rounds of swaps for k = {slots} by '{method.name}', more than the "
            f"{MOST_SWAPS} that are run; give a larger gamma."
        )
    return gamma if method.takes_gamma else method.gamma


def _check_relevance(relevance: str, m: int, cap: int) -> None:
    if relevance != "coverage" and cap != 1:
        raise InputError(f"cap = {cap} was given, but only relevance 'coverage' has a cap; leave it out.")
    if relevance != "score" and m < 1:
        raise InputError(f"Relevance '{relevance}' needs the number of units m, at least 1; {m} was given.")
    if m * cap >= MOST_UNITS:
        raise InputError(f"m·cap = {m * cap} is more than scores can hold; it must be below {MOST_UNITS}.")


def _check_method(method: Method, matroid: str, eps: float | None, relevance: str) -> None:
    if matroid != "uniform" and not method.any_matroid:
        able = ", ".join(f"'{name}'" for name, other in METHODS.items() if other.any_matroid)
        raise InputError(
            f"Method '{method.name}' has no guarantee under a {matroid} constraint (it only limits how many items are "
            f"picked); use 'local_search' (allowed here: {able})."
        )
    if eps is not None and not method.can_be_private and relevance != "score":
        raise InputError(
            f"Method '{method.name}' stops on what the data say, so it has no private form; use 'local_search', "
            "or eps = NULL."
        )


def _at_least_one(name: str, value: SupportsIndex) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise InputError(f"{name} = {value!r} was given; it must be a whole number of at least 1.") from None
    if isinstance(value, bool) or number < 1:
        raise InputError(f"{name} = {value!r} was given; it must be a whole number of at least 1.")
    return number


def _number(name: str, value: SupportsFloat, low: float, high: float, allowed: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{name} = {value!r} was given; it must be {allowed}.") from None
    if not low <= number <= high:  # NaN fails as well
        raise InputError(f"{name} = {value!r} was given; it must be {allowed}.")
    return number
