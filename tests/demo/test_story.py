import os
import re
import subprocess
import sys

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
    ending = capsys.readouterr().out.partition("Now you")[2]
    assert f" shell {path} " in ending
    assert "--keep" not in ending
    con = duckdb.connect(str(path), read_only=True)
    assert con.execute("SELECT count(*) FROM products").fetchall() == [(3_000,)]
    con.close()
    assert main(["demo", "--keep", str(path)]) == 1
    assert "exists already" in capsys.readouterr().err


def test_it_ends_with_a_command_that_works_where_it_was_started(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After python3 dev.py demo there is an msd beside its Python, and none on the PATH."""
    home = tmp_path / "a place" / "bin"
    home.mkdir(parents=True)
    monkeypatch.setenv("PATH", str(home))
    monkeypatch.chdir(tmp_path)
    assert view.msd_here() != "msd"
    monkeypatch.setattr(sys, "executable", str(home / "python"))
    assert view.msd_here() == "'a place/bin/python' -m msd_sql.cli"
    (home / "msd").write_text("#!/bin/sh\n")
    assert view.msd_here() == "'a place/bin/msd'"
    (home / "msd").chmod(0o755)
    assert view.msd_here() == "msd"


def test_the_command_that_it_names_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", os.defpath)
    done = subprocess.run(f"{view.msd_here()} --version", shell=True, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("msd_sql ")


def test_setting_up_says_that_it_takes_a_while(root, tmp_path) -> None:
    """A person who sees nothing move for a minute stops it."""
    python = tmp_path / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    python.parent.mkdir()
    python.write_text("#!/bin/sh\n")  # it installs nothing
    python.chmod(0o755)
    done = subprocess.run(
        [sys.executable, str(root / "dev.py"), "setup", "shell"], env={**os.environ, "MSD_VENV": str(tmp_path)},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout == "Installing msd_sql with shell … (once; it downloads what is needed, a minute or two)\n"
