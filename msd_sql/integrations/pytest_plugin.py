"""A pytest plugin: the fixture `msd_shop`, a small synthetic shop whose answers repeat, to test one's own SQL with.

Answers are drawn from a seeded generator while the fixture is in use: the same in every run, and not private, which
their receipts say. Nothing else of this package can be seeded from outside of a test.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import pytest

_DRAWING = ("udfs.selection", "actions.select", "actions.reach", "actions.recount")


@contextmanager
def _seeded(seed: int) -> Iterator[None]:
    from msd_sql.udfs.privacy.randomness import SeededSource

    if "PYTEST_CURRENT_TEST" not in os.environ:
        raise RuntimeError("msd_sql draws from a seeded generator in tests alone.")
    modules = [import_module(f"msd_sql.{name}") for name in _DRAWING]
    before = [vars(module)["SecretSource"] for module in modules]
    source = SeededSource(seed)
    for module in modules:
        vars(module)["SecretSource"] = lambda: source
    try:
        yield
    finally:
        for module, own in zip(modules, before, strict=True):
            vars(module)["SecretSource"] = own


@pytest.fixture
def msd_shop() -> Iterator[Any]:
    """A connection to a synthetic shop: 300 products, 3,000 invented users, purchases protected with ε = 10.

    Its answers repeat from run to run: they are not private.
    """
    from msd_sql.api.connection import connect
    from msd_sql.api.declarations import items, protect
    from msd_sql.demo.shop import shop, write

    with _seeded(0), connect() as con:
        write(con, shop(products=300, users=3_000))
        protect(con, "purchases", unit="user_id", item="item_id", budget=10, delta=1e-6)
        items(con, "products", key="item_id", features="categories", reach="purchases")
        yield con
