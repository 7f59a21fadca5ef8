"""The experiments as a command: cells, both calibrations, resuming, claims and the page, on tiny instances."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from benchmarks.paper import __main__ as command
from benchmarks.paper.cells import FULL, QUICK, Cell, cells
from benchmarks.paper.claims.claims import claims
from benchmarks.paper.claims.verdicts import between, within
from benchmarks.paper.matching import matched_cells
from benchmarks.paper.measure import Readings, calls_of, gamma_for
from benchmarks.paper.results import Results, Row
from benchmarks.paper.run import planned, run
from benchmarks.paper.tasks.task import task
from benchmarks.paper.through_sql import compare, statements
from msd_sql.udfs.privacy.randomness import SeededSource
from msd_sql.udfs.selection import select

TINY = replace(
    QUICK,
    runs=1,
    eps=(0.1, 1.0),
    diversity=(0.0, 0.5),
    picks=(5, 20),
    picks_partition=(3, 6),
    shop_n=(40,),
    base={"amazon": (80, 2_000)},
    sql={"amazon": (60, 1_000)},
)


def test_every_method_of_the_issue_is_in_the_full_experiments():
    full = cells(FULL, ["uber", "amazon", "amazon_partition", "instacart", "instacart_partition"])
    assert len(full) == len(set(full))
    assert {cell.method for cell in full} == {
        "greedy", "nosg", "osg", "ls", "ls_greedy", "sls", "local_search", "random", "rel", "mix",
    }  # fmt: skip
    assert {0.01, 0.1, 1.0} <= {cell.eps for cell in full}
    assert {0.0, 0.8} <= {cell.diversity for cell in full}
    assert max(cell.k for cell in full if cell.task == "uber") == 100
    assert max(cell.k for cell in full if cell.task == "amazon_partition") == 20
    for calibration in ("ours", "older", "authors"):
        assert any(cell.calibration == calibration for cell in full)


def test_cells_of_one_instance_stand_together():
    instances = [
        (cell.task.split("_")[0], cell.n, cell.m) for cell in cells(FULL, ["uber", "amazon", "amazon_partition"])
    ]
    changes = sum(one != other for one, other in itertools.pairwise(instances))
    assert changes == len(set(instances)) - 1


def test_the_authors_calibration_is_noisier_and_nothing_else_differs():
    instance = task("amazon", 80, 2_000)
    ours, theirs = (
        planned(Cell("amazon", "greedy", name, 10, n=80, m=2_000), instance) for name in ("ours", "authors")
    )
    assert theirs.calibration.eta < ours.calibration.eta
    assert replace(theirs, calibration=None) == replace(ours, calibration=None)
    # Δ = 1/m for the whole objective: ε0/2 times the weight c(1-λ) = 1/4 of relevance in the rule.
    assert theirs.calibration.eta == pytest.approx(theirs.calibration.eps0 / 2 / 4)


def test_a_run_can_be_repeated_and_is_the_kernels_own():
    cell = Cell("amazon_partition", "local_search", "ours", 4, n=80, m=2_000)
    first, again = ([row.objective for row in run(cell, 2)] for _ in range(2))
    assert first == again
    instance = task("amazon_partition", 80, 2_000)
    outcome = select(
        planned(cell, instance), instance.relevance, instance.distance, instance.constraint(4), SeededSource(1)
    )
    assert instance.constraint(4).independent(outcome.picks)


def test_the_matching_eps_gives_the_same_eta():
    instance = task("amazon", 80, 2_000)
    cells_at = matched_cells("amazon", instance, 80, 2_000)
    theirs, ours = (planned(cell, instance).calibration for cell in cells_at)
    assert ours.eta == pytest.approx(theirs.eta, rel=1e-3)
    assert (theirs.eps, ours.eps) == (0.1, cells_at[1].eps)
    assert ours.eps < 0.1


def test_prescribed_calls_are_the_calls_that_are_counted():
    for method in ("greedy", "nosg", "osg"):
        cell = Cell("amazon", method, "exact", 7, None, n=80, m=2_000)
        assert next(iter(run(cell, 1))).calls == calls_of(method, 80, 7, 0.1)
    assert calls_of("greedy", 1000, 100, 0.1) / calls_of("osg", 1000, 100, gamma_for("osg", 1000, 100, 57)) == (
        pytest.approx(57, rel=0.02)
    )


def test_verdicts_have_three_steps():
    assert [within(value, 0.01) for value in (-0.2, 0.01, 0.02, 0.021)] == ["holds", "holds", "close", "does not hold"]
    assert [between(value, 0.2, 0.3) for value in (0.2, 0.31, 0.17, 0.1)] == [
        "holds",
        "close",
        "close",
        "does not hold",
    ]


@pytest.fixture
def tiny(monkeypatch):
    monkeypatch.setattr(command, "QUICK", TINY)
    return ["--quick", "--tasks", "amazon,amazon_partition"]


@pytest.mark.slow
def test_the_command_writes_results_figures_and_the_page_and_goes_on_where_it_stopped(tiny, tmp_path, capsys):
    assert command.main([*tiny, "--results", str(tmp_path)]) == 0
    frame = Results(tmp_path / "results.csv", Row).frame()
    wanted = cells(TINY, ["amazon", "amazon_partition"])
    assert {cell.key for cell in wanted} < set(frame.cell)  # and the matching ones
    assert np.isfinite(frame.objective).all()
    page = (tmp_path / "experiments.md").read_text()
    for claim in claims(frame):
        assert claim.paper in page
    assert "## Beyond the paper" in page
    assert "## The same through SQL" in page
    for picture in ("amazon.png", "amazon_partition.png", "amazon_partition_effort.png"):
        assert (tmp_path / "experiments" / picture).stat().st_size > 5_000
        assert f"experiments/{picture}" in page

    whole = (tmp_path / "results.csv").read_text().splitlines(keepends=True)
    half = len(whole) // 2
    while half < len(whole) and whole[half].split(",")[0] == whole[half - 1].split(",")[0]:
        half += 1
    (tmp_path / "results.csv").write_text("".join(whole[:half]))
    capsys.readouterr()
    assert command.main([*tiny, "--results", str(tmp_path)]) == 0
    left = len({line.split(",")[0] for line in whole[half:]})
    assert f"{left}/{left} cells" in capsys.readouterr().err
    again = Results(tmp_path / "results.csv", Row).frame()
    columns = ["cell", "run", "objective", "calls"]
    pd.testing.assert_frame_equal(frame[columns], again[columns])


def test_the_command_refuses_unknown_tasks_and_leaves_out_what_has_no_data(tiny, tmp_path, monkeypatch, capsys):
    assert command.main(["--tasks", "amazn"]) == 2
    assert "Unknown task amazn" in capsys.readouterr().err
    monkeypatch.setenv("MSD_SHARED_DATA", str(tmp_path))
    monkeypatch.setattr(command, "QUICK", replace(TINY, base={**TINY.base, "uber": (50, 123)}))
    assert command.main(["--quick", "--tasks", "uber", "--results", str(tmp_path / "out")]) == 1
    told = capsys.readouterr().err
    assert "uber is left out: uber_2014_manhattan.parquet is not in" in told
    assert "There are no results" in told


def test_readings_are_means_of_the_cells_that_were_run():
    rows = [row for cell in cells(TINY, ["amazon"]) if cell.k == 20 for row in run(cell, 2)]
    readings = Readings(pd.DataFrame([vars(row) for row in rows]), "amazon")
    assert readings.size == (80, 2_000)
    assert [point[1] for point in readings.over("eps")] == [0.1, 1.0]
    mine = [
        row.objective
        for row in rows
        if (row.method, row.calibration, row.eps, row.diversity) == ("nosg", "ours", 1.0, 0.5)
    ]
    best = [row.objective for row in rows if (row.method, row.calibration, row.diversity) == ("greedy", "exact", 0.5)]
    assert readings.gap("nosg", "ours", (20, 1.0, 0.5)) == pytest.approx(1 - np.mean(mine) / best[0])
    assert math.isnan(readings.gap("nosg", "ours", (21, 1.0, 0.5)))


@pytest.mark.parametrize("name", ["amazon", "amazon_partition"])
def test_every_method_chooses_the_same_through_sql(name):
    asked = list(compare(name, 60, 1_000))
    assert len(asked) == len(statements(name, 60, 1_000))
    assert all(one.same for one in asked)


def test_the_uber_objective_is_the_same_through_sql(shared_data):
    assert [one.same for one in compare("uber", 60, 1_000)] == [True] * 11
