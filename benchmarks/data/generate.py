"""A seeded shop: Zipf purchases of n items by many users, with category sets and prices (docs/benchmarks.md)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

CHUNK = 4_000_000


@dataclass(frozen=True)
class Shop:
    """Purchases as two parallel columns of codes, and the public columns of the items."""

    n: int
    users: int
    item_codes: npt.NDArray[np.int32]  # one row per purchase; the same pair may occur twice, as in real logs
    user_codes: npt.NDArray[np.int32]
    category_starts: npt.NDArray[np.int64]  # item i has category_tokens[category_starts[i]:category_starts[i + 1]]
    category_tokens: npt.NDArray[np.int64]
    prices: npt.NDArray[np.float64]


def generate(
    n: int = 3_000,
    users: int = 1_200_000,
    purchases: int = 2_600_000,
    *,
    exponent: float = 0.8,
    categories: int = 60,
    seed: int = 7,
) -> Shop:
    """Make a shop in which every user bought at least once; popular items are spread over the key order.

    >>> shop = generate(n=10, users=50, purchases=120)
    >>> len(shop.item_codes), len(set(shop.user_codes.tolist()))
    (120, 50)
    """
    if purchases < users:
        raise ValueError(f"purchases ({purchases}) must be at least users ({users}): every user bought something.")
    rng = np.random.default_rng(seed)
    popularity = 1.0 / np.arange(1, n + 1) ** exponent
    cumulative = np.cumsum(rng.permutation(popularity / popularity.sum()))
    cumulative[-1] = 1.0

    item_codes = np.empty(purchases, np.int32)
    user_codes = np.empty(purchases, np.int32)
    user_codes[:users] = np.arange(users, dtype=np.int32)
    for start in range(0, purchases, CHUNK):
        stop = min(start + CHUNK, purchases)
        item_codes[start:stop] = np.searchsorted(cumulative, rng.random(stop - start), side="right")
        extra = max(start, users)
        if extra < stop:  # returning customers: activity falls like 1/sqrt(rank)
            user_codes[extra:stop] = users * rng.random(stop - extra) ** 2

    starts, tokens = _category_sets(rng, n, categories)
    prices = np.round(np.exp(rng.normal(3.0, 0.8, n)), 2)
    return Shop(n, users, item_codes, user_codes, starts, tokens, prices)


def _category_sets(
    rng: np.random.Generator, n: int, categories: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """One to four distinct categories an item, the low codes more common (departments before niches)."""
    draws = np.sort((categories * rng.random((n, 4)) ** 1.5).astype(np.int64), axis=1)
    kept = np.arange(4) < rng.integers(1, 5, n)[:, None]
    kept[:, 1:] &= draws[:, 1:] != draws[:, :-1]
    starts = np.concatenate([[0], np.cumsum(kept.sum(axis=1))])
    return starts, draws[kept]
