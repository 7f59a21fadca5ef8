"""A seeded, synthetic shop: products, users and purchases with the skew of a real one. No real person is in it.

Popularity is Zipf-like within a shelf, users have one to three interests and buy several things of the same shelf, so
the plain top-6 by reach is redundant (three of six are essential oils, as in the paper's Table 1).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from msd_sql.demo.vocabulary import BRANDS, LABELS, SHELVES
from msd_sql.errors import InputError

if TYPE_CHECKING:
    import duckdb

    from msd_sql.udfs.types import FloatArray, IntArray

SEED = 20260
PRODUCTS = 3_000
USERS = 200_000
BINS = ("under $8", "$8 to $15", "$15 to $25", "over $25")
_EDGES = (8.0, 15.0, 25.0)
_LOYALTY = 0.8  # the share of a user's purchases that fall on a shelf of interest
_ZIPF = 1.05


@dataclass(frozen=True)
class Shop:
    """Columns of the two relations; row i of the products has item_id i + 1."""

    shelf: IntArray  # of every product
    titles: list[str]
    categories: list[list[str]]
    prices: FloatArray
    users: IntArray  # of every purchase, starting at 1
    items: IntArray


def shop(products: int = PRODUCTS, users: int = USERS, seed: int = SEED) -> Shop:
    """Make the shop. The same numbers give the same shop.

    >>> len(shop(products=300, users=1_000).titles)
    300
    """
    if products < len(SHELVES) or users < 1:
        raise InputError(f"The shop needs at least {len(SHELVES)} products and 1 user; got {products} and {users}.")
    rng = np.random.default_rng(seed)
    share = np.array([shelf.share for shelf in SHELVES])
    share /= share.sum()
    shelf = np.sort(np.concatenate([np.arange(len(SHELVES)), rng.integers(0, len(SHELVES), products - len(SHELVES))]))
    place = np.arange(products) - np.searchsorted(shelf, shelf)  # 0, 1, 2, … within the shelf, best sellers first
    user, item = _purchases(rng, share, shelf, place, users)
    order = rng.permutation(products)  # so that an id says nothing of shelf or sales
    item = np.argsort(order)[item - 1] + 1
    shelf, place = shelf[order], place[order]
    titles = [_title(int(s), int(p)) for s, p in zip(shelf, place, strict=True)]
    label = rng.integers(0, 2 * len(LABELS), products)  # every second product has none
    categories = [
        [SHELVES[s].name, SHELVES[s].family, *LABELS[lab : lab + 1]] for s, lab in zip(shelf, label, strict=True)
    ]
    typical = np.array([SHELVES[s].price for s in shelf], dtype=np.float64)
    prices = np.round(typical * rng.lognormal(0.0, 0.45, products), 0) - 0.01
    return Shop(shelf, titles, categories, np.maximum(prices, 0.99), user, item)


def _title(shelf: int, place: int) -> str:
    """Name the product at a place of a shelf: nouns vary first, so that its best sellers are different things."""
    nouns = SHELVES[shelf].nouns
    turn, noun = divmod(place, len(nouns))
    brand, number = BRANDS[(turn + 3 * noun + 5 * shelf) % len(BRANDS)], turn // len(BRANDS)
    return f"{brand} {nouns[noun]}" + (f" No. {number + 1}" if number else "")


def _purchases(
    rng: np.random.Generator, share: FloatArray, shelf: IntArray, place: IntArray, users: int
) -> tuple[IntArray, IntArray]:
    """Draw the baskets: a few buy a lot, most buy little, and nearly everything is of a user's own shelves."""
    basket = np.minimum(1 + rng.geometric(0.35, users) * (1 + (rng.random(users) < 0.05) * 6), 60)
    user = np.repeat(np.arange(1, users + 1), basket)
    interests = rng.choice(len(share), size=(users, 3), p=share)
    slot = np.minimum(rng.geometric(0.6, len(user)) - 1, 2)
    anywhere = rng.choice(len(share), size=len(user), p=share)
    on = np.where(rng.random(len(user)) < _LOYALTY, interests[user - 1, slot], anywhere)
    weight = 1.0 / (place + 2.0) ** _ZIPF
    starts = np.searchsorted(shelf, np.arange(len(share)))
    total = np.add.reduceat(weight, starts)
    # One sorted scale for all shelves: shelf s occupies (s, s + 1], its items by their share of it.
    within = np.cumsum(weight) - np.repeat(
        np.concatenate([[0.0], np.cumsum(total)[:-1]]), np.diff([*starts, len(shelf)])
    )
    scale = shelf + np.minimum(within / total[shelf], 1.0)
    item = np.minimum(np.searchsorted(scale, on + rng.random(len(user)), side="left"), len(shelf) - 1) + 1
    pairs = np.unique(user * (len(shelf) + 1) + item)
    return pairs // (len(shelf) + 1), pairs % (len(shelf) + 1)


def write(con: duckdb.DuckDBPyConnection, made: Shop | None = None) -> Shop:
    """Write the shop as tables `products` and `purchases`, with a comment on each that says it is synthetic.

    >>> import duckdb
    >>> con = duckdb.connect()
    >>> _ = write(con, shop(products=300, users=1_000))
    >>> con.execute("SELECT count(*) FROM products").fetchone()
    (300,)
    """
    import pandas as pd

    made = made if made is not None else shop()
    items = np.arange(1, len(made.titles) + 1)
    columns: dict[str, Any] = {
        "item_id": items,
        "title": made.titles,
        "category": [SHELVES[s].department for s in made.shelf],
        "subcategory": [SHELVES[s].name for s in made.shelf],
        "categories": made.categories,
        "price": made.prices,
        "price_bin": [BINS[b] for b in np.searchsorted(_EDGES, made.prices, side="right")],
    }
    _create(
        con,
        "products",
        pd.DataFrame(columns),
        "* REPLACE (item_id::INTEGER AS item_id, price::DECIMAL(8, 2) AS price)",
        "Synthetic Health Care shop: invented products.",
    )
    _create(
        con,
        "purchases",
        pd.DataFrame({"user_id": made.users, "item_id": made.items}),
        "COLUMNS(*)::INTEGER",
        "Synthetic Health Care shop: simulated users, no real person.",
    )
    return made


def _create(con: duckdb.DuckDBPyConnection, name: str, frame: Any, columns: str, comment: str) -> None:
    con.register("_msd_synthetic", frame)
    try:
        con.execute(f"CREATE TABLE {name} AS SELECT {columns} FROM _msd_synthetic")
        con.execute(f"COMMENT ON TABLE {name} IS '{comment}'")
    finally:
        con.unregister("_msd_synthetic")
