"""Values as SQL text: what sqlglot would write, and what DuckDB reads back."""

from datetime import UTC, datetime
from decimal import Decimal

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlglot import exp

from msd_sql.database.sql_text import literal

VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])),
    st.floats(allow_nan=False),
    st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**9), max_value=10**9, places=12),
    st.datetimes(datetime(1990, 1, 1), datetime(2100, 1, 1)).map(lambda time: time.replace(tzinfo=UTC)),
)


def as_literal(value):
    """The value as a tree of sqlglot's."""
    if value is None:
        return exp.Null()
    if isinstance(value, bool):
        return exp.Boolean(this=value)
    if isinstance(value, int):
        return exp.Literal.number(value)
    if isinstance(value, Decimal):
        return exp.cast(exp.Literal.string(f"{value:f}"), f"DECIMAL(38, {max(0, -value.as_tuple().exponent)})")
    if isinstance(value, float):
        return exp.cast(exp.Literal.string(repr(value)), "DOUBLE")
    if isinstance(value, str):
        return exp.Literal.string(value)
    if isinstance(value, datetime):
        return exp.cast(exp.Literal.string(value.replace(tzinfo=None).isoformat(" ")), "TIMESTAMP")
    return exp.Array(expressions=[as_literal(part) for part in value])


@given(st.one_of(VALUES, st.lists(st.integers(-9, 9), max_size=3), st.lists(st.text("a'\\\n", max_size=4), max_size=3)))
def test_a_literal_is_what_sqlglot_writes(value):
    assert literal(value) == as_literal(value).sql("duckdb")


@pytest.fixture(scope="module")
def con():
    with duckdb.connect() as con:
        yield con


@given(VALUES)
def test_duckdb_reads_back_what_was_written(con, value):
    found = con.execute(f"SELECT {literal(value)}").fetchall()[0][0]
    if isinstance(value, datetime):
        found = found.replace(tzinfo=UTC)
    assert found == value
    assert value is None or isinstance(found, type(value) if not isinstance(value, Decimal) else Decimal)
