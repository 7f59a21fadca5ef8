"""What a column of features is (one value, a record, a list, a vector) is told alike by the macros and by Python."""

import pytest

from msd_sql.question.arguments import shape_of
from tests.sql.conftest import one

COLUMNS = [
    "1", "1.5", "1.5::FLOAT", "'text'", "true", "DATE '2026-01-01'", "NULL::INTEGER", "'a'::ENUM ('a', 'b')",
    "{'a': 1}", "{'a': [1.5]}", "row(1, 2.5)", "MAP {'a': 1.5}",
    "[1, 2]", "['a']", "['1.5']", "[true]", "[[1.5, 2.5]]", "[[1.5::FLOAT]]", "[{'a': 1.5}]",
    "[1.5::FLOAT]", "[1.5::FLOAT]::FLOAT[1]", "[1.5::DOUBLE]", "[1.5::DOUBLE, 2]::DOUBLE[2]", "[1.5]",
    "[1.5]::DECIMAL(9, 3)[1]", "[1]::INTEGER[1]", "[[1.5::FLOAT]::FLOAT[1]]", "NULL::FLOAT[3]", "NULL::VARCHAR[]",
]  # fmt: skip
DISTANCES = ["NULL", "'jaccard'", "'hamming'", "'angular'", "'L2'", "'l1'", "'haversine'", "'l2 '", "'nonsense'"]


@pytest.mark.parametrize("distance", DISTANCES)
def test_the_macros_hand_over_the_form_that_python_expects(empty, distance):
    for column in COLUMNS:
        kind, text, listed, vector = empty.execute(
            f"SELECT typeof(list(x)), _msd_all_texts(x), _msd_all_lists(x, {distance}), _msd_all_vectors(x, {distance})"
            f" FROM (SELECT {column} AS x)"
        ).fetchall()[0]
        shape = shape_of(kind, None if distance == "NULL" else distance.strip("'"))
        forms = {"value": text, "record": text, "list": listed, "vector": vector}
        given = [name for name, form in (("text", text), ("list", listed), ("vector", vector)) if form is not None]
        assert len(given) == 1, (column, given)
        assert forms[shape] is not None, (column, shape, given)
        row = [f"_msd_text({column})", f"_msd_list({column}, {distance})", f"_msd_vector({column}, {distance})"]
        alone = [one(empty, f"SELECT {form}") for form in row]
        assert [form is None for form in alone] == [form is None or form[0] is None for form in (text, listed, vector)]


def test_what_was_not_given_has_no_form(empty):
    assert shape_of(one(empty, "SELECT typeof(list(NULL))"), None) == "none"
    assert empty.execute(
        "SELECT _msd_all_texts(NULL), _msd_all_lists(NULL, NULL), _msd_all_vectors(NULL, NULL)"
    ).fetchall() == [(None, None, None)]
