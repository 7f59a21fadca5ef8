"""What privacy costs: DP-Greedy's objective against Greedy's, with our calibration and with the authors'.

python -m benchmarks.utility [--runs 10] [--seed 7]
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from benchmarks.data.generate import Shop, generate
from msd_sql.udfs import Coverage, CoverageIndex, Jaccard, SeededSource, Uniform, evaluate, plan, select
from msd_sql.udfs.privacy import accounting

DIVERSITY = 0.5
# ε, k, and how far below Greedy the mean may be
QUESTIONS = ((0.1, 20, 0.002), (0.1, 100, 0.01), (0.02, 20, 0.01))


@dataclass(frozen=True)
class Row:
    """One question: the value of Greedy and the relative losses with noise."""

    eps: float
    k: int
    greedy: float
    bound: str
    ours: float
    authors_bound: str
    authors: float
    allowed: float


def losses(shop: Shop, runs: int) -> list[Row]:
    """Answer every question without noise once and with noise `runs` times by either calibration."""
    index = CoverageIndex.from_pairs(shop.item_codes, shop.user_codes, shop.n)
    distance = Jaccard(shop.category_starts, shop.category_tokens)
    m = shop.users
    rows = []
    for eps, k, allowed in QUESTIONS:
        relevance, matroid = Coverage(index, m, k), Uniform(shop.n, k)
        question = {"n": shop.n, "k": k, "delta": m**-1.5, "diversity": DIVERSITY, "m": m, "method": "greedy"}

        def value(made, run=0) -> float:
            # Seeded, so that the table can be printed again: this is a measurement on made-up data, not a release.
            picks = select(made, relevance, distance, matroid, SeededSource(run)).picks  # noqa: B023
            return evaluate(relevance, distance, picks, diversity=DIVERSITY).objective  # noqa: B023

        exact = value(plan(eps=None, **question))
        ours = plan(eps=eps, **question)
        theirs = accounting.authors(eps, m**-1.5, rounds=k, weight=0.5 * (1 - DIVERSITY))
        as_authors = replace(ours, calibration=theirs)
        rows.append(
            Row(
                eps,
                k,
                exact,
                ours.calibration.bound,
                1 - np.mean([value(ours, run) for run in range(runs)]) / exact,
                theirs.bound,
                1 - np.mean([value(as_authors, run) for run in range(runs)]) / exact,
                allowed,
            )
        )
    return rows


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; 1 when a loss is above what it may be."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.utility", description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=10, help="private runs per question and calibration")
    parser.add_argument("--seed", type=int, default=7, help="seed of the generated shop")
    options = parser.parse_args(arguments)
    shop = generate(seed=options.seed)
    rows = losses(shop, options.runs)
    print(
        f"{shop.n:,} items, {shop.users:,} users, {len(shop.item_codes):,} purchases (Zipf, seed {options.seed}), "
        f"λ = {DIVERSITY}, δ = m^-1.5, mean of {options.runs} runs"
    )
    print("  eps    k   Greedy   DP-Greedy (bound)            authors' calibration          allowed")
    for row in rows:
        ours, theirs = f"{-row.ours:+.2%} ({row.bound})", f"{-row.authors:+.2%} ({row.authors_bound})"
        print(f"{row.eps:5g} {row.k:4}  {row.greedy:.5f}   {ours:28} {theirs:28}  -{row.allowed:.1%}")
    return int(any(row.ours > row.allowed for row in rows))


if __name__ == "__main__":
    raise SystemExit(main())
