"""The data of the benchmarks as DuckDB files in a cache folder, made once (never in the repository)."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd

from benchmarks.data.generate import Shop, generate
from benchmarks.speed.measure import said

CHUNK = 5_000_000


def folder() -> Path:
    """Find the cache folder: MSD_BENCH_DATA, or one in the system's temp folder."""
    found = Path(os.environ.get("MSD_BENCH_DATA", Path(tempfile.gettempdir()) / "msd_sql_benchmarks"))
    found.mkdir(parents=True, exist_ok=True)
    return found


def real(name: str) -> Path | None:
    """Find a file of real data beside the checkout; None where it is not there."""
    default = Path(__file__).resolve().parents[3] / "shared" / "data"
    found = Path(os.environ.get("MSD_SHARED_DATA", default)) / name
    return found if found.exists() else None


def shop_file(purchases: int, users: int, n: int = 3_000, *, texts: bool = False) -> Path:
    """Make (once) a shop: purchases(user_id, item_id) in no order, products(item_id, categories, price, price_bin).

    With `texts` there is a second relation, purchases_text, whose user ids are strings.
    """
    path = folder() / f"shop_{purchases}_{users}_{n}{'_texts' if texts else ''}_v{duckdb.__version__}.duckdb"
    if path.exists():
        return path
    made = path.with_suffix(".part")
    made.unlink(missing_ok=True)
    with said(f"making {path.name}"), duckdb.connect(str(made)) as con:
        shop = generate(n, users, purchases)
        _purchases(con, shop)
        if texts:
            con.execute(
                "CREATE TABLE purchases_text AS "
                "SELECT 'user-' || lpad(CAST(user_id AS VARCHAR), 9, '0') AS user_id, item_id FROM purchases"
            )
        _products(con, shop)
    made.rename(path)
    return path


def _purchases(con: duckdb.DuckDBPyConnection, shop: Shop) -> None:
    """Write the purchases in an order that says nothing of the users, as a log by time would."""
    con.execute("CREATE TABLE purchases (user_id BIGINT, item_id BIGINT)")
    order = np.random.default_rng(1).permutation(len(shop.item_codes))
    for start in range(0, len(order), CHUNK):
        rows = order[start : start + CHUNK]
        block = pd.DataFrame({"user_id": shop.user_codes[rows], "item_id": shop.item_codes[rows]})
        con.register("block", block)
        con.execute("INSERT INTO purchases SELECT user_id, item_id FROM block")
        con.unregister("block")


def _products(con: duckdb.DuckDBPyConnection, shop: Shop) -> None:
    sets = [
        [f"category {token}" for token in shop.category_tokens[start:stop]]
        for start, stop in zip(shop.category_starts[:-1], shop.category_starts[1:], strict=True)
    ]
    products = pd.DataFrame({"item_id": np.arange(shop.n), "categories": sets, "price": shop.prices})
    con.register("products_frame", products)
    con.execute(
        "CREATE TABLE products AS SELECT item_id, CAST(categories AS VARCHAR[]) AS categories, price, "
        "ntile(4) OVER (ORDER BY price) AS price_bin FROM products_frame ORDER BY item_id"
    )
    con.unregister("products_frame")


def shelves_file(n: int, groups: int, users: int, purchases: int) -> Path:
    """Make (once) a shop whose products stand on shelves, as many on each: products has a column shelf."""
    path = folder() / f"shelves_{n}_{groups}_{users}_{purchases}_v{duckdb.__version__}.duckdb"
    if path.exists():
        return path
    made = path.with_suffix(".part")
    made.unlink(missing_ok=True)
    with said(f"making {path.name}"), duckdb.connect(str(made)) as con:
        shop = generate(n, users, purchases)
        _purchases(con, shop)
        _products(con, shop)
        con.execute(f"ALTER TABLE products ADD COLUMN shelf INTEGER; UPDATE products SET shelf = item_id % {groups}")
    made.rename(path)
    return path


def instacart_file() -> Path | None:
    """Make (once) the Instacart orders as a shop: an order stands for its user."""
    orders, products = real("instacart_train_orders.parquet"), real("instacart_products.parquet")
    if orders is None or products is None:
        return None
    path = folder() / f"instacart_v{duckdb.__version__}.duckdb"
    if not path.exists():
        made = path.with_suffix(".part")
        made.unlink(missing_ok=True)
        with duckdb.connect(str(made)) as con:
            con.execute(f"CREATE TABLE purchases AS SELECT order_id AS user_id, product_id AS item_id FROM '{orders}'")
            con.execute(
                "CREATE TABLE products AS SELECT product_id AS item_id, [aisle, department] AS categories "
                f"FROM '{products}' ORDER BY ALL"
            )
        made.rename(path)
    return path
