"""Our kernel against the paper's algorithms as they are written, on the same shop, with the same picks."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from benchmarks.data.generate import Shop, generate
from benchmarks.speed import literal
from benchmarks.speed.measure import Figure, said
from msd_sql.udfs import Coverage, CoverageIndex, Jaccard, Objective, Uniform, plan, select

ROUNDS = 200


def run(*, quick: bool) -> Iterator[Figure]:
    """Measure greedy as a whole and local search by the round."""
    shop = generate(300, 12_000, 26_000) if quick else generate()
    order = np.argsort(shop.item_codes, kind="stable")
    parts = np.split(shop.user_codes[order], np.cumsum(np.bincount(shop.item_codes, minlength=shop.n))[:-1])
    users = [np.unique(part) for part in parts]
    categories = [
        {str(token) for token in shop.category_tokens[start:stop]}
        for start, stop in zip(shop.category_starts[:-1], shop.category_starts[1:], strict=True)
    ]
    index = CoverageIndex.from_pairs(shop.item_codes, shop.user_codes, shop.n)
    yield _greedy(shop, index, users, categories)
    yield _local_search(shop, index, users, categories)


def _greedy(shop: Shop, index: CoverageIndex, users: list, categories: list) -> Figure:
    k = 20
    todo = plan(n=shop.n, k=k, eps=None, diversity=0.5, m=shop.users, method="greedy")
    distance = Jaccard(shop.category_starts, shop.category_tokens)

    def run_ours() -> tuple[float, tuple[int, ...]]:
        prepared = CoverageIndex(shop.n, index.items_of, index.alone)  # one that remembers nothing of other runs
        prepared.turn_round()
        return _timed(lambda: select(todo, Coverage(prepared, shop.users, k), distance, Uniform(shop.n, k)).picks)

    with said("greedy, ours"):
        ours, picks = min(run_ours() for _ in range(5))
    oracle = literal.Oracle(users, categories, shop.users, k, 0.5, weight=0.5)
    with said("greedy as it is written"):
        theirs, written = _timed(lambda: literal.greedy(oracle, shop.n, k))
    same = "the same picks" if list(picks) == written else f"{len(set(picks) & set(written))} of {k} picks the same"
    return Figure(
        "our greedy, times faster than the literal oracle (k = 20)",
        theirs / ours,
        100.0,
        1000.0,
        larger=True,
        detail=f"{ours:.3f} s against {theirs:.1f} s ({oracle.calls:,} oracle calls), {same}",
    )


def _local_search(shop: Shop, index: CoverageIndex, users: list, categories: list) -> Figure:
    k = 6
    rng = np.random.default_rng(5)
    relevance = Coverage(index, shop.users, k)
    objective = Objective(relevance, Jaccard(shop.category_starts, shop.category_tokens), k, 0.5, 1.0)
    oracle = literal.Oracle(users, categories, shop.users, k, 0.5)
    for item in range(k):
        objective.add(item)
    samples = [np.sort(rng.choice(np.arange(k, shop.n), -(-shop.n // k), replace=False)) for _ in range(ROUNDS)]

    def best_swap(sample: np.ndarray) -> tuple[int, int] | None:
        allowed = ~np.isin(sample, objective.picks)
        feasible = np.broadcast_to(allowed, (k, len(sample)))
        scores = objective.swaps(sample, feasible)
        best = int(scores.argmax())
        if scores[best] <= scores[-1]:
            return None
        slots, places = np.nonzero(feasible)
        return int(slots[best]), int(sample[places[best]])

    ours: list[float] = []
    theirs: list[float] = []
    same = True
    with said("local search, round by round"):
        for number, sample in enumerate(samples):
            before = list(objective.picks)
            start = time.perf_counter()
            found = best_swap(sample)
            if found:
                objective.swap(*found)
            ours.append(time.perf_counter() - start)
            if number < 3:
                start = time.perf_counter()
                written = literal.swap_round(oracle, before, list(sample))
                seconds = time.perf_counter() - start
                theirs.append(seconds)
                same = same and _equal(oracle, before, found, written)
    ratio = float(np.mean(theirs) / np.median(ours))
    return Figure(
        "our DP-SLS round, times faster than the literal one (k = 6)",
        ratio,
        1000.0,
        10000.0,
        larger=True,
        detail=f"{np.median(ours) * 1e3:.3f} ms against {np.mean(theirs):.2f} s a round, "
        f"{'the same swaps' if same else 'other swaps'}",
    )


def _equal(oracle: literal.Oracle, before: list[int], a: tuple[int, int] | None, b: tuple[int, int] | None) -> bool:
    """Tell whether two swaps are the same, or equally good."""
    values = []
    for swap in (a, b):
        chosen = list(before)
        if swap:
            chosen[swap[0]] = swap[1]
        values.append(oracle.value(chosen))
    return abs(values[0] - values[1]) < 1e-12


def _timed(run):
    start = time.perf_counter()
    found = run()
    return time.perf_counter() - start, found
