"""Notebooks: jupysql and marimo, and a kernel that shows a selection."""

import pytest

import msd_sql
from tests.integrations.conftest import TOPK, left


def test_jupysql_on_a_connection(file):
    pytest.importorskip("sql", reason="jupysql is not installed: python3 dev.py integrations")
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    book = nbformat.v4.new_notebook()
    book.cells = [
        nbformat.v4.new_code_cell(f"import msd_sql\ncon = msd_sql.connect({str(file)!r})\n%load_ext sql"),
        nbformat.v4.new_code_cell("%sql con --alias shop"),
        nbformat.v4.new_code_cell(f"found = %sql {TOPK}\nlen(found.DataFrame())"),
        nbformat.v4.new_code_cell("msd_sql.select('FROM products', con=con, k=3, eps=0.1, diversity=0.5)"),
        nbformat.v4.new_code_cell("con.close()"),
    ]
    done = nbclient.NotebookClient(book, timeout=120).execute()
    assert done.cells[2].outputs[-1]["data"]["text/plain"] == "3"
    shown = done.cells[3].outputs[-1]["data"]
    assert shown["text/html"].count("<tr") == 4
    assert "eps = 0.1" in shown["text/plain"]
    assert left(file) == 0.9


def test_marimo_cells_on_a_connection(file, monkeypatch):
    marimo = pytest.importorskip("marimo", reason="marimo is not installed: python3 dev.py integrations")
    monkeypatch.setenv("SHOP_DUCKDB", str(file))
    app = marimo.App()

    @app.cell
    def connect():
        import os

        import msd_sql as ours

        con = ours.connect(os.environ["SHOP_DUCKDB"])
        return (con,)

    @app.cell
    def ask(con):
        import marimo as mo

        topk = "SELECT item_id, msd_rank FROM msd_topk(products, 3, 0.1, 0.5)"
        chosen = mo.sql(topk, engine=con._msd_inner, output=False)
        return (chosen,)

    _, names = app.run()
    assert len(names["chosen"]) == 3
    names["con"].close()
    assert left(file) == 0.9


def test_a_selection_shows_itself_without_any_of_them(file):
    with msd_sql.connect(file) as con:
        assert "<table" in msd_sql.select("FROM products", con=con, k=3, eps=0.1, diversity=0.5)._repr_html_()
