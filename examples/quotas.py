"""Two products of each price bin at least and three at most, one of them given: private local search under quotas.

python examples/quotas.py [shop.duckdb]        (the synthetic shop when no file is given)
"""

import sys

import duckdb

import msd_sql
from msd_sql.demo import shop


def main(path: str = ":memory:") -> msd_sql.Selection:
    con = msd_sql.register(duckdb.connect(path))
    if path == ":memory:":
        shop.write(con)
    msd_sql.protect(con, "purchases", unit="user_id", item="item_id", budget=1.0, delta=1e-9)
    msd_sql.items(con, "products", key="item_id", features="categories", reach="purchases")

    products = con.sql(
        "SELECT item_id, title, price, price_bin, categories FROM products WHERE category = 'Health Care'"
    )
    chosen = msd_sql.select(
        products, k=9, eps=0.5, diversity=0.5, quota="price_bin", quota_min=2, quota_cap=3, include=[1], apart=0.3
    )

    print(chosen.rows[["msd_rank", "title", "price", "price_bin"]].to_string(index=False))
    print(f"\nMean distance {chosen.diversity:.2f}. {chosen.receipt}")
    return chosen


if __name__ == "__main__":
    main(*sys.argv[1:])
