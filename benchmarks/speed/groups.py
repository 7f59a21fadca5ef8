"""Many answers: the private groups of one statement, and questions from several threads at once."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from itertools import count

import duckdb

import msd_sql
from benchmarks.data.files import shelves_file, shop_file
from benchmarks.speed.asking import Asking, opened
from benchmarks.speed.measure import Figure, against, race, said

PLAIN = "SELECT shelf, count(DISTINCT user_id) AS users FROM purchases JOIN products USING (item_id) GROUP BY shelf"
ASK = "SELECT shelf, msd_select(item_id, 6, {eps}, 0.5, delta := 1e-9) FROM products GROUP BY shelf"
QUESTIONS, THREADS = 16, 4
_SERIAL = count(1)


def run(*, quick: bool) -> Iterator[Figure]:
    """Measure a thousand groups, first and replayed, quotas beside cardinality over many items, and threads."""
    groups, n, users, purchases = (100, 3_000, 40_000, 200_000) if quick else (1_000, 30_000, 400_000, 2_000_000)
    with opened(shelves_file(n, groups, users, purchases)) as con:
        yield from _groups(Asking(con), f"{n:,} items, {purchases:,} purchases", groups, 2 if quick else 5)
    items = 50_000 if quick else 1_000_000
    with opened(shop_file(2 * items, items // 2, items)) as con:
        shop = Asking(con)
        with said(f"quotas over {items:,} items"):
            quota = ", quota := price_bin, quota_cap := 2, method := 'local_search'"
            found = race({"plain": lambda: shop.select(6), "ours": lambda: shop.select(6, quota)}, 2, shop.forget)
    yield against(
        f"quotas over {items:,} items ÷ cardinality over the same, k = 6", found["ours"], found["plain"], 6, 2
    )
    with opened(shop_file(*((260_000, 120_000) if quick else (2_600_000, 1_200_000)))) as con:
        yield _threads(con, 2 if quick else 5)


def _groups(shop: Asking, size: str, groups: int, turns: int) -> Iterator[Figure]:
    def plain() -> object:
        return shop.run(PLAIN)

    def first() -> object:
        return shop.run(ASK.format(eps=f"0.1{next(_SERIAL):06d}"))

    with said(f"{groups:,} groups"):
        found = race({"plain": plain, "ours": first}, turns, shop.forget)
    told = f"{groups:,} private groups ({size})"
    yield against(f"{told} ÷ plain GROUP BY with count(DISTINCT)", found["ours"], found["plain"], 5.0, 2.0)
    again = ASK.format(eps="0.2")
    shop.run(again)
    with said(f"{groups:,} groups replayed"):
        found = race({"plain": plain, "ours": lambda: shop.run(again)}, turns)
    yield against("the same, replayed", found["ours"], found["plain"], 2.0, 1.0)


def _threads(con: duckdb.DuckDBPyConnection, turns: int) -> Figure:
    shop = Asking(con)
    cursors = [con.cursor() for _ in range(THREADS)]
    for cursor in cursors:
        msd_sql.register(cursor)
    shop.select()

    def ask(cursor: duckdb.DuckDBPyConnection, times: int) -> None:
        for _ in range(times):
            eps = f"0.1{next(_SERIAL):06d}"
            cursor.execute(f"SELECT msd_select(item_id, 20, {eps}, 0.5, delta := 1e-9) FROM products").fetchall()

    def at_once() -> None:
        share = QUESTIONS // THREADS
        threads = [threading.Thread(target=ask, args=(cursor, share)) for cursor in cursors]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    with said(f"{THREADS} threads"):
        found = race({"serial": lambda: ask(con, QUESTIONS), "threads": at_once}, turns)
    name = f"{QUESTIONS} questions in {THREADS} threads ÷ the same one after another"
    return against(name, found["threads"], found["serial"], 0.8, 0.55)
