"""The cells of the paper's figures: which method runs where, with which k, ε and λ, under which calibration."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from benchmarks.paper.tasks.task import PAPER_PICKUPS

GAMMA = 0.1
DETERMINISTIC = ("greedy", "ls", "ls_greedy", "local_search")  # without noise every run of them is the same
EPS = 0.1
SMALL_EPS = 0.02  # where noise decides: under a partition k is swept at it, too
DIVERSITY = 0.5
CARDINALITY = ("greedy", "nosg", "osg", "rel", "mix")  # private methods under a cardinality constraint
MATROID = ("sls", "rel")
# The authors'; our sensitivity with the bounds of before; and today's bounds, with today's local search for DP-SLS.
CALIBRATIONS = ("authors", "older", "ours")
MATCHED = ("ours_matched", "authors_matched")  # the same two again, at the ε where they should not differ


@dataclass(frozen=True)
class Cell:
    """One point of a figure. `n` and `m` are None where the task keeps the paper's; a timed cell starts cold."""

    task: str
    method: str
    calibration: str  # one of CALIBRATIONS or MATCHED, or exact: no noise, ε is None
    k: int
    eps: float | None = EPS
    diversity: float = DIVERSITY
    n: int | None = None
    m: int | None = None
    timed: bool = False

    @property
    def theirs(self) -> bool:
        """Is it calibrated as the paper's text does?"""
        return self.calibration.startswith("authors")

    @property
    def key(self) -> str:
        """What identifies the cell in the results."""
        return "/".join(str(value) for value in vars(self).values())


@dataclass(frozen=True)
class Size:
    """How much of the experiments to run."""

    name: str
    runs: int
    timed_runs: int
    matched_runs: int
    eps: tuple[float, ...]
    diversity: tuple[float, ...]
    picks: tuple[int, ...]  # k under a cardinality constraint
    picks_partition: tuple[int, ...]
    uber_n: tuple[int, ...]  # besides the base size, for the times
    uber_m: tuple[int, ...]
    shop_n: tuple[int, ...]
    base: dict[str, tuple[int | None, int | None]]  # per family of tasks: n and m, None for the paper's
    sql: dict[str, tuple[int | None, int | None]]  # the same for the runs through SQL


FULL = Size(
    name="full",
    runs=10,
    timed_runs=3,
    matched_runs=50,
    eps=(0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0),
    diversity=(0.0, 0.2, 0.4, 0.5, 0.6, 0.8),
    picks=(10, 20, 40, 60, 80, 100),
    picks_partition=(4, 6, 8, 12, 20),
    uber_n=(250, 500, 2000),
    uber_m=(50_000, 100_000, 200_000),
    shop_n=(1000, 2000, 4000, 8000),
    base={"uber": (None, None), "amazon": (None, None), "instacart": (None, None)},
    sql={"uber": (200, 50_000), "amazon": (None, None), "instacart": (None, None)},
)
QUICK = Size(
    name="quick",
    runs=2,
    timed_runs=1,
    matched_runs=2,
    eps=(0.1, 1.0),
    diversity=(0.0, 0.5),
    picks=(10, 20),
    picks_partition=(4, 6),
    uber_n=(150,),
    uber_m=(10_000,),
    shop_n=(150,),
    base={"uber": (300, 20_000), "amazon": (300, 50_000), "instacart": (None, None)},
    sql={"uber": (100, 5_000), "amazon": (200, 20_000), "instacart": (None, None)},
)


def method_of(method: str, calibration: str) -> str:
    """Name the method that stands in a column: today's local search in the place of DP-SLS in the last one.

    >>> method_of("sls", "older"), method_of("sls", "ours")
    ('sls', 'local_search')
    """
    return "local_search" if method == "sls" and calibration.startswith("ours") else method


def runs_of(cell: Cell, size: Size) -> int:
    """Say how often a cell has to run: once where nothing is random.

    >>> runs_of(Cell("uber", "greedy", "exact", 20, None), FULL)
    1
    """
    if cell.calibration == "exact" and cell.method in DETERMINISTIC:
        return 1
    if cell.calibration in MATCHED:
        return size.matched_runs
    return size.timed_runs if cell.timed else size.runs


def default_k(task: str) -> int:
    """Give the paper's k: 20 under a cardinality constraint, 6 under a partition.

    >>> default_k("uber"), default_k("amazon_partition")
    (20, 6)
    """
    return 6 if task.endswith("_partition") else 20


def cells(size: Size, tasks: Iterable[str]) -> list[Cell]:
    """List every cell once, those of one instance next to each other, so that each instance is built once.

    >>> len(cells(QUICK, ["uber"])) > 50
    True
    """
    found: dict[Cell, None] = {}
    for task in tasks:
        n, m = size.base[task.split("_")[0]]
        for cell in (*_utility(size, task), *_effort(size, task)):
            found[replace(cell, n=cell.n or n, m=cell.m or m)] = None
    instances = list(dict.fromkeys(_instance(cell) for cell in found))
    return sorted(found, key=lambda cell: instances.index(_instance(cell)))


def _instance(cell: Cell) -> tuple[str, int | None, int | None]:
    return cell.task.split("_")[0], cell.n, cell.m


def _utility(size: Size, task: str) -> Iterator[Cell]:
    k = default_k(task)
    yield from _methods(Cell(task, "", "", k), [*((k, eps, DIVERSITY) for eps in size.eps)])
    partition = task.endswith("_partition")
    picks = size.picks_partition if partition else size.picks
    for eps in (EPS, SMALL_EPS) if partition else (EPS,):
        yield from _methods(Cell(task, "", "", k), [(other, eps, DIVERSITY) for other in picks])
    yield from _methods(Cell(task, "", "", k), [(k, EPS, diversity) for diversity in size.diversity])
    if task == "uber" and size.name == "full":  # does the paper's larger m explain a difference?
        yield from _methods(Cell(task, "", "", k, m=PAPER_PICKUPS), [(k, EPS, DIVERSITY)])


def _methods(cell: Cell, points: list[tuple[int, float, float]]) -> Iterator[Cell]:
    partition = cell.task.endswith("_partition")
    private, exact = (MATROID, ("ls", "ls_greedy", "sls", "local_search")) if partition else (CARDINALITY, ("greedy",))
    for k, eps, diversity in points:
        at = replace(cell, k=k, diversity=diversity)
        for method in (*exact, "random"):
            yield replace(at, method=method, calibration="exact", eps=None)
        for method in private:
            for calibration in CALIBRATIONS:
                yield replace(at, method=method_of(method, calibration), calibration=calibration, eps=eps)


def _effort(size: Size, task: str) -> Iterator[Cell]:
    """Cells whose time counts: against k, n and m, under our calibration."""
    k = default_k(task)
    at = Cell(task, "", "", k, timed=True)
    if task == "uber":
        where = [replace(at, k=other) for other in size.picks]
        where += [replace(at, n=n) for n in size.uber_n] + [replace(at, m=m) for m in size.uber_m]
        methods = (("greedy", "exact"), *((method, "ours") for method in CARDINALITY))
    elif task == "amazon_partition":
        where = [replace(at, n=n) for n in size.shop_n]  # nothing is remembered: times against k come with the values
        methods = (("ls", "exact"), ("ls_greedy", "exact"), ("sls", "older"), ("local_search", "ours"), ("rel", "ours"))
    else:
        return
    for cell in where:
        for method, calibration in methods:
            eps = None if calibration == "exact" else EPS
            yield replace(cell, method=method, calibration=calibration, eps=eps)
