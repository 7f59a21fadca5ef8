"""What a column of features is (one value, a record, a list, a vector) is told alike by the macros and by Python."""

import duckdb
import numpy as np
import pytest

import msd_sql
from msd_sql import entry_points
from msd_sql.errors import InputError
from msd_sql.question.options import read
from msd_sql.surface.column_types import NOT_GIVEN, shape_of
from msd_sql.surface.description import Argument, Kind
from tests.support.shop import one

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
            f"SELECT unnest(msd_sql._msd_all_features(x, {distance})) FROM (SELECT {column} AS x)"
        ).fetchall()[0]
        shape = shape_of(kind, None if distance == "NULL" else distance.strip("'"))
        forms = {"value": text, "record": text, "list": listed, "vector": vector}
        given = [name for name, form in (("text", text), ("list", listed), ("vector", vector)) if form is not None]
        assert len(given) == 1, (column, given)
        assert forms[shape] is not None, (column, shape, given)
        row = [
            f"msd_sql._msd_text({column})",
            f"msd_sql._msd_list({column}, {distance})",
            f"msd_sql._msd_vector({column}, {distance})",
        ]
        alone = [one(empty, f"SELECT {form}") for form in row]
        assert [form is None for form in alone] == [form is None or form[0] is None for form in (text, listed, vector)]


def test_what_was_not_given_has_no_form(empty):
    assert shape_of(one(empty, "SELECT typeof(list(NULL))"), None) == "none"
    assert empty.execute(
        "SELECT unnest(msd_sql._msd_all_features(NULL, NULL)), unnest(msd_sql._msd_all_score(NULL))"
    ).fetchall() == [(NOT_GIVEN, None, None, None, NOT_GIVEN, None)]


@pytest.fixture
def asked(monkeypatch):
    """Asks a question and returns the `Arguments` of each of its groups, instead of answering it."""
    found = []
    monkeypatch.setattr(entry_points, "pick", lambda call, groups: found.extend(groups) or [[1] for _ in groups])
    with duckdb.connect() as con:
        msd_sql.register(con)
        con.execute(
            "CREATE TABLE t AS SELECT i, 'n' || i AS name, i % 2 AS g, [i, 0.5]::FLOAT[2] AS v, "
            "CASE WHEN i <> 3 THEN ['a', NULL, 'b' || i % 2] END AS l, i / 2 AS s FROM range(1, 5) t(i)"
        )

        def ask(sql):
            found.clear()
            con.execute(sql).fetchall()
            return list(found)

        yield ask


def test_a_selection_arrives_as_it_was_asked(asked):
    (given,) = asked(
        "SELECT msd_select(i, 2, 0.1, 0.5, features := v, quota := l, score := s, gamma := 0.2, public := true) FROM t"
    )
    assert (list(given.keys), given.numbers.tolist(), given.order, given.key_type) == ([], [1, 2, 3, 4], None, "BIGINT")
    options = {name: text for name, text in given.options.items() if text is not None}
    assert options == {"k": "2", "eps": "0.1", "diversity": "0.5", "gamma": "0.2", "fresh": "false", "exact": "false",
                       "public": "true"}  # fmt: skip
    assert given.features.vectors.plain.tolist() == [[1, 0.5], [2, 0.5], [3, 0.5], [4, 0.5]]
    assert (given.quota.shape, given.quota.sets.indptr.tolist()) == ("list", [0, 2, 4, 4, 6])
    assert given.scores.tolist() == [0.5, 1, 1.5, 2]


def test_texts_records_and_what_was_not_given_arrive(asked):
    (given,) = asked("SELECT msd_select(name, 2, NULL, 1, features := (g, s), quota := name) FROM t")
    assert (list(given.keys), given.numbers, given.order.tolist()) == (["n1", "n2", "n3", "n4"], None, [1, 2, 3, 4])
    assert (given.features.shape, len(given.features.texts)) == ("record", 4)
    assert (given.quota.shape, list(given.quota.texts)) == ("value", ["n1", "n2", "n3", "n4"])
    assert (given.scores, given.options["eps"]) == (None, None)
    (plain,) = asked("SELECT msd_select(i, 2, NULL, 1) FROM t")
    assert all(column.absent for column in plain.columns.values())


def test_the_groups_of_a_statement_arrive_apart(asked):
    found = asked("SELECT g, msd_select(i, 2, NULL, 1, features := v) FROM t GROUP BY g")
    assert sorted(group.numbers.tolist() for group in found) == [[1, 3], [2, 4]]
    for group in found:
        assert np.array_equal(group.features.vectors.plain[:, 0], group.numbers)


def test_groups_that_ask_alike_have_one_object_of_options(asked):
    alike = asked("SELECT g, msd_select(i, 2, NULL, 1) FROM t GROUP BY g")
    assert alike[0].options is alike[1].options
    different = asked("SELECT g, msd_select(i, 2 + g, CASE WHEN g = 1 THEN 0.1 END, 1) FROM t GROUP BY g ORDER BY g")
    assert sorted((group.options["k"], group.options["eps"]) for group in different) == [("2", None), ("3", "0.1")]


def test_the_whole_numbers_of_a_group_stay_whole_beside_a_group_with_a_null(asked):
    large = 2**62 + 1
    found = asked(f"SELECT g, msd_select(CASE WHEN i <> 1 THEN {large} + i END, 2, NULL, 1) FROM t GROUP BY g")
    assert sorted(group.numbers.dtype.kind for group in found) == ["f", "i"]
    assert [group.numbers.tolist() for group in found if group.numbers.dtype.kind == "i"] == [[large + 2, large + 4]]


def test_no_rows_are_no_columns(asked):
    (given,) = asked("SELECT msd_select(i, 2, NULL, 1, features := v, quota := l, score := s) FROM t WHERE false")
    assert given.empty
    assert all(column.absent for column in given.columns.values())


def test_the_rows_of_a_table_arrive_as_those_of_a_select(asked):
    (rows,) = asked("FROM msd_topk(t, 2, NULL, 1, key := 'i', features := v, quota := l, score := s)")
    (group,) = asked("SELECT msd_select(i, 2, NULL, 1, features := v, quota := l, score := s) FROM t")
    assert list(rows.keys) == [str(number) for number in group.numbers]
    assert rows.options == {**group.options, "key": "i"}
    assert rows.features.vectors.plain.tolist() == group.features.vectors.plain.tolist()
    assert rows.quota.sets.indptr.tolist() == group.quota.sets.indptr.tolist()
    assert rows.scores.tolist() == group.scores.tolist()


KEYS = Argument("include", Kind.KEYS, "Keys.", "NULL")


@pytest.mark.parametrize(
    ("given", "keys"),
    [
        ("[12, 40]", ("12", "40")),
        ("['a, b', 'it''s \"so\"', 'ü\n']", ("a, b", 'it\'s "so"', "ü\n")),
        ("[]", ()),
        ("[9007199254740993]", ("9007199254740993",)),
        ("[DATE '2026-01-31']", ("2026-01-31",)),
        ("['0ac3ff52-0d3a-4f7e-8d2b-0b6f0e3a7c11'::UUID]", ("0ac3ff52-0d3a-4f7e-8d2b-0b6f0e3a7c11",)),
        ("[1, 2]::INTEGER[2]", ("1", "2")),
        ("'[12, 40]'", ("12", "40")),
    ],
)
def test_a_list_of_keys_arrives_as_their_texts(empty, given, keys):
    assert read([KEYS], {"include": one(empty, f"SELECT msd_sql._msd_keys({given})")}) == {"include": keys}


def test_no_list_of_keys_is_nothing_given(empty):
    assert read([KEYS], {"include": one(empty, "SELECT msd_sql._msd_keys(NULL)")}) == {}


@pytest.mark.parametrize("given", ["5", "'abc'", "[1, NULL]", "{'a': 1}", "[[1], [2]]::VARCHAR"])
def test_what_is_no_list_of_keys_is_refused_in_words(empty, given):
    with pytest.raises(InputError, match=r"include must be a list of keys, such as \[12, 40\], none of them NULL; got"):
        read([KEYS], {"include": one(empty, f"SELECT msd_sql._msd_keys({given})")})
