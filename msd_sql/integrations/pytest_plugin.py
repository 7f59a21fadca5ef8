"""A pytest plugin: the fixture `msd_shop`, a small synthetic shop whose answers repeat, to test one's own SQL with.

The fixture gives its own database, in memory, a seeded source of randomness. No other database of the process has it,
also not one that is attached to this one, and no test that does not ask for the fixture. Its receipts say that they are
not private, and so do the lines of its ledger.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture
def msd_shop() -> Iterator[Any]:
    """A connection to a synthetic shop: 300 products, 3,000 invented users, purchases protected with ε = 10.

    Its answers repeat from run to run: they are not private.
    """
    from msd_sql.api.connection import connect
    from msd_sql.api.declarations import items, protect
    from msd_sql.demo.shop import shop, write
    from msd_sql.registration import instance_of
    from msd_sql.udfs.privacy.randomness import SeededSource

    with connect() as con:
        write(con, shop(products=300, users=3_000))
        protect(con, "purchases", unit="user_id", item="item_id", budget=10, delta=1e-6)
        items(con, "products", key="item_id", features="categories", reach="purchases")
        own = con.execute("SELECT current_database()").fetchall()[0][0]
        instance_of(con).seeded = (own, SeededSource(0))
        yield con
