"""A row that a similarity fails on counts 0, also where DuckDB takes what comes twice from under its TRY."""

import pytest

from msd_sql.catalog.declarations import Items
from msd_sql.database.sql_text import Name
from msd_sql.engines.build import build

from .conftest import candidates, protected

PRODUCTS = Items("memory.main.products", "id", (), None, (), (), None, relation=Name("memory", "main", "products"))
SIMILARITIES = [
    "1 - abs(r.c::INTEGER - v.x) / 20",
    "1 - abs(r.c::INTEGER - v.x) / (1 + r.c::INTEGER)",
    "(r.c::INTEGER = v.x)::INTEGER * 0.5 + (r.c::INTEGER > v.x)::INTEGER * 0.5",
    "(r.c::INTEGER BETWEEN v.x AND v.x + 3)::INTEGER",
    "CASE r.c::INTEGER WHEN v.x THEN 1 WHEN v.x + 1 THEN 0.5 ELSE 0 END",
    "(r.c::INTEGER IN (v.x, v.x + 1, v.x + 2, v.x + 3, v.x + 4))::INTEGER",
    "1 - coalesce(nullif(r.c::INTEGER, v.x), 0) / 20",
    "1 / (r.c::INTEGER % (v.x + 1)) + 1 / (2 + r.c::INTEGER % (v.x + 1))",
]


@pytest.mark.parametrize("similarity", SIMILARITIES)
@pytest.mark.parametrize(("unit", "item"), [("u", None), (None, None), ("u", "item"), (None, "item")])
def test_no_row_makes_a_question_fail(engine, con, host, similarity, unit, item):
    con.execute("CREATE TABLE products AS SELECT range AS id, range AS x FROM range(6)")
    con.execute("CREATE TABLE visits AS SELECT i AS u, (i % 6)::VARCHAR AS c, i % 6 AS item FROM range(60) t(i)")
    found = protected(unit, item, relation="visits", relevance="best_match", similarity=similarity)

    def gains():
        asked = candidates(range(6))
        return build(host, found, asked, k=2, engine=engine, items=PRODUCTS).gains().tolist()

    before = gains()
    con.execute(
        "INSERT INTO visits SELECT 100 + i, ['beta', '', NULL, '999999999999'][1 + i % 4], i % 6 FROM range(8) t(i)"
    )
    after = gains()
    if "nullif" not in similarity:  # which is 0 for a NULL, and such a row counts
        assert after == before
    assert sum(before) > 0
