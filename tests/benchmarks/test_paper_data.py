"""The data of the paper's experiments: the loader of the real Amazon files, the stand-in, the grid and the pickups."""

import csv
import gzip
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.paper.tasks import amazon
from benchmarks.paper.tasks.convenience import Convenience, convenience
from benchmarks.paper.tasks.places import DataMissingError, ashore, data_file, grid, groceries, pickups
from benchmarks.paper.tasks.task import task
from msd_sql.udfs.relevance.best_match import BestMatch, BestMatchIndex
from msd_sql.udfs.types import ONE

CARE, AID, PADS = ["Health & Household", "Health Care"], "First Aid", "Bandages"

# In the shape of Amazon Reviews 2023: fields that we do not read, prices that are no numbers, other shelves.
META = [
    {"parent_asin": "B3", "categories": [*CARE, AID], "price": 9.99, "rating_number": 50, "title": "a", "details": {}},
    {"parent_asin": "B1", "categories": [*CARE, AID, PADS], "price": 4.5, "rating_number": 900, "store": "s"},
    {"parent_asin": "B2", "categories": CARE, "price": "19.00", "rating_number": 10, "images": [{"thumb": "x"}]},
    {"parent_asin": "B4", "categories": [*CARE, AID], "price": None, "rating_number": 5000},
    {"parent_asin": "B5", "categories": [*CARE, AID], "price": "from 12.99", "rating_number": 4000},
    {"parent_asin": "B6", "categories": ["Health & Household", "Vitamins"], "price": 3.0, "rating_number": 9000},
    {"parent_asin": "B7", "categories": [], "price": 3.0, "rating_number": 9000},
    {"parent_asin": "B8", "categories": [*CARE, "Sleep"], "price": 30.0, "rating_number": 2},
]
REVIEWS = [
    ("u1", "B1", "5.0", "1588687728923"),
    ("u1", "B1", "4.0", "1588687728924"),
    ("u1", "B3", "4.0", "1588687728925"),
    ("u2", "B1", "1.0", "1588687728926"),
    ("u3", "B6", "1.0", "1588687728927"),
    ("u4", "B2", "3.0", "1588687728928"),
]


def write_amazon(folder, compressed=False):
    opened = gzip.open if compressed else open
    end = ".gz" if compressed else ""
    with opened(folder / f"meta.jsonl{end}", "wt") as file:
        file.writelines(json.dumps(row) + "\n" for row in META)
    with opened(folder / f"reviews.csv{end}", "wt", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["user_id", "parent_asin", "rating", "timestamp"])
        writer.writerows(REVIEWS)
    return amazon.real_files(folder)


@pytest.mark.parametrize("compressed", [False, True])
def test_the_real_amazon_files_are_read_as_the_paper_reads_them(tmp_path, compressed):
    made = amazon.load(*write_amazon(tmp_path, compressed), n=3)
    assert made.n == 3  # B1, B2, B3: of the category, with a price, the most rated ones
    assert made.users == 3  # u1, u2, u4: whoever reviewed a candidate
    assert sorted(zip(made.item_codes.tolist(), made.user_codes.tolist(), strict=True)) == [
        (0, 0), (0, 0), (0, 1), (1, 2), (2, 0),
    ]  # fmt: skip
    assert np.diff(made.category_starts).tolist() == [4, 2, 3]
    assert len(made.category_tokens) == 9
    assert made.price_bins.tolist() == [0, 3, 1]  # 4.50, 19.00, 9.99; the median belongs to the lower half


def test_the_real_amazon_files_make_a_task_like_the_stand_in(tmp_path):
    write_amazon(tmp_path)
    made = task("amazon_partition", folder=tmp_path)
    assert (made.n, made.m) == (4, 3)
    assert made.distance.row(0).round(3).tolist() == [0.0, 0.5, 0.25, 0.6]
    made.relevance.clear()
    assert made.relevance.gains().tolist() == [2, 1, 1, 0]  # B8 was reviewed by nobody


def test_missing_amazon_files_are_named(tmp_path):
    with pytest.raises(DataMissingError, match=r"reviews\.csv is not in"):
        amazon.real_files(tmp_path)
    write_amazon(tmp_path)
    with pytest.raises(DataMissingError, match="no product of the category 'Toys'"):
        amazon.load(tmp_path / "reviews.csv", tmp_path / "meta.jsonl", category="Toys")


def test_missing_data_say_where_they_were_looked_for(tmp_path, monkeypatch):
    monkeypatch.setenv("MSD_SHARED_DATA", str(tmp_path))
    with pytest.raises(DataMissingError, match=f"not in {tmp_path}; set MSD_SHARED_DATA"):
        data_file("uber_2014_manhattan.parquet")


def test_the_stand_in_is_repeatable_and_has_four_bins_of_the_same_size():
    one, other = (amazon.stand_in(n=400, users=2_000) for _ in range(2))
    assert (one.item_codes == other.item_codes).all()
    assert (one.category_tokens == other.category_tokens).all()
    assert np.bincount(one.price_bins).tolist() == [100, 100, 100, 100]
    lengths = np.diff(one.category_starts)
    assert lengths.min() >= 2
    assert lengths.max() <= 6


@pytest.mark.parametrize("n", [100, 250, 500, 1000])
def test_the_grid_has_n_points_all_on_the_island(n):
    points = grid(n)
    assert points.shape == (n, 2)
    assert ashore(points).all()


def test_pickups_can_be_fewer_or_more_and_are_the_same_every_time(shared_data):
    places, weights = pickups()
    assert weights.sum() == 358_473
    for m in (5_000, 600_000):
        fewer, held = pickups(m)
        again, kept = pickups(m)
        assert held.sum() == m
        assert (fewer == again).all()
        assert (held == kept).all()
    assert len(places) == 127_791


def test_groceries_are_candidates_of_two_departments_with_their_aisles(shared_data):
    made = groceries()
    assert made.users == 131_209
    assert made.n == len(made.category_starts) - 1
    assert (np.diff(made.category_starts) == 2).all()
    assert made.item_codes.max() < made.n


def test_convenience_is_the_papers_formula():
    places, points = np.array([[0.0, 0.0], [0.01, 0.002]]), np.array([[0.0, 0.0], [0.004, 0.001]])
    expected = [[2 - 2 / (1 + np.exp(-200 * np.abs(a - b).sum())) for b in points] for a in places]
    np.testing.assert_allclose(convenience(places, points) / ONE, expected, atol=1 / ONE)


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_the_dense_relevance_equals_the_kernels_best_match(data):
    rows, n = data.draw(st.integers(1, 8)), data.draw(st.integers(1, 5))
    flat = data.draw(st.lists(st.sampled_from([0, 1, 2, 5, 9, ONE]), min_size=rows * n, max_size=rows * n))
    table = np.array(flat, dtype=np.float32).reshape(rows, n)
    weights = np.array(data.draw(st.lists(st.integers(1, 4), min_size=rows, max_size=rows)))
    units, items = np.nonzero(table)
    index = BestMatchIndex.from_triples(units, items, table[units, items].astype(np.int64), n, weights)
    dense, kernel = Convenience(table, weights), BestMatch(index, m=int(weights.sum()))
    assert (dense.n, dense.units, dense.bits) == (kernel.n, kernel.units, kernel.bits)
    for _ in range(2):  # the second time from memory
        order = data.draw(st.permutations(range(n)))
        asked = data.draw(st.lists(st.booleans(), min_size=n, max_size=n))
        for item, ask in zip(order, asked, strict=True):
            dense.add(item)
            kernel.add(item)
            assert dense.value() == kernel.value()
            if ask:
                left = [other for other in order if other not in dense._picks]
                assert dense.gains()[left].tolist() == kernel.gains()[left].tolist()
        slot = data.draw(st.integers(0, n - 1))
        dense.swap(slot, order[slot])
        assert dense.value() == kernel.value()
        dense.clear()
        kernel.clear()


def test_swaps_of_the_dense_relevance_equal_the_kernels():
    rng = np.random.default_rng(5)
    table = rng.integers(0, 50, (30, 8)).astype(np.float32)
    weights = rng.integers(1, 5, 30)
    units, items = np.nonzero(table)
    index = BestMatchIndex.from_triples(units, items, table[units, items].astype(np.int64), 8, weights)
    dense, kernel = Convenience(table, weights), BestMatch(index, m=int(weights.sum()))
    sample = np.array([3, 4, 6])
    for relevance in (dense, kernel):
        for item in (0, 5, 2):
            relevance.add(item)
    assert dense.swap_gains(sample).tolist() == kernel.swap_gains(sample).tolist()
    for relevance in (dense, kernel):
        relevance.swap(1, 4)
    assert dense.value() == kernel.value()
    left = [1, 3, 5, 6, 7]
    assert dense.gains()[left].tolist() == kernel.gains()[left].tolist()
