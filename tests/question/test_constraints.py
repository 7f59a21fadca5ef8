"""Minimums, pinned and excluded keys and items apart, through SQL and Python: public, free, and said by explain."""

import json
from collections import Counter

import pytest

import msd_sql
from msd_sql.errors import InputError
from tests.support.shop import one

PRICE = "quota := price"
EXACT = "exact := true"


def explained(con, arguments, table="products"):
    return dict(con.execute(f"FROM msd_explain({table}, {arguments})").fetchall())


def entries(con):
    return con.execute("SELECT kind, charged_eps, parameters FROM msd_ledger() WHERE kind <> 'protect'").fetchall()


@pytest.fixture
def wares(empty):
    """Twelve public wares: a kind, a place on a line, and a score that falls with the key."""
    empty.execute(
        "CREATE TABLE wares AS SELECT i AS id, 'ware ' || i AS name, if(i <= 9, 'tea', 'jam') AS kind, "
        "i / 12.0 AS place, 1.0 - i / 100.0 AS score FROM range(1, 13) AS t (i)"
    )
    return empty


SCORED = "NULL, 0.0, score := score"


def chosen(con, k, options, what="id", rest=""):
    return one(con, f"SELECT msd_select({what}, {k}, {SCORED}, {options}) FROM wares {rest}")


def test_a_minimum_holds_places_for_every_value(wares):
    assert chosen(wares, 4, "quota := kind, quota_cap := 4") == [1, 2, 3, 4]
    assert sorted(chosen(wares, 4, "quota := kind, quota_min := 1")) == [1, 2, 3, 10]
    assert sorted(chosen(wares, 4, "quota := kind, quota_min := 2")) == [1, 2, 10, 11]
    assert sorted(chosen(wares, 4, "quota := kind, quota_min := MAP {'jam': 3}")) == [1, 10, 11, 12]
    assert sorted(chosen(wares, 4, "quota := kind, quota_min := {'jam': 2}, quota_cap := MAP {'tea': 1}")) == [
        1,
        10,
        11,
        12,
    ]


def test_a_cap_by_value_leaves_the_others_alone(wares):
    assert sorted(chosen(wares, 4, "quota := kind, quota_cap := MAP {'tea': 1, 'milk': 0}")) == [1, 10, 11, 12]


def test_nested_minimums_are_one_for_each_level(wares):
    told = chosen(wares, 4, "quota := (kind, kind || id % 2), quota_min := [1, 0], quota_cap := [3, 2]")
    assert Counter("tea" if key <= 9 else "jam" for key in told) == {"tea": 3, "jam": 1}
    assert Counter(key % 2 for key in told if key <= 9) == {1: 2, 0: 1}


def test_pinned_keys_come_first_in_the_order_given_and_k_counts_them(wares):
    assert chosen(wares, 4, "include := [7, 3]") == [7, 3, 1, 2]
    assert chosen(wares, 2, "include := [7, 3]") == [7, 3]
    assert chosen(wares, 3, "include := [7, 7]") == [7, 1, 2]
    assert chosen(wares, 3, "include := ['ware 7']", what="name")[0] == "ware 7"
    assert chosen(wares, 3, "include := NULL") == [1, 2, 3]
    assert chosen(wares, 3, "include := []") == [1, 2, 3]
    with pytest.warns(Warning, match="the pinned ones first"):
        assert chosen(wares, 20, "include := [7, 3]") == [7, 3, 1, 2, 4, 5, 6, 8, 9, 10, 11, 12]


def test_keys_are_compared_as_values_of_their_type(wares):
    assert chosen(wares, 2, "include := [1.5]", what="CAST(id / 2 AS DECIMAL(9, 2))") == pytest.approx([1.5, 0.5])
    day = "DATE '2026-01-01' + CAST(id AS INTEGER)"
    told = chosen(
        wares, 2, "include := [TIMESTAMP '2026-01-04 00:00:00'], exclude := ['2026-1-2']", what=f"CAST({day} AS DATE)"
    )
    assert [str(date) for date in told] == ["2026-01-04", "2026-01-03"]
    assert chosen(wares, 2, "include := ['7'], exclude := [1.0]") == [7, 2]


def test_excluded_keys_are_no_candidates(wares):
    assert chosen(wares, 3, "exclude := [1, 3, 99]") == [2, 4, 5]
    assert chosen(wares, 3, "exclude := (SELECT list(id) FROM wares WHERE kind = 'tea')") == [10, 11, 12]
    assert chosen(wares, 3, "exclude := (SELECT list(id) FROM wares), features := place, apart := 0.5") == []
    by_hand = one(wares, f"SELECT msd_select(id, 3, {SCORED}, features := place, apart := 0.3) FROM wares WHERE id > 4")
    assert chosen(wares, 3, "features := place, apart := 0.3, exclude := [1, 2, 3, 4]") == by_hand  # its scale as well


def test_no_two_chosen_are_nearer_than_apart(wares):
    assert chosen(wares, 4, "features := place, apart := 0.25") == [1, 4, 7, 10]
    assert chosen(wares, 9, "features := place, apart := 0.25") == [1, 4, 7, 10]
    assert chosen(wares, 12, "features := place, apart := 0.25") == [1, 4, 7, 10]
    assert chosen(wares, 12, "features := place, apart := 0.25, include := [2]") == [2, 5, 8, 11]
    assert chosen(wares, 1, "features := place, apart := 0.25") == [1]


def test_all_of_them_together(wares):
    told = chosen(
        wares,
        5,
        "features := place, apart := 0.15, include := [9], exclude := [1], quota := kind, quota_min := MAP {'jam': 1}, "
        "quota_cap := MAP {'tea': 3}",
    )
    assert (told[0], sorted(told)) == (9, [2, 4, 9, 11])  # no second jam: 10 and 12 are too near 11
    found = wares.execute(
        f"FROM msd_topk(wares, 5, {SCORED}, key := 'id', features := place, apart := 0.15, include := [9], "
        "exclude := [1], quota := kind, quota_min := MAP {'jam': 1}, quota_cap := MAP {'tea': 3})"
    ).df()
    assert found["id"].tolist() == told
    assert found["msd_rank"].tolist() == list(range(1, len(told) + 1))


def test_every_group_can_have_keys_of_its_own(wares):
    told = wares.execute(
        f"SELECT kind, msd_select(id, 2, {SCORED}, include := list(id) FILTER (WHERE id IN (5, 12))) FROM wares "
        "GROUP BY kind ORDER BY kind"
    ).fetchall()
    assert told == [("jam", [12, 10]), ("tea", [5, 1])]
    with pytest.raises(Exception, match=r"FILTER \(WHERE featured\)"):
        wares.execute(f"SELECT msd_select(id, 2, {SCORED}, include := [5]) FROM wares GROUP BY kind")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("include := [99]", "include names '99', which is not among the 12 candidates"),
        ("include := [97, 98, 99, 100, 1]", "'97', '98', '99' and 1 more, which are not among"),
        ("include := ['x']", "include names 'x'"),
        ("include := [1, 2, 3]", "3 items are pinned, but at most 2 can be chosen"),
        ("include := [NULL]", "include must be a list of keys, such as .*none of them NULL"),
        ("include := 7", "include must be a list of keys"),
        ("include := [[99]]", r"include names '\[99\]'"),
        ("include := [1], exclude := [1]", "'1' is in include and in exclude"),
        ("include := [1, 2], quota := kind, quota_cap := 1", r"'2' cannot be pinned together with '1'.*at most 1"),
        ("include := [1, 2], features := place, apart := 0.5", r"'2' cannot be pinned together with '1'.*0\.5 apart"),
        ("apart := 1.5", "apart must be a number from 0 to 1; got 1.5"),
        ("apart := 'far'", "apart must be a number from 0 to 1; got 'far'"),
        ("apart := 0.5", "nothing says how the items differ"),
        ("quota_min := 1", "quota_min is 1, but there is no quota"),
        ("quota := kind, quota_min := 2", r"add up to 4 items, but k = 2"),
        ("quota := kind, quota_min := MAP {'jma': 1}", r"quota_min asks for 1 of 'jma'.*Did you mean 'jam'"),
        ("quota := kind, quota_min := 1.5", "quota_min must be a whole number from 0 to .*; got 1.5"),
        ("quota := kind, quota_min := MAP {'jam': -1}", "quota_min must be a whole number .* got -1"),
        ("quota := kind, quota_min := [[1]]", "a list of them for nested quotas, or one by value"),
        ("quota := kind, quota_min := [1, 1]", "quota_min has 2 numbers for 1 quotas"),
        ("quota := kind, quota_min := MAP {'jam': 2}, quota_cap := 1", "'jam' are asked for, but at most 1 are"),
        ("quota := (kind, id), quota_min := MAP {'jam': 1}", "for one quota column; there are 2"),
        ("quota := [kind], quota_min := 1", "one item per category, so that it has no quota_min"),
    ],
)  # fmt: skip
def test_what_cannot_be_met_is_refused_with_the_reason(wares, options, said):
    with pytest.raises(Exception, match=said):
        chosen(wares, 2, options)


def test_too_few_candidates_of_a_value_are_named(wares):
    with pytest.raises(Exception, match=r"at least 4 items of 'jam' are asked for, but only 3 of the candidates"):
        chosen(wares, 9, "quota := kind, quota_min := 4")


def test_a_similar_key_is_suggested(wares):
    with pytest.raises(Exception, match="Did you mean 'ware 7'"):
        chosen(wares, 3, "include := ['ware7']", what="name")


@pytest.mark.parametrize("method", ["greedy", "nosg", "osg", "local_search", "rel", "mix", "random"])
def test_a_private_selection_keeps_all_of_it(shop, method):
    keys = [row[0] for row in shop.execute("SELECT item_id FROM products ORDER BY item_id").fetchall()]
    pins, gone = keys[3:5], keys[:2]
    options = f"method := '{method}', include := {pins}, exclude := {gone}, apart := 0.2"
    told = one(shop, f"SELECT msd_select(item_id, 4, 0.1, 0.5, {options}) FROM products")
    assert told[:2] == pins
    assert not set(told) & set(gone)
    assert 2 <= len(told) <= 4


def test_pinned_items_cost_no_round_and_all_pinned_cost_nothing(shop):
    keys = [row[0] for row in shop.execute("SELECT item_id FROM products ORDER BY item_id LIMIT 4").fetchall()]
    plain, pinned = explained(shop, "4, 0.1, 0.5"), explained(shop, f"4, 0.1, 0.5, include := {keys[:2]}")
    assert (plain["rounds"], pinned["rounds"]) == ("4", "2")
    assert float(pinned["noise in users"]) < float(plain["noise in users"])
    assert pinned["constraint"] == "uniform, 2 pinned"
    assert pinned["pinned"].startswith("2, first and in this order: ")
    before = entries(shop)
    assert one(shop, f"SELECT msd_select(item_id, 4, 0.1, 0.5, include := {keys}) FROM products") == keys
    assert entries(shop) == before
    assert explained(shop, f"4, 0.1, 0.5, include := {keys}")["charge"] == "nothing"


def test_explain_says_what_apart_gives_up(shop):
    told = explained(shop, "4, 0.1, 0.0, apart := 0.4, exclude := [1, 2]")
    assert told["guarantee without noise"] == "none (apart)"
    assert told["apart"].startswith("0.4: ")
    assert "fewer than 4" in told["apart"]
    assert told["excluded"] == "2 keys, if they are candidates"
    assert told["distance"] != "none"


def test_the_ledger_and_the_receipt_hold_the_constraint(shop):
    keys = [row[0] for row in shop.execute("SELECT item_id FROM products ORDER BY item_id LIMIT 2").fetchall()]
    one(shop, f"SELECT msd_select(item_id, 4, 0.1, 0.5, include := {keys}, apart := 0.1) FROM products")
    parameters = json.loads(entries(shop)[-1][2])
    assert parameters["include"] == [str(key) for key in keys]
    assert parameters["apart"] == 0.1
    found = msd_sql.select(shop.table("products"), k=4, eps=0.1, diversity=0.5, include=keys, apart=0.1)
    assert found.receipt.constraint == "uniform, 0.1 apart, 2 pinned"
    assert "2 pinned" in str(found.receipt)
    assert found.receipt.rounds == 2


def test_another_constraint_is_another_question_and_the_same_is_repeated_free(shop):
    keys = [row[0] for row in shop.execute("SELECT item_id FROM products ORDER BY item_id LIMIT 2").fetchall()]
    asked = "SELECT msd_select(item_id, 4, 0.05, 0.5, include := [{}]) FROM products"
    first = one(shop, asked.format(keys[0]))
    assert one(shop, asked.format(keys[0])) == first
    one(shop, asked.format(keys[1]))
    assert [(kind, float(eps)) for kind, eps, _ in entries(shop)[-3:]] == [
        ("select", 0.05),
        ("replay", 0.0),
        ("select", 0.05),
    ]


@pytest.mark.parametrize("option", ["include", "exclude"])
def test_keys_may_not_come_from_protected_rows(shop, option):
    with pytest.raises(Exception, match="protected"):
        shop.execute(
            f"SELECT msd_select(item_id, 4, 0.05, 0.5, {option} := (SELECT list(item_id) FROM purchases)) FROM products"
        )
    assert not [line for line in entries(shop) if line[0] == "select"]


def test_a_refusal_charges_nothing(shop):
    for options in ("include := [-5]", "quota := price, quota_min := 9", "apart := 2"):
        with pytest.raises(Exception, match=r"include|quota|partition|apart"):
            shop.execute(f"SELECT msd_select(item_id, 4, 0.05, 0.5, {options}) FROM products").fetchall()
    assert not [line for line in entries(shop) if line[0] == "select"]


def test_python_takes_lists_sets_arrays_and_dictionaries(wares):
    numpy = pytest.importorskip("numpy")
    options = {"k": 4, "eps": None, "diversity": 0.0, "key": "id", "score": "score"}
    assert msd_sql.select(wares.table("wares"), include=numpy.array([7, 3]), **options).items == (7, 3, 1, 2)
    assert msd_sql.select(wares.table("wares"), exclude={1, 2}, **options).items == (3, 4, 5, 6)
    told = msd_sql.select(wares.table("wares"), quota="kind", quota_min={"jam": 2}, **options)
    assert sorted(told.items) == [1, 2, 10, 11]
    assert told.receipt.constraint == "partition (at least 0 to 2, at most 4 of each)"
    with pytest.raises(InputError, match="include names '99'"):
        msd_sql.select(wares.table("wares"), include=[99], **options)


@pytest.mark.parametrize("cap", [1, 2])
def test_engines_agree_on_what_pinned_items_leave_open(shop, cap):
    asked = (
        "SELECT msd_select(item_id, 5, NULL, 0.3, exact := true, fresh := true, include := [7, 30], exclude := [0, 1], "
        f"apart := 0.3, cap := {cap}, engine := '{{}}') FROM products"
    )
    memory = one(shop, asked.format("memory"))
    assert memory == one(shop, asked.format("sql"))
    assert memory[:2] == [7, 30]
    assert memory != one(shop, asked.format("memory").replace("[7, 30]", "[]"))[:5]


def test_pinned_items_count_for_best_match(empty):
    empty.execute("CREATE TABLE spots AS SELECT i AS id, i / 10.0 AS x FROM range(11) AS t (i)")
    empty.execute("CREATE TABLE trips AS SELECT i AS trip, (i % 3) / 2.0 AS at FROM range(300) AS t (i)")
    one(
        empty,
        "SELECT msd_protect('trips', budget := 1.0, users := 300, relevance := 'best_match', "
        "similarity := '1 - abs(r.at - v.x)')",
    )
    one(empty, "SELECT msd_items('spots', key := 'id', features := 'x', reach := 'trips')")
    asked = "SELECT msd_select(id, 3, NULL, 0.0, exact := true, include := {}) FROM spots"
    assert one(empty, asked.format("[10]"))[0] == 10
    assert sorted(one(empty, asked.format("[10]"))) == [0, 5, 10]  # the trips to 1.0 are matched already
