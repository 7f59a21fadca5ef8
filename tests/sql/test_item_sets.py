"""List columns of an items relation become the same sets whether their tokens are read in DuckDB or in Python."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from msd_sql.features import sets_of
from msd_sql.sets import hashed_csr

tokens = st.lists(st.one_of(st.none(), st.lists(st.sampled_from(["b", "a", "é", "z", ""]), max_size=4)), max_size=8)


@settings(deadline=None)
@given(tokens)
def test_codes_by_hash_are_codes_by_token(lists):
    pairs = [(owner, token) for owner, held in enumerate(lists) for token in held or []]
    number = {token: 977 * (place + 1) % 1013 for place, token in enumerate(["z", "é", "b", "", "a"])}  # in no order
    found = hashed_csr(
        np.array([owner for owner, _ in pairs], dtype=np.int64),
        np.array([number[token] for _, token in pairs], dtype=np.uint64),
        np.array([number[token] for token in sorted({token for _, token in pairs})], dtype=np.uint64),
        len(lists),
    )
    expected = sets_of(lists)
    assert found.indptr.tolist() == expected.indptr.tolist()
    assert found.codes.tolist() == expected.codes.tolist()


def test_a_key_on_two_rows_takes_one_of_its_sets(shop):
    shop.execute("INSERT INTO products SELECT * FROM products")
    rows = shop.execute("SELECT msd_select(item_id, 2, 0.5, 0.5) FROM products").fetchall()
    assert len(rows[0][0]) == 2
