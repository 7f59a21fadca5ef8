"""What the examples in docstrings may use: a small shop, registered and declared, under the names they call it by."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from _pytest.doctest import DoctestItem


@pytest.fixture(scope="session")
def _names(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    with ExitStack() as stack:
        yield _shop(tmp_path_factory.mktemp("examples"), stack)


@pytest.fixture(autouse=True)
def _names_of_examples(request: pytest.FixtureRequest) -> None:
    if isinstance(request.node, DoctestItem) and "/udfs/" not in request.node.path.as_posix():
        request.getfixturevalue("doctest_namespace").update(request.getfixturevalue("_names"))


def _shop(folder: Path, stack: ExitStack) -> dict[str, Any]:
    """A database `shop`: 60 products, 2,000 purchases of 400 users; what the SQL side makes of it, by name."""
    import duckdb
    from matplotlib.figure import Figure

    import msd_sql
    from msd_sql.database.duckdb_host import DuckDBHost
    from msd_sql.engines.candidates import Candidates
    from msd_sql.registration import instance_of
    from msd_sql.runtime.call import Context
    from tests.sql.conftest import declare, fill

    con = stack.enter_context(duckdb.connect(str(folder / "shop.duckdb")))
    fill(con)
    con.execute("CREATE VIEW recent_purchases AS FROM purchases")
    msd_sql.register(con)
    declare(con)
    instance = instance_of(con)
    host = DuckDBHost(stack.enter_context(con.cursor()))
    told = {"statement": "SELECT msd_select(item_id, 6, 0.1, 0.5) FROM products", "database": "shop", "schema": "main"}
    context = Context.read({**dict.fromkeys(("path", "session", "connection", "query")), **told})
    call = stack.enter_context(instance.call(context))
    return {
        "con": con,
        "folder": folder,
        "msd_sql": msd_sql,
        "figure": Figure(),
        "host": host,
        "instance": instance,
        "context": context,
        "call": call,
        "purchases": call.need("purchases"),
        "products": call.items()[0],
        "relations": call.catalog.relations,
        "resolver": call.resolver,
        "three_products": Candidates(["1", "2", "3"], "INTEGER"),
    }
