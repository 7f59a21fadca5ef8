"""Pictures that commands write: budgets over time, and the owner's forecast."""

import duckdb
import pytest

import msd_sql
from msd_sql.cli import main


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "shop.duckdb"
    with duckdb.connect(str(path)) as con:
        msd_sql.register(con)
        con.execute("CREATE TABLE products AS SELECT i AS item_id FROM range(50) t(i)")
        con.execute(
            "CREATE TABLE purchases AS SELECT i % 300 AS user_id, (i * i) % 50 AS item_id FROM range(2000) t(i)"
        )
        con.execute("SELECT msd_protect('purchases', unit := 'user_id', item := 'item_id', budget := 1)").fetchall()
        con.execute("SELECT msd_items('products', key := 'item_id', reach := 'purchases')").fetchall()
        con.execute("SELECT msd_select(item_id, 3, 0.1, 0) FROM products").fetchall()
    return str(path)


def test_the_ledger_draws_its_budgets(file, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    picture = tmp_path / "spent.png"
    assert main(["ledger", file, "--plot", str(picture)]) == 0
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert main(["ledger", file, "--relation", "clicks", "--plot", str(picture)]) == 1
    assert "nothing to draw" in capsys.readouterr().out


def test_the_owner_forecasts_from_the_command_line(file, capsys):
    assert main(["forecast", file, "products", "--as-owner", "-k", "3", "--eps", "1", "--runs", "2"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("For the owner only: users of shop.main.purchases")
    assert main(["forecast", file]) == 1
    with duckdb.connect(file) as con:
        msd_sql.register(con)
        assert con.execute("SELECT count(*) FROM msd_ledger() WHERE exact").fetchall() == [(1,)]
