"""What the examples in docstrings may use: a small shop, registered and declared, under the names they call it by."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from _pytest.doctest import DoctestItem

# Glue for tools that are not installed here: tests/integrations runs it with the tools.
collect_ignore = [
    *("msd_sql/dbt.py", "msd_sql/sqlalchemy.py"),
    *(f"msd_sql/integrations/{name}.py" for name in (
        "harlequin_adapter", "haystack", "langchain", "llama_index", "mcp_server", "pytest_plugin"
    )),
]  # fmt: skip


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
    from msd_sql.guard.connection_view import ConnectionView
    from msd_sql.registration import instance_of
    from msd_sql.runtime.caller import Context
    from tests.support.shop import declare, fill

    con = stack.enter_context(duckdb.connect(str(folder / "shop.duckdb")))
    fill(con)
    con.execute("CREATE VIEW recent_purchases AS FROM purchases")
    msd_sql.register(con)
    declare(con)
    instance = instance_of(con)
    host = DuckDBHost(stack.enter_context(con.cursor()))
    told = {"statement": "SELECT msd_select(item_id, 6, 0.1, 0.5) FROM products", "database": "shop", "schema": "main"}
    plan = con.execute("SELECT CAST(json_serialize_plan($1) AS VARCHAR)", [told["statement"]]).fetchall()[0][0]
    context = Context(ConnectionView.read(json.dumps(told), plan))
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
        "three_products": Candidates(["1", "2", "3"], "INTEGER"),
    }
