"""among := and users := typed in SQL and in Python: one budget, one identity, no failure that depends on a row."""

import duckdb
import pytest

import msd_sql

SHOP = """
CREATE TABLE products AS
SELECT i::INTEGER AS item_id, ['a' || (i % 5), 'b' || (i % 7)] AS categories FROM range(60) t(i);
CREATE TABLE purchases AS
SELECT (hash(i) % 400)::INTEGER AS user_id, ((hash(i * 7) % 60) * (hash(i * 13) % 60) // 60)::INTEGER AS item_id,
       ['DE', 'FR', NULL][1 + (hash(i * 3) % 3)::INTEGER] AS country,
       current_date - (hash(i * 5) % 60)::INTEGER AS day,
       CASE WHEN i % 50 = 0 THEN 'beta' ELSE (hash(i * 11) % 9)::VARCHAR END AS app_version
FROM range(3000) t(i);
"""
DECLARE = [
    "SELECT msd_protect('purchases', unit := 'user_id', item := 'item_id', budget := 1000, delta := 1e-9)",
    "SELECT msd_items('products', key := 'item_id', features := 'categories', reach := 'purchases')",
]
QUESTIONS = ["country = 'DE'", "day >= current_date - 30", "CAST(app_version AS INTEGER) >= 3"]


def one(con, sql, *parameters):
    return con.execute(sql, list(parameters)).fetchall()[0][0]


@pytest.fixture
def shop():
    with duckdb.connect() as con:
        con.execute(SHOP)
        msd_sql.register(con)
        for statement in DECLARE:
            con.execute(statement).fetchall()
        yield con


def lines(con):
    return [row[0] for row in con.execute("SELECT what FROM msd_ledger() WHERE kind IN ('select', 'reach')").fetchall()]


@pytest.mark.parametrize("among", QUESTIONS)
def test_reach_counts_the_audience_only(shop, among):
    truth = one(shop, f"SELECT count(DISTINCT user_id) FROM purchases WHERE item_id < 6 AND TRY({among})")
    assert one(shop, "SELECT msd_reach(range(6), 40, among := $1)", among) == truth
    assert 0 < truth < one(shop, "SELECT msd_reach(range(6), 40)")


@pytest.mark.parametrize("among", QUESTIONS)
def test_all_engines_and_faces_choose_the_same_without_noise(shop, among):
    shop.execute(f"CREATE TABLE inside AS SELECT * FROM purchases WHERE TRY({among})")
    one(shop, "SELECT msd_protect('inside', unit := 'user_id', item := 'item_id', budget := 1, delta := 1e-9)")
    exact = "NULL, 0.5, exact := true, fresh := true"
    alone = one(shop, f"SELECT msd_select(item_id, 6, {exact}, users := 150, reach := 'inside') FROM products")
    for engine in ("memory", "sql"):
        sql = f"SELECT msd_select(item_id, 6, {exact}, users := 150, among := $1, engine := '{engine}') FROM products"
        assert one(shop, sql, among) == alone
    rows = shop.execute(f"FROM msd_topk(products, 6, {exact}, users := 150, among := $1)", [among]).fetchall()
    assert [row[0] for row in rows] == alone
    chosen = msd_sql.select(
        shop.table("products"), k=6, eps=None, diversity=0.5, exact=True, fresh=True, users=150, among=among
    )
    assert list(chosen.items) == alone


def test_one_budget_one_line_a_question_and_the_audience_in_it(shop):
    for among in QUESTIONS:
        one(shop, "SELECT msd_select(item_id, 6, 0.1, 0.5, among := $1) FROM products", among)
    one(shop, "SELECT msd_reach([1, 2], 0.1, among := $1)", QUESTIONS[0])
    said = lines(shop)
    assert [line.partition(", among ")[2] for line in said[::3]] == ["country = 'DE'"] * 2
    assert 'among "day" >= (CAST(\'20' in said[1]
    assert round(1000 - one(shop, "SELECT msd_remaining('purchases')"), 6) <= 0.4


def test_it_is_part_of_the_question_however_it_is_written(shop):
    ask = "SELECT msd_select(item_id, 6, 0.1, 0.5, among := $1) FROM products"
    first = one(shop, ask, "country = 'DE'")
    for again in ("country='DE'", "(country = 'DE')", "country = 'DE' -- Germany", "r.COUNTRY='DE'"):
        assert one(shop, ask, again) == first
    assert len(lines(shop)) == 1
    one(shop, ask, "country = 'FR'")
    one(shop, "SELECT msd_select(item_id, 6, 0.1, 0.5) FROM products")
    one(shop, "SELECT msd_select(item_id, 6, 0.1, 0.5, among := 'country = ''DE''', users := 99) FROM products")
    assert len(lines(shop)) == 4


def test_a_change_of_what_it_reads_is_a_change_of_the_rows(shop):
    ask = "SELECT msd_reach([1, 2, 3], 40, among := 'country = ''DE''')"
    before = one(shop, ask)
    shop.execute("UPDATE purchases SET country = 'DE' WHERE item_id = 3")
    after = one(shop, ask)
    assert after > before
    assert len(lines(shop)) == 2


def test_answers_are_kept_in_the_file_with_their_audience(tmp_path):
    path = str(tmp_path / "shop.duckdb")
    ask = "SELECT msd_select(item_id, 6, 0.1, 0.5, among := 'country = ''DE''') FROM products"
    with duckdb.connect(path) as con:
        con.execute(SHOP)
        msd_sql.register(con)
        for statement in DECLARE:
            con.execute(statement).fetchall()
        first = one(con, ask)
    with duckdb.connect(path) as con:
        msd_sql.register(con)
        assert one(con, ask) == first
        assert len(lines(con)) == 1
        one(con, ask.replace("DE", "FR"))
        assert len(lines(con)) == 2


def test_no_row_makes_it_fail(shop):
    """Of 3,000 rows sixty hold a version that is no number: they are outside, and nothing tells that they are there."""
    sure = "SELECT msd_reach(range(60), 40, among := 'app_version::INTEGER > 100 OR app_version::INTEGER < -5')"
    assert one(shop, sure) == 0
    for engine in ("memory", "sql"):
        picks = one(
            shop,
            "SELECT msd_select(item_id, 3, 0.1, 0, among := '10 / (app_version::INTEGER - 3) > 1', "
            f"engine := '{engine}', fresh := true) FROM products",
        )
        assert len(picks) == 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("among := 'contry = ''DE'''", "Did you mean 'country'"),
        ("among := 'country'", "must be true or false for a row, but 'country' is VARCHAR"),
        ("among := 'country * day = 3'", "does not fit the columns"),
        ("among := 'regexp_matches(country, ''['')'", "does not fit the columns"),
        ("among := 'user_id IN (SELECT 1)'", "may not use a subquery: .* protect a view that joins it in"),
        ("among := ''", "one SQL expression"),
        ("users := 0", "users must be a whole number from 1"),
        ("users := 1.5", "users must be a whole number"),
    ],
)
def test_what_is_wrong_is_said_and_costs_nothing(shop, options, message):
    for ask in (
        "SELECT msd_select(item_id, 6, 0.1, 0.5, {}) FROM products",
        "FROM msd_explain(products, 6, 0.1, 0.5, {})",
    ):
        with pytest.raises(duckdb.Error, match=message) as error:
            shop.execute(ask.format(options)).fetchall()
        assert "Nothing was charged" in str(error.value)
    assert not lines(shop)


def test_an_audience_needs_people(shop):
    for sql in (
        "SELECT msd_select(item_id, 6, NULL, 0.5, score := item_id, among := 'true') FROM products",
        "SELECT msd_select(i, 2, NULL, 1, features := [i], users := 3) FROM range(9) t(i)",
    ):
        with pytest.raises(duckdb.Error, match="is about the users of a protected relation"):
            shop.execute(sql).fetchall()


def test_a_users_macro_does_not_stand_for_a_function_in_it(shop):
    shop.execute("CREATE MACRO lower(x) AS 'de'")
    truth = one(shop, "SELECT count(DISTINCT user_id) FROM purchases WHERE country = 'DE'")
    assert one(shop, "SELECT msd_reach(range(60), 40, among := 'lower(country) = ''de''')") == truth


def test_explain_tells_the_audience(shop):
    told = dict(
        shop.execute("FROM msd_explain(products, 6, 0.1, 0.5, among := 'country=''DE''', users := 130)").fetchall()
    )
    assert told["audience"] == "country = 'DE'"
    assert told["users (m)"] == "130"
    assert not lines(shop)


@pytest.mark.parametrize(
    "among",
    [
        "week({}) IS NULL",
        "date_part('dow', {}) IS NULL",
        "year({}) = 0 OR dayofyear({}) IS NULL",
        "date_part('year', CAST({} AS TIME)) IS NULL",
        "date_diff('day', CAST({} AS TIME), TIME '10:00:00') IS NULL",
    ],
)
def test_a_part_that_duckdb_does_not_know_is_refused_and_not_told_of_one_row(shop, among):
    """TRY does not hold back that something is not implemented: it would tell that a row with a value is there."""
    shop.execute("CREATE OR REPLACE TABLE one AS SELECT item_id, user_id FROM purchases LIMIT 1")
    item, user = shop.execute("FROM one").fetchone()
    secret = f"CASE WHEN user_id = {user} AND item_id = {item} THEN to_days(1) END"
    asked = among.replace("{}", secret)
    before = one(shop, "SELECT msd_remaining('purchases')")
    for other in (item, 59):  # a row that is there, and one that is not
        with pytest.raises(duckdb.InvalidInputException, match=r"InputError: among: .*Nothing was charged"):
            one(shop, f"SELECT msd_reach([{other}], 0.1, among := $1)", asked)
    assert one(shop, "SELECT msd_remaining('purchases')") == before


def test_parts_of_dates_and_of_spans_are_told(shop):
    for among in ("week(day) > 0", "date_part('day', CAST(current_date AS TIMESTAMP) - day) < 30", "hour(day) = 0"):
        assert one(shop, "SELECT msd_reach(range(60), 20, among := $1)", among) > 100
