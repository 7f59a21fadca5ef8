"""What runs inside the UDF: numpy and scipy only, usable on its own, never imports duckdb.

Names are imported when they are first used, so that `msd_sql.udfs.errors` alone loads neither numpy nor scipy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .distances import DISTANCES, L1, L2, Angular, Hamming, Haversine, Jaccard, Precomputed
    from .errors import InputError, MsdError, PrivacyError
    from .matroids import MATROIDS, Apart, Laminar, Partition, Pinned, Transversal, Uniform, narrowed
    from .methods import METHODS
    from .objective.objective import Objective
    from .planning import Plan, limits, plan
    from .privacy.accounting import Calibration
    from .privacy.mechanism import Argmax, ExponentialMechanism
    from .privacy.randomness import SecretSource, SeededSource
    from .receipt import Receipt
    from .relevance.best_match import BestMatch, BestMatchIndex
    from .relevance.coverage import Coverage, CoverageIndex
    from .relevance.score import Score
    from .selection import Outcome, evaluate, select

__all__ = [
    "DISTANCES",
    "L1",
    "L2",
    "MATROIDS",
    "METHODS",
    "Angular",
    "Apart",
    "Argmax",
    "BestMatch",
    "BestMatchIndex",
    "Calibration",
    "Coverage",
    "CoverageIndex",
    "ExponentialMechanism",
    "Hamming",
    "Haversine",
    "InputError",
    "Jaccard",
    "Laminar",
    "MsdError",
    "Objective",
    "Outcome",
    "Partition",
    "Pinned",
    "Plan",
    "Precomputed",
    "PrivacyError",
    "Receipt",
    "Score",
    "SecretSource",
    "SeededSource",
    "Transversal",
    "Uniform",
    "evaluate",
    "limits",
    "narrowed",
    "plan",
    "select",
]

_HOMES = {
    "Angular": "distances",
    "Apart": "matroids",
    "Argmax": "privacy.mechanism",
    "BestMatch": "relevance.best_match",
    "BestMatchIndex": "relevance.best_match",
    "Calibration": "privacy.accounting",
    "Coverage": "relevance.coverage",
    "CoverageIndex": "relevance.coverage",
    "DISTANCES": "distances",
    "ExponentialMechanism": "privacy.mechanism",
    "Hamming": "distances",
    "Haversine": "distances",
    "InputError": "errors",
    "Jaccard": "distances",
    "L1": "distances",
    "L2": "distances",
    "Laminar": "matroids",
    "MATROIDS": "matroids",
    "METHODS": "methods",
    "MsdError": "errors",
    "Objective": "objective.objective",
    "Outcome": "selection",
    "Partition": "matroids",
    "Pinned": "matroids",
    "Plan": "planning",
    "Precomputed": "distances",
    "PrivacyError": "errors",
    "Receipt": "receipt",
    "Score": "relevance.score",
    "SecretSource": "privacy.randomness",
    "SeededSource": "privacy.randomness",
    "Transversal": "matroids",
    "Uniform": "matroids",
    "evaluate": "selection",
    "limits": "planning",
    "narrowed": "matroids",
    "plan": "planning",
    "select": "selection",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'msd_sql.udfs' has no attribute '{name}'")
    found = globals()[name] = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
