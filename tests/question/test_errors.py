"""Every error that docs/sql.md promises: what was given, what is allowed, the nearest name; and nothing is charged."""

from __future__ import annotations

import duckdb
import pytest

import msd_sql
from tests.support.shop import ITEMS, PROTECT, kinds, one

CALL = "SELECT msd_select({}) FROM products"
CASES = [
    ("NULL, 6, 0.1, 0.5", "InputError: items: 60 of 60 keys are NULL"),
    ("item_id, NULL, 0.1, 0.5", "InputError: k is NULL; it must be a whole number from 1"),
    ("item_id, 0, 0.1, 0.5", "InputError: k must be a whole number from 1 to 1000000; got 0"),
    ("item_id, -3, 0.1, 0.5", "k must be a whole number from 1 to 1000000; got -3"),
    ("item_id, 3.7, 0.1, 0.5", "k must be a whole number from 1 to 1000000; got 3.7"),
    ("item_id, 'abc', 0.1, 0.5", "k must be a whole number from 1 to 1000000; got 'abc'"),
    ("item_id, 'nan'::DOUBLE, 0.1, 0.5", "k must be a whole number from 1 to 1000000; got nan"),
    ("item_id, 6, 0, 0.5", "eps must be above 0 and at most 1e15; got 0"),
    ("item_id, 6, -0.1, 0.5", "eps must be above 0 and at most 1e15; got -0.1"),
    ("item_id, 6, 'nan'::DOUBLE, 0.5", "eps must be a finite number above 0; got nan"),
    ("item_id, 6, 'infinity'::DOUBLE, 0.5", "eps must be a finite number above 0; got inf"),
    ("item_id, 6, 'much', 0.5", "eps must be a finite number above 0; got 'much'"),
    ("item_id, 6, NULL, 0.5", "PrivacyError: eps is NULL.*exact := true, which the ledger records"),
    ("item_id, 6, 0.1, NULL", "diversity is NULL; it must be a number from 0 to 1."),
    ("item_id, 6, 0.1, 1.5", "diversity must be a number from 0 to 1; got 1.5"),
    ("item_id, 6, 0.1, -0.1", "diversity must be a number from 0 to 1; got -0.1"),
    ("item_id, 6, 0.1, 'nan'::DOUBLE", "diversity must be a number from 0 to 1; got nan"),
    ("item_id, 6, 0.1, 0.5, method := 'gredy'", "Unknown method 'gredy'. Did you mean 'greedy'. Allowed: auto, greedy"),
    ("item_id, 6, 0.1, 0.5, method := 'ls'", "Method 'ls' stops on what the data say"),
    ("item_id, 6, 0.1, 0.5, gamma := 0", "gamma must be a number between 0 and 1, both excluded; got 0"),
    ("item_id, 6, 0.1, 0.5, gamma := 2", "gamma must be a number between 0 and 1, both excluded; got 2"),
    ("item_id, 6, 0.1, 0.5, delta := 1", "delta must be at least 0 and below 1; got 1"),
    ("item_id, 6, 0.1, 0.5, distance := 'jacard'", "Unknown distance 'jacard'. Did you mean 'jaccard'"),
    ("item_id, 6, 0.1, 0.5, engine := 'memry'", "Unknown engine 'memry'. Did you mean 'memory'"),
    ("item_id, 6, 0.1, 0.5, cap := 0", "cap must be a whole number from 1 to 1000000; got 0"),
    ("item_id, 6, 0.1, 0.5, fresh := 'maybe'", "fresh must be true or false; got 'maybe'"),
    (
        "item_id, 6, 0.1, 0.5, reach := 'purchase'",
        "CatalogError: Unknown relation 'purchase'. Did you mean 'purchases'",
    ),
    ("item_id, 6, 0.1, 0.5, reach := 'products'", "CatalogError: 'products' is not protected. Protected relations: "),
    ("item_id, 6, 0.1, 0.5, score := price", "score := is a public column.*eps = 0.1 would buy nothing"),
    ("item_id, 6, NULL, 0.5, score := name", "score: 60 of 60 candidates have a score that is NULL, NaN"),
    ("item_id, 6, 0.1, 0.5, exact := true", "exact := true asks for no noise, but eps is 0.1"),
    ("item_id, 6, 0.1, 0.5, quota_cap := 2", "quota_cap is 2, but there is no quota"),
    ("item_id, 6, 0.1, 0.5, quota := category, quota_cap := -1", "quota_cap must be a whole number from 0"),
    ("item_id, 6, 0.1, 0.5, quota := category, quota_cap := [1, 2]", "quota_cap has 2 numbers for 1 quotas"),
    ("item_id, 6, 0.1, 0.5, quota := categories, quota_cap := 2", "one item per category, so that it has no quota_cap"),
    ("item_id, 6, 0.1, 0.5, quota := (category, price_bin)", "the levels must be nested"),
    ("item_id, 6, 0.1, 0.5, quota := category, method := 'greedy'", "'greedy' has no guarantee under a partition"),
    (
        "item_id, 6, 0.1, 0.5, features := 'categories'",
        "the same text, 'categories', for every candidate. Name a column",
    ),
    (
        "item_id, 6, 0.1, 0.5, quota := 'Price_bin', quota_cap := 2",
        "quota is 'Price_bin', the same for every row. Name a column without quotes, such as quota := price_bin",
    ),
    (
        "item_id, 6, 0.1, 0.5, quota := ['category', 'name']",
        r"quota is \['category', 'name'\], the same for every row. .* such as quota := \(category, name\)",
    ),
    ("name, 6, 0.1, 0.5", r"None of the 60 keys can name an item of .*purchases: they are VARCHAR, such as 'item 000'"),
    ("item_id, 6, 0.1, 0.5, quota := 3", "quota is 3, the same for every row"),
    ("item_id, 6, 0.1, 0.5, features := ['price', 'score']", r"such as features := \(price, score\)"),
    ("item_id, 6, 0.1, 0.5, features := (1, 2)", r"features is \(1, 2\), the same for every row"),
    ("'item_id', 6, 0.1, 0.5", r"items is 'item_id', the same for every row. .* such as msd_select\(item_id, …\)"),
    ("item_id, 6, NULL, 0, score := 'price'", "score is 'price', the same for every row"),
    ("item_id, 6, 0.1, 0.5, quota := 'categry'", "Name a column without quotes, such as quota := category"),
    ("item_id, 6, 0.1, 0.5, scale := 3", "scale is for distances between numbers .*, and jaccard has none"),
    ("item_id, 6, 0.1, 0.5, features := name, scale := 3", "scale is for .*, and hamming has none"),
    ("item_id, 6, 0.1, 0.5, features := price, distance := 'jaccard'", "jaccard compares sets: give a list column"),
    ("item_id, 6, 0.1, 0.5, features := name, distance := 'l1'", "l1 needs numbers"),
    ("item_id, 6, 0.1, 0.5, features := embedding, distance := 'haversine'", "haversine needs two features"),
    ("item_id, 6, 0.1, 0.5, features := embedding[:item_id]", "Vectors need one length"),
    ("item_id, 6, 0.1, 0.5, features := [price - price, 0]", "angular: the vector of item 0 .* is zero"),
    ("item_id, 6, 0.1, 0.5, features := price, scale := -1", "scale must be a positive number"),
    ("item_id, 6, 0.1, 0.5, features := 'far', distance := 'precomputed'", "Unknown relation 'far'"),
    ("item_id + 100, 6, 0.1, 0.5", "60 of 60 candidates are not in the items relation"),
    ("item_id, 6, 5, 0.5", "BudgetError"),
]


@pytest.mark.parametrize(("arguments", "text"), CASES, ids=[arguments for arguments, _ in CASES])
def test_an_error_says_what_is_wrong_and_charges_nothing(never_charged, arguments, text):
    with pytest.raises(duckdb.InvalidInputException, match=f"(?s){text}.*othing was charged"):
        one(never_charged, CALL.format(arguments))
    assert kinds(never_charged) == ["protect", "items"]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ("item_id, 6, 0.1, 0.5, methd := 'greedy'", "msd_select"),  # DuckDB's own list of the named arguments
        ("item_id, 6, 0.1, 0.5, method := greedy", 'column "greedy" not found'),
        ("itm_id, 6, 0.1, 0.5", 'column "itm_id" not found'),
    ],
)
def test_unknown_columns_and_arguments_are_duckdbs_to_refuse(never_charged, arguments, text):
    with pytest.raises(duckdb.BinderException, match=text):
        one(never_charged, CALL.format(arguments))
    assert kinds(never_charged) == ["protect", "items"]


def test_the_leak_names_the_path(shop):
    shop.execute("CREATE VIEW ranked AS SELECT item_id, count(*) AS n FROM purchases GROUP BY item_id")
    shop.execute("CREATE VIEW best AS SELECT * FROM ranked ORDER BY n DESC LIMIT 30")
    with pytest.raises(
        duckdb.InvalidInputException, match=r"LeakError.*purchases.*best → view → ranked → view → purchases"
    ):
        one(shop, "SELECT msd_select(item_id, 6, 0.1, 0.5, features := n) FROM best")
    assert kinds(shop) == ["protect", "items"]


def test_private_subqueries_in_the_arguments_are_leaks(never_charged):
    for call in ("item_id, (SELECT min(user_id) + 3 FROM purchases), 0.1, 0.5",
                 "item_id, 6, 0.1, 0.5, features := [price, (SELECT count(*) FROM purchases)]"):  # fmt: skip
        with pytest.raises(duckdb.InvalidInputException, match="LeakError"):
            one(never_charged, CALL.format(call))
    assert kinds(never_charged) == ["protect", "items"]


def test_nothing_declared_says_what_to_declare(empty):
    with pytest.raises(
        duckdb.InvalidInputException, match=r"Nothing says what makes these candidates relevant.*msd_items"
    ):
        one(empty, CALL.format("item_id, 6, 0.1, 0.5"))


def test_no_features_says_what_to_give(empty):
    with pytest.raises(duckdb.InvalidInputException, match="nothing says how the items differ: give features"):
        one(empty, CALL.format("item_id, 6, NULL, 0.5, score := price"))


def test_a_temp_relation_cannot_be_protected(empty):
    empty.execute("CREATE TEMP TABLE mine AS SELECT * FROM purchases")
    with pytest.raises(
        duckdb.InvalidInputException, match=r"'mine' is a TEMP relation.*COMMIT, or make it a permanent"
    ):
        one(empty, PROTECT.replace("'purchases'", "'mine'"))


def test_an_uncommitted_relation_cannot_be_protected(empty):
    empty.execute("BEGIN; CREATE TABLE late AS SELECT * FROM purchases")
    with pytest.raises(duckdb.InvalidInputException, match=r"not yet committed.*COMMIT"):
        one(empty, PROTECT.replace("'purchases'", "'late'"))
    empty.execute("ROLLBACK")


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        (
            "SELECT msd_protect('purchases', unit := 'user_id', item := 'item_id')",
            "Give either budget := .* or shares := ",
        ),
        (PROTECT.replace("1.0", "0"), "budget .total ε. must be above 0"),
        (PROTECT.replace("1.0", "'lots'"), "budget must be a number; got 'lots'"),
        (PROTECT.replace("1e-9", "2"), "delta .total δ. must be at least 0 and below 1"),
        (PROTECT.replace("'user_id'", "'usr_id'"), "Unknown column 'usr_id'. Did you mean 'user_id'"),
        (PROTECT.replace("'item_id'", "'item'"), "Unknown column 'item'. Did you mean 'item_id'"),
        (PROTECT.replace("'purchases'", "'purchase'"), "Unknown relation 'purchase'. Did you mean 'purchases'"),
        (PROTECT.replace("'purchases'", "NULL"), "needs the name of a relation"),
        (PROTECT.replace("budget", "users := 0, budget"), "users must be a whole number from 1"),
        (PROTECT.replace("budget", "cap := 1.5, budget"), "cap must be a whole number from 1"),
        (
            PROTECT.replace("budget", "relevance := 'cover', budget"),
            "Unknown relevance 'cover'. Did you mean 'coverage'",
        ),
        (ITEMS.replace("'purchases'", "'products'"), "'products' is not protected"),
        ("SELECT msd_items('products')", "key is missing"),
        ("SELECT msd_items('products', key := 'id')", "Unknown column 'id'"),
        (
            "SELECT msd_items('products', key := 'item_id', features := 'categories, price_bn')",
            "Did you mean 'price_bin'",
        ),
        ("SELECT msd_items('products', key := 'item_id', distance := 'jacard')", "Did you mean 'jaccard'"),
        ("SELECT msd_budget('purchases', 2)", "not protected"),
        ("SELECT msd_unprotect('purchases')", "not protected"),
        ("SELECT msd_drop_items('products')", "not declared"),
        ("SELECT msd_remaining('purchases')", "not protected"),
        ("SELECT msd_remaining(NULL)", "needs the name"),
    ],
)
def test_declarations_that_cannot_be(never_declared, statement, text):
    with pytest.raises(duckdb.InvalidInputException, match=text):
        one(never_declared, statement)
    assert never_declared.execute("FROM msd_ledger()").fetchall() == []


def test_a_declaration_is_changed_only_on_purpose(shop):
    one(shop, "SELECT msd_select(item_id, 6, 0.1, 0.5) FROM products")
    with pytest.raises(
        duckdb.InvalidInputException, match=r"already declared, differently: budget was 1, now 9.*replace := true"
    ):
        one(shop, PROTECT.replace("1.0", "9.0"))
    assert "were spent before and stay spent" in one(
        shop, PROTECT.replace("1.0)", "1.0)").replace(")", ", replace := true, cap := 2)")
    )
    assert one(shop, "SELECT msd_remaining('purchases')") == pytest.approx(0.9)
    one(shop, "SELECT msd_budget('purchases', 3.5)")
    assert one(shop, "SELECT msd_remaining('purchases')") == pytest.approx(3.4)
    one(shop, "SELECT msd_unprotect('purchases')")
    one(shop, PROTECT)
    assert one(shop, "SELECT msd_remaining('purchases')") == pytest.approx(0.9)
    assert kinds(shop) == ["protect", "items", "select", "protect", "budget", "unprotect", "protect"]


def test_no_registered_connection(shop):
    other = shop.cursor()
    with pytest.raises(duckdb.CatalogException):
        one(other, "SELECT msd_remaining('purchases')")
    msd_sql.register(other)
    assert one(other, "SELECT msd_remaining('purchases')") == 1.0


@pytest.mark.parametrize(
    "arguments",
    [
        "item_id, (SELECT avg(user_id) + 0.5 FROM purchases WHERE user_id = 7), 0.1, 0.5",
        "item_id, 4, 0.1, 0.5, method := (SELECT string_agg(item_id::VARCHAR, '|') FROM purchases WHERE user_id = 7)",
        "item_id, 4, 0.1, 0.5, distance := (SELECT string_agg(item_id::VARCHAR, '|') FROM purchases)",
        "item_id, 4, 0.1, 0.5, public := (SELECT max(item_id)::VARCHAR FROM purchases)",
    ],
)
def test_an_argument_from_private_rows_is_refused_before_an_error_could_quote_it(shop, arguments):
    with pytest.raises(duckdb.InvalidInputException, match="LeakError"):
        shop.execute(f"SELECT msd_select({arguments}) FROM products").fetchall()


def test_no_private_rows_are_refused_as_well_as_some(shop):
    with pytest.raises(duckdb.InvalidInputException, match="LeakError"):
        shop.execute("SELECT msd_select(item_id, 4, 0.1, 0.5) FROM purchases WHERE user_id = -1").fetchall()


def test_keys_that_are_null_on_private_rows_are_not_counted(shop):
    with pytest.raises(duckdb.InvalidInputException, match="LeakError"):
        shop.execute(
            "SELECT msd_select(CASE WHEN user_id = 7 THEN NULL ELSE item_id END, 4, 0.1, 0.5) FROM purchases"
        ).fetchall()


def test_reach_refuses_a_private_eps_before_it_could_quote_it(shop):
    with pytest.raises(duckdb.InvalidInputException, match="LeakError"):
        shop.execute("SELECT msd_reach([1], (SELECT -avg(user_id) FROM purchases))").fetchall()


def test_digits_with_underscores_are_not_a_number(shop):
    with pytest.raises(duckdb.InvalidInputException, match=r"eps must be a finite number above 0; got 1_0"):
        shop.execute("SELECT msd_select(item_id, 4, '1_0', 0.5) FROM products").fetchall()
