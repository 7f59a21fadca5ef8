"""Real data: where it lies, the Uber pickups and the grid over Manhattan, the Instacart orders (paper, section 7.2)."""

from __future__ import annotations

import itertools
import os
from dataclasses import dataclass
from pathlib import Path

import duckdb
import numpy as np
import numpy.typing as npt

from msd_sql.udfs.types import FloatArray

VARIABLE = "MSD_SHARED_DATA"
FRESH = ("produce", "bakery")  # Instacart departments that make about as many candidates as the paper's 3,000

# The shore line of Manhattan, roughly (latitude, longitude): public geography, the grid owes nothing to the pickups.
SHORE = np.array(
    [
        (40.7005, -74.0165), (40.7180, -74.0170), (40.7480, -74.0090), (40.7630, -74.0015), (40.7880, -73.9825),
        (40.8180, -73.9620), (40.8510, -73.9470), (40.8780, -73.9270), (40.8735, -73.9105), (40.8350, -73.9340),
        (40.8020, -73.9280), (40.7755, -73.9420), (40.7580, -73.9580), (40.7350, -73.9730), (40.7110, -73.9760),
        (40.7075, -73.9990),
    ]
)  # fmt: skip


class DataMissingError(Exception):
    """The real data are not on this machine."""


def data_file(name: str) -> Path:
    """Find a file of the real data: in the folder MSD_SHARED_DATA names, else in ../shared/data beside the checkout."""
    checkout = Path(__file__).resolve().parents[3]
    folder = Path(os.environ.get(VARIABLE, checkout.parent / "shared" / "data"))
    if not (folder / name).is_file():
        raise DataMissingError(
            f"{name} is not in {folder}; set {VARIABLE} to the folder that holds it, or leave that task out."
        )
    return folder / name


def grid(n: int) -> FloatArray:
    """Lay n points over Manhattan, a square grid cut to the shore line, in key order (south to north).

    >>> grid(100).shape
    (100, 2)
    """
    low, high = SHORE.min(axis=0), SHORE.max(axis=0)
    ahead = np.roll(SHORE, -1, axis=0)
    area = abs(float((SHORE[:, 0] * ahead[:, 1] - SHORE[:, 1] * ahead[:, 0]).sum())) / 2.0
    found = np.empty((0, 2))
    for step in np.geomspace(1.1, 0.9, 201) * np.sqrt(area / n):
        for shift in itertools.product((0.5, 0.25, 0.75), repeat=2):
            axes = [np.arange(low[axis] + shift[axis] * step, high[axis], step) for axis in (0, 1)]
            points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 2)
            points = points[ashore(points)]
            if abs(len(points) - n) < abs(len(found) - n):
                found = points
            if len(found) == n:
                return found
    return found


def ashore(points: FloatArray) -> npt.NDArray[np.bool_]:
    """Mark the points inside of the shore line, by counting crossings of a ray.

    >>> ashore(np.array([[40.78, -73.965], [40.78, -73.90]])).tolist()
    [True, False]
    """
    inside = np.zeros(len(points), np.bool_)
    for (lat, lon), (next_lat, next_lon) in zip(SHORE, np.roll(SHORE, -1, axis=0), strict=True):
        straddles = (points[:, 0] < lat) != (points[:, 0] < next_lat)
        slope = (next_lon - lon) / (next_lat - lat)
        inside ^= straddles & (points[:, 1] < lon + slope * (points[:, 0] - lat))
    return inside


def pickups(m: int | None = None, seed: int = 0) -> tuple[FloatArray, npt.NDArray[np.int64]]:
    """Read the distinct pickup places and how many pickups each has; with `m`, of that many of them.

    Fewer than there are: a sample without replacement. More: one with replacement, to ask what a larger m would do.
    """
    path = str(data_file("uber_2014_manhattan.parquet"))
    rows = duckdb.execute("SELECT lat, lon, count(*) AS pickups FROM read_parquet(?) GROUP BY ALL", [path]).fetchnumpy()
    # Neighbours in this order are near to each other, which the relevance makes use of.
    order = np.lexsort((rows["lat"], rows["lon"], np.floor(rows["lat"] * 200)))
    places, weights = np.stack([rows["lat"], rows["lon"]], axis=1)[order], rows["pickups"][order]
    total = int(weights.sum())
    if m is None or m == total:
        return places, weights
    rng = np.random.default_rng(seed)
    if m < total:
        weights = rng.multivariate_hypergeometric(weights, m, method="marginals")
    else:
        weights = rng.multinomial(m, weights / total)
    return places[weights > 0], weights[weights > 0]


@dataclass(frozen=True)
class Groceries:
    """Orders as pairs of codes, and the public columns of the candidates, in the order of product_id."""

    users: int
    item_codes: npt.NDArray[np.int64]
    user_codes: npt.NDArray[np.int64]
    category_starts: npt.NDArray[np.int64]
    category_tokens: npt.NDArray[np.int64]
    aisles: npt.NDArray[np.int64]

    @property
    def n(self) -> int:
        """Number of candidates."""
        return len(self.aisles)


def groceries() -> Groceries:
    """Read the Instacart orders of the products of the FRESH departments; one order is one user."""
    products, orders = (str(data_file(f"instacart_{part}.parquet")) for part in ("products", "train_orders"))
    with duckdb.connect() as con:
        con.execute(
            """CREATE TABLE candidate AS
            SELECT row_number() OVER (ORDER BY product_id) - 1 AS code, product_id, aisle, department
            FROM read_parquet(?) WHERE department IN (SELECT unnest(?))""",
            [products, list(FRESH)],
        )
        public = con.execute(
            """SELECT dense_rank() OVER (ORDER BY aisle) - 1 AS aisle,
                   dense_rank() OVER (ORDER BY department) - 1 AS dep
            FROM candidate ORDER BY code"""
        ).fetchnumpy()
        pairs = con.execute(
            """SELECT code, dense_rank() OVER (ORDER BY order_id) - 1 AS customer
            FROM read_parquet(?) JOIN candidate USING (product_id)""",
            [orders],
        ).fetchnumpy()
        (users,) = con.execute("SELECT count(DISTINCT order_id) FROM read_parquet(?)", [orders]).fetchone() or (0,)
    aisles = public["aisle"].astype(np.int64)
    # The category set of a product is {aisle, department}.
    tokens = np.stack([aisles, public["dep"].astype(np.int64) + aisles.max() + 1], axis=1)
    return Groceries(
        users=int(users),
        item_codes=pairs["code"].astype(np.int64),
        user_codes=pairs["customer"].astype(np.int64),
        category_starts=np.arange(len(aisles) + 1) * 2,
        category_tokens=tokens.reshape(-1),
        aisles=aisles,
    )
