"""Selections on the synthetic shop, straight through the kernel: no database, no private data, repeatable."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from msd_sql.demo.shop import PRODUCTS, SEED, Shop
from msd_sql.demo.shop import shop as make_shop
from msd_sql.udfs import (
    Argmax,
    Coverage,
    CoverageIndex,
    ExponentialMechanism,
    Jaccard,
    Objective,
    Plan,
    SeededSource,
    Uniform,
    evaluate,
)
from msd_sql.udfs.methods import METHODS
from msd_sql.udfs.selection import ExactValues
from msd_sql.udfs.types import Mechanism


@dataclass(frozen=True)
class Simulation:
    """A synthetic shop with its index and its distance."""

    shop: Shop
    users: int

    @classmethod
    def make(cls, products: int = PRODUCTS, users: int = 50_000, seed: int = SEED) -> Simulation:
        """Make a shop of that size.

        >>> Simulation.make(products=100, users=500).n
        100
        """
        return cls(make_shop(products, users, seed), users)

    @property
    def n(self) -> int:
        """The number of products."""
        return len(self.shop.titles)

    @cached_property
    def _index(self) -> CoverageIndex:
        return CoverageIndex.from_pairs(self.shop.items - 1, self.shop.users - 1, self.n)

    @cached_property
    def _distance(self) -> Jaccard:
        return Jaccard.from_sets(self.shop.categories)

    def run(self, plan: Plan, *, users: int, seed: int) -> ExactValues:
        """Run a plan that was made for `users` users, and evaluate what it chose exactly.

        The shop may hold fewer users than the plan is for: counts grow with the users and noise does not, so the
        noise is scaled by the ratio of the two instead.
        """
        source = SeededSource(seed)
        mechanism: Mechanism = Argmax()
        if plan.calibration is not None:
            mechanism = ExponentialMechanism(plan.calibration.eta * users / self.users, source)
        method = METHODS[plan.method]
        relevance = Coverage(self._index, self.users, plan.k)
        objective = Objective(
            relevance, self._distance, k=plan.k, diversity=plan.diversity, weight=method.weight(plan.gamma)
        )
        picks = method.run(objective, Uniform(self.n, plan.k), mechanism, source, k=plan.k, gamma=plan.gamma)
        fresh = Coverage(self._index, self.users, plan.k)
        return evaluate(fresh, self._distance, list(picks), diversity=plan.diversity)
