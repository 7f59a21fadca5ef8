"""Amazon product selection: the loader of the real files, and a seeded stand-in of the paper's size (section 7.2).

The real data (Amazon Reviews 2023, Health and Household) are not distributed with this project. A person who has them
puts `reviews.csv` (user_id, parent_asin, rating, timestamp) and `meta.jsonl` (parent_asin, categories, price,
rating_number, …; `.gz` is fine) in one folder and names it with `--amazon`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import duckdb
import numpy as np
import numpy.typing as npt

from benchmarks.data.generate import generate
from benchmarks.paper.tasks.places import DataMissingError

PAPER_USERS = 1_317_193
PAPER_ITEMS = 3_000
PURCHASES_PER_USER = 13 / 6  # 2.6 M purchases of 1.2 M users, as everywhere in these benchmarks
CATEGORY = "Health Care"
BINS = 4


@dataclass(frozen=True)
class Products:
    """Purchases as pairs of codes, and the public columns of the candidates in key order."""

    users: int
    item_codes: npt.NDArray[np.integer]
    user_codes: npt.NDArray[np.integer]
    category_starts: npt.NDArray[np.int64]
    category_tokens: npt.NDArray[np.int64]
    price_bins: npt.NDArray[np.int64]

    @property
    def n(self) -> int:
        """Number of candidates."""
        return len(self.price_bins)


def price_bins(prices: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """Cut the prices into four bins at their quartiles.

    >>> price_bins(np.array([1.0, 2.0, 3.0, 4.0])).tolist()
    [0, 1, 2, 3]
    """
    edges = np.quantile(prices, np.arange(1, BINS) / BINS)
    return np.searchsorted(edges, prices, side="left").astype(np.int64)


def stand_in(n: int = PAPER_ITEMS, users: int = PAPER_USERS, seed: int = 7) -> Products:
    """Make a shop of the paper's size: Zipf purchases, prices, and category paths of Amazon's shape.

    A path begins with two names that all candidates share (Health & Household, Health Care) and goes on for up to four
    levels. Best-sellers crowd on few shelves, as in the Instacart orders, so that relevance alone is not diverse.

    >>> stand_in(n=8, users=50).n
    8
    """
    shop = generate(n=n, users=users, purchases=round(users * PURCHASES_PER_USER), seed=seed)
    rng = np.random.default_rng([seed, n])
    sold = np.bincount(shop.item_codes, minlength=n)
    standing = np.argsort(np.argsort(sold)) / n  # 0 for the least sold, nearly 1 for the best-seller
    paths, kept = _paths(rng, standing)
    return Products(
        users=users,
        item_codes=shop.item_codes,
        user_codes=shop.user_codes,
        category_starts=np.concatenate([[0], np.cumsum(kept.sum(axis=1))]),
        category_tokens=paths[kept],
        price_bins=price_bins(shop.prices),
    )


def _paths(
    rng: np.random.Generator, standing: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """Draw a path of up to six codes for every item, and mark the part of it that is there."""
    n = len(standing)
    crowding = 1.5 + 6.0 * standing**8
    place, first = np.zeros(n, np.int64), 2
    columns = [np.zeros(n, np.int64), np.ones(n, np.int64)]
    for width in (12, 5, 4, 3):
        place = place * width + (width * rng.random(n) ** crowding).astype(np.int64)
        columns.append(first + place)
        first += int(np.prod([12, 5, 4, 3][: len(columns) - 2]))
    depth = rng.choice([2, 3, 4, 5, 6], n, p=[0.05, 0.15, 0.35, 0.3, 0.15])
    return np.stack(columns, axis=1), np.arange(6) < depth[:, None]


def real_files(folder: Path) -> tuple[Path, Path]:
    """Find reviews.csv and meta.jsonl, compressed or not, in the folder."""
    found = []
    for stem in ("reviews.csv", "meta.jsonl"):
        here = [path for path in (folder / stem, folder / f"{stem}.gz") if path.is_file()]
        if not here:
            raise DataMissingError(
                f"{stem} is not in {folder}; it is needed beside the other one of reviews.csv, meta.jsonl."
            )
        found.append(here[0])
    return found[0], found[1]


def load(reviews: Path, meta: Path, n: int = PAPER_ITEMS, category: str = CATEGORY) -> Products:
    """Read the real files: the n products of the category with the most ratings in the metadata and a price.

    The choice of candidates looks at the public metadata only, never at the reviews. The users are those who reviewed
    any of the candidates: their number m is a public constant of the experiment.
    """
    with duckdb.connect() as con:
        con.execute(
            """CREATE TABLE candidate AS
            SELECT row_number() OVER (ORDER BY parent_asin) - 1 AS code, *
            FROM (SELECT parent_asin, categories, TRY_CAST(price AS DOUBLE) AS price
                  FROM read_json(?, format = 'newline_delimited', columns = {
                      parent_asin: 'VARCHAR', categories: 'VARCHAR[]', price: 'VARCHAR', rating_number: 'BIGINT'})
                  WHERE list_contains(categories, ?) AND TRY_CAST(price AS DOUBLE) > 0
                  ORDER BY rating_number DESC NULLS LAST, parent_asin LIMIT ?)""",
            [str(meta), category, n],
        )
        public = con.execute("SELECT price FROM candidate ORDER BY code").fetchnumpy()
        sets = con.execute(
            """SELECT code, dense_rank() OVER (ORDER BY name) - 1 AS token
            FROM (SELECT DISTINCT code, unnest(categories) AS name FROM candidate) ORDER BY code, token"""
        ).fetchnumpy()
        pairs = con.execute(
            """SELECT code, dense_rank() OVER (ORDER BY user_id) - 1 AS customer
            FROM read_csv(?, header = true, all_varchar = true) JOIN candidate USING (parent_asin)""",
            [str(reviews)],
        ).fetchnumpy()
    if not len(public["price"]):
        raise DataMissingError(f"{meta} holds no product of the category '{category}' with a price.")
    prices = np.asarray(public["price"], dtype=np.float64)
    starts = np.searchsorted(sets["code"], np.arange(len(prices) + 1))
    customers = pairs["customer"].astype(np.int64)
    return Products(
        users=int(customers.max(initial=0)) + 1,
        item_codes=pairs["code"].astype(np.int64),
        user_codes=customers,
        category_starts=starts.astype(np.int64),
        category_tokens=sets["token"].astype(np.int64),
        price_bins=price_bins(prices),
    )
