"""A curator's Flight SQL as flightsql-dbapi (pyarrow) speaks it: its client, its DB API and its SQLAlchemy dialect."""

import pytest

flightsql = pytest.importorskip("flightsql", reason="flightsql-dbapi is not installed: python3 dev.py integrations")
TOPK = "SELECT item_id, title FROM msd_topk('products', 4, 0.05, 0.5)"


def client(port, **given):
    return flightsql.FlightSQLClient(host="127.0.0.1", port=port, insecure=True, **given)


def rows(asked, info):
    return asked.do_get(info.endpoints[0].ticket).read_all().to_pylist()


@pytest.mark.parametrize("by_name", [False, True])
def test_published_rows_and_a_selection(served, by_name):
    port, token = served
    asked = client(port, **({"user": "ana", "password": token} if by_name else {"token": token}))
    assert rows(asked, asked.execute("SELECT title FROM products WHERE item_id = 7")) == [{"title": "product 7"}]
    chosen = rows(asked, asked.execute(TOPK))
    assert len({row["item_id"] for row in chosen}) == 4
    assert rows(asked, asked.execute(TOPK)) == chosen  # told again
    asked.close()


def test_what_it_asks_about_the_database(served):
    from flightsql.client import TableRef

    port, token = served
    asked = client(port, token=token)
    products = TableRef(table="products")
    assert rows(asked, asked.get_catalogs()) == [{"catalog_name": "memory"}]
    assert [row["db_schema_name"] for row in rows(asked, asked.get_db_schemas())] == ["main"]
    assert [row["table_name"] for row in rows(asked, asked.get_tables(include_schema=True))] == ["products"]
    assert [row["table_type"] for row in rows(asked, asked.get_table_types())] == ["BASE TABLE"]
    for keys in (asked.get_primary_keys, asked.get_exported_keys, asked.get_imported_keys):
        assert rows(asked, keys(products)) == []
    assert rows(asked, asked.get_cross_reference(products, products)) == []
    assert [row["type_name"] for row in rows(asked, asked.get_xdbc_type_info(-5))] == ["BIGINT"]
    assert rows(asked, asked.get_sql_info([3])) == [{"info_name": 3, "value": True}]
    with asked.prepare("SELECT 42 AS n") as prepared:
        assert rows(asked, prepared.execute(None)) == [{"n": 42}]
    with pytest.raises(flightsql.client.flight.FlightServerError, match="SELECT only"):
        asked.execute_update("CREATE TABLE mine (i INTEGER)")


def test_its_db_api_and_sqlalchemy(served):
    import flightsql.sqlalchemy
    from sqlalchemy import create_engine, inspect, text

    port, token = served
    cursor = flightsql.connect(client(port, token=token)).cursor()
    cursor.execute("SELECT count(*) AS n FROM products")
    assert [list(row) for row in cursor.fetchall()] == [[61]]
    engine = create_engine(f"datafusion+flightsql://ana:{token}@127.0.0.1:{port}?insecure=True")
    assert inspect(engine).get_table_names(schema="main") == ["products"]
    assert inspect(engine).get_columns("products", schema="main")[0]["name"] == "item_id"
    with engine.connect() as con:
        assert con.execute(text("SELECT title FROM products WHERE item_id = 7")).fetchall() == [("product 7",)]


def test_a_wrong_token_is_refused(served):
    port, _ = served
    with pytest.raises(flightsql.client.flight.FlightUnauthenticatedError, match="unknown, expired or revoked"):
        client(port, token="ana.wrong").execute("SELECT 1")
    with pytest.raises(flightsql.client.flight.FlightUnauthenticatedError, match="unknown, expired or revoked"):
        client(port, user="ana", password="wrong")
