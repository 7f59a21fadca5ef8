"""What a user makes in the database changes neither what our statements mean nor what one unit is."""

import duckdb
import pytest

from tests.support.shop import kinds, one, spent

HIDING = [
    "least(a, b) AS a",
    "greatest(a, b) AS b",
    "sum(a) AS 7",
    "hash(a) AS 5",
    "round(a) AS 3",
    "row_number() AS 1",
]
NEAR = "greatest(0, 1 - abs(r.place - v.price_bin) * 0.5)"


def exact(con, k=3):
    return one(con, f"SELECT msd_select(item_id, {k}, NULL, 0.0, exact := true, fresh := true) FROM products")


@pytest.mark.parametrize("engine", ["memory", "sql"])
@pytest.mark.parametrize("macro", HIDING)
def test_a_macro_that_hides_a_function_changes_no_answer(empty, macro, engine):
    empty.execute("CREATE TABLE visits AS SELECT i AS u, i % 7 % 3 AS place FROM range(60) t(i)")
    empty.execute(
        f"SELECT msd_protect('visits', unit := 'u', relevance := 'best_match', similarity := '{NEAR}', budget := 1)"
    ).fetchall()
    empty.execute("SELECT msd_items('products', key := 'item_id', reach := 'visits')").fetchall()
    ask = f"SELECT msd_select(item_id, 2, NULL, 0.0, exact := true, fresh := true, engine := '{engine}') FROM products"
    before = one(empty, ask)
    empty.execute(f"CREATE MACRO {macro}")
    assert one(empty, ask) == before
    empty.execute("SELECT msd_select(item_id, 2, 0.25, 0.0) FROM products").fetchall()
    assert float(one(empty, "SELECT msd_remaining('visits')")) == 0.75


COLLATED = [
    ("TABLE", "t(u VARCHAR COLLATE NOCASE, item VARCHAR)", "u"),
    ("TABLE", "t(u VARCHAR, item VARCHAR COLLATE NOACCENT)", "item"),
    ("VIEW", "t AS SELECT name COLLATE NOCASE AS u, name AS item FROM products", "u"),
    ("VIEW", "t AS SELECT name AS u, {'a': [{'b': name COLLATE NOCASE}]} AS item FROM products", "item"),
    ("VIEW", "t AS SELECT MAP {1: [name COLLATE NOCASE]} AS u, name AS item FROM products", "u"),
]


@pytest.mark.parametrize(("kind", "made", "column"), COLLATED)
def test_a_column_with_a_collation_is_refused(empty, kind, made, column):
    empty.execute(f"CREATE {kind} {made}")
    with pytest.raises(duckdb.Error, match=f"Column {column} of memory.main.t has a collation"):
        empty.execute("SELECT msd_protect('t', unit := 'u', item := 'item', budget := 1, users := 9)").fetchall()
    assert kinds(empty) == []


def test_a_similarity_may_not_read_a_column_with_a_collation(empty):
    empty.execute("CREATE TABLE t(name VARCHAR COLLATE NOCASE)")
    with pytest.raises(duckdb.Error, match=r"Column name of .* has a collation"):
        empty.execute(
            "SELECT msd_protect('t', relevance := 'best_match', similarity := 'ascii(r.name) / 100', budget := 1, "
            "users := 9)"
        ).fetchall()


def test_the_view_that_the_refusal_advises_is_accepted_and_units_stay_apart(empty):
    empty.execute("CREATE TABLE t(u VARCHAR COLLATE NOCASE, item INTEGER)")
    empty.execute("INSERT INTO t VALUES ('bob', 1), ('BOB', 1), ('Bob', 1)")
    empty.execute('CREATE VIEW plain AS SELECT decode(encode("u")) AS "u", item FROM t')
    empty.execute("SELECT msd_protect('plain', unit := 'u', item := 'item', budget := 1)").fetchall()
    assert one(empty, "SELECT m FROM msd.protected") == 3


def test_texts_nested_in_a_column_are_no_collation(empty):
    empty.execute("CREATE TABLE t AS SELECT {'a': name, 'b': [name]} AS u, [name] AS item FROM products")
    empty.execute("SELECT msd_protect('t', unit := 'u', item := 'item', budget := 1)").fetchall()
    assert one(empty, "SELECT m FROM msd.protected") == 60


@pytest.mark.parametrize(
    "ask",
    ["SELECT msd_select(item_id, 2, 0.1, 0.0, reach := 'bought') FROM products",
     "SELECT msd_reach(['item 001'], 0.1, relation := 'bought')"],
)  # fmt: skip
def test_a_collation_that_comes_later_is_refused_and_charges_nothing(empty, ask):
    empty.execute("CREATE VIEW bought AS SELECT user_id, item_id::VARCHAR AS item FROM purchases")
    empty.execute("SELECT msd_protect('bought', unit := 'user_id', item := 'item', budget := 1)").fetchall()
    empty.execute(
        "CREATE OR REPLACE VIEW bought AS SELECT user_id, item_id::VARCHAR COLLATE NOCASE AS item FROM purchases"
    )
    with pytest.raises(duckdb.Error, match=r"has a collation.*Nothing was charged"):
        empty.execute(ask).fetchall()
    assert spent(empty) == 0


def test_a_default_collation_is_refused_and_charges_nothing(shop):
    shop.execute("CREATE TABLE named AS FROM products")
    shop.execute("SET GLOBAL default_collation = 'NOCASE'")
    with pytest.raises(duckdb.Error, match=r"default_collation is NOCASE.*Nothing was charged"):
        exact(shop)
    with pytest.raises(duckdb.Error, match=r"default_collation is NOCASE"):
        shop.execute("SELECT msd_protect('named', unit := 'name', item := 'item_id', budget := 1)").fetchall()
    shop.execute("RESET GLOBAL default_collation")
    assert len(exact(shop)) == 3
