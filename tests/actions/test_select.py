"""msd_select through real connections: sources, key types, features, quotas, scores, and ways to run a statement."""

from __future__ import annotations

import uuid

import duckdb
import pytest

import msd_sql
from msd_sql.actions.select import FewCandidates
from msd_sql.registration import instance_of
from tests.support.shop import declare, fill, kinds, one, spent

CALL = "msd_select(item_id, 6, 0.1, 0.5)"


def test_a_list_of_the_items_own_type_in_pick_order(shop):
    relation = shop.sql(f"SELECT {CALL} FROM products WHERE category = 'Toys'")
    assert str(relation.types[0]) == "INTEGER[]"
    items = relation.fetchall()[0][0]
    assert len(set(items)) == 6
    assert all(item % 3 == 2 for item in items)


@pytest.mark.parametrize(
    ("kind", "made"),
    [
        ("BIGINT", "i"),
        ("HUGEINT", "i::HUGEINT * 1000000000000000000000"),
        ("VARCHAR", "'item ' || i"),
        ("UUID", "md5(i::VARCHAR)::UUID"),
        ("DATE", "DATE '2020-01-01' + i::INTEGER"),
        ("DECIMAL(9,3)", "(i / 8)::DECIMAL(9, 3)"),
    ],
)
def test_any_key_type(kind, made):
    with duckdb.connect() as con:
        con.execute(
            f"CREATE TABLE products AS SELECT ({made})::{kind} AS id, [i % 3, i % 5] AS tags FROM range(40) t(i)"
        )
        con.execute(f"CREATE TABLE purchases AS SELECT hash(i) % 50 AS u, ({made})::{kind} AS id FROM range(40) t(i)")
        msd_sql.register(con)
        one(con, "SELECT msd_protect('purchases', unit := 'u', item := 'id', budget := 1)")
        one(con, "SELECT msd_items('products', key := 'id', features := 'tags', reach := 'purchases')")
        relation = con.sql("SELECT msd_select(id, 5, 0.5, 0.5) FROM products")
        assert str(relation.types[0]).replace(" ", "") == f"{kind}[]"
        items = relation.fetchall()[0][0]
        assert len(set(items)) == 5
        assert set(items) <= {row[0] for row in con.execute("SELECT id FROM products").fetchall()}
        assert spent(con) == 0.5


def test_candidates_are_ordered_by_their_own_type(empty):
    # All scores are equal, so that the lowest key wins every round: 9 stands before 10 as a number, behind it as text.
    sql = "SELECT msd_select({}, 3, NULL, 0, score := 1) FROM (SELECT unnest([100, 10, 9, 11]) AS i)"
    assert one(empty, sql.format("i")) == [9, 10, 11]
    assert one(empty, sql.format("i::VARCHAR")) == ["10", "100", "11"]
    assert one(empty, sql.format("-i")) == [-100, -11, -10]


def test_duplicate_keys_are_one_candidate(empty):
    sql = "SELECT msd_select(i // 2, 3, NULL, 0, score := i) FROM range(10) t(i)"
    assert one(empty, sql) == [4, 3, 2]


def test_empty_input_is_an_empty_list_and_charges_nothing(shop):
    relation = shop.sql(f"SELECT {CALL} FROM products WHERE false")
    assert str(relation.types[0]) == "INTEGER[]"
    assert relation.fetchall() == [([],)]
    assert spent(shop) == 0


def test_no_more_than_k_candidates_are_all_returned_in_key_order(shop):
    with pytest.warns(FewCandidates, match="only 4 candidates"):
        items = one(shop, "SELECT msd_select(item_id, 6, 0.1, 0.5) FROM products WHERE item_id IN (9, 3, 40, 12)")
    assert items == [3, 9, 12, 40]
    assert one(shop, "SELECT msd_select(item_id, 4, 0.1, 0.5) FROM products WHERE item_id IN (9, 3, 40, 12)") == items
    assert spent(shop) == 0


def test_a_quota_in_the_way_of_few_candidates_is_still_a_choice(shop):
    with pytest.warns(FewCandidates, match=r"k = 4 .* partition \(at most 1 of each\), allows only 3"):
        items = one(shop, "SELECT msd_select(item_id, 4, 0.1, 0.5, quota := category, quota_cap := 1) FROM products "
                          "WHERE item_id < 4")  # fmt: skip
    assert len(items) == 3
    assert spent(shop) == 0.1


@pytest.mark.filterwarnings("error")
def test_who_makes_errors_of_warnings_is_told_of_a_quota_in_the_way_before_the_charge(shop):
    with pytest.raises(duckdb.Error, match="allows only 3"):
        one(shop, "SELECT msd_select(item_id, 4, 0.1, 0.5, quota := category, quota_cap := 1) FROM products")
    assert spent(shop) == 0


def test_diversity_alone_reads_nothing_private(shop):
    first = one(shop, "SELECT msd_select(item_id, 6, 0.1, 1) FROM products")
    assert first == one(shop, "SELECT msd_select(item_id, 6, NULL, 1.0) FROM products")
    assert kinds(shop) == ["protect", "items"]


def test_the_random_baseline_charges_nothing(shop):
    assert len(one(shop, "SELECT msd_select(item_id, 6, 0.1, 0.5, method := 'random') FROM products")) == 6
    assert spent(shop) == 0


@pytest.mark.parametrize("method", ["greedy", "nosg", "osg", "local_search", "rel", "mix", "auto", "Greedy"])
def test_every_private_method(shop, method):
    assert len(set(one(shop, f"SELECT msd_select(item_id, 4, 0.1, 0.5, method := '{method}') FROM products"))) == 4
    assert spent(shop) == 0.1


def test_gamma_and_delta_and_cap_reach_the_ledger(shop):
    one(shop, "SELECT msd_select(item_id, 4, 0.1, 0.5, method := 'osg', gamma := 0.2, delta := 1e-10, cap := 2) "
              "FROM products")  # fmt: skip
    row = shop.execute(
        "SELECT r.method, r.delta, l.parameters FROM msd_releases() r JOIN msd_ledger() l ON l.id = r.line"
    ).fetchall()[0]
    assert row[0] == "osg"
    assert 0 < row[1] <= 1e-10
    assert '"gamma": 0.2' in row[2]
    assert '"cap": 2' in row[2]


@pytest.mark.parametrize(
    "features",
    [
        "features := categories",
        "features := embedding",
        "features := embedding, distance := 'l2'",
        "features := embedding::FLOAT[3]",
        "features := [price + 1, score]",
        "features := [price, score], distance := 'haversine'",
        "features := [item_id, price_bin], distance := 'l1', scale := [60, 4]",
        "features := [item_id, price_bin]",
        "features := (category, price_bin)",
        "features := {'lat': price / 2, 'lon': score}, distance := 'haversine', scale := 100",
        "features := price",
        "features := category",
        "features := category || price_bin, distance := 'hamming'",
        "features := [category, name], distance := 'hamming'",
    ],
)
def test_features_of_every_form(shop, features):
    items = one(shop, f"SELECT msd_select(item_id, 4, NULL, 1, {features}) FROM products")
    assert len(set(items)) == 4
    # the declared features give another spread, or the same by chance; what counts is that nothing was refused
    assert spent(shop) == 0


def test_features_change_what_is_diverse(empty):
    rows = "(VALUES (1, 1.0, 'a'), (2, 1.1, 'b'), (3, 9.0, 'a')) t(i, x, c)"
    sql = f"SELECT msd_select(i, 2, NULL, 1, features := {{}}) FROM {rows}"
    assert sorted(one(empty, sql.format("x"))) == [1, 3]
    assert 2 in one(empty, sql.format("c"))


def test_precomputed_distances_come_from_a_public_table(shop):
    shop.execute("CREATE TABLE far AS SELECT a.item_id AS a, b.item_id AS b, abs(a.item_id - b.item_id) / 60 AS d "
                 "FROM products a, products b WHERE a.item_id < b.item_id")  # fmt: skip
    sql = "SELECT msd_select(item_id, 2, NULL, 1, features := '{}', distance := 'precomputed') FROM products"
    assert sorted(one(shop, sql.format("far"))) == [0, 59]
    one(
        shop,
        "SELECT msd_items('products', key := 'item_id', features := 'far', distance := 'precomputed', "
        "reach := 'purchases', replace := true)",
    )
    assert sorted(one(shop, "SELECT msd_select(item_id, 2, NULL, 1) FROM products")) == [0, 59]
    shop.execute("CREATE VIEW bad AS SELECT user_id, item_id, 0.5 FROM purchases")
    with pytest.raises(duckdb.InvalidInputException, match=r"LeakError.*purchases"):
        one(shop, sql.format("bad"))


def test_scores_are_public_and_need_no_declaration(empty):
    sql = "SELECT msd_select(item_id, 3, NULL, 0, score := price) FROM products"
    assert one(empty, sql) == [59, 58, 57]
    assert one(empty, sql.replace("price", "-price")) == [0, 1, 2]
    assert one(empty, "FROM (SELECT count(*) FROM msd_ledger())") == 0


def test_quotas_of_every_kind(shop):
    nested = one(
        shop, "SELECT msd_select(item_id, 6, NULL, 1, quota := (category, name), quota_cap := [2, 1]) FROM products"
    )
    assert len(nested) == 6
    assert max(sum(item % 3 == c for item in nested) for c in range(3)) == 2
    with pytest.warns(FewCandidates, match=r"transversal \(one item for each of 3 categories\), allows only 3"):
        transversal = one(shop, "SELECT msd_select(item_id, 6, NULL, 1, quota := [category]) FROM products")
    assert sorted(item % 3 for item in transversal) == [0, 1, 2]
    default = one(shop, "SELECT msd_select(item_id, 6, NULL, 1, quota := category) FROM products")
    assert max(sum(item % 3 == c for item in default) for c in range(3)) == 2


def test_the_declared_quota_is_the_default(shop):
    one(shop, "SELECT msd_items('products', key := 'item_id', features := 'categories', quota := 'category', "
              "quota_cap := 1, reach := 'purchases', replace := true)")  # fmt: skip
    with pytest.warns(FewCandidates, match="allows only 3"):
        assert len(one(shop, "SELECT msd_select(item_id, 6, 0.1, 0.5) FROM products")) == 3


@pytest.mark.parametrize(
    "source",
    [
        "FROM products",
        "FROM (SELECT * FROM products WHERE price > 3) p",
        "FROM cheap",
        "FROM main.products AS p WHERE p.item_id IN (SELECT item_id FROM cheap)",
        "FROM products JOIN extra USING (item_id)",
    ],
)
def test_views_subqueries_and_joins_as_sources(shop, source):
    shop.execute("CREATE VIEW cheap AS SELECT * FROM products WHERE price < 70")
    shop.execute("CREATE TABLE extra AS SELECT item_id, 1 AS one FROM products")
    assert len(one(shop, f"SELECT {CALL} {source}")) == 6
    assert spent(shop) == 0.1


def test_a_cte_as_source(shop):
    assert len(one(shop, f"WITH c AS (SELECT * FROM products) SELECT {CALL} FROM c")) == 6
    assert len(one(shop, f"WITH s AS (SELECT {CALL} AS items FROM products) SELECT a.items FROM s a, s b")) == 6
    assert spent(shop) == 0.1


def test_a_view_that_holds_the_call(shop):
    shop.execute(f"CREATE TEMP VIEW picked AS SELECT {CALL} AS items FROM products")
    first = one(shop, "SELECT items FROM picked")
    assert first == one(shop, "SELECT items FROM picked")
    assert spent(shop) == 0.1


def test_prepared_statements(shop):
    shop.execute("PREPARE ask AS SELECT msd_select(item_id, $1, $2, 0.5) FROM products")
    assert spent(shop) == 0
    assert len(one(shop, "EXECUTE ask(4, 0.1)")) == 4
    assert spent(shop) == 0.1
    assert len(one(shop, "SELECT msd_select(item_id, ?, ?, ?) FROM products WHERE price > ?", [5, 0.1, 0.5, 3])) == 5
    shop.execute("PREPARE leak AS SELECT msd_select(item_id, 3, 0.1, 0.5) FROM purchases")
    with pytest.raises(duckdb.InvalidInputException, match="LeakError"):
        shop.execute("EXECUTE leak").fetchall()


def test_several_statements_in_one_text(shop):
    shop.execute(f"SELECT 1; CREATE TABLE a AS SELECT {CALL} AS items FROM products; SELECT 2").fetchall()
    assert len(one(shop, "SELECT items FROM a")) == 6


def test_insert_and_create_table_as(shop):
    shop.execute(f"CREATE TABLE kept AS SELECT category, {CALL} AS items FROM products GROUP BY category")
    shop.execute(f"INSERT INTO kept SELECT 'all', {CALL} FROM products")
    assert one(shop, "SELECT count(*) FROM kept WHERE len(items) = 6") == 4
    assert spent(shop) == 0.4


def test_relations_with_more_on_top(shop):
    relation = shop.sql(f"SELECT category, {CALL} AS items FROM products GROUP BY category")
    assert relation.filter("category = 'Toys'").fetchall()[0][0] == "Toys"
    assert len(relation.order("category").limit(2).fetchall()) == 2
    assert len(shop.table("products").aggregate(CALL).fetchall()[0][0]) == 6


def test_a_schema_and_a_database_of_its_own(tmp_path):
    with duckdb.connect() as con:
        con.execute(f"ATTACH '{tmp_path / 'lake.duckdb'}' AS lake")
        con.execute("CREATE SCHEMA lake.raw; USE lake.raw")
        fill(con)
        msd_sql.register(con)
        declare(con)
        assert len(one(con, f"SELECT {CALL} FROM products")) == 6
        assert one(con, "SELECT relation FROM msd_ledger() WHERE kind = 'select'") == "raw.purchases"
        con.execute("USE memory")
        assert len(one(con, "SELECT msd_select(item_id, 3, 0.1, 0.5) FROM lake.raw.products")) == 3
        assert spent(con) == 0.2


def test_an_item_unknown_to_the_protected_relation_has_no_users(shop):
    shop.execute("DELETE FROM purchases WHERE item_id >= 30")
    assert len(one(shop, f"SELECT {CALL} FROM products WHERE item_id >= 30")) == 6


def test_a_protected_view_over_a_parquet_file(tmp_path):
    with duckdb.connect(str(tmp_path / "shop.duckdb")) as con:
        fill(con)
        con.execute(f"COPY purchases TO '{tmp_path / 'p.parquet'}'")
        con.execute("DROP TABLE purchases")
        con.execute(f"CREATE VIEW purchases AS FROM '{tmp_path / 'p.parquet'}'")
        msd_sql.register(con)
        declare(con)
        assert len(one(con, f"SELECT {CALL} FROM products")) == 6
        with pytest.raises(duckdb.InvalidInputException, match="LeakError"):
            one(con, f"SELECT {CALL} FROM '{tmp_path / 'p.parquet'}'")


def test_best_match_by_a_similarity(shop):
    shop.execute("CREATE TABLE rides AS SELECT i AS ride, (hash(i) % 90)::DOUBLE AS at FROM range(300) t(i)")
    one(shop, "SELECT msd_protect('rides', budget := 2, delta := 1e-6, relevance := 'best_match', "
              "similarity := 'greatest(0, 1 - abs(r.at - v.price) / 90)')")  # fmt: skip
    one(shop, "SELECT msd_items('products', key := 'item_id', features := 'price', reach := 'rides', replace := true)")
    assert len(one(shop, "SELECT msd_select(item_id, 4, 0.5, 0.2) FROM products")) == 4
    assert spent(shop) == 0.5


def test_no_unit_column_makes_every_row_a_unit(shop):
    one(shop, "SELECT msd_protect('purchases', item := 'item_id', budget := 1, delta := 1e-9, replace := true)")
    assert len(one(shop, f"SELECT {CALL} FROM products")) == 6


def test_exact_answers_are_asked_for_and_recorded(shop):
    sql = "SELECT msd_select(item_id, 6, NULL, 0.5, exact := true) FROM products"
    assert one(shop, sql) == one(shop, sql)
    row = shop.execute("SELECT kind, eps, charged_eps, exact FROM msd_ledger() WHERE exact").fetchall()
    assert row[0] == ("exact", float("inf"), 0.0, True)
    assert spent(shop) == 0


def test_both_engines_give_the_same_exact_answer(shop):
    sql = "SELECT msd_select(item_id, 6, NULL, 0.5, exact := true, fresh := true, engine := '{}') FROM products"
    assert one(shop, sql.format("memory")) == one(shop, sql.format("sql"))


def test_the_relation_can_be_named_in_the_call(shop):
    shop.execute("CREATE TABLE others AS SELECT item_id, categories AS tags FROM products")
    items = one(shop, "SELECT msd_select(item_id, 4, 0.1, 0.5, features := tags, reach := 'purchases') FROM others")
    assert len(items) == 4
    assert spent(shop) == 0.1


def test_public_is_an_assertion_on_the_record(shop):
    shop.execute("CREATE TEMP TABLE mine AS SELECT * FROM products")
    with pytest.raises(duckdb.InvalidInputException, match=r"LeakError.*mine.*TEMP table"):
        one(shop, f"SELECT {CALL} FROM mine")
    assert spent(shop) == 0
    options = "features := categories, reach := 'purchases', public := true"
    sql = f"SELECT msd_select(item_id, 6, 0.1, 0.5, {options}) FROM mine"
    assert len(one(shop, sql)) == 6
    assert shop.execute("SELECT asserted_public FROM msd_ledger() WHERE kind = 'select'").fetchall() == [(True,)]


def test_column_names_that_are_also_argument_names(empty):
    empty.execute("CREATE TABLE odd AS SELECT i AS k, i AS items, i AS score, [i] AS features, i % 2 AS quota, i eps "
                  "FROM range(9) t(i)")  # fmt: skip
    assert one(empty, "SELECT msd_select(items, 2, NULL, 0, score := score) FROM odd") == [8, 7]
    sql = "SELECT msd_select(k, 2, NULL, 0.1, score := eps, features := features, quota := quota) FROM odd"
    assert sorted(one(empty, sql)) == [7, 8]


def test_uuid_keys_survive_text(empty):
    key = str(uuid.UUID(int=7))
    assert one(empty, f"SELECT msd_select('{key}'::UUID, 1, NULL, 1)") == [uuid.UUID(int=7)]


def test_a_fresh_question_is_asked_anew_beside_the_same_one_that_is_told_again(shop):
    ask = "SELECT msd_select(item_id, 6, 0.1, 0.5)"
    first = one(shop, f"{ask} FROM products")
    again, fresh = shop.execute(f"{ask}, {ask[7:-1]}, fresh := true) FROM products").fetchall()[0]
    assert again == first
    assert len(fresh) == 6
    assert spent(shop) == 0.2


def test_picks_that_must_be_far_apart_can_be_fewer_and_that_is_told(shop):
    sql = "SELECT msd_select(item_id, 6, 0.1, 0.5, apart := 0.9) FROM products"
    with pytest.warns(FewCandidates, match=r"k = 6 was asked for, but \d were chosen: no other .* 0.9 apart"):
        items = one(shop, sql)
    assert 0 < len(items) < 6


@pytest.mark.filterwarnings("error")
def test_an_answer_that_was_charged_is_not_lost_to_an_error_of_a_warning(shop):
    assert one(shop, "SELECT msd_select(item_id, 6, 0.1, 0.5, apart := 0.9) FROM products")
    assert spent(shop) == 0.1


def test_a_note_names_no_line_of_ours(shop, recwarn):
    one(shop, "SELECT msd_select(item_id, 4, 0.1, 0.5, quota := category, quota_cap := 1) FROM products")
    assert [(note.filename, note.line) for note in recwarn] == [("msd_sql", None)]


def test_one_index_of_all_items_serves_every_part_of_them_from_the_second_question_on(shop):
    indexes = instance_of(shop).caches.indexes
    kept = []
    for left_out in (3, 4, 5):
        one(shop, f"SELECT msd_select(item_id, 3, 0.01, 0.5) FROM products WHERE item_id <> {left_out}")
        kept.append(list(indexes._kept.values()))
    assert [len(each) for each in kept] == [1, 1, 1]
    assert [len(each[0].keys) for each in kept] == [59, 60, 60]
    assert kept[1][0] is kept[2][0]


def test_items_that_are_not_declared_have_an_index_of_their_own(shop):
    for key in (1000, 2000):
        asked = "msd_select(item_id, 3, 0.01, 0.5, features := item_id::VARCHAR, reach := 'purchases')"
        assert len(one(shop, f"SELECT {asked} FROM range({key}, {key + 9}) t(item_id)")) == 3
    assert len(instance_of(shop).caches.indexes) == 2


def test_an_index_of_all_items_that_could_not_be_kept_is_not_made(shop):
    indexes = instance_of(shop).caches.indexes
    rows = one(shop, "SELECT count(*) FROM purchases")
    indexes.limit = 16 * rows - 1
    for left_out in (3, 4):
        one(shop, f"SELECT msd_select(item_id, 3, 0.01, 0.5) FROM products WHERE item_id <> {left_out}")
    assert all(len(prepared.keys) == 59 for prepared in indexes._kept.values())
