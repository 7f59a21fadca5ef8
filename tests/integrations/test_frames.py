"""Frames, pools and pages: ibis, SQLAlchemy, FastAPI, Streamlit and Great Tables on one shop."""

import pytest

import msd_sql
from tests.integrations.conftest import TOPK, left


def test_ibis_expressions(file):
    ibis = pytest.importorskip("ibis", reason="ibis is not installed: python3 dev.py integrations")
    backend = ibis.duckdb.connect(file)
    products = backend.table("products")
    found = msd_sql.select(products.filter(products.kind == "a"), k=3, eps=0.1, diversity=0.5)
    assert set(found.rows["kind"]) == {"a"}
    told = msd_sql.explain(products, k=3, eps=0.1, diversity=0.5, key="item_id", reach="purchases")
    assert "candidates" in set(told.property)
    backend.disconnect()
    assert left(file) == 0.9


def test_sqlalchemy_connections(file):
    sqlalchemy = pytest.importorskip("sqlalchemy", reason="sqlalchemy is not installed: python3 dev.py integrations")
    pytest.importorskip("duckdb_engine", reason="duckdb-engine is not installed: python3 dev.py integrations")
    from msd_sql.sqlalchemy import listen

    engine = listen(sqlalchemy.create_engine(f"duckdb:///{file}"))
    for _ in range(2):
        with engine.connect() as connection:
            assert len(connection.execute(sqlalchemy.text(TOPK)).fetchall()) == 3
    engine.dispose()
    assert left(file) == 0.9


def test_a_service_with_a_cursor_a_request(file):
    fastapi = pytest.importorskip("fastapi", reason="fastapi is not installed: python3 dev.py integrations")
    from fastapi.testclient import TestClient

    con = msd_sql.connect(file)
    app = fastapi.FastAPI()

    @app.get("/front-page")
    def front_page() -> list[int]:
        with con.cursor() as cursor:
            return [row[0] for row in cursor.execute(TOPK).fetchall()]

    client = TestClient(app)
    answers = [client.get("/front-page").json() for _ in range(3)]
    assert answers[0] == answers[1] == answers[2]
    con.close()
    assert left(file) == 0.9


def test_a_table_of_great_tables_and_a_page_of_streamlit(file):
    tables = pytest.importorskip("great_tables", reason="great_tables is not installed: python3 dev.py integrations")
    testing = pytest.importorskip("streamlit.testing.v1", reason="streamlit is not installed")
    with msd_sql.connect(file) as con:
        found = msd_sql.select("FROM products", con=con, k=3, eps=0.1, diversity=0.5)
    assert "<table" in tables.GT(found.to_pandas()).as_raw_html()

    def page(path):
        import streamlit

        import msd_sql as ours

        with ours.connect(path) as con:
            streamlit.dataframe(ours.select("FROM products", con=con, k=3, eps=0.1, diversity=0.5))

    run = testing.AppTest.from_function(page, args=(str(file),), default_timeout=60).run()
    assert not run.exception
    assert len(run.dataframe[0].value) == 3
