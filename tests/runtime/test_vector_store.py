"""Vectors that rows hand over one by one reach their own selection, in order, and are let go of."""

import threading

import duckdb
import numpy as np
import pyarrow as pa
import pytest

import msd_sql
from msd_sql.errors import EngineError, InputError
from msd_sql.registration import instance_of
from msd_sql.runtime.buffer import ReusableBuffer
from msd_sql.runtime.instance import VECTORS
from msd_sql.runtime.vector_store import VectorStore
from tests.support.shop import one

ASK = "msd_select(item_id, 3, NULL, 1, features := embedding, distance := 'angular')"


@pytest.fixture(params=["float32", "float64", "arrays"])
def chunk(request):
    """Lists as one of the ways in which DuckDB hands them over; `arrays` have one length."""
    if request.param != "arrays":
        return lambda lists: pa.array(lists, pa.list_(getattr(pa, request.param)()))
    return lambda lists: pa.array(lists, pa.list_(pa.float32(), max(len(one) for one in lists if one)))


def hand(store, vectors):
    """Hand over vectors as DuckDB would; their numbers."""
    return store.put(pa.array(vectors, pa.list_(pa.float64())) if isinstance(vectors, list) else vectors)


def test_vectors_come_back_in_the_order_of_their_numbers(chunk):
    store = VectorStore()
    rows = np.arange(20.0).reshape(10, 2)
    for start in (0, 4, 8):
        assert hand(store, chunk(rows[start : start + 4].tolist()))[0] == start
    order = np.array([9, 0, 7, 4, 3])
    assert store.vectors(order).plain.tolist() == rows[order].tolist()


def test_null_is_nan(chunk):
    store = VectorStore()
    found = store.vectors(hand(store, chunk([[1.0, 2.0], None, [3.0, None]]))).plain
    np.testing.assert_array_equal(found, [[1.0, 2.0], [np.nan, np.nan], [3.0, np.nan]])


def test_sliced_arrays_and_null_among_them_keep_their_places(chunk):
    store = VectorStore()
    lists = [[float(i), float(-i)] if i % 3 else None for i in range(12)]
    given = chunk(lists)
    numbers = hand(store, given[2:9])
    assert (numbers == -1).tolist() == [one is None for one in lists[2:9]]
    found = store.vectors(numbers[::-1]).plain
    np.testing.assert_array_equal(found, [one or [np.nan, np.nan] for one in lists[8:1:-1]])


def test_rows_that_are_all_null_have_no_length(chunk):
    store = VectorStore()
    numbers = hand(store, [None, None])
    assert np.isnan(store.vectors(numbers).plain).all()
    more = hand(store, chunk([[1.0, 2.0]]))
    np.testing.assert_array_equal(store.vectors(np.r_[numbers, more]).plain[1:], [[np.nan, np.nan], [1.0, 2.0]])


def test_all_vectors_in_order_are_read_without_a_copy_and_stay_what_they_are(chunk, monkeypatch):
    monkeypatch.setattr("msd_sql.runtime.vector_store._ROOM", 32)
    store = VectorStore()
    first = hand(store, chunk([[1.0, 2.0], [3.0, 4.0]]))
    before = store.vectors(first[:1]).plain
    assert not before.flags.owndata
    more = [hand(store, chunk([[float(i), 0.0]])) for i in range(50)]  # which needs more room several times
    assert before.tolist() == [[1.0, 2.0]]
    rest = store.vectors(np.concatenate([first[1:], *more]))
    assert rest.plain.tolist() == [[3.0, 4.0], *([i, 0] for i in range(50))]
    assert store.empty


def test_vectors_in_another_order_are_read_where_they_lie(chunk):
    store = VectorStore()
    numbers = np.concatenate([hand(store, chunk([[float(i), 1.0], [float(i), 2.0]])) for i in range(4)])
    found = store.vectors(numbers[[6, 7, 0, 1, 4, 5, 2, 3]])  # as two threads hand over their rows
    assert not found.matrix.flags.owndata
    assert found.plain[:, 0].tolist() == [3, 3, 0, 0, 2, 2, 1, 1]
    assert found.of(np.array([2, 0])).plain.tolist() == [[0.0, 1.0], [3.0, 1.0]]
    assert found.of(np.argsort(numbers[[6, 7, 0, 1, 4, 5, 2, 3]])).rows is None  # back in the order they lie in
    assert store.empty


def test_an_answer_does_not_depend_on_the_order_in_which_threads_hand_over():
    with msd_sql.register(duckdb.connect()) as con:
        con.execute(
            "CREATE TABLE docs AS SELECT i AS item_id, [cos(i), sin(i * 7), cos(i * i)]::FLOAT[3] AS embedding, "
            "(i * 7919 % 1000003) / 1000003 AS score FROM range(300_000) t(i)"
        )
        asked = "SELECT msd_select(item_id, 8, NULL, 0.5, features := embedding, score := score) FROM docs"
        answers = []
        for threads in (1, 2, 4):
            con.execute(f"SET threads = {threads}")
            answers += [con.execute(asked).fetchall() for _ in range(2)]
        turned = f"{asked.removesuffix('docs')}(FROM docs ORDER BY hash(item_id))"
        assert answers == [con.execute(turned).fetchall()] * 6


def test_the_room_of_a_statement_is_used_again_once_nobody_holds_its_vectors():
    buffer = ReusableBuffer()

    def select(value):
        store = VectorStore(buffer)
        return store.vectors(store.put(pa.array([[value, value]], pa.list_(pa.float32(), 2)))).plain

    first = select(1.0)
    second = select(2.0)  # somebody still holds the first
    assert first.tolist() == [[1.0, 1.0]]
    assert second.tolist() == [[2.0, 2.0]]
    place = first.ctypes.data
    assert second.ctypes.data != place
    part = first[:, 1:]
    del first
    assert select(3.0).ctypes.data != place
    assert part.tolist() == [[1.0]]
    del part
    again = select(4.0)
    assert again.ctypes.data == place
    assert again.tolist() == [[4.0, 4.0]]


def test_vectors_of_different_lengths_are_refused_also_across_chunks(chunk):
    store = VectorStore()
    numbers = np.concatenate([hand(store, chunk(lists)) for lists in ([[1.0, 2.0]], [[1.0]], [[3.0, 4.0]])])
    with pytest.raises(InputError, match="lengths 1, 2 were given"):
        store.vectors(numbers[:2])
    assert store.vectors(numbers[2:]).plain.tolist() == [[3.0, 4.0]]


def test_what_every_group_has_read_is_let_go_of(chunk):
    store = VectorStore()
    hand(store, chunk([[1.0], [2.0], [3.0]]))
    assert store.vectors(np.array([2, 0])).plain.tolist() == [[3.0], [1.0]]
    assert store.vectors(np.array([1])).plain.tolist() == [[2.0]]
    assert store.empty


def test_what_was_let_go_of_is_not_made_up(chunk):
    store = VectorStore()
    numbers = hand(store, chunk([[1.0], [2.0]]))
    store.forget()
    with pytest.raises(EngineError, match="let go of"):
        store.vectors(numbers)
    assert store.vectors(numbers[:0]).plain.shape[0] == 0


@pytest.mark.parametrize(
    "what", [["a", None], [1, 2], [["a"], ["b", "c"]], [[[1.0]], [[2.0], [3.0]]], [None], [{"a": 1}]]
)
def test_what_is_no_vector_counts_as_null_and_is_no_error(what):
    store = VectorStore()
    assert all(np.isnan(store.vectors(np.array([number])).plain).all() for number in store.put(pa.array(what)))


@pytest.mark.parametrize(
    "features", ["NULL", "category", "item_id", "categories", "{'a': price}", "embedding::FLOAT[3]"]
)
def test_a_distance_from_private_rows_is_refused_whatever_the_features_are(never_charged, features):
    distance = "(SELECT string_agg(item_id::VARCHAR, '|') FROM purchases)"
    with pytest.raises(duckdb.InvalidInputException, match="LeakError"):
        one(
            never_charged,
            f"SELECT msd_select(item_id, 3, 0.1, 0.5, features := {features}, distance := {distance}) FROM products",
        )


def test_too_little_memory_does_not_tell_how_many_rows_there_were(chunk, monkeypatch):
    monkeypatch.setattr("msd_sql.runtime.vector_store._ROOM", 1 << 60)
    with pytest.raises(EngineError, match=r"^There is not enough memory for the vectors of this selection\.$") as told:
        hand(VectorStore(), chunk([[1.0, 2.0]]))
    assert told.value.__suppress_context__


def test_rows_of_many_lengths_need_no_more_room_than_they_fill():
    store = VectorStore()
    numbers = hand(store, [[0.5] * length for length in range(1, 500)])
    assert sum(kept._matrix.nbytes for kept in store._all[1:]) < 1 << 21
    with pytest.raises(InputError, match="lengths 1, 2, 3, 4, 5 were given"):
        store.vectors(numbers)


def test_threads_that_hand_over_at_once_lose_nothing(empty):
    instance = instance_of(empty)
    numbers, gate = [], threading.Barrier(8)

    def hand_over(who):
        gate.wait()
        for turn in range(50):
            store = instance.once(7, 1, VECTORS, VectorStore)
            numbers.append((store, int(hand(store, [[float(who), float(turn)]])[0])))

    threads = [threading.Thread(target=hand_over, args=(who,)) for who in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {id(store) for store, _ in numbers} == {id(numbers[0][0])}
    found = numbers[0][0].vectors(np.arange(400)).plain
    assert sorted(map(tuple, found.tolist())) == [(float(who), float(turn)) for who in range(8) for turn in range(50)]


def test_selections_of_one_statement_do_not_let_go_of_each_others_vectors(chunk):
    store = VectorStore()
    one, other = hand(store, chunk([[1.0], [2.0]])), hand(store, chunk([[3.0]]))
    assert store.vectors(one).plain.tolist() == [[1.0], [2.0]]
    assert store.vectors(other).plain.tolist() == [[3.0]]
    assert store.empty
    late = hand(store, chunk([[4.0]]))
    assert store.vectors(late).plain.tolist() == [[4.0]]
    with pytest.raises(EngineError, match="let go of"):
        store.vectors(one)


def test_two_selections_of_one_statement_keep_to_their_own_vectors(empty):
    alone = [one(empty, f"SELECT {ASK} FROM products WHERE item_id % 2 = {part}") for part in (0, 1)]
    both = " UNION ALL ".join(f"SELECT {part}, {ASK} FROM products WHERE item_id % 2 = {part}" for part in (0, 1))
    assert [chosen for _, chosen in sorted(empty.execute(both).fetchall())] == alone


def test_many_rows_and_groups_choose_as_each_group_alone(empty):
    empty.execute("CREATE TABLE hits AS SELECT range AS item_id, range % 3 AS g, "
                  "[sin(range), cos(range), sin(range * 7)]::FLOAT[3] AS embedding FROM range(9000)")  # fmt: skip
    grouped = dict(empty.execute(f"SELECT g, {ASK} FROM hits GROUP BY g").fetchall())
    assert grouped == {g: one(empty, f"SELECT {ASK} FROM hits WHERE g = {g}") for g in range(3)}
    chosen = empty.execute("SELECT item_id FROM msd_topk(hits, 3, NULL, 1, key := 'item_id', features := embedding)")
    assert [row[0] for row in chosen.fetchall()] == one(empty, f"SELECT {ASK} FROM hits")


def test_nothing_is_kept_of_a_selection_that_was_answered_or_failed(shop):
    instance = instance_of(shop)
    number = one(shop, "SELECT current_connection_id()")

    def kept():
        return not instance._known[number][1][VECTORS].empty

    assert len(one(shop, f"SELECT {ASK} FROM products")) == 3
    assert not kept()
    with pytest.raises(duckdb.InvalidInputException, match="LeakError"):
        one(shop, f"SELECT {ASK} FROM (SELECT item_id, [1.0, item_id] AS embedding FROM purchases)")
    assert not kept()
    with pytest.raises(duckdb.InvalidInputException, match="lengths"):
        one(shop, f"SELECT {ASK} FROM (SELECT item_id, [1.0, 2][:1 + item_id % 2] AS embedding FROM products)")
    assert not kept()
