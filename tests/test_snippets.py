"""Every ```sql and ```python block of the README and of docs/ runs, page by page, in a database of its own.

A page may say how it starts, in a comment on a line of its own:

    <!-- snippets: shop -->      the synthetic shop is there, with our functions registered, but nothing is declared
    <!-- snippets: protected -->  the same, declared with a budget of ε = 10

Without it a page starts with an empty database and our functions. A block written as ```sql refused must fail.
Blocks in other languages (text, console, bash, …) are not run.
"""

import re
import warnings
from pathlib import Path

import duckdb
import pytest

import msd_sql
from msd_sql.demo.shop import shop, write

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
BLOCK = re.compile(r"^```(sql|python)([^\n]*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
START = re.compile(r"^<!-- snippets: (\w+) -->$", re.MULTILINE)


def blocks(page):
    return [(language, how.strip(), text) for language, how, text in BLOCK.findall(page.read_text())]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_snippets_of_a_page_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    con = duckdb.connect(str(tmp_path / "shop.duckdb"))
    msd_sql.register(con)
    start = START.search(page.read_text())
    if start:
        write(con, shop(products=300, users=3_000))
    if start and start.group(1) == "protected":
        con.execute("SELECT msd_protect('purchases', unit := 'user_id', item := 'item_id', budget := 10.0)")
        con.execute("SELECT msd_items('products', key := 'item_id', features := 'categories', reach := 'purchases')")
    names = {"con": con, "duckdb": duckdb, "msd_sql": msd_sql}
    for language, how, text in blocks(page):
        assert how in ("", "refused"), f"```{language} {how}: say 'refused' or nothing"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            if how == "refused":
                with pytest.raises((duckdb.Error, msd_sql.errors.MsdError)):
                    run(language, text, con, names)
            else:
                run(language, text, con, names)
    con.close()


def run(language, text, con, names):
    if language == "python":
        exec(compile(text, "snippet", "exec"), names)
        return
    for statement in con.extract_statements(text):
        con.execute(statement).fetchall()


def test_the_pages_that_must_have_snippets_have_them():
    counted = {page.name: len(blocks(page)) for page in PAGES}
    for name in ("README.md", "privacy.md", "guide_owner.md", "guide_analyst.md"):
        assert counted.get(name, 0) >= 1, f"{name} has no snippet that runs"
