"""The benchmarks measure what they say: the literal oracle picks what our kernel picks, verdicts follow the bounds."""

import numpy as np
import pytest

from benchmarks.data.generate import generate
from benchmarks.speed import literal, page
from benchmarks.speed.measure import Figure, Peak, Timing, race, slope
from msd_sql.udfs import Coverage, CoverageIndex, Jaccard, Uniform, plan, select


def test_the_literal_greedy_picks_what_ours_picks():
    shop = generate(40, 300, 900, seed=3)
    users = [np.unique(shop.user_codes[shop.item_codes == item]) for item in range(shop.n)]
    bounds = zip(shop.category_starts[:-1], shop.category_starts[1:], strict=True)
    categories = [{str(token) for token in shop.category_tokens[start:stop]} for start, stop in bounds]
    oracle = literal.Oracle(users, categories, shop.users, 5, 0.5, weight=0.5)
    written = literal.greedy(oracle, shop.n, 5)

    todo = plan(n=shop.n, k=5, eps=None, diversity=0.5, m=shop.users, method="greedy")
    index = CoverageIndex.from_pairs(shop.item_codes, shop.user_codes, shop.n)
    distance = Jaccard(shop.category_starts, shop.category_tokens)
    ours = select(todo, Coverage(index, shop.users, 5), distance, Uniform(shop.n, 5))
    assert written == list(ours.picks)
    assert oracle.calls == sum(shop.n - picked + 1 for picked in range(5))


def test_the_literal_swap_is_the_best_of_the_sample():
    oracle = literal.Oracle(
        [np.array([0]), np.array([0, 1]), np.array([0, 1, 2])], [{"a"}] * 3, m=3, k=2, diversity=0.0
    )
    assert literal.swap_round(oracle, [0], [1, 2]) == (0, 2)
    assert literal.swap_round(oracle, [2], [0, 1]) is None


def test_contestants_take_turns():
    turns = []
    found = race({"a": lambda: turns.append("a"), "b": lambda: turns.append("b")}, 2, lambda: turns.append("-"))
    assert turns == ["-", "a", "-", "b"] * 2
    assert len(found["a"].seconds) == 2


def test_the_best_turn_counts_and_the_median_tells_the_noise():
    timing = Timing((1.5, 1.0, 1.2))
    assert timing.best == 1.0
    assert timing.noise == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("figure", "verdict"),
    [
        (Figure("a", 0.9, 1.5, 1.0), "goal"),
        (Figure("a", 1.2, 1.5, 1.0), "now"),
        (Figure("a", 1.6, 1.5, 1.0), "missed"),
        (Figure("a", 500.0, 100.0, 1000.0, larger=True), "now"),
        (Figure("a", 99.0, 100.0, 1000.0, larger=True), "missed"),
        (Figure("a", 3.0), "reported"),
        (Figure("a", None, 1.5, 1.0), "not run"),
    ],
)
def test_verdicts_follow_the_bounds(figure, verdict):
    assert figure.verdict == verdict


def test_growth_is_a_slope_between_the_ends():
    assert slope([(1e6, 0.5), (1e7, 3.0), (1e8, 50.0)]) == pytest.approx(1.0)


def test_a_peak_is_seen():
    pytest.importorskip("psutil")
    with Peak() as peak:
        block = np.ones(8_000_000)
        block.sum()
    assert peak.above > 30_000_000


def test_the_page_shows_every_figure_and_its_plot(tmp_path):
    curve = Figure("growth of time from 1 to 9 purchases", 1.0, 1.05, 1.0, unit="", points=[(1, 1), (3, 3), (9, 9)])
    made = page.write([curve, Figure("Uber", None, detail="not there")], tmp_path, quick=True)
    text = made.read_text()
    assert "| growth of time from 1 to 9 purchases | 1 | ≤ 1.05 | ≤ 1 | goal reached |" in text
    assert "| Uber | — |" in text
    assert (tmp_path / "benchmarks" / "growth_in_purchases.svg").exists()
