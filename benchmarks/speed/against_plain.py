"""A private, diverse, guarded answer against the plain count(DISTINCT) top-k in the same DuckDB."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.data.files import instacart_file, shop_file
from benchmarks.speed.asking import Asking, opened
from benchmarks.speed.measure import Figure, Timing, against, race, said

STORED = "SELECT count(*), sum(hash(stats, block_id)) FROM pragma_storage_info('purchases')"
SECOND = "SELECT msd_select(item_id, 20, 0.1, 0.5) FROM products"
PARTS = {
    "the guard's look at what the connection sees": "SELECT msd_sql._msd_asking()",
    "in it, DuckDB's plan of the statement": f"SELECT json_serialize_plan('{SECOND}')",
    "how the relation lies in its file (which tells an unchanged one)": STORED,
    "its fingerprint (where that does not tell)": "SELECT count(*), sum(hash(user_id, item_id)) FROM purchases",
}
QUOTA = ", quota := price_bin, quota_cap := 2"


def run(*, quick: bool) -> Iterator[Figure]:
    """Measure the shop with integer and with string user ids, then the real orders."""
    purchases, users = (260_000, 120_000) if quick else (2_600_000, 1_200_000)
    turns = 4 if quick else 9
    size = f"{purchases:,} purchases, {users:,} users, 3,000 items"
    with opened(shop_file(purchases, users, texts=True)) as con:
        for table, ids in (("purchases", "integer"), ("purchases_text", "string")):
            shop = Asking(con, table)
            with said(f"first selection, {ids} ids"):
                found = race({"plain": shop.plain, "ours": shop.select}, turns, shop.forget)
            bounds = (1.0, 0.8) if ids == "integer" else (1.1, 0.9)
            yield _ratio(f"first `msd_select` ÷ plain query, {ids} ids", found, *bounds, f"k = 20, {size}")
            shop.select()
            with said(f"second question, {ids} ids"):
                found = race({"plain": shop.plain, "ours": shop.select}, turns)
            yield _ratio(f"second question on the prepared index ÷ plain query, {ids} ids", found, 0.25, 0.1)
            if ids == "integer":
                yield from _parts(shop, turns)
        shop = Asking(con)
        with said("local search with quotas"):
            found = race({"plain": shop.plain, "ours": lambda: shop.select(6, QUOTA)}, max(2, turns // 2), shop.forget)
        yield _ratio("`local_search`, k = 6, quotas, first ÷ plain query", found, 1.5, 1.1)
        with said("growth in k"):
            found = race({str(k): lambda k=k: shop.select(k) for k in (10, 20, 50, 100)}, turns, shop.forget)
        points = [(float(k), timing.best) for k, timing in found.items()]
        yield Figure(
            "growth of the first selection from k = 10 to k = 100 (greedy)",
            points[-1][1] / points[0][1],
            2.0,
            1.3,
            detail=f"{points[0][1]:.3f} s → {points[-1][1]:.3f} s, noise {_noise(found)}",
            points=points,
        )
    orders = instacart_file()
    if orders is None:
        yield Figure("Instacart, k = 20, first ÷ plain query", None, 1.2, 1.0, detail="the real data is not there")
        return
    with opened(orders) as con:
        shop = Asking(con)
        with said("Instacart"):
            found = race({"plain": shop.plain, "ours": shop.select}, turns, shop.forget)
    yield _ratio("Instacart (131,209 users, 49,688 products), k = 20, first ÷ plain query", found, 1.2, 1.0)


def _parts(shop: Asking, turns: int) -> Iterator[Figure]:
    """Measure what a second question cannot do without, in statements of their own."""
    with said("what a second question is made of"):
        found = race({name: lambda sql=sql: shop.run(sql) for name, sql in PARTS.items()}, turns)
    for name, timing in found.items():
        yield Figure(f"of a second question: {name}", timing.best * 1e3, unit=" ms", detail=f"`{PARTS[name]}`")


def _ratio(name: str, found: dict[str, Timing], now: float, goal: float, what: str = "") -> Figure:
    return against(name, found["ours"], found["plain"], now, goal, what)


def _noise(found: dict[str, Timing]) -> str:
    return f"{max(timing.noise for timing in found.values()):.0%}"
