"""The demo: a synthetic shop, its redundant top 6, and a private and diverse six, with the SQL that chose them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import duckdb

import msd_sql
from msd_sql.demo import shop
from msd_sql.shell.messages import told

Rows = list[tuple[Any, ...]]

PROTECT = """\
SELECT msd_protect('purchases', unit := 'user_id', item := 'item_id',
                   budget := 1.0, delta := 1e-9);"""
ITEMS = """\
SELECT msd_items('products', key := 'item_id', features := 'categories',
                 reach := 'purchases');"""
PLAIN = """\
SELECT item_id, title, subcategory, count(DISTINCT user_id) AS users
FROM products JOIN purchases USING (item_id)
WHERE category = 'Health Care'
GROUP BY ALL ORDER BY users DESC LIMIT 6;"""
DIVERSE = """\
WITH health AS (FROM products WHERE category = 'Health Care')
SELECT item_id, title, subcategory
FROM msd_topk(health, 6, 0.1, 0.5);   -- k, ε, diversity"""
LEAK = """\
SELECT msd_select(item_id, 6, 0.1, 0.5)
FROM products
WHERE item_id IN (SELECT item_id FROM purchases WHERE user_id = 42);"""
LEFT = "SELECT msd_remaining('purchases') AS epsilon_left;"
MORE = "SELECT value FROM msd_explain(products, 6, 0.1, 0.5) WHERE property = 'more like this';"
_SPREAD = """
SELECT avg(1 - len(list_intersect(a.categories, b.categories))
             / len(list_distinct(list_concat(a.categories, b.categories))))
FROM products a JOIN products b ON a.item_id < b.item_id
WHERE a.item_id IN (SELECT unnest($1)) AND b.item_id IN (SELECT unnest($1))
"""
_EXACT = "SELECT count(DISTINCT user_id) FROM purchases WHERE item_id IN (SELECT unnest($1))"


@dataclass(frozen=True)
class Section:
    """One step of the story: a heading, the SQL that was run, what it gave, and a remark."""

    title: str
    sql: str = ""
    columns: tuple[str, ...] = ()
    rows: Sequence[tuple[Any, ...]] = ()
    remark: str = ""
    repeated: frozenset[int] = frozenset()  # rows that repeat another row's subcategory


@dataclass(frozen=True)
class Story:
    """The whole demo, ready to be shown as text, in colour or as a page."""

    heading: str
    sections: tuple[Section, ...]
    seconds: float


def story(con: duckdb.DuckDBPyConnection) -> Story:
    """Build the shop in an empty database, protect it, ask, and tell what happened."""
    start = time.perf_counter()
    made = shop.write(con)
    msd_sql.register(con)
    heading = (
        f"A synthetic Health Care shop (seeded, invented; no real person): {len(made.titles):,} products, "
        f"{shop.USERS:,} users, {len(made.users):,} purchases."
    )
    plain = _rows(con, PLAIN)
    _rows(con, PROTECT), _rows(con, ITEMS)
    diverse = _rows(con, DIVERSE)
    sections = (
        _plain(plain),
        Section("The owner protects the purchases, once", f"{PROTECT}\n{ITEMS}"),
        _diverse(diverse, _one(con, "SELECT delta FROM msd_releases()")),
        _comparison(con, [row[0] for row in plain], [row[0] for row in diverse]),
        _leak(con),
        _left(con),
    )
    return Story(heading, sections, time.perf_counter() - start)


def _plain(rows: Rows) -> Section:
    repeated = _repeated([row[2] for row in rows])
    return Section(
        "The plain top 6 by reach",
        PLAIN,
        ("item", "title", "subcategory", "users"),
        [(*row[:3], f"{row[3]:,}") for row in rows],
        f"{len(repeated)} of 6 are {max((row[2] for row in rows), key=[row[2] for row in rows].count)}, and exact "
        "counts of users have left the house.",
        repeated,
    )


def _diverse(rows: Rows, delta: float) -> Section:
    return Section(
        "Six that reach many users and differ, with ε = 0.1",
        DIVERSE,
        ("item", "title", "subcategory"),
        rows,
        "Only the six and their order leave. Whatever any one user bought, the chance of any answer changes by a "
        f"factor of at most e^0.1 (but for a probability of δ = {delta:.0e}).",
        _repeated([row[2] for row in rows]),
    )


def _left(con: duckdb.DuckDBPyConnection) -> Section:
    left = _one(con, LEFT)
    more = str(_one(con, MORE)).split()[0]
    return Section(
        "What is left of the budget, and how many more such answers",
        f"{LEFT}\n{MORE}",
        ("epsilon_left", "more answers like the six"),
        [(f"{left:g} of 1", more)],
        f"Added up, ε = {left:g} would be {int(left / 0.1 + 1e-9)} answers of ε = 0.1: what many answers reveal "
        "together is less than their sum.",
    )


def _comparison(con: duckdb.DuckDBPyConnection, plain: list[int], diverse: list[int]) -> Section:
    ask = f"SELECT msd_reach({diverse}, 0.05);"
    estimate = _one(con, ask)
    exact = [_value(con, _EXACT, items) for items in (plain, diverse)]
    spread = [_value(con, _SPREAD, items) for items in (plain, diverse)]
    return Section(
        "The two sixes side by side",
        ask,
        ("", "plain top 6", "private and diverse"),
        [
            ("mean distance of two items (0 to 1)", *(f"{value:.2f}" for value in spread)),
            ("users reached, private estimate", "", f"{estimate:,}"),
            ("users reached, exact *", *(f"{value:,}" for value in exact)),
        ],
        "* Shown here only because these users are invented: an exact count of real ones would not be released.",
    )


def _leak(con: duckdb.DuckDBPyConnection) -> Section:
    try:
        con.execute(LEAK).fetchall()
    except duckdb.Error as error:
        return Section("Candidates that depend on the purchases are refused", LEAK, remark=told(error))
    raise AssertionError("The guard let a leak through.")


def _repeated(names: list[str]) -> frozenset[int]:
    return frozenset(place for place, name in enumerate(names) if names.count(name) > 1)


def _rows(con: duckdb.DuckDBPyConnection, sql: str) -> Rows:
    return con.execute(sql).fetchall()


def _one(con: duckdb.DuckDBPyConnection, sql: str) -> Any:
    return _rows(con, sql)[0][0]


def _value(con: duckdb.DuckDBPyConnection, sql: str, items: list[int]) -> Any:
    return con.execute(sql, [items]).fetchall()[0][0]
