"""List columns of an items relation become the same sets whether their tokens are read in DuckDB or in Python."""

import duckdb
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from msd_sql.question.features import sets_of
from msd_sql.question.sets import csr

tokens = st.lists(st.one_of(st.none(), st.lists(st.sampled_from(["b", "a", "é", "z", ""]), max_size=4)), max_size=8)


@settings(deadline=None)
@given(tokens, st.randoms(use_true_random=False))
def test_the_facts_of_sets_do_not_depend_on_how_tokens_were_coded_or_read(lists, random):
    blocks = [[(owner, token) for token in held or []] for owner, held in enumerate(lists)]
    random.shuffle(blocks)  # DuckDB gives the rows in any order
    pairs = [pair for block in blocks for pair in block]
    number = {token: 977 * (place + 1) % 1013 for place, token in enumerate(["z", "é", "b", "", "a"])}
    found = csr(
        np.array([owner for owner, _ in pairs], dtype=np.int64),
        np.array([number[token] for _, token in pairs], dtype=np.uint64),
        len(lists),
    )
    expected = sets_of(lists)
    assert found.indptr.tolist() == expected.indptr.tolist()
    assert found.facts.tolist() == expected.facts.tolist()


@settings(deadline=None)
@given(tokens, st.data())
def test_the_sets_of_a_group_are_told_as_if_it_had_been_asked_alone(lists, data):
    rows = np.array([row for row in range(len(lists)) if data.draw(st.booleans())], dtype=np.int64)
    alone, group = sets_of([lists[row] for row in rows]), sets_of(lists).of(rows)
    assert group.indptr.tolist() == alone.indptr.tolist()
    assert group.facts.tolist() == alone.facts.tolist()


@settings(deadline=None)
@given(st.lists(tokens, max_size=6))
def test_the_sets_of_many_groups_are_told_as_if_each_had_been_asked_alone(groups):
    together = sets_of([held for lists in groups for held in lists]).split([len(lists) for lists in groups])
    for lists, group in zip(groups, together, strict=True):
        alone = sets_of(lists)
        assert group.indptr.tolist() == alone.indptr.tolist()
        assert group.facts.tolist() == group.codes.tolist() == alone.facts.tolist()


def test_a_key_on_two_rows_takes_one_of_its_sets(shop):
    shop.execute("INSERT INTO products SELECT * FROM products")
    rows = shop.execute("SELECT msd_select(item_id, 2, 0.5, 0.5) FROM products").fetchall()
    assert len(rows[0][0]) == 2


@pytest.mark.parametrize("features", ["categories", "price"])
def test_a_key_that_the_key_column_cannot_hold_is_not_an_item(shop, features):
    shop.execute(f"SELECT msd_items('products', key := 'item_id', features := '{features}', reach := 'purchases', "
                 "replace := true)").fetchall()  # fmt: skip
    with pytest.raises(duckdb.Error, match=r"1 of \d+ candidates are not in the items relation .* such as 1\.5"):
        shop.execute(
            "SELECT msd_select(CASE WHEN item_id = 1 THEN 1.5 ELSE item_id::DOUBLE END, 2, 0.5, 0.5) FROM products"
        ).fetchall()


@pytest.mark.parametrize(
    ("change", "pair"),
    [
        ("UPDATE items SET tags = ['a', 'b'] WHERE id = 2", [0, 1]),  # 2 is as far from 0 as 1 is
        ("UPDATE items SET tags = NULL WHERE id = 1", [0, 1]),  # an empty set
        ("DELETE FROM items WHERE id = 1; INSERT INTO items VALUES (2, ['a'])", None),  # as many rows, a key is missing
    ],
)
def test_as_many_rows_as_candidates_is_not_taken_for_a_row_each(empty, change, pair):
    empty.execute("CREATE TABLE items AS SELECT i AS id, [['a'], ['b'], ['a']][i + 1] AS tags FROM range(3) t(i)")
    empty.execute("CREATE TABLE wanted AS SELECT i AS id FROM range(3) t(i)")
    for sql in (
        "SELECT msd_protect('purchases', unit := 'user_id', item := 'item_id', budget := 1, delta := 1e-9)",
        "SELECT msd_items('items', key := 'id', features := 'tags', reach := 'purchases')",
    ):
        empty.execute(sql).fetchall()
    empty.execute(change)
    ask = "SELECT msd_select(id, 2, NULL, 1) FROM (SELECT w.id FROM wanted w LEFT JOIN items i ON w.id = i.id)"
    if pair is None:
        with pytest.raises(duckdb.InvalidInputException, match="1 of 3 candidates are not in the items relation"):
            empty.execute(ask).fetchall()
    else:
        assert empty.execute(ask).fetchall()[0][0] == pair


@pytest.mark.parametrize("where", ["true", "n % 3 = 1", "n BETWEEN 5 AND 30", "n IN (2, 7, 39)"])
@pytest.mark.parametrize("order", ["n", "hash(n)"])
def test_sets_are_the_same_by_look_up_and_by_join(empty, where, order):
    """Whole numbers that lie close together are looked up, others are joined."""
    empty.execute("SELECT msd_protect('purchases', unit := 'user_id', item := 'item_id', budget := 1, delta := 1e-9)")
    picked, k = {}, 2 if "IN (2" in where else 5
    for kind, key in {
        "near": "n * 2 - 17",
        "far": "n * 1000000007",
        "texts": "'k' || lpad(n::VARCHAR, 3, '0')",
    }.items():
        empty.execute(
            f"CREATE TABLE {kind} AS SELECT n, {key} AS id, "
            "[['a' || n % 5, 'b' || n % 7, 'a' || n % 5], ['c' || n % 3], []][1 + n % 3] AS tags "
            f"FROM range(40) t(n) ORDER BY {order}"
        )
        empty.execute(f"INSERT INTO {kind} VALUES (NULL, NULL, ['x', 'y'])")  # a row without a key is no item
        empty.execute(f"SELECT msd_items('{kind}', key := 'id', features := 'tags', reach := 'purchases')").fetchall()
        ask = f"SELECT msd_select(id, {k}, NULL, 1) FROM {kind} WHERE {where} AND n IS NOT NULL"
        chosen = empty.execute(ask).fetchall()[0][0]
        places = dict(empty.execute(f"SELECT id, n FROM {kind}").fetchall())
        picked[kind] = [places[item] for item in chosen]
    assert picked["near"] == picked["far"] == picked["texts"]
    assert len(picked["near"]) == k
