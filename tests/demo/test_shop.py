import duckdb
import numpy as np
import pytest

from msd_sql.demo import shop as synthetic
from msd_sql.demo.story import PLAIN
from msd_sql.errors import InputError


def test_the_same_seed_gives_the_same_shop() -> None:
    one, two = synthetic.shop(300, 1_000), synthetic.shop(300, 1_000)
    assert one.titles == two.titles
    assert np.array_equal(one.items, two.items)
    assert not np.array_equal(one.items, synthetic.shop(300, 1_000, seed=1).items)


def test_every_user_buys_and_no_purchase_comes_twice() -> None:
    made = synthetic.shop(300, 1_000)
    assert len(np.unique(made.users)) == 1_000
    assert len(np.unique(made.users * 1_000 + made.items)) == len(made.users)
    assert (made.items >= 1).all()
    assert (made.items <= 300).all()


def test_titles_are_distinct_and_sales_are_skewed() -> None:
    made = synthetic.shop(3_000, 20_000)
    assert len(set(made.titles)) == 3_000
    sold = np.sort(np.bincount(made.items))[::-1]
    assert sold[:150].sum() > 0.4 * sold.sum()


def test_the_plain_top_6_is_redundant() -> None:
    con = duckdb.connect()
    synthetic.write(con)
    shelves = [row[2] for row in con.execute(PLAIN).fetchall()]
    assert shelves.count("Essential Oils") == 3
    comments = con.execute("SELECT comment FROM duckdb_tables()").fetchall()
    assert all(comment.startswith("Synthetic") for (comment,) in comments)


def test_a_shop_too_small_for_its_shelves_is_refused() -> None:
    with pytest.raises(InputError, match="at least"):
        synthetic.shop(10, 10)
