"""Row expressions: what they may say, and that no row can make one fail."""

import itertools

import duckdb
import pytest

from msd_sql.database.duckdb_host import DuckDBHost
from msd_sql.database.host import HostError
from msd_sql.errors import InputError
from msd_sql.question.row_expression import _BY_UNIT, FUNCTIONS, LONGEST, row_expression

COLUMNS = {
    "user_id": "INTEGER", "country": "VARCHAR", "day": "DATE", "at": "TIMESTAMP", "price": "DOUBLE",
    "large": "BIGNUM", "long": "FLOAT[3]", "tick": "TIMESTAMP_MS",
    "tags": "VARCHAR[]", "more": "STRUCT(app INTEGER, r VARCHAR)", "doc": "JSON",
}  # fmt: skip


@pytest.fixture
def host():
    with duckdb.connect() as con, con.cursor() as cursor:
        yield DuckDBHost(cursor, own=True)


def read(host, text, columns=COLUMNS, **more):
    return row_expression(host, "among", text, columns, **more)


@pytest.mark.parametrize(
    ("text", "written", "columns"),
    [
        ("country='DE'", "country = 'DE'", ("country",)),
        ("country   =  'DE' -- Germany", "country = 'DE'", ("country",)),
        ("r.COUNTRY in ('DE','FR')", "country IN ('DE', 'FR')", ("country",)),
        ("more.app > 3 AND day IS NOT NULL", '(more.app > 3) AND ("day" IS NOT NULL)', ("day", "more")),
        ("r.more.r = 'x'", "more.r = 'x'", ("more",)),
        ("price * 2 >= user_id", "(price * 2) >= user_id", ("user_id", "price")),
        ("list_contains(tags, 'new')", "list_contains(tags, 'new')", ("tags",)),
        ("country::INT > 3 OR day > DATE '2026-01-31'", None, ("country", "day")),
        ("doc->>'a' = 'b'", "(doc ->> 'a') = 'b'", ("doc",)),
    ],
)
def test_it_is_written_by_duckdb_and_tells_its_columns(host, text, written, columns):
    found = read(host, text)
    assert found.columns == columns
    assert written is None or found.sql == written
    assert read(host, found.sql) == found


def test_today_is_a_literal(host):
    today = host.rows("SELECT current_date::VARCHAR")[0][0]
    for text in ("day >= current_date - 30", "day >= today() - 30"):
        assert read(host, text).sql == f"\"day\" >= (CAST('{today}' AS DATE) - 30)"
    assert read(host, "current_date > 3", {"current_date": "INTEGER"}).sql == "current_date > 3"  # a column hides it


REFUSED = [
    "user_id IN (SELECT 1)",
    "EXISTS (SELECT 1)",
    "user_id = ANY ([1, 2])",
    "count(*) > 1",
    "sum(price) > 1",
    "row_number() OVER () = 1",
    "random() < 0.5",
    "uuid() = country",
    "now() > at",
    "current_timestamp > at",
    "localtimestamp > at",
    "getvariable('x') = 1",
    "current_setting('threads') = '1'",
    "nextval('s') = 1",
    "error('x')",
    "country = ?",
    "country = $name",
    "COLUMNS(*) = 1",
    "*",
    "#1 = 1",
    "r.* = 1",
    "list_filter(tags, lambda x: true) = tags",
    "[country] = tags",
    "{'a': 1} = more",
    "my_macro(country)",
    "other.lower(country) = 'x'",
    "country = 'x' COLLATE NOCASE",
    "current_user = country",
    "user_id = r",
    "country::BLOB::VARCHAR = 'x'",
    "country::BIT = '1'",
    "country::INTEGER[] = tags",
    "country::mood = 'x'",
    "repeat(country, 1000000) = 'x'",
    "replace(country, 'a', 'aa') = 'x'",
    "hex(country) = 'x'",
    "lpad(country, 9, 'x') = 'x'",
    "read_text(country) = 'x'",
    "country LIKE 'a' ESCAPE 'x'",
    "unnest(tags) = 'x'",
    "rowid = 1",
    "date_part(country, day) = 1",
    "date_trunc('timezone', day) = day",
    "date_diff(country, day, day) = 1",
    "timezone(country, at) > at",
    "stats(user_id) = 'x'",
    "array_length(tags, user_id) = 1",
    "CAST(large AS TINYINT) = 1",
    "long = CASE WHEN price > 1 THEN long END",
    "CAST(tick AS DATE) > DATE '2026-01-31'",
    "CAST(at AS TIMESTAMP_MS) > at",
    "country = 'DE' AS x",
    "country = 'DE', 1",
    "1 FROM x",
    "country = 'DE' WHERE true",
    "country = 'DE' LIMIT 1",
    "country = 'DE'; SELECT 1",
    "country =",
    "",
    ") OR (true",
    "DISTINCT country = 'DE'",
    "lower(DISTINCT country) = 'x'",
    "contry = 'DE'",
    "v.country = 'DE'",
    "a.b.c.d = 1",
]


@pytest.mark.parametrize("text", REFUSED)
def test_what_looks_at_more_than_the_row_is_refused(host, text):
    with pytest.raises(InputError, match="among"):
        read(host, text)


def test_the_nearest_name_is_suggested(host):
    with pytest.raises(InputError, match="Did you mean 'country'"):
        read(host, "contry = 'DE'")
    with pytest.raises(InputError, match="Did you mean 'lower'"):
        read(host, "lowr(country) = 'de'")


def test_spark_is_asked_for_what_means_the_same_there(host):
    assert read(host, "lower(country) = 'de' AND day >= current_date - 7", spark=True).columns == ("country", "day")
    with pytest.raises(InputError, match="regexp_matches"):
        read(host, "regexp_matches(country, 'D.')", spark=True)


def test_a_text_that_goes_on_and_on_is_refused(host):
    with pytest.raises(InputError, match=f"at most {LONGEST:,}"):
        read(host, "country = 'DE' OR " * 200 + "true")


# Rows that functions fail on, next to a row of NULLs.
ROWS = """
SELECT * FROM (VALUES
  (NULL::BIGINT, NULL::VARCHAR, NULL::DATE, NULL::TIMESTAMP, NULL::DOUBLE),
  (0, '', DATE '0001-01-01', TIMESTAMP '1970-01-01', 0.0),
  (-9223372036854775807, '[', DATE '5877641-06-25 (BC)', TIMESTAMP '290308-12-22 (BC) 00:00:00', 'nan'::DOUBLE),
  (9223372036854775807, '\\', DATE '5881580-07-10', TIMESTAMP '294247-01-10 04:00:54.775', 'infinity'::DOUBLE),
  (63, '(*', 'infinity'::DATE, 'infinity'::TIMESTAMP, '-infinity'::DOUBLE),
  (-1, '%Y-%q', '-infinity'::DATE, '-infinity'::TIMESTAMP, 1e308),
  (4000000000, '🦆\u0301', DATE '2024-02-29', TIMESTAMP '2024-02-29 23:59:59.999999', -1e308),
  (7, 'timezone', DATE '2024-02-29', TIMESTAMP '2024-02-29', 0.5),
  (8, '{"a": [', DATE '2024-02-29', TIMESTAMP '2024-02-29', -0.5)
) AS t(i, c, d, t, f)
"""
ARGUMENTS = [
    *itertools.product("ictf"),
    *itertools.product("ictf", repeat=2),
    *[("d",), ("t", "d"), ("d", "to_days(3)"), ("t", "to_days(3)"), ("c", "7"), ("c", "i", "i"), ("c", "c", "i")],
    *[("c", "c", "c"), ("i", "i", "i"), ("'month'", "t"), ("'month'", "d"), ("'month'", "d", "t")],
]


@pytest.mark.slow
def test_no_row_makes_an_allowed_function_fail(host):
    """Whatever binds either fails for a row of NULLs as well, before anything is charged, or never."""
    host.run(f"CREATE TEMP TABLE odd AS {ROWS}")
    nothing = "(SELECT NULL::BIGINT i, NULL::VARCHAR c, NULL::DATE d, NULL::TIMESTAMP t, NULL::DOUBLE f FROM range(1))"
    tried, ran = 0, set()
    for name in sorted(FUNCTIONS):
        operator = not name[0].isalpha()
        for arguments in ARGUMENTS:
            if name in _BY_UNIT and arguments[0] != "'month'":
                continue
            if operator and len(arguments) == 2:
                call = f"({arguments[0]} {name} {arguments[1]})"
            elif operator:
                call = f"({name} {arguments[0]})"
            else:
                call = f"{name}({', '.join(arguments)})"
            condition = f"TRY(({call}) IS NOT NULL AND ({call}) IS DISTINCT FROM NULL)"
            try:
                host.rows(f"SELECT {condition} FROM {nothing}")
            except HostError:  # it does not bind, or fails whatever the rows are
                continue
            tried += 1
            ran.add(name)
            host.rows(f"SELECT count(*) FROM (SELECT * FROM odd AS r WHERE {condition}) AS r WHERE NOT r.i IS NULL")
    assert tried > 300
    assert len(ran) > 100


def test_a_cast_that_fails_is_null_and_a_literal_that_cannot_be_cast_is_an_error(host):
    found = read(host, "(country::INTEGER > 3) OR price > 2").sql
    assert "TRY_CAST(country AS INTEGER)" in found
    assert host.rows(f"SELECT {found} FROM (SELECT 'beta' AS country, 3 AS price) AS r") == [(True,)]
    assert "TRY_CAST" not in read(host, "day > DATE '2026-01-31'").sql


def test_a_column_that_is_called_as_the_row_is_left_as_it_was_written(host):
    columns = {"r": "STRUCT(x INTEGER)", "x": "INTEGER"}
    assert read(host, "r.x = 1", columns).sql == "r.x = 1"
    assert read(host, "X = 1", columns).sql == "x = 1"
