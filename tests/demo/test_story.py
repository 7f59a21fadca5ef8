import re

import duckdb
import pytest

from msd_sql.cli import main
from msd_sql.demo import story as demo
from msd_sql.demo import view


@pytest.fixture(scope="module")
def story() -> demo.Story:
    con = duckdb.connect()
    try:
        return demo.story(con)
    finally:
        con.close()


def test_the_plain_six_repeat_themselves_and_the_diverse_six_do_not(story: demo.Story) -> None:
    plain, _, diverse = story.sections[:3]
    assert len(plain.rows) == len(diverse.rows) == 6
    assert len(plain.repeated) >= 3
    assert len(diverse.repeated) < len(plain.repeated)


def test_the_demo_says_that_it_is_synthetic_and_what_is_left(story: demo.Story) -> None:
    text = view.text(story)
    assert "synthetic" in text.splitlines()[0]
    assert "LeakError" in text
    assert re.search(r"0\.85 of 1 +5\d\b", text)  # by the filter; added up it would be 8
    assert "would be 8 answers of ε = 0.1" in text
    for sql in (demo.PLAIN, demo.PROTECT, demo.DIVERSE, demo.LEAK):
        assert all(f"   {line}" in text for line in sql.splitlines())


def test_the_page_holds_the_same_story(story: demo.Story) -> None:
    page = view.page(story)
    for section in story.sections:
        assert section.title in page.replace("&#x27;", "'")
    assert page.count("<table>") == 4


def test_the_colours_hold_the_same_story(story: demo.Story, tmp_path) -> None:
    pytest.importorskip("rich", reason="colours need rich (extra: shell)")
    view.svg(story, tmp_path / "demo.svg")
    drawn = (tmp_path / "demo.svg").read_text()
    assert drawn.startswith("<svg")
    assert "Essential&#160;Oils" in drawn


def test_the_shop_can_be_kept_and_is_not_overwritten(tmp_path, capsys: pytest.CaptureFixture[str]) -> None:
    path, page = tmp_path / "shop.duckdb", tmp_path / "report.html"
    assert main(["demo", "--keep", str(path), "--html", str(page)]) == 0
    assert page.read_text().startswith("<!doctype html>")
    con = duckdb.connect(str(path), read_only=True)
    assert con.execute("SELECT count(*) FROM products").fetchall() == [(3_000,)]
    con.close()
    assert main(["demo", "--keep", str(path)]) == 1
    assert "exists already" in capsys.readouterr().err
