"""Each file needs a tool and says so where it is missing: `python3 dev.py integrations` installs and runs them all."""

import duckdb
import pytest

import msd_sql

PROTECT = {"unit": "user_id", "item": "item_id", "budget": 1.0, "delta": 1e-6}
TOPK = "SELECT item_id, msd_rank FROM msd_topk(products, 3, 0.1, 0.5)"


@pytest.fixture
def file(tmp_path):
    """A database file with a protected shop, closed."""
    path = tmp_path / "shop.duckdb"
    with msd_sql.connect(path) as con:
        con.execute(
            "CREATE TABLE products AS SELECT i AS item_id, ['a', 'b', 'c'][1 + i % 3] AS kind FROM range(30) t(i)"
        )
        con.execute("CREATE TABLE purchases AS SELECT i % 50 AS user_id, (i * i) % 30 AS item_id FROM range(500) t(i)")
        msd_sql.protect(con, "purchases", **PROTECT)
        msd_sql.items(con, "products", key="item_id", features="kind", reach="purchases")
    return path


def left(path):
    """What is left of the budget, asked by a connection of its own."""
    with msd_sql.connect(path) as con:
        return round(msd_sql.remaining(con, "purchases"), 6)


def lines(path):
    """How many lines the ledger has."""
    with duckdb.connect(str(path)) as con:
        return con.execute("SELECT count(*) FROM msd.ledger").fetchall()[0][0]


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """The port of a curator, and a token."""
    from tests.curator.shop import add_account, make_shop, serve, share  # not every environment here can serve

    path = make_shop(tmp_path_factory.mktemp("flight") / "shop.duckdb")
    token = add_account(path, "ana", shares=share(0.5))
    server = serve(path)
    yield int(server.address.rpartition(":")[2]), token
    assert server.stop() == 0
