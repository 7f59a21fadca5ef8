"""The same tasks through SQL: a DuckDB file, msd_protect, msd_items, msd_select, beside the kernel's own run.

Both sides draw from the same seeded source, so that they must choose the same items in the same order. (Such releases
are recorded as not private; without a seed a release can never be repeated.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest import mock

import duckdb
import numpy as np

import msd_sql
from benchmarks.paper.cells import CARDINALITY, DIVERSITY, EPS, MATROID, Cell, default_k, method_of
from benchmarks.paper.run import planned
from benchmarks.paper.tasks import amazon
from benchmarks.paper.tasks.places import grid, groceries, pickups
from benchmarks.paper.tasks.task import Task, task
from msd_sql.udfs import selection
from msd_sql.udfs.privacy.randomness import SeededSource

SEED = 20
CONVENIENCE = "2 - 2 / (1 + exp(-200 * (abs(r.lat - v.lat) + abs(r.lon - v.lon))))"


@dataclass(frozen=True)
class Comparison:
    """One statement, and whether it chose what the kernel chose."""

    cell: str
    task: str
    n: int
    m: int
    method: str
    eps: float | None
    statement: str
    same: bool
    objective: float


@dataclass(frozen=True)
class Asked:
    """What the statements about one task have in common."""

    instance: Task
    items: str
    key: str
    options: str  # named arguments of msd_select
    keys: list[int]  # of the candidates, in key order


def statements(name: str, n: int | None, m: int | None) -> list[Cell]:
    """List what is asked of a task: every method that makes sense for it, once without noise and once with.

    >>> [cell.method for cell in statements("amazon_partition", 40, 500)]
    ['local_search', 'rel', 'ls', 'ls_greedy', 'random', 'local_search', 'rel']
    """
    partition = name.endswith("_partition")
    private = tuple(method_of(method, "ours") for method in (MATROID if partition else CARDINALITY))
    exact = (*private, "ls", "ls_greedy", "random") if partition else (*private, "random")
    k = default_k(name)
    return [
        *(Cell(name, method, "exact", k, None, n=n, m=m) for method in exact),
        *(Cell(name, method, "ours", k, EPS, n=n, m=m) for method in private),
    ]


def compare(name: str, n: int | None, m: int | None) -> Iterator[Comparison]:
    """Ask all of them of a fresh database file."""
    with TemporaryDirectory() as folder, duckdb.connect(str(Path(folder) / "paper.duckdb")) as con:
        instance = task(name, n, m)
        asked = FILL[name.split("_")[0]](con, instance, n, m)
        for cell in statements(name, n, m):
            yield _ask(con, asked, cell)


def _ask(con: duckdb.DuckDBPyConnection, asked: Asked, cell: Cell) -> Comparison:
    instance = asked.instance
    noise = "NULL" if cell.eps is None else f"{cell.eps!r}"
    release = "exact := true" if cell.eps is None else f"delta := {instance.m**-1.5!r}"
    made = planned(cell, instance)
    statement = (
        f"SELECT msd_select({asked.key}, {cell.k}, {noise}, {DIVERSITY}, method := '{cell.method}', "
        f"gamma := {made.gamma!r}, {release}{asked.options}) FROM {asked.items}"
    )
    with seeded(SEED):
        chosen = con.execute(statement).fetchall()[0][0]
    constraint = instance.constraint(cell.k)
    own = selection.select(made, instance.relevance, instance.distance, constraint, SeededSource(SEED))
    place = {key: position for position, key in enumerate(asked.keys)}
    picks = [place[key] for key in chosen]
    values = selection.evaluate(instance.relevance, instance.distance, picks, diversity=DIVERSITY, k=made.k)
    same = picks == list(own.picks)
    return Comparison(
        cell.key, cell.task, instance.n, instance.m, cell.method, cell.eps, statement, same, values.objective
    )


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Give the releases made meanwhile a repeatable source; their receipts say that they are not private."""
    with mock.patch.object(selection, "SecretSource", partial(SeededSource, seed)):
        yield


def _declare(con: duckdb.DuckDBPyConnection, protect: str, items: str) -> None:
    msd_sql.register(con)
    con.execute(f"SELECT msd_protect({protect}, budget := 100, delta := 0.001)").fetchall()
    con.execute(f"SELECT msd_items({items})").fetchall()


def _fill_uber(con: duckdb.DuckDBPyConnection, instance: Task, n: int | None, m: int | None) -> Asked:
    points = grid(n or 1_000)
    places, weights = pickups(m)
    _table(con, "spots", spot_id=np.arange(len(points)), lat=points[:, 0], lon=points[:, 1])
    _table(con, "pickups", lat=np.repeat(places[:, 0], weights), lon=np.repeat(places[:, 1], weights))
    con.execute("CREATE SEQUENCE pickup; ALTER TABLE pickups ADD COLUMN pickup_id BIGINT DEFAULT nextval('pickup')")
    _declare(
        con,
        f"'pickups', unit := 'pickup_id', relevance := 'best_match', similarity := '{CONVENIENCE}'",
        "'spots', key := 'spot_id', features := ['lat', 'lon'], distance := 'l1', reach := 'pickups'",
    )
    span = float(np.ptp(points, axis=0).sum())
    return Asked(instance, "spots", "spot_id", f", scale := {span!r}", list(range(len(points))))


def _fill_shop(con: duckdb.DuckDBPyConnection, instance: Task, n: int | None, m: int | None) -> Asked:
    made = amazon.stand_in(n or amazon.PAPER_ITEMS, m or amazon.PAPER_USERS)
    _table(con, "purchases", item_id=made.item_codes, user_id=made.user_codes)
    _items(con, made.category_starts, made.category_tokens, group=made.price_bins)
    return _bought(con, instance, "price_bin")


def _fill_groceries(con: duckdb.DuckDBPyConnection, instance: Task, n: int | None, m: int | None) -> Asked:
    made = groceries()
    _table(con, "purchases", item_id=made.item_codes, user_id=made.user_codes)
    _items(con, made.category_starts, made.category_tokens, group=made.aisles)
    return _bought(con, instance, "aisle")


def _bought(con: duckdb.DuckDBPyConnection, instance: Task, group: str) -> Asked:
    con.execute(f"ALTER TABLE products RENAME COLUMN quota TO {group}")
    _declare(
        con,
        f"'purchases', unit := 'user_id', item := 'item_id', users := {instance.m}",
        "'products', key := 'item_id', features := 'categories', reach := 'purchases'",
    )
    options = f", quota := {group}" if instance.name.endswith("_partition") else ""
    return Asked(instance, "products", "item_id", options, list(range(instance.n)))


def _items(con: duckdb.DuckDBPyConnection, starts: np.ndarray, tokens: np.ndarray, group: np.ndarray) -> None:
    _table(con, "held", item_id=np.repeat(np.arange(len(group)), np.diff(starts)), token=tokens)
    _table(con, "grouped", item_id=np.arange(len(group)), quota=group)
    con.execute(
        """CREATE TABLE products AS
        SELECT item_id, any_value(quota) AS quota, list(token) AS categories
        FROM grouped LEFT JOIN held USING (item_id) GROUP BY item_id ORDER BY item_id"""
    )
    con.execute("DROP TABLE held; DROP TABLE grouped")


def _table(con: duckdb.DuckDBPyConnection, name: str, **columns: np.ndarray) -> None:
    con.register("columns_given", columns)
    con.execute(f"CREATE TABLE {name} AS SELECT * FROM columns_given")
    con.unregister("columns_given")


FILL: dict[str, Callable[[duckdb.DuckDBPyConnection, Task, int | None, int | None], Asked]] = {
    "uber": _fill_uber,
    "amazon": _fill_shop,
    "instacart": _fill_groceries,
}
