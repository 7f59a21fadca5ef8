"""What runs inside the UDF: numpy and scipy only, usable on its own, never imports duckdb."""

from __future__ import annotations

from .distances import DISTANCES, L1, L2, Angular, Hamming, Haversine, Jaccard, Precomputed
from .errors import InputError, MsdError, PrivacyError
from .matroids import MATROIDS, Laminar, Partition, Transversal, Uniform
from .methods import METHODS
from .objective.objective import Objective
from .planning import Plan, plan
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
    "plan",
    "select",
]
